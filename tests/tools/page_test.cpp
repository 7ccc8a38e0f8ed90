#include "tools/report/page.hpp"

#include <doctest/doctest.h>

#include <sstream>

#include "tests/tools/hand_made.hpp"
#include "tests/tools/program.hpp"

namespace fleetsim {
namespace {

PageContext context_of(Style style) {
  return {.file = "scenarios/small.json",
          .took = std::nullopt,
          .notes = {},
          .made_by = {"1.2.3", "abc"},
          .style = style};
}

/// The line of the page that has the word in it.
std::string line_with(const std::string& page, std::string_view word) {
  std::istringstream lines(page);
  for (std::string line; std::getline(lines, line);) {
    if (has(line, word)) return line;
  }
  return {};
}

void check_width(const std::string& page) {
  std::istringstream lines(page);
  for (std::string line; std::getline(lines, line);) {
    CAPTURE(line);
    CHECK(display_width(line) <= 100);
  }
}

TEST_CASE("the page says how much became useful and where the rest went") {
  HandMade made;
  add_point(made, "", small_scenario());
  const std::string page = run_page(made.study, context_of({}));
  CHECK(has(line_with(page, "  held"), "50.0 %"));
  CHECK(has(line_with(page, "  held"), "0.500 ± 0.010"));
  CHECK(has(line_with(page, "  retained"), "45.0 %"));
  CHECK(has(line_with(page, "  useful"), "22.5 %"));
  CHECK(has(line_with(page, " MPG "), "0.225 ± 0.004"));
  // 16 devices x 1,000 s is 4.44 GPU-h, of which half had no demand.
  CHECK(has(line_with(page, "no demand"), "2.22"));
  CHECK(has(line_with(page, "no demand"), "capacity planning"));
  CHECK(has(line_with(page, "rework"), "4.9 %"));
  CHECK(has(page, "ledger closes exactly"));
  CHECK(has(page, "none, the job has no end"));
  // A point of P is worth S R, of S R P, of R S P.
  CHECK(has(page, "one point of P is worth 0.45 of MPG, S 0.45, R 0.25"));
}

TEST_CASE("a ledger that does not close is said to be wrong") {
  HandMade made;
  add_point(made, "", small_scenario()).installed_window += DeviceTime::milli_device_ns(1);
  CHECK(has(run_page(made.study, context_of({})), "LEDGER DOES NOT CLOSE"));
}

TEST_CASE("no line is longer than 100 columns, whatever the names") {
  for (const bool ascii : {false, true}) {
    HandMade made;
    Scenario scenario = small_scenario();
    scenario.name = std::string(300, 'n');
    scenario.classes[0].name = std::string(300, 'c');
    scenario.pools[0].device_type = std::string(300, 'd');
    scenario.contract_gate = "gate " + std::string(300, 'g');
    add_point(made, "", scenario);
    PointResult& other = add_point(made, std::string(300, 'a'), scenario);
    other.warnings.push_back(std::string(90, 'w') + " " + std::string(80, 'w'));
    made.study.points[0].warnings = other.warnings;
    made.study.differences.push_back({1, "mpg", Estimate{-0.1234, 0.0123, 4}});
    made.study.frontier = {frontier_entry(0, 0.2, false), frontier_entry(1, 0.2, true)};
    PageContext context = context_of({.ascii = ascii});
    context.file = "/" + std::string(300, 'f');
    context.notes = {std::string(95, 'x')};
    check_width(run_page(made.study, context));
    check_width(sweep_page(made.study, context));
    check_width(frontier_page(made.study, context));
  }
}

TEST_CASE("goodput that is next to nothing, or not known, keeps its digits and its place") {
  HandMade made;
  add_point(made, "", small_scenario()).figures[0] = figure("mpg", "1", 0.000787, 0.000005);
  add_point(made, "half of it", small_scenario()).figures[0] = figure("mpg", "1", 0.000394, 0.000005);
  made.study.differences.push_back({1, "mpg", Estimate{-0.000393, 0.000002, 4}});
  std::string page = run_page(made.study, context_of({}));
  check_width(page);
  CHECK(has(page, "MPG                 0.0787 ± 0.0005 %"));
  CHECK(has(page, "0.000394 ± 0.000005"));
  CHECK(has(page, "-0.000393 ± 0.000002"));
  HandMade unknown;
  std::vector<Figure>& figures = add_point(unknown, "", small_scenario()).figures;
  figures[0] = absent("mpg", "1", "the ideal of the work is not known");
  figures.push_back(figure("mpg.upper", "1", 0.395, std::nullopt));
  page = run_page(unknown.study, context_of({}));
  check_width(page);
  CHECK(has(page, "MPG                 at most 0.395"));
}

TEST_CASE("what is allocated in the end is told of jobs that come and stay") {
  HandMade made;
  Scenario scenario = small_scenario();
  CHECK_FALSE(has(run_page(made.study, context_of({})), "ALLOCATED"));
  scenario.classes[0].arrivals.drawn = DrawnJobs{};
  add_point(made, "", scenario).figures.push_back(figure("pools.p.allocated_at_end", "1", 0.9519, 0.001));
  add_point(made, "packing", scenario)
      .figures.push_back(figure("pools.p.allocated_at_end", "1", 0.92, 0.001));
  made.study.differences.push_back({1, "pools.p.allocated_at_end", Estimate{-0.0319, 0.0002, 4}});
  const std::string page = run_page(made.study, context_of({}));
  CHECK(has(page, "ALLOCATED   of what is installed in p, when the window ends"));
  CHECK(has(line_with(page, "0.920 ± 0.001"), "packing  0.920 ± 0.001  -0.0319 ± 0.0002"));
}

TEST_CASE("the contract names no part of a scheduler that does nothing") {
  HandMade made;
  Scenario scenario = small_scenario();
  scenario.scheduler.admission = Admission::partial_hold;
  scenario.scheduler.holders = 2;
  add_point(made, "", scenario);
  const std::string page = run_page(made.study, context_of({}));
  CHECK(has(page, "partial hold"));
  CHECK_FALSE(has(page, "placement"));
}

TEST_CASE("text from elsewhere cannot break a line, drive the terminal or leave ASCII") {
  HandMade made;
  Scenario scenario = small_scenario();
  scenario.name = "line1\nline2 \x1b[31mred \xff Größe 名前";
  add_point(made, "", scenario);
  const std::string page = run_page(made.study, context_of({}));
  CHECK(has(page, "line1?line2 ?[31mred ? Größe 名前"));
  for (const char c : run_page(made.study, context_of({.ascii = true}))) {
    CHECK((c == '\n' || (c >= ' ' && c <= '~')));
  }
}

TEST_CASE("colour is there only when asked for, and takes no columns") {
  HandMade made;
  add_point(made, "", small_scenario());
  CHECK_FALSE(has(run_page(made.study, context_of({})), "\x1b"));
  const std::string page = run_page(made.study, context_of({.colour = true}));
  CHECK(has(page, "\x1b[1m"));
  check_width(page);
  CHECK(display_width("\x1b[1mten\x1b[0m") == 3);
}

TEST_CASE("what has no value reads no data, and never NaN") {
  HandMade made;
  Scenario scenario = small_scenario();
  scenario.classes.clear();
  PointResult& point = add_point(made, "", scenario);
  point.figures = {absent("mpg", "1", "nothing"), absent("runtime_goodput", "1", "nothing was held")};
  const std::string page = run_page(made.study, context_of({}));
  CHECK(has(line_with(page, "  retained"), "no data"));
  CHECK(has(page, "no data: the scenario has no workload"));
  point.ledger = Ledger(1, 0);
  point.installed_window = DeviceTime::zero();
  const std::string empty = run_page(made.study, context_of({}));
  CHECK(has(empty, "no capacity was in service"));
  for (const std::string& text : {page, empty, run_page(StudyResult{}, context_of({}))}) {
    CHECK_FALSE(has(text, "nan"));
    CHECK_FALSE(has(text, "inf"));
  }
}

TEST_CASE("a window of no length is said to be one, and runs that stalled are warned of once") {
  HandMade made;
  PointResult& point = add_point(made, "", small_scenario());
  point.window_time = DeviceTime::zero();
  point.run_states = {3, 0, 1, 0};
  point.warnings = {"1 of 4 runs stalled: somebody waits"};
  const std::string page = run_page(made.study, context_of({}));
  CHECK(page.find("no data: the window has no length") != page.npos);
  CHECK(page.find("stalled") == page.rfind("stalled"));
}

TEST_CASE("where the ideal of some work is unknown, P and MPG are ranges") {
  HandMade made;
  PointResult& point = add_point(made, "", small_scenario());
  point.figures.push_back(figure("mpg.upper", "1", 0.4, 0.01));
  point.figures.push_back(figure("program_goodput.upper", "1", 0.8, 0.01));
  const std::string page = run_page(made.study, context_of({}));
  CHECK(has(line_with(page, "  useful"), "0.500 to 0.800"));
  CHECK(has(line_with(page, " MPG "), "0.225 to 0.400"));
}

TEST_CASE("a closed form beyond the interval of the run is explained, one inside is not") {
  HandMade made;
  PointResult& point = add_point(made, "", small_scenario());
  Figure& runtime = point.figures[5];
  runtime.closed_form = 0.8985;
  runtime.closed_form_kind = "first order";
  CHECK_FALSE(has(run_page(made.study, context_of({})), "note:"));
  runtime.closed_form = 0.8900;
  CHECK(has(run_page(made.study, context_of({})), "the run is 0.0100 above the closed form (first order)"));
}

TEST_CASE("alternatives stand beside their paired difference and the mark of the frontier") {
  HandMade made;
  add_point(made, "", small_scenario());
  add_point(made, "twice", small_scenario()).figures[0].simulated.mean = 0.300;
  made.study.differences = {{1, "mpg", Estimate{0.075, 0.0011, 4}}};
  made.study.frontier = {frontier_entry(0, 0.225, false), frontier_entry(1, 0.3, true)};
  const std::string line = line_with(run_page(made.study, context_of({})), "  twice");
  CHECK(has(line, "0.300 ± 0.004"));
  CHECK(has(line, "+0.0750 ± 0.0011"));
  CHECK(line.back() == '*');
}

TEST_CASE("steps that are predicted stand beside those that are given, and what changed most of them") {
  Scenario given = small_scenario();
  given.classes[0].step.continuous = false;
  given.classes[0].step.time = Duration::nanoseconds(245'000'000);
  given.classes[0].program.weights = {{Leaf::program_tensor_comm, 100'000'000}, {Leaf::ideal, 145'000'000}};
  Scenario predicted = given;
  StepInput input;
  input.layout = {.devices = 8, .tensor = 2, .pipeline = 2, .global_batch = 16};
  input.model.sequence = 2048;
  predicted.classes[0].step.model.emplace(input, 8, FabricShape{}, Uplinks::kShare);
  predicted.classes[0].step.time = Duration::nanoseconds(200'000'000);
  predicted.classes[0].program.weights = {{Leaf::program_tensor_comm, 20'000'000},
                                          {Leaf::ideal, 180'000'000}};
  HandMade made;
  add_point(made, "", given);
  CHECK_FALSE(has(run_page(made.study, context_of({})), "STEPS"));
  add_point(made, "same", given);
  CHECK_FALSE(has(run_page(made.study, context_of({})), "STEPS"));
  add_point(made, "asked", predicted);
  const std::string page = run_page(made.study, context_of({}));
  const std::string steps = page.substr(page.find("STEPS"));
  CHECK(has(line_with(steps, "  base"), "245 ms given"));
  CHECK(has(line_with(steps, "  asked"), "200 ms"));
  CHECK(has(line_with(steps, "  asked"), "tensor comm 40.8 to 10.0 %"));
  CHECK(has(steps, "a (asked) is predicted for tensor 2, pipeline 2, data 2; 16 sequences of 2,048 tokens"));
  check_width(page);
}

TEST_CASE("an interval decides how many decimals are shown") {
  const Style style;
  CHECK(with_interval(Estimate{0.28204, 0.0021, 8}, style) == "0.282 ± 0.002");
  CHECK(with_interval(Estimate{0.28204, 0.00021, 8}, style) == "0.2820 ± 0.0002");
  CHECK(with_interval(Estimate{0.28204, std::nullopt, 1}, style) == "0.282");
  CHECK(with_interval(Estimate{0.48, 1e-12, 8}, style) == "0.480 ± 0.000");
  CHECK(with_interval(Estimate{}, style) == "no data");
  CHECK(time_with_interval(Estimate{86400.0 * 30, 43200, 8}, style) == "30.0 ± 0.5 d");
  CHECK(time_with_interval(Estimate{0.0, 0.0, 8}, style) == "0.00 ± 0.00 s");
}

TEST_CASE("bars are as long as their share") {
  CHECK(display_width(bar(0.5, 40, {})) == 20);
  CHECK(bar(0.5, 8, {.ascii = true}) == "####");
  CHECK(bar(1.0 / 16, 8, {}) == "▌");
  CHECK(bar(0, 8, {}).empty());
  CHECK(display_width(bar(7, 8, {})) == 8);
}

}  // namespace
}  // namespace fleetsim
