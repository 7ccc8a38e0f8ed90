#pragma once

#include <deque>
#include <string>
#include <string_view>
#include <utility>

#include "sim/study/study.hpp"

namespace fleetsim {

/// A study put together by hand: no engine, no reader.
struct HandMade {
  std::deque<StudyPoint> points;  // results point into it
  StudyResult study;
};

inline Figure figure(std::string name, std::string unit, double mean, std::optional<double> half_width) {
  return {std::move(name), std::move(unit), Estimate{mean, half_width, 4}, std::nullopt, "", ""};
}

inline Figure absent(std::string name, std::string unit, std::string why) {
  return {std::move(name), std::move(unit), Estimate{std::nullopt, std::nullopt, 4}, std::nullopt, "",
          std::move(why)};
}

/// One pool of 2 nodes of 8 devices, one class of jobs of 8 devices, a window of 1,000 s, four replications.
inline Scenario small_scenario() {
  Scenario scenario;
  scenario.name = "Small";
  PoolSpec pool;
  pool.name = "p";
  pool.device_type = "x";
  pool.nodes = 2;
  pool.devices_per_node = 8;
  pool.racks = {0, 0};
  scenario.pools.push_back(pool);
  JobClass job;
  job.name = "a";
  job.pools = {0};
  job.gang.sizes = {8};
  scenario.classes.push_back(job);
  scenario.window.length = Duration::nanoseconds(1'000'000'000'000);
  scenario.runs.replications = 4;
  return scenario;
}

/// Adds a point in which half of the fleet was held, nine tenths of that retained, and half of that ideal.
inline PointResult& add_point(HandMade& made, std::string alternative, Scenario scenario) {
  made.points.push_back(
      {std::move(alternative), {}, std::move(scenario), R"({"name":"Small"})", "0123456789abcdef"});
  const StudyPoint& point = made.points.back();
  PointResult result{.ledger = Ledger(point.scenario.pools.size(), point.scenario.classes.size())};
  result.point = &point;
  result.replications = 4;
  const DeviceTime whole = Capacity::devices(16) * Duration::nanoseconds(4'000'000'000'000);
  result.installed_window = whole;
  result.window_time = Capacity::milli_devices(1) * Duration::nanoseconds(4'000'000'000'000);
  const auto share = [&](int parts) {
    return DeviceTime::milli_device_ns(whole.milli_device_ns() / 1000 * parts);
  };
  result.ledger.add(PoolId{0}, Leaf::scheduling_no_demand, share(500));
  if (!point.scenario.classes.empty()) {
    result.ledger.add(PoolId{0}, ClassId{0}, Leaf::runtime_rework, share(49));
    result.ledger.add(PoolId{0}, ClassId{0}, Leaf::runtime_checkpoint, share(1));
    result.ledger.add(PoolId{0}, ClassId{0}, Leaf::program_unattributed, share(225));
    result.ledger.add(PoolId{0}, ClassId{0}, Leaf::ideal, share(225));
  }
  result.classes.resize(point.scenario.classes.size());
  result.run_states = {4, 0, 0, 0};
  result.figures = {figure("mpg", "1", 0.225, 0.004),
                    figure("scheduling_goodput", "1", 0.5, 0.01),
                    figure("runtime_goodput", "1", 0.9, 0.002),
                    figure("program_goodput", "1", 0.5, std::nullopt),
                    figure("job_product", "1", 0.45, 0.003),
                    figure("jobs.a.runtime_goodput", "1", 0.9, 0.002),
                    absent("jobs.a.time_to_result", "s", "the job has no end")};
  made.study.points.push_back(std::move(result));
  return made.study.points.back();
}

inline FrontierEntry frontier_entry(std::size_t point, std::optional<double> mpg, bool is_efficient) {
  FrontierEntry entry;
  entry.point = point;
  entry.mpg = mpg;
  entry.efficient = is_efficient;
  return entry;
}

}  // namespace fleetsim
