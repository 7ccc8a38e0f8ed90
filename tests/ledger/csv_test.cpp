#include "tools/records/csv.hpp"

#include <doctest/doctest.h>

#include <limits>
#include <sstream>

#include "sim/workload/csv_rows.hpp"

namespace fleetsim {
namespace {

TEST_CASE("csv writer: texts are quoted where they have to be, numbers never") {
  CsvWriter out;
  out.cell("plain").cell("a,b").cell("say \"hi\"").cell("-1").cell(-1).empty();
  out.cell(std::numeric_limits<std::int64_t>::min()).cell(DeviceTime::milli_device_ns(-7));
  out.end_row();
  CHECK(out.text() == "plain,\"a,b\",\"say \"\"hi\"\"\",\"-1\",-1,,-9223372036854775808,-7\n");
}

TEST_CASE("csv writer: every row is read back as one row") {
  CsvWriter out;
  out.cell("a").end_row();
  out.empty().end_row();
  out.cell("line1\nline2").end_row();
  out.empty().empty().end_row();
  std::istringstream in(out.text());
  std::vector<std::vector<std::string>> rows;
  CHECK_FALSE(read_csv_rows(in, [&](const CsvRow& row) {
                rows.emplace_back(row.cells.begin(), row.cells.end());
              }).has_value());
  CHECK(rows == std::vector<std::vector<std::string>>{{"a"}, {""}, {"line1\nline2"}, {"", ""}});
}

}  // namespace
}  // namespace fleetsim
