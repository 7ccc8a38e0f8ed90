#include "tools/calibrate/gemm_table.hpp"

#include <array>
#include <charconv>
#include <optional>
#include <utility>

#include "sim/workload/csv_rows.hpp"

namespace fleetsim {
namespace {

constexpr std::array<std::string_view, 4> kRequired{"m", "n", "k", "dtype"};
constexpr std::array<std::string_view, 2> kOptional{"time_us", "tflops"};

template <class T>
std::optional<T> positive(std::string_view text) {
  T value{};
  const auto read = std::from_chars(text.data(), text.data() + text.size(), value);
  if (read.ec != std::errc{} || read.ptr != text.data() + text.size() || !(value > 0)) return std::nullopt;
  return value;
}

class TableReader {
 public:
  void take(const CsvRow& row) {
    if (!has_header_) {
      has_header_ = true;
      header_.read(row, table_.problems);
      if (table_.problems.empty() && !header_.find("time_us") && !header_.find("tflops"))
        table_.problems.push_back("expected a column time_us or tflops");
      return;
    }
    if (!table_.problems.empty()) return;
    line_ = row.line;
    if (row.cells.size() != header_.width()) {
      problem("expected " + std::to_string(header_.width()) + " cells; found " +
              std::to_string(row.cells.size()));
      return;
    }
    TimedGemm gemm{.m = size(row, "m"), .n = size(row, "n"), .k = size(row, "k")};
    gemm.dtype = header_.cell(row, "dtype");
    if (element_bytes(gemm.dtype) == 0)
      problem("dtype: expected bf16, fp16, fp8, fp4, fp32, tf32 or int8; found \"" + gemm.dtype + "\"");
    const double operations =
        2.0 * static_cast<double>(gemm.m) * static_cast<double>(gemm.n) * static_cast<double>(gemm.k);
    const char* const column = header_.find("time_us") ? "time_us" : "tflops";
    const std::optional<double> value = positive<double>(header_.cell(row, column));
    if (!value) {
      problem(std::string(column) + ": expected a number above zero; found \"" +
              std::string(header_.cell(row, column)) + "\"");
      return;
    }
    gemm.time =
        header_.find("time_us") ? Seconds{*value * 1e-6} : Flops{operations} / FlopRate{*value * 1e12};
    table_.rows.push_back(std::move(gemm));
  }

  TimedGemms finish(const std::optional<std::string>& bad_text) {
    if (bad_text) table_.problems.push_back(*bad_text);
    if (table_.problems.empty() && table_.rows.empty())
      table_.problems.push_back("expected a table m,n,k,dtype,time_us with at least one row");
    return std::move(table_);
  }

 private:
  std::int64_t size(const CsvRow& row, std::string_view column) {
    const std::optional<std::int64_t> value = positive<std::int64_t>(header_.cell(row, column));
    if (!value)
      problem(std::string(column) + ": expected a whole number of at least 1; found \"" +
              std::string(header_.cell(row, column)) + "\"");
    return value.value_or(1);
  }

  void problem(const std::string& text) {
    if (table_.problems.empty()) table_.problems.push_back("line " + std::to_string(line_) + ": " + text);
  }

  TimedGemms table_;
  CsvHeader header_{kRequired, kOptional};
  bool has_header_ = false;
  std::int64_t line_ = 0;
};

}  // namespace

TimedGemms read_gemm_table(std::istream& in) {
  TableReader reader;
  const auto bad_text = read_csv_rows(in, [&](const CsvRow& row) { reader.take(row); });
  return reader.finish(bad_text);
}

double element_bytes(std::string_view dtype) {
  constexpr std::pair<std::string_view, double> kTypes[] = {
      {"bf16", 2}, {"fp16", 2}, {"fp8", 1}, {"fp4", 0.5}, {"fp32", 4}, {"tf32", 4}, {"int8", 1}};
  for (const auto& [name, bytes] : kTypes)
    if (dtype == name) return bytes;
  return 0;
}

}  // namespace fleetsim
