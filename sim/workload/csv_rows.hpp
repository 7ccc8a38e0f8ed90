#pragma once

#include <cstdint>
#include <functional>
#include <iosfwd>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

/// Comma-separated values as RFC 4180 describes them, read tolerantly: either line end, a byte-order mark,
/// blanks around cells, and quotes where they are not needed. Blank lines are no rows.
namespace fleetsim {

/// A row, and the line of the file on which it begins, from 1.
struct CsvRow {
  std::int64_t line = 0;
  std::span<const std::string> cells;  ///< as long as the callback runs
};

/// Hands every row to `visit`. Returns what is wrong with the text as such, if anything.
std::optional<std::string> read_csv_rows(std::istream& in, const std::function<void(const CsvRow&)>& visit);

/// Where a table has the columns asked for, by the names in its first row.
class CsvHeader {
 public:
  /// Columns that must be there, and columns that may.
  CsvHeader(std::span<const std::string_view> required, std::span<const std::string_view> optional);

  /// Learns the names of a first row; appends to `problems` what is missing or there twice.
  void read(const CsvRow& row, std::vector<std::string>& problems);

  /// The column's place in the table, if it is there.
  std::optional<std::size_t> find(std::string_view column) const;
  /// The cell of a column, or "" where the table does not have the column.
  std::string_view cell(const CsvRow& row, std::string_view column) const;
  /// How many cells a row has to have.
  std::size_t width() const { return names_.size(); }
  /// Columns that nobody asked for.
  std::vector<std::string> unused() const;

 private:
  std::vector<std::string_view> required_, optional_;
  std::vector<std::string> names_;
};

/// The text as one cell: quoted where a reader would otherwise read something else, or a spreadsheet a
/// formula.
std::string csv_cell(std::string_view text);

}  // namespace fleetsim
