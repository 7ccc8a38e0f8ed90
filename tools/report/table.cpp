#include "tools/report/table.hpp"

#include <algorithm>
#include <numeric>

namespace fleetsim {
namespace {

constexpr std::size_t kGap = 2;
constexpr std::size_t kNarrowest = 8;

std::vector<std::size_t> widths_of(const std::vector<Column>& columns, const std::vector<TableRow>& rows) {
  std::vector<std::size_t> widths;
  for (std::size_t i = 0; i < columns.size(); ++i) {
    std::size_t width = display_width(columns[i].title);
    for (const TableRow& row : rows) width = std::max(width, display_width(row[i]));
    widths.push_back(width);
  }
  const std::size_t used = std::accumulate(widths.begin(), widths.end(), kGap * widths.size());
  if (used > kPageWidth) {
    const std::size_t excess = used - kPageWidth;
    widths.front() = std::max(kNarrowest, widths.front() - std::min(widths.front(), excess));
  }
  return widths;
}

}  // namespace

std::string text_table(const std::vector<Column>& columns, const std::vector<TableRow>& rows,
                       const Style& style) {
  const std::vector<std::size_t> widths = widths_of(columns, rows);
  std::string text;
  const auto add = [&](const auto& cell_of) {
    std::string line;
    bool has_own_line = false;
    for (std::size_t i = 0; i < columns.size(); ++i) {
      std::string cell = cell_of(i);
      if (display_width(cell) > widths[i]) {
        text += std::string(kGap, ' ') + clip(cell, kPageWidth - kGap, style) + "\n";
        cell.clear();
        has_own_line = true;
      }
      line += std::string(kGap, ' ') +
              (columns[i].align == Align::left ? pad_right(cell, widths[i]) : pad_left(cell, widths[i]));
    }
    if (has_own_line && line.find_first_not_of(' ') == line.npos) return;  // nothing stands beside it
    text += clip(line.substr(0, line.find_last_not_of(' ') + 1), kPageWidth, style) + "\n";
  };
  const bool has_titles =
      std::any_of(columns.begin(), columns.end(), [](const Column& column) { return !column.title.empty(); });
  if (has_titles) add([&](std::size_t i) { return std::string(columns[i].title); });
  for (const TableRow& row : rows) add([&](std::size_t i) { return row[i]; });
  return text;
}

}  // namespace fleetsim
