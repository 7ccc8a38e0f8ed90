#include "sim/workload/csv_rows.hpp"

#include <csv.h>

#include <algorithm>
#include <istream>

namespace fleetsim {
namespace {

constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";

/// What the parser's callbacks fill. The cells of earlier rows are written over, not freed.
struct Collector {
  const std::function<void(const CsvRow&)>& visit;
  std::vector<std::string> cells{};
  std::size_t count = 0;
  std::int64_t first_line = 0;
  std::int64_t line = 0;
};

void end_cell(void* text, std::size_t length, void* data) {
  auto& row = *static_cast<Collector*>(data);
  if (row.count == row.cells.size()) row.cells.emplace_back();
  row.cells[row.count++].assign(static_cast<const char*>(text), length);
}

void end_row(int, void* data) {
  auto& row = *static_cast<Collector*>(data);
  row.visit({row.first_line, std::span(row.cells).first(row.count)});
  row.count = 0;
  row.first_line = row.line + 1;
}

std::string list(std::span<const std::string_view> names) {
  std::string text;
  for (const std::string_view name : names) text += (text.empty() ? "" : ", ") + std::string(name);
  return text;
}

}  // namespace

std::optional<std::string> read_csv_rows(std::istream& in, const std::function<void(const CsvRow&)>& visit) {
  csv_parser parser;
  if (csv_init(&parser, CSV_STRICT | CSV_STRICT_FINI) != 0) return "not enough memory to read a table";
  Collector row{visit};
  std::optional<std::string> problem;
  // The parser does not count lines, so it is fed one at a time.
  bool between_rows = true;
  for (std::string line; !problem && std::getline(in, line);) {
    ++row.line;
    if (between_rows) row.first_line = row.line;
    line.push_back('\n');
    std::string_view text = line;
    if (row.line == 1 && text.starts_with(kByteOrderMark)) text.remove_prefix(kByteOrderMark.size());
    if (csv_parse(&parser, text.data(), text.size(), end_cell, end_row, &row) != text.size()) {
      problem = "line " + std::to_string(row.line) + ": a quote that neither opens nor closes a cell";
    }
    between_rows = row.count == 0 && !parser.quoted;
  }
  if (!problem && csv_fini(&parser, end_cell, end_row, &row) != 0) {
    problem = "line " + std::to_string(row.first_line) + ": a quoted cell has no end";
  }
  csv_free(&parser);
  return problem;
}

CsvHeader::CsvHeader(std::span<const std::string_view> required, std::span<const std::string_view> optional)
    : required_(required.begin(), required.end()), optional_(optional.begin(), optional.end()) {}

void CsvHeader::read(const CsvRow& row, std::vector<std::string>& problems) {
  names_.assign(row.cells.begin(), row.cells.end());
  const std::string where = "line " + std::to_string(row.line) + ": ";
  for (const std::string_view column : required_) {
    if (find(column)) continue;
    std::string problem = where + "no column \"" + std::string(column) + "\"; required: " + list(required_);
    if (!optional_.empty()) problem += "; optional: " + list(optional_);
    problems.push_back(problem);
  }
  for (auto name = names_.begin(); name != names_.end(); ++name) {
    if (std::find(names_.begin(), name, *name) == name) continue;
    problems.push_back(where + "column \"" + *name + "\" is there twice");
  }
}

std::optional<std::size_t> CsvHeader::find(std::string_view column) const {
  const auto found = std::find(names_.begin(), names_.end(), column);
  if (found == names_.end()) return std::nullopt;
  return static_cast<std::size_t>(found - names_.begin());
}

std::string_view CsvHeader::cell(const CsvRow& row, std::string_view column) const {
  const std::optional<std::size_t> at = find(column);
  return at && *at < row.cells.size() ? std::string_view(row.cells[*at]) : std::string_view{};
}

std::vector<std::string> CsvHeader::unused() const {
  std::vector<std::string> rest;
  for (const std::string& name : names_) {
    const auto asked_for = [&](const auto& columns) {
      return std::find(columns.begin(), columns.end(), name) != columns.end();
    };
    if (!asked_for(required_) && !asked_for(optional_)) rest.push_back(name);
  }
  return rest;
}

std::string csv_cell(std::string_view text) {
  constexpr std::string_view kFormula = "=+-@";
  constexpr std::string_view kBlank = " \t";
  const bool plain = text.find_first_of(",\"\r\n") == std::string_view::npos &&
                     (text.empty() || (kFormula.find(text.front()) == std::string_view::npos &&
                                       kBlank.find(text.front()) == std::string_view::npos &&
                                       kBlank.find(text.back()) == std::string_view::npos)) &&
                     !text.starts_with(kByteOrderMark);
  if (plain) return std::string(text);
  std::string quoted = "\"";
  for (const char c : text) {
    if (c == '"') quoted.push_back('"');
    quoted.push_back(c);
  }
  return quoted + '"';
}

}  // namespace fleetsim
