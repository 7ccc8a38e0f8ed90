#include <iostream>

#include "models/catalog/catalog.hpp"
#include "models/catalog/measured_network.hpp"
#include "models/collective/fit_curve.hpp"
#include "models/quantity/format.hpp"
#include "tools/calibrate/measured_file.hpp"
#include "tools/calibrate/nccl_tests.hpp"
#include "tools/cli/arguments.hpp"
#include "tools/cli/calibrate.hpp"
#include "tools/cli/host.hpp"
#include "tools/records/atomic_file.hpp"
#include "tools/report/table.hpp"

namespace fleetsim {
namespace {

constexpr OptionRow kCalibrateNcclOptions[] = {
    {"out", "FILE", "the sweeps to write, for `--network FILE` or models/catalog/collectives"},
    {"collective", "NAME", "of output that does not name it: all-reduce, all-gather, reduce-scatter, ..."},
    {"ranks", "N", "of output that does not list its ranks"},
    {"per-domain", "N", "ranks that NVLink joins; those of one host unless given"},
    {"in-place", "", "the times in place, where those out of place are taken otherwise"},
    {"accelerator", "NAME", "entry of the catalog that the sweeps speak for; may be repeated"},
    {"fabric", "NAME", "network between the domains"},
    {"source", "TEXT", "where the sweeps are from"}};
constexpr Usage kCalibrateNcclUsage = {
    "calibrate nccl",
    "FILE",
    1,
    1,
    kCalibrateNcclOptions,
    "Fits bus bandwidth against message size to the output of nccl-tests, and shows the "
    "error at each size."};

constexpr std::size_t kFewestPoints = 4;

struct Given {
  std::optional<Collective> collective;
  std::optional<std::int64_t> ranks, per_domain;
  bool in_place = false;
};

/// A curve, or what is missing for one.
struct Sweep {
  std::optional<MeasuredCurve> curve;
  std::string problem;
};

Sweep sweep_of(const NcclRun& run, const Given& given) {
  const std::optional<Collective> collective = given.collective ? given.collective : collective_of(run);
  if (!collective)
    return {std::nullopt, run.program.empty()
                              ? "does not say which collective it is; give --collective"
                              : "\"" + run.program + "\" is no collective that the models know"};
  const std::int64_t ranks = given.ranks.value_or(run.ranks);
  if (ranks < 2)
    return {std::nullopt, ranks == 1 ? "one rank has nothing to exchange"
                                     : "does not list its ranks; give --ranks and --per-domain"};
  const std::int64_t hosts = run.hosts > 0 && ranks % run.hosts == 0 ? run.hosts : 1;
  const std::int64_t per_domain = given.per_domain.value_or(ranks / hosts);
  if (ranks % per_domain != 0)
    return {std::nullopt, std::to_string(ranks) + " ranks are not a multiple of --per-domain " +
                              std::to_string(per_domain)};
  std::vector<TimedSize> points;
  for (const NcclRow& row : run.rows) {
    const std::optional<Seconds>& first = given.in_place ? row.in_place : row.out_of_place;
    const std::optional<Seconds>& second = given.in_place ? row.out_of_place : row.in_place;
    if (first || second) points.push_back({row.message, first ? *first : *second});
  }
  if (points.size() < kFewestPoints)
    return {std::nullopt, "expected at least four sizes; found " + std::to_string(points.size())};
  // A pair is all that a send knows of; around a ring over hosts the slowest pair lies across.
  if (*collective == Collective::kSendRecv)
    return {MeasuredCurve{*collective, 2, per_domain < ranks ? 1 : 2, std::move(points)}, {}};
  return {MeasuredCurve{*collective, ranks, per_domain, std::move(points)}, {}};
}

std::string described(const MeasuredCurve& curve, const FittedCurve& fitted, const std::string& device) {
  const std::string where = curve.per_domain() >= curve.ranks()
                                ? "in one domain"
                                : format_integer(curve.per_domain()) + " in each domain";
  const LinkCurve& c = fitted.curve;
  std::string text = std::string(to_string(curve.collective())) + " over " + format_integer(curve.ranks()) +
                     " ranks, " + where + (device.empty() ? "" : ", " + device) + "\n";
  text += "  bandwidth " + format_byte_rate(c.bandwidth) + ", half of it at " + format_bytes(c.knee) +
          ", exponent " + format_number(c.exponent) + ", latency " +
          (c.floor > Seconds{}
               ? format_duration(c.floor, c.floor.si < 1e-3 ? TimeUnit::kMicrosecond : TimeUnit::kMillisecond)
               : std::string("not shown by these sizes")) +
          "\n  the fit is off by " + format_percent(fitted.median_error) + " (median), " +
          format_percent(fitted.p90_error) + " (nine of ten)\n\n";
  return text;
}

std::string error_table(const MeasuredCurve& curve, const FittedCurve& fitted, const Style& style) {
  const double share = moved_share(curve.collective(), static_cast<double>(curve.ranks()));
  std::vector<TableRow> rows;
  for (const TimedSize& point : curve.points()) {
    const Seconds fit = curve_time(fitted.curve, point.message, share, curve.domains(), 1);
    const auto bus = [&](Seconds time) { return format_byte_rate(share * point.message / time); };
    const auto us = [](Seconds time) { return format_fixed(time.si * 1e6, 1); };
    rows.push_back({"  " + format_integer(static_cast<std::int64_t>(point.message.si)), us(point.time),
                    us(fit), bus(point.time), bus(fit), format_percent(fit / point.time - 1)});
  }
  return text_table({{"  bytes", Align::right},
                     {"measured, us", Align::right},
                     {"fitted", Align::right},
                     {"bus bandwidth", Align::right},
                     {"fitted", Align::right},
                     {"error", Align::right}},
                    rows, style);
}

Given given_by(Arguments& arguments) {
  Given given{.collective = std::nullopt, .ranks = std::nullopt, .per_domain = std::nullopt};
  given.in_place = arguments.has("in-place");
  if (const auto ranks = arguments.whole("ranks", 2, 1'000'000))
    given.ranks = static_cast<std::int64_t>(*ranks);
  if (const auto per_domain = arguments.whole("per-domain", 1, 1'000'000))
    given.per_domain = static_cast<std::int64_t>(*per_domain);
  if (const auto name = arguments.value("collective")) {
    given.collective = collective_by_name(*name);
    if (!given.collective)
      arguments.reject(
          "--collective expects all-reduce, all-gather, reduce-scatter, all-to-all or send-recv; found \"" +
          *name + "\"");
  }
  return given;
}

/// What the file is to say of itself; names must be those of the catalog.
MeasuredNetwork entry_of(Arguments& arguments, const std::string& file) {
  MeasuredNetwork network{.name = {}, .about = "Measured with nccl-tests: " + file};
  for (const std::string& name : arguments.values("accelerator")) {
    const Found<Accelerator> found = accelerator(name);
    if (!found) arguments.reject("--accelerator: " + found.problem);
    network.accelerators.push_back(name);
  }
  if (const auto name = arguments.value("fabric")) {
    const Found<Fabric> found = fabric(*name);
    if (!found) arguments.reject("--fabric: " + found.problem);
    network.fabric = *name;
  }
  return network;
}

}  // namespace

ExitCode calibrate_nccl(const Words& words) {
  Arguments arguments = Arguments::parse(kCalibrateNcclUsage, words);
  if (arguments.exit()) return *arguments.exit();
  const Given given = given_by(arguments);
  const std::string& file = arguments.positional().front();
  MeasuredNetwork network = entry_of(arguments, file);
  if (arguments.exit()) return *arguments.exit();
  const std::optional<std::string> text = file_text(file);
  if (!text) return fail(kCalibrateNcclUsage.command, file + ": cannot be read", ExitCode::bad_input);
  const NcclReading reading = read_nccl_tests(*text);
  if (reading.problem)
    return fail(kCalibrateNcclUsage.command, file + ": " + *reading.problem, ExitCode::bad_input);
  for (const std::string& note : reading.notes) std::cerr << clean(file + ": " + note, Style{}) << "\n";

  std::string page;
  std::vector<std::string> sources;
  for (const NcclRun& run : reading.runs) {
    Sweep sweep = sweep_of(run, given);
    if (!sweep.curve)
      return fail(kCalibrateNcclUsage.command, file + ": " + sweep.problem, ExitCode::bad_input);
    const FittedCurve fitted = fit_curve({&*sweep.curve, 1});
    page += (page.empty() ? "" : "\n") + described(*sweep.curve, fitted, clean(run.device, Style{})) +
            error_table(*sweep.curve, fitted, output_style(arguments));
    sources.push_back(arguments.value("source").value_or(
        "nccl-tests" + (run.device.empty() ? "" : ", " + run.device) + ": " + file));
    network.curves.push_back(*std::move(sweep.curve));
  }
  if (const auto out = arguments.value("out")) {
    if (const auto problem = write_file_atomically(*out, measured_file(network, sources)))
      return fail(kCalibrateNcclUsage.command, *problem, ExitCode::bad_input);
    page += "\nwritten to " + clean(*out, Style{}) + "\n";
  }
  return print(page);
}

}  // namespace fleetsim
