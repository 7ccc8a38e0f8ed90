#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "sim/study/study.hpp"

/// What pages and files say alike of a point of a study.
namespace fleetsim {

/// Which program made a result.
struct Provenance {
  std::string version;  ///< "0.1.0"
  std::string build;    ///< the state of the sources it was built from
};

inline constexpr std::string_view kLevel = "0.95";  ///< of all intervals, as `ratio_of_sums` has it

const Scenario& scenario_of(const PointResult& point);
std::int64_t node_count(const Scenario& scenario);
std::int64_t device_count(const Scenario& scenario);

/// "base", or the alternative's name, and the values of the sweep: "atomic admission, rate = 4 /d".
std::string point_label(const StudyPoint& point);

/// "fifo, strict, atomic, first-fit placement": the parts that the scheduler is put together from.
std::string policy_text(const SchedulerSpec& scheduler);
/// What ideal time is measured against.
std::string ideal_text(const Scenario& scenario);

/// "7 d", "90 min"; "about" what cannot be said so: "1.23 h".
std::string short_duration(Duration time);

/// The simulated value of a figure, if there is one.
std::optional<double> mean_of(const PointResult& point, std::string_view figure);
std::string_view name_of(RunState state);
std::string_view name_of(FinalState state);

}  // namespace fleetsim
