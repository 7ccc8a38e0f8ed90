#pragma once

#include <cstdint>

namespace fleetsim {

/// What an event of the engine is about; its entity is a job's slot unless the kind says otherwise.
enum class EventKind : std::uint8_t {
  arrival,
  completed,
  speed_changes,
  detected,
  repaired,
  struck,
  scripted,
  aged,
  evicted,
  evicted_at,
  saved,
  requeued,
  limit,
  lease_end,
  ends,
  hold_timeout,
  torn_down,
  jump,
  look_again,
  resolved,
  withdrawn,
  reinstated,
  vacated,
  leaves,
  refused,
  out_of_patience,
  resized,
  slowed,  ///< entity: a process of slowness
  slowed_by_script,
  slowness_ends,  ///< entity: an episode
  swap_due,
  built,  ///< what a launch compiles is there for others
  provisioned,
  life_over,
  drained,
  warm_replica,  ///< entity: a class
  replaced,      ///< entity: a class whose replicas are kept
  near_no_more,
};

}  // namespace fleetsim
