#include <map>
#include <nlohmann/json.hpp>
#include <sstream>

#include "models/catalog/catalog.hpp"
#include "models/quantity/format.hpp"
#include "tools/calibrate/gemm_fit.hpp"
#include "tools/calibrate/gemm_table.hpp"
#include "tools/cli/arguments.hpp"
#include "tools/cli/calibrate.hpp"
#include "tools/cli/host.hpp"
#include "tools/records/atomic_file.hpp"
#include "tools/report/table.hpp"

namespace fleetsim {
namespace {

constexpr OptionRow kCalibrateGemmOptions[] = {
    {"out", "FILE", "the rates to write, as an accelerator of the catalog has them"},
    {"accelerator", "NAME", "entry of the catalog on which the table was measured"},
    {"source", "TEXT", "where the table is from"}};
constexpr Usage kCalibrateGemmUsage = {
    "calibrate gemm",
    "FILE",
    1,
    1,
    kCalibrateGemmOptions,
    "Fits the rate of matrix products to a CSV table m,n,k,dtype,time_us (or tflops), type by "
    "type: best rate, what a short inner dimension and a small output cost, memory bandwidth, "
    "overhead."};

constexpr std::size_t kFewestShapes = 8;

using ByType = std::map<std::string, std::vector<TimedGemm>>;

FlopRate best_rate(const std::vector<TimedGemm>& shapes) {
  FlopRate best{};
  for (const TimedGemm& each : shapes) {
    const double operations =
        2.0 * static_cast<double>(each.m) * static_cast<double>(each.n) * static_cast<double>(each.k);
    best = std::max(best, Flops{operations} / each.time);
  }
  return best;
}

std::string described(const std::string& type, const std::vector<TimedGemm>& shapes, const GemmFit& fit) {
  return type + ", " + format_integer(static_cast<std::int64_t>(shapes.size())) + " shapes, the best at " +
         format_flop_rate(best_rate(shapes)) + "\n  rate " + format_flop_rate(fit.curve.rate) +
         ", halved at an inner dimension of " + format_number(fit.curve.short_depth) +
         " and at an output of " + format_number(fit.curve.small_result) + " elements\n  bandwidth " +
         format_byte_rate(fit.curve.bandwidth) + ", overhead " +
         format_duration(fit.curve.each, TimeUnit::kMicrosecond) + "\n  the fit is off by " +
         format_percent(fit.median_error) + " (median), " + format_percent(fit.p90_error) +
         " (nine of ten)\n\n";
}

std::string error_table(const std::vector<TimedGemm>& shapes, const GemmFit& fit, const Style& style) {
  std::vector<TableRow> rows;
  for (const TimedGemm& each : shapes) {
    const Seconds fitted = gemm_time(fit.curve, each);
    rows.push_back({"  " + format_integer(each.m), format_integer(each.n), format_integer(each.k),
                    format_fixed(each.time.si * 1e6, 1), format_fixed(fitted.si * 1e6, 1),
                    format_percent(fitted / each.time - 1)});
  }
  return text_table({{"  m", Align::right},
                     {"n", Align::right},
                     {"k", Align::right},
                     {"measured, us", Align::right},
                     {"fitted", Align::right},
                     {"error", Align::right}},
                    rows, style);
}

std::string shortest(double value) { return nlohmann::json(value).dump(); }

/// `rates` of an accelerator: the best shape, and beside it the form fitted and the shapes it was fitted to.
void add_rate(const std::string& type, const std::vector<TimedGemm>& shapes, const GemmFit& fit,
              const std::string& source, nlohmann::ordered_json& rates) {
  const double best = std::round(best_rate(shapes).si / 1e8) / 1e4;
  nlohmann::ordered_json products = nlohmann::ordered_json::array();
  for (const TimedGemm& each : shapes) products.push_back({each.m, each.n, each.k, each.time.si * 1e6});
  rates["gemm_" + type] = {{"value", shortest(best) + " TFLOP/s"},
                           {"source", source + ": best of " + std::to_string(shapes.size()) + " shapes"},
                           {"fit",
                            {{"rate", shortest(fit.curve.rate.si / 1e12) + " TFLOP/s"},
                             {"depth", fit.curve.short_depth},
                             {"area", fit.curve.small_result},
                             {"bandwidth", shortest(fit.curve.bandwidth.si / 1e9) + " GB/s"},
                             {"overhead", shortest(fit.curve.each.si * 1e6) + " us"},
                             {"median_error", fit.median_error},
                             {"p90_error", fit.p90_error}}},
                           {"products", std::move(products)}};
}

}  // namespace

ExitCode calibrate_gemm(const Words& words) {
  Arguments arguments = Arguments::parse(kCalibrateGemmUsage, words);
  if (arguments.exit()) return *arguments.exit();
  const std::optional<std::string> device = arguments.value("accelerator");
  if (device && !accelerator(*device)) {
    arguments.reject("--accelerator: " + accelerator(*device).problem);
    return ExitCode::bad_input;
  }
  const std::string& file = arguments.positional().front();
  const std::optional<std::string> text = file_text(file);
  if (!text) return fail(kCalibrateGemmUsage.command, file + ": cannot be read", ExitCode::bad_input);
  std::istringstream in(*text);
  const TimedGemms table = read_gemm_table(in);
  if (!table.problems.empty())
    return fail(kCalibrateGemmUsage.command, file + ": " + table.problems.front(), ExitCode::bad_input);

  ByType by_type;
  for (const TimedGemm& each : table.rows) by_type[each.dtype].push_back(each);
  std::string page;
  nlohmann::ordered_json rates;
  for (const auto& [type, shapes] : by_type) {
    if (shapes.size() < kFewestShapes)
      return fail(
          kCalibrateGemmUsage.command,
          file + ": " + type + ": expected at least eight shapes; found " + std::to_string(shapes.size()),
          ExitCode::bad_input);
    const GemmFit fit = fit_gemm(shapes);
    page += (page.empty() ? "" : "\n") + described(type, shapes, fit) +
            error_table(shapes, fit, output_style(arguments));
    add_rate(type, shapes, fit, arguments.value("source").value_or(file), rates);
  }
  if (const auto out = arguments.value("out")) {
    nlohmann::ordered_json entry{{"about", "Measured matrix products: " + file}};
    if (device) entry["accelerator"] = *device;
    entry["rates"] = rates;
    if (const auto problem = write_file_atomically(*out, entry.dump(2) + "\n"))
      return fail(kCalibrateGemmUsage.command, *problem, ExitCode::bad_input);
    page += "\nwritten to " + clean(*out, Style{}) + "\n";
  }
  return print(page);
}

}  // namespace fleetsim
