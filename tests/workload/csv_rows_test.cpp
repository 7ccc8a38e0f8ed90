#include "sim/workload/csv_rows.hpp"

#include <doctest/doctest.h>

#include <sstream>

namespace fleetsim {
namespace {

struct Table {
  std::vector<std::vector<std::string>> rows;
  std::vector<std::int64_t> lines;
  std::optional<std::string> problem;
};

Table read(const std::string& text) {
  Table table;
  std::istringstream in(text);
  table.problem = read_csv_rows(in, [&](const CsvRow& row) {
    table.rows.emplace_back(row.cells.begin(), row.cells.end());
    table.lines.push_back(row.line);
  });
  return table;
}

using Rows = std::vector<std::vector<std::string>>;

TEST_CASE("csv rows: quotes, commas and line breaks inside cells") {
  const Table table = read("a,\"b,c\"\n\"say \"\"hi\"\"\",\"line1\nline2\"\n");
  CHECK_FALSE(table.problem.has_value());
  CHECK(table.rows == Rows{{"a", "b,c"}, {"say \"hi\"", "line1\nline2"}});
}

TEST_CASE("csv rows: either line end, a byte-order mark, blank lines, no line end at the end") {
  CHECK(read("\xEF\xBB\xBF"
             "a,b\r\n\r\n1,2\r\n")
            .rows == Rows{{"a", "b"}, {"1", "2"}});
  CHECK(read("a,b\n\n1,2").rows == Rows{{"a", "b"}, {"1", "2"}});
  CHECK(read("a,,b\n,\n").rows == Rows{{"a", "", "b"}, {"", ""}});
  CHECK(read("").rows.empty());
}

TEST_CASE("csv rows: a row is where it begins") {
  const Table table = read("a\n\n\"x\ny\r\nz\",1\nb,\"\n\"\nc\n");
  CHECK(table.rows == Rows{{"a"}, {"x\ny\r\nz", "1"}, {"b", "\n"}, {"c"}});
  CHECK(table.lines == std::vector<std::int64_t>{1, 3, 6, 8});
}

TEST_CASE("csv rows: a quote that is never closed is named with its line") {
  const Table table = read("a,b\n1,\"2\n3,4\n");
  REQUIRE(table.problem.has_value());
  CHECK(*table.problem == "line 2: a quoted cell has no end");
}

TEST_CASE("csv rows: a stray quote is named with its line") {
  CHECK(read("a,b\n1,x\"y\n").problem.value_or("") == "line 2: a quote that neither opens nor closes a cell");
  CHECK(read("a,b\n1,\"x\" y\n").problem.value_or("") ==
        "line 2: a quote that neither opens nor closes a cell");
}

TEST_CASE("csv rows: what is written as a cell reads back as it was") {
  const std::string awkward[] = {"a,b",
                                 "say \"hi\"",
                                 "line1\nline2",
                                 "line1\r\nline2",
                                 "<b>x</b>&y",
                                 "=SUM(1)",
                                 "+1",
                                 "-1",
                                 "@x",
                                 "",
                                 "\"",
                                 "\"\"",
                                 ",",
                                 " padded ",
                                 "\t",
                                 "na\xC3\xAFve \xE6\xBC\xA2",
                                 "\xEF\xBB\xBFmark",
                                 std::string(300, 'n'),
                                 std::string("nul\0nul", 7)};
  for (const std::string& text : awkward) {
    CAPTURE(text);
    const Table table = read(csv_cell(text) + ",x," + csv_cell(text) + "\n");
    CHECK(table.rows == Rows{{text, "x", text}});
  }
  CHECK(csv_cell("plain") == "plain");
  CHECK(csv_cell("=SUM(1)") == "\"=SUM(1)\"");
}

}  // namespace
}  // namespace fleetsim
