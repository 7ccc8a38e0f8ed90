#pragma once

#include <cstdint>

namespace fleetsim {

/// What an event of the engine is about; its entity is a job's slot unless the kind says otherwise.
enum class EventKind : std::uint8_t {
  arrival,
  completed,
  warmed_up,
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
  near_no_more,
};

}  // namespace fleetsim
