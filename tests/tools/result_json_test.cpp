#include "tools/report/result_json.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "tests/tools/hand_made.hpp"
#include "tools/report/result_tables.hpp"

namespace fleetsim {
namespace {

using Json = nlohmann::json;

Json parsed(const HandMade& made) { return Json::parse(result_json(made.study, {"1.2.3", "abc"})); }

TEST_CASE("figures without a value are null with a reason, and JSON stays strict") {
  HandMade made;
  PointResult& point = add_point(made, "", small_scenario());
  point.figures[0].simulated.mean = std::nan("");
  point.figures[1].simulated.half_width = HUGE_VAL;
  const Json figures = parsed(made).at("figures");
  CHECK(figures.at("mpg").at("mean").is_null());
  CHECK(figures.at("mpg").at("reason") == "not finite");
  CHECK(figures.at("scheduling_goodput").at("half_width").is_null());
  CHECK(figures.at("jobs.a.time_to_result").at("mean").is_null());
  CHECK(figures.at("jobs.a.time_to_result").at("reason") == "the job has no end");
  CHECK_FALSE(figures.at("mpg").contains("closed_form"));
}

TEST_CASE("figures read back as the doubles they were") {
  HandMade made;
  PointResult& point = add_point(made, "", small_scenario());
  point.figures[0].simulated.mean = 0.1 + 0.2;
  point.figures[0].closed_form = 1.0 / 3;
  const Json mpg = parsed(made).at("figures").at("mpg");
  CHECK(mpg.at("mean").get<double>() == 0.1 + 0.2);
  CHECK(mpg.at("closed_form").get<double>() == 1.0 / 3);
  CHECK(mpg.at("n") == 4);
  CHECK(mpg.at("unit") == "1");
}

TEST_CASE("the ledger is whole, in decimal strings, beside what was installed") {
  HandMade made;
  add_point(made, "", small_scenario());
  const Json ledger = parsed(made).at("ledger");
  // 16,000 milli-devices x 1e12 ns x 4 replications.
  CHECK(ledger.at("installed") == "64000000000000000");
  CHECK(ledger.at("window_ns") == "4000000000000");
  CHECK(ledger.at("ideal") == "14400000000000000");
  CHECK(ledger.at("scheduling.quota") == "0");
  CHECK(ledger.size() == kLeafCount + 2);
}

TEST_CASE("the contract says what was measured, how, and by which program") {
  HandMade made;
  add_point(made, "", small_scenario());
  const Json contract = parsed(made).at("contract");
  CHECK(contract.at("hash") == "0123456789abcdef");
  CHECK(contract.at("version") == "1.2.3");
  CHECK(contract.at("build") == "abc");
  CHECK(contract.at("denominator") == "in-service");
  CHECK(contract.at("devices") == 16);
  CHECK(contract.at("gate").is_null());
  CHECK(contract.at("level") == 0.95);
  CHECK(contract.at("window").at("length_ns") == "1000000000000");
}

TEST_CASE("a study of several points has them in a list, with frontier and differences") {
  HandMade made;
  add_point(made, "", small_scenario());
  add_point(made, "other", small_scenario());
  made.study.differences = {{1, "mpg", Estimate{0.5, std::nullopt, 4}}};
  made.study.frontier = {frontier_entry(1, std::nullopt, true)};
  const Json json = parsed(made);
  CHECK(json.at("schema") == kResultSchema);
  CHECK(json.at("points").at(1).at("alternative") == "other");
  CHECK(json.at("points").at(1).at("figures").at("mpg").at("mean") == 0.225);
  CHECK(json.at("differences").at(0).at("half_width").is_null());
  CHECK(json.at("frontier").at(0).at("mpg").is_null());
  CHECK_FALSE(json.contains("figures"));
}

TEST_CASE("names go through JSON and tables as they are, or mended where they are not UTF-8") {
  HandMade made;
  Scenario scenario = small_scenario();
  scenario.classes[0].name = "say \"hi\", <b>x</b>&y";
  scenario.name = "bad \xff byte";
  PointResult& point = add_point(made, "", scenario);
  JobOutcome job;
  job.id = "line1\nline2,=SUM(1)";
  point.jobs = {job};
  CHECK(parsed(made).at("states").at("jobs").contains("say \"hi\", <b>x</b>&y"));
  CHECK(parsed(made).at("contract").at("name") == "bad \xef\xbf\xbd byte");
  CHECK(jobs_table(made.study).find("\"line1\nline2,=SUM(1)\"") != std::string::npos);
}

TEST_CASE("summary.csv has a row per figure and statistic, empty where there is no value") {
  HandMade made;
  add_point(made, "", small_scenario()).figures[0].closed_form = 0.25;
  add_point(made, "other", small_scenario());
  made.points[0].sweep = {{"/a", "1"}};
  made.points[1].sweep = {{"/a", "2"}};
  const std::string table = summary_table(made.study);
  CHECK(table.starts_with("point,alternative,/a,figure,unit,statistic,value\n0,,1,mpg,1,mean,0.225\n"));
  CHECK(table.find("0,,1,mpg,1,closed_form,0.25\n") != std::string::npos);
  CHECK(table.find("1,other,2,jobs.a.time_to_result,s,mean,\n") != std::string::npos);
  CHECK(table.find("1,other,2,program_goodput,1,half_width,\n") != std::string::npos);
}

}  // namespace
}  // namespace fleetsim
