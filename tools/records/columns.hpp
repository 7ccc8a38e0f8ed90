#pragma once

#include <string_view>

/// The columns of the tables of records, in their order.
namespace fleetsim {

inline constexpr std::string_view kSchedulerColumns[] = {"row",       "job",         "id",
                                                         "class",     "attempt",     "pool",
                                                         "submit_ns", "from_ns",     "gang_complete_ns",
                                                         "to_ns",     "milli",       "spare_milli",
                                                         "leaf",      "queue_depth", "reason"};

inline constexpr std::string_view kTimelineColumns[] = {
    "job",         "attempt",      "kind",         "from_ns",      "to_ns",      "leaf",
    "milli",       "steps",        "step_ns",      "wait_ns",      "pause_ns",   "excess_ns",
    "excess_leaf", "straggler_ns", "neighbour_ns", "placement_ns", "warm_up_ns", "warm_up_leaf"};

inline constexpr std::string_view kStepsColumns[] = {"job", "leaf", "weight", "milli"};

inline constexpr std::string_view kTimelineKinds[] = {"leaf", "stretch", "commit", "discard"};

}  // namespace fleetsim
