#include "models/goodput/elastic.hpp"

#include <algorithm>

namespace fleetsim {
namespace {

Seconds left(const ElasticChoice& choice) { return choice.window - choice.wait; }

}  // namespace

double work_if_immediate(const ElasticChoice& choice, PerSecond throughput) {
  return throughput * choice.window;
}

double work_if_waiting(const ElasticChoice& choice, PerSecond throughput) {
  return throughput * left(choice);
}

double work_if_stepping_up(const ElasticChoice& choice, PerSecond small, PerSecond large) {
  const Seconds at_large{std::max(0.0, (left(choice) - choice.pause).si)};
  return small * choice.wait + large * at_large;
}

Seconds break_even_pause(const ElasticChoice& choice, PerSecond small, PerSecond large) {
  return left(choice) * (1 - small / large);
}

}  // namespace fleetsim
