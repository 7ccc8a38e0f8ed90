#include "sim/study/compare.hpp"

#include <doctest/doctest.h>

#include <algorithm>

#include "tests/study/scenarios.hpp"

namespace fleetsim {
namespace {

struct Coordinates {
  std::optional<double> time, mpg, cost;
};

/// Results that hold nothing but the figures of the frontier.
struct Points {
  explicit Points(const std::vector<Coordinates>& coordinates) : study(coordinates.size()) {
    for (std::size_t i = 0; i < coordinates.size(); ++i) {
      study[i].scenario = textbook_job();
      results.push_back({.point = &study[i], .ledger = Ledger{1, 1}});
      add(i, "jobs.llama.time_to_result", coordinates[i].time);
      add(i, "mpg", coordinates[i].mpg);
      add(i, "cost_per_useful_device_hour", coordinates[i].cost);
    }
  }
  void add(std::size_t point, const std::string& name, std::optional<double> mean) {
    Figure figure;
    figure.name = name;
    figure.simulated.mean = mean;
    results[point].figures.push_back(figure);
  }
  std::vector<std::size_t> efficient() const {
    std::vector<std::size_t> found;
    for (const FrontierEntry& entry : frontier(results))
      if (entry.efficient) found.push_back(entry.point);
    return found;
  }

  std::vector<StudyPoint> study;
  std::vector<PointResult> results;
};

Expectation expectation(const std::string& figure, Basis basis, double value, std::optional<double> within) {
  Expectation made;
  made.of.figure = figure;
  made.basis = basis;
  made.value = value;
  made.within = within;
  return made;
}

using Indices = std::vector<std::size_t>;

}  // namespace

TEST_CASE("the frontier holds what nothing else beats") {
  // Times and costs of 64 epochs on six kinds of capacity.
  // Source: Machine Learning Systems, volume 2, chapter 8.
  std::vector<Coordinates> capacity{{64, 0.3, 1},      {37.5, 0.3, 1.1094},  {24, 0.3, 1.25},
                                    {88, 0.3, 0.4813}, {51.56, 0.3, 0.5339}, {31.5, 0.3, 0.6016}};
  CHECK(Points{capacity}.efficient() == Indices{2, 3, 4, 5});
  std::reverse(capacity.begin(), capacity.end());
  CHECK(Points{capacity}.efficient() == Indices{0, 1, 2, 3});
}

TEST_CASE("equal points are both on the frontier, and a tie with one better figure is not") {
  CHECK(Points{{{10, 0.3, 2}, {10, 0.3, 2}, {10, 0.3, 3}, {11, 0.3, 2}}}.efficient() == Indices{0, 1});
}

TEST_CASE("without prices MPG stands for the cost: more is better, less time is") {
  CHECK(Points{{{10, 0.3, {}}, {10, 0.4, {}}}}.efficient() == Indices{1});
  CHECK(Points{{{10, 0.3, {}}, {9, 0.2, {}}}}.efficient() == Indices{0, 1});
  // With prices it is the money that counts.
  CHECK(Points{{{10, 0.3, 2}, {10, 0.4, 3}}}.efficient() == Indices{0});
}

TEST_CASE("what no point has is not compared; what one lacks keeps it off the frontier") {
  CHECK(Points{{{10, 0.3, {}}, {9, 0.3, {}}}}.efficient() == Indices{1});
  const Points points{{{10, 0.3, 2}, {9, 0.5, {}}}};
  CHECK(points.efficient() == Indices{0});
  CHECK(frontier(points.results)[1].incomparable == "no cost per useful device-hour");
}

TEST_CASE("without a class that every point finishes the makespan counts, of runs that end by themselves") {
  Points points{{{{}, 0.3, 2}, {9, 0.3, 2}}};
  points.add(0, "makespan", 5);
  points.add(1, "makespan", 4);
  CHECK(frontier(points.results)[0].time_figure == "");
  CHECK(points.efficient() == Indices{0, 1});
  for (StudyPoint& point : points.study) point.scenario.window.length.reset();
  CHECK(frontier(points.results)[0].time_figure == "makespan");
  CHECK(points.efficient() == Indices{1});
}

/// Points of a study that have values of MPG by replication, and nothing else.
struct Replicated {
  struct Of {
    std::string alternative, x;
    std::vector<double> mpg;
  };
  explicit Replicated(const std::vector<Of>& points) : study(points.size()) {
    for (std::size_t i = 0; i < points.size(); ++i) {
      study[i].alternative = points[i].alternative;
      if (!points[i].x.empty()) study[i].sweep = {{"/x", points[i].x}};
      results.push_back({.point = &study[i], .ledger = Ledger{1, 1}});
      const std::vector<double> ones(points[i].mpg.size(), 1);
      compared.push_back({{.name = "mpg", .numerators = points[i].mpg, .denominators = ones}});
    }
  }
  std::vector<StudyPoint> study;
  std::vector<PointResult> results;
  std::vector<std::vector<FigureParts>> compared;
};

TEST_CASE("points stand against the best of their alternative, by the differences of their replications") {
  // Values spread by ten times the differences that tell them apart.
  const Replicated study{{{"", "1", {0.10, 0.20, 0.30}},
                          {"", "2", {0.11, 0.22, 0.33}},
                          {"", "3", {0.12, 0.20, 0.33}},
                          {"other", "1", {0.5, 0.5, 0.5}},
                          {"other", "2", {0.4, 0.4, 0.4}}}};
  const std::vector<Standing> found = standings(study.results, study.compared, {});
  REQUIRE(found.size() == 5);
  CHECK(found[1].is_best());
  CHECK(*found[0].less_best.mean == near(-0.02));
  CHECK(*found[0].less_best.half_width == near(0.01 * 4.302652729749464 / std::sqrt(3.0)));  // t(2, 0.975)
  CHECK_FALSE(found[0].is_told_apart());
  CHECK_FALSE(found[2].is_told_apart());
  CHECK(found[3].is_best());
  CHECK(found[4].best == 3);
  CHECK(found[4].is_told_apart());
  const std::vector<Standing> lowest =
      standings(study.results, study.compared, {.figure = "mpg", .best = Objective::Best::lowest});
  CHECK(lowest[0].is_best());
  CHECK(lowest[4].is_best());
  CHECK(standings(study.results, study.compared, {.figure = "queue_wait"}).empty());
}

TEST_CASE("without a sweep alternatives stand against each other; one point stands against nobody") {
  const Replicated study{{{"", "", {0.1, 0.2}}, {"other", "", {0.3, 0.3}}}};
  const std::vector<Standing> found = standings(study.results, study.compared, {});
  REQUIRE(found.size() == 2);
  CHECK(found[0].best == 1);
  const Replicated alone{{{"", "", {0.1, 0.2}}}};
  CHECK(standings(alone.results, alone.compared, {}).empty());
}

TEST_CASE("an expectation of being above holds if the interval of the difference is above 0") {
  Replicated study{
      {{"", "1", {0.10, 0.20, 0.30}}, {"", "2", {0.11, 0.21, 0.32}}, {"", "3", {0.12, 0.19, 0.31}}}};
  const auto met = [&](std::size_t point, Relation relation, std::string other) {
    Expectation expected;
    expected.of = {.figure = "mpg", .alternative = {}, .at = study.study[point].sweep};
    expected.other = {.figure = "mpg", .alternative = {}, .at = {{"/x", std::move(other)}}};
    expected.relation = relation;
    study.study[point].scenario.expect = {expected};
    const auto outcomes = check_expectations(study.results, study.compared);
    study.study[point].scenario.expect.clear();
    REQUIRE(outcomes.size() == 1);
    CHECK(outcomes[0].point == point);
    return outcomes[0].met;
  };
  CHECK_FALSE(met(1, Relation::above, "1"));  // 0.0133 +- 0.0143
  study.compared[1][0].numerators = {0.11, 0.21, 0.311};
  CHECK(met(1, Relation::above, "1"));
  CHECK(met(0, Relation::below, "2"));
  CHECK_FALSE(met(0, Relation::above, "2"));
  CHECK_FALSE(met(2, Relation::above, "1"));  // 0.0067 +- 0.0379
  CHECK_FALSE(met(1, Relation::above, "4"));  // there is no such point
  study.compared[0][0].numerators = study.compared[1][0].numerators = {0.1};
  CHECK_FALSE(met(1, Relation::above, "1"));  // one replication cannot tell
}

TEST_CASE("an expectation of being above a number holds if the interval is") {
  Replicated study{{{"", "", {0.50, 0.52, 0.54}}}};  // 0.52 +- 0.0497
  Expectation expected;
  expected.of.figure = "mpg";
  expected.relation = Relation::above;
  const auto met = [&](double number) {
    expected.value = number;
    study.study[0].scenario.expect = {expected};
    return check_expectations(study.results, study.compared).front().met;
  };
  CHECK(met(0.47));
  CHECK_FALSE(met(0.471));
}

TEST_CASE("an alternative is compared with the base at its own place of the sweep, pairwise") {
  std::vector<StudyPoint> study(4);
  study[1].alternative = study[3].alternative = "other";
  study[0].sweep = study[1].sweep = {{"/x", "1"}};
  study[2].sweep = study[3].sweep = {{"/x", "2"}};
  std::vector<PointResult> results;
  for (const StudyPoint& point : study) results.push_back({.point = &point, .ledger = Ledger{1, 1}});
  const auto parts = [](std::vector<double> numerators) {
    const std::vector<double> ones(numerators.size(), 1);
    return std::vector<FigureParts>{
        {.name = "mpg", .numerators = std::move(numerators), .denominators = ones}};
  };
  // Pairs at x = 1 differ by 1, 2 and 3; the fourth replication of the base has no partner.
  const std::vector<std::vector<FigureParts>> compared{parts({10, 20, 30, 90}), parts({11, 22, 33}),
                                                       parts({5, 5}), parts({4, 4})};
  const std::vector<PairedDifference> found = differences(results, compared);
  REQUIRE(found.size() == 2);
  CHECK(found[0].point == 1);
  CHECK(*found[0].difference.mean == near(2.0));
  CHECK(*found[0].difference.half_width ==
        near(4.302652729749464 / std::sqrt(3.0)));  // t(2, 0.975) s / sqrt(n)
  CHECK(found[1].point == 3);
  CHECK(*found[1].difference.mean == near(-1.0));
  CHECK(*found[1].difference.half_width == 0);
}

TEST_CASE("alternatives under which other jobs complete are marked, not those under which the same do") {
  // One device for 1,000 s, ten jobs of 50 s and one of 800 s: ten complete, or the long one and four.
  Scenario shorts_first;
  shorts_first.pools = {pool_of(1)};
  shorts_first.pools[0].devices_per_node = 1;
  JobClass jobs;
  jobs.name = "j";
  jobs.pools = {0};
  for (int k = 0; k < 11; ++k)
    jobs.arrivals.listed.push_back({.id = std::to_string(k),
                                    .submit = {},
                                    .devices = 1,
                                    .duration = (k == 10 ? 800 : 50) * kSecond,
                                    .limit = {},
                                    .priority = k == 10 ? 5 : 0});
  shorts_first.classes = {jobs};
  shorts_first.scheduler.order = "sjf";
  shorts_first.window.length = 1000 * kSecond;
  shorts_first.window.run_on = Duration::zero();
  Scenario long_first = shorts_first;
  long_first.scheduler.order = "priority";
  const StudyReading reading =
      study_of({{"", shorts_first}, {"long first", long_first}, {"the same", shorts_first}});
  const StudyResult study = run_study(reading, {});
  REQUIRE(study.unequal_jobs.size() == 1);
  CHECK(study.unequal_jobs[0].point == 1);
  CHECK(
      study.points[1].warnings.back() ==
      "means over completed jobs are not comparable: not the same jobs completed under \"long first\" (5 of "
      "11) and the base (10 of 11)");
}

TEST_CASE("expectations: a closed form within its tolerance, a simulated value in its interval") {
  Points points{{{10, 0.3, 2}, {10, 0.4, 2}}};
  Figure& mpg = points.results[0].figures[1];
  mpg.simulated.half_width = 0.02;
  mpg.closed_form = 0.31;
  const auto met = [&](const std::string& name, Basis basis, double value, std::optional<double> within) {
    points.study[0].scenario.expect = {expectation(name, basis, value, within)};
    const auto outcomes = check_expectations(points.results, {});
    REQUIRE(outcomes.size() == 1);
    return outcomes[0].met;
  };
  CHECK(met("mpg", Basis::closed_form, 0.3101, 0.001));
  CHECK(!met("mpg", Basis::closed_form, 0.3, 0.001));
  CHECK(met("mpg", Basis::simulated, 0.315, {}));
  CHECK(!met("mpg", Basis::simulated, 0.325, {}));
  CHECK(!met("mpg", Basis::simulated, 0.315, 0.01));
  CHECK(!met("cost_per_useful_device_hour", Basis::simulated, 2, {}));
  CHECK(!met("mgp", Basis::simulated, 0.3, 1));
}

TEST_CASE("an expectation of an alternative is checked there and nowhere else") {
  Points points{{{10, 0.3, 2}, {10, 0.4, 2}}};
  points.study[1].alternative = "other";
  Expectation of_other = expectation("mpg", Basis::simulated, 0.4, 1e-9);
  of_other.of.alternative = "other";
  for (StudyPoint& point : points.study) point.scenario.expect = {of_other};
  const auto outcomes = check_expectations(points.results, {});
  REQUIRE(outcomes.size() == 1);
  CHECK(outcomes[0].point == 1);
  CHECK(outcomes[0].met);
}

}  // namespace fleetsim
