#pragma once

#include "models/quantity/quantity.hpp"

// Work that a job gets done by the end of a window if it starts small, waits for more, or starts small and
// grows. Throughputs count any unit of work; the pause falls between the two sizes.
//
// Source: Machine Learning Systems, volume 2, "Elastic training".

namespace fleetsim {

struct ElasticChoice {
  Seconds window;  ///< from now to the end
  Seconds wait;    ///< until more devices are free, within the window
  Seconds pause;   ///< to resume at another size
};

/// Starting now at `throughput`, and keeping it.
double work_if_immediate(const ElasticChoice& choice, PerSecond throughput);
/// Starting only when there is more.
double work_if_waiting(const ElasticChoice& choice, PerSecond throughput);
/// Starting now at `small`, and growing to `large` when there is more.
double work_if_stepping_up(const ElasticChoice& choice, PerSecond small, PerSecond large);
/// The pause at which stepping up does no more work than staying small, whatever `choice.pause` is.
Seconds break_even_pause(const ElasticChoice& choice, PerSecond small, PerSecond large);

}  // namespace fleetsim
