// What a scenario expects of itself: values, and figures that are above or below each other.
#include "tests/scenario/texts.hpp"

using namespace fleetsim;

namespace {

using At = std::vector<std::pair<std::string, std::string>>;

/// A study of two alternatives over a sweep of three gangs, of which the file itself has the first.
std::string expecting(const std::string& expectation) {
  return std::string(kSmall.substr(0, kSmall.rfind('}'))) + R"(, "alternatives": {"b": {"runs": {"seed": 2}}},
    "sweep": {"/workload/a/gang": [8, 1, 2]}, "expect": [)" +
         expectation + "]}";
}

}  // namespace

TEST_CASE("an expectation is of the place of the sweep that it names, or of the file's own values") {
  const StudyReading reading = read(expecting(
      R"({"figure": "mpg", "at": {"/workload/a/gang": 2}, "basis": "simulated", "above": {"at": {"/workload/a/gang": 1}}, "source": "s"},
         {"figure": "mpg", "alternative": "b", "basis": "simulated", "below": {"alternative": "b", "figure": "runtime_goodput"}, "source": "s"})"));
  INFO(listing(reading));
  REQUIRE(reading.points.size() == 6);
  for (const std::size_t point : {0, 1, 4, 5}) CHECK(reading.points[point].scenario.expect.empty());
  REQUIRE(reading.points[2].scenario.expect.size() == 1);
  const Expectation& of_base = reading.points[2].scenario.expect.front();
  CHECK(of_base.relation == Relation::above);
  CHECK(of_base.other.figure == "mpg");
  CHECK(of_base.other.at == At{{"/workload/a/gang", "1"}});
  REQUIRE(reading.points[3].scenario.expect.size() == 1);
  const Expectation& of_b = reading.points[3].scenario.expect.front();
  CHECK(of_b.relation == Relation::below);
  CHECK(of_b.other.figure == "runtime_goodput");
  CHECK(of_b.other.at == At{{"/workload/a/gang", "8"}});
}

TEST_CASE("an expectation that cannot be checked is refused where it stands") {
  const auto told = [](const std::string& more, std::string_view pointer, std::string_view message) {
    const StudyReading reading =
        read(expecting(R"({"figure": "mpg", "basis": "simulated", "source": "s")" + more + "}"));
    INFO(listing(reading));
    CHECK(has_issue(reading, std::string(pointer), std::string(message)));
  };
  told("", "/expect/0", "expected a \"value\", or what it is \"above\" or \"below\"; found none of them");
  told(R"(, "value": 1, "above": {"figure": "mpg"})", "/expect/0/above", "excluded by \"value\"");
  told(R"(, "above": "0.5")", "/expect/0/above", "expected a number, or an object; found \"0.5\"");
  told(R"(, "above": {})", "/expect/0/above", "expected a \"figure\"");
  told(R"(, "above": {"alternative": "c"})", "/expect/0/above/alternative", "unknown alternative \"c\"");
  told(R"(, "above": {"alternative": "b"}, "within": 1)", "/expect/0/within", "goes with \"value\"");
  told(R"(, "value": 1, "at": {"/workload/a/gangs": 1})", "/expect/0/at/~1workload~1a~1gangs",
       "did you mean \"/workload/a/gang\"?");
  told(R"(, "value": 1, "at": {"/workload/a/gang": 3})", "/expect/0/at/~1workload~1a~1gang",
       "expected one of the values [8,1,2]");
  const StudyReading closed = read(expecting(
      R"({"figure": "mpg", "basis": "closed_form", "source": "s", "above": {"figure": "runtime_goodput"}})"));
  CHECK(has_issue(closed, "/expect/0/above", "goes with basis \"simulated\""));
}

TEST_CASE("a budget of evictions is a number, none of 0, or unlimited") {
  const auto budget = [](std::string_view evictions) {
    return std::string(kSmall.substr(0, kSmall.rfind('}'))) +
           R"(, "scheduler": {"preemption": {"pool_budget": {"per": "1 d", "evictions": )" +
           std::string(evictions) + "}}}}";
  };
  CHECK(scenario_of(read(budget("0"))).scheduler.pool_budget->evictions == 0);
  CHECK(scenario_of(read(budget("3"))).scheduler.pool_budget->evictions == 3);
  CHECK_FALSE(scenario_of(read(budget("\"unlimited\""))).scheduler.pool_budget);
  for (const std::string_view wrong : {"-1", "2.5", "\"none\"", "null"}) {
    const StudyReading reading = read(budget(wrong));
    INFO(listing(reading));
    CHECK(has_issue(reading, "/scheduler/preemption/pool_budget/evictions",
                    "expected a whole number of 0 or more, or \"unlimited\"; found " + std::string(wrong)));
  }
}
