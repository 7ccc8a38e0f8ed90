#include "tools/records/csv.hpp"

#include <array>
#include <charconv>
#include <cmath>

#include "sim/workload/csv_rows.hpp"

namespace fleetsim {

CsvWriter& CsvWriter::cell(std::string_view text) {
  separate();
  text_ += csv_cell(text);
  return *this;
}

CsvWriter& CsvWriter::cell(std::int64_t number) {
  separate();
  constexpr std::size_t kLongest = 20;  // a sign and 19 digits
  std::array<char, kLongest> digits;
  const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), number).ptr;
  text_.append(digits.data(), end);
  return *this;
}

CsvWriter& CsvWriter::number(std::optional<double> value) {
  if (!value || !std::isfinite(*value)) return empty();
  separate();
  std::array<char, 32> digits;
  const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), *value).ptr;
  text_.append(digits.data(), end);
  return *this;
}

CsvWriter& CsvWriter::cell(DeviceTime amount) {
  separate();
  text_ += to_string(amount);
  return *this;
}

void CsvWriter::end_row() {
  if (text_.size() == row_begin_) text_ += "\"\"";  // a blank line would be no row
  text_ += '\n';
  row_begin_ = text_.size();
  row_has_cells_ = false;
}

void CsvWriter::separate() {
  if (row_has_cells_) text_ += ',';
  row_has_cells_ = true;
}

}  // namespace fleetsim
