#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "tools/report/text.hpp"

namespace fleetsim {

enum class Align : std::uint8_t { left, right };

struct Column {
  std::string_view title;  ///< all empty: the table has no line of titles
  Align align = Align::left;
};

using TableRow = std::vector<std::string>;

/// Columns as wide as their cells, two blanks apart. Where the page is too narrow the first gives way, and a
/// cell of it that is too long stands on a line of its own. Every row has as many cells as there are columns.
std::string text_table(const std::vector<Column>& columns, const std::vector<TableRow>& rows,
                       const Style& style);

}  // namespace fleetsim
