#include "models/checkpoint/renewal.hpp"

#include <algorithm>
#include <cmath>

namespace fleetsim {
namespace {

/// Integral of e^(-rate x) over [0, length]; the length itself without a rate.
double survived(double rate, double length) {
  return rate == 0 ? length : -std::expm1(-rate * length) / rate;
}

/// Integral of x e^(-rate x) over [0, length].
double survived_age(double rate, double length) {
  const double y = rate * length;
  if (std::isinf(y)) return 1 / (rate * rate);
  constexpr double kSmall = 1e-2;  // below, the closed form cancels; the terms left out are under 1e-13
  if (y < kSmall) {
    return length * length * (1.0 / 2 - y * (1.0 / 3 - y * (1.0 / 8 - y * (1.0 / 30 - y / 144))));
  }
  return (-std::expm1(-y) - y * std::exp(-y)) / (rate * rate);
}

/// Integral of e^(-rate x) max(x - loss, 0) over [0, length].
double survived_beyond(double rate, double loss, double length) {
  return loss >= length ? 0 : std::exp(-rate * loss) * survived_age(rate, length - loss);
}

/// Expected times within one cycle, which begins at a commit or when a phase after an interruption has ended.
struct Cycle {
  double length = 0;
  double stepping = 0;  ///< retained with its input waits
  double checkpoint = 0;
  double rework = 0;
  double recovery = 0;
  double preemption = 0;
};

/// `value` weighted by a probability; an infinite value that cannot be reached counts nothing.
double weighted(double value, double probability) { return probability == 0 ? 0 : value * probability; }

Cycle held_cycle(const RenewalJob& job) {
  const double a = job.failures.si;
  const double b = job.evictions.si;
  const double s = a + b;
  const double tau = job.interval.si;
  const double d = job.write.si;
  const double whole = tau + d;
  const double commits = std::exp(-s * whole);
  Cycle cycle;
  // Of all time, a share of e^(-s D) a + e^(-s E) b per second ends in a phase that is left uninterrupted;
  // what is neither in a recovery nor in a relaunch is the cycle's own part.
  const double recovering = a * survived(s, job.recovery.si);
  const double relaunching = b * survived(s, job.relaunch.si);
  cycle.length = survived(s, whole) / (1 - recovering - relaunching);
  cycle.stepping = weighted(tau, commits);
  cycle.checkpoint = weighted(d, commits);
  const double age = survived_age(s, whole);
  double saved = 0;
  if (job.eviction_loss) {
    saved = survived_beyond(s, job.eviction_loss->si, whole);
    const double saved_pause = survived_beyond(s, job.eviction_loss->si + tau, whole);
    cycle.stepping += b * (saved - saved_pause);
    cycle.checkpoint += b * saved_pause;
  }
  cycle.rework = a * age;
  cycle.recovery = recovering * cycle.length;
  cycle.preemption = b * (age - saved) + relaunching * cycle.length;
  return cycle;
}

Cycle productive_cycle(const RenewalJob& job) {
  const double a = job.failures.si;
  const double b = job.evictions.si;
  const double s = a + b;
  const double tau = job.interval.si;
  const double d = job.write.si;
  const double reaches_pause = std::exp(-s * tau);
  const double commits = reaches_pause * std::exp(-a * d);
  const double stepping = survived(s, tau);
  const double pausing = reaches_pause * survived(a, d);
  const double evictions = b * stepping;
  const double relaunching = evictions * survived(a, job.relaunch.si);
  // Every failure outside a recovery begins one, and failures during it prolong it.
  const double failures = a * (stepping + pausing + relaunching);
  const double age = survived_age(s, tau);
  const double saved = job.eviction_loss ? survived_beyond(s, job.eviction_loss->si, tau) : 0;
  Cycle cycle;
  cycle.recovery = failures * survived(-a, job.recovery.si);
  cycle.length = stepping + pausing + relaunching + cycle.recovery;
  cycle.stepping = weighted(tau, commits) + b * saved;
  cycle.checkpoint = weighted(d, commits);
  cycle.rework =
      a * (age + weighted(tau, reaches_pause) * survived(a, d) + reaches_pause * survived_age(a, d));
  cycle.preemption = b * (age - saved) + relaunching;
  return cycle;
}

}  // namespace

RenewalShares renewal_shares(const RenewalJob& job) {
  const bool undisturbed = job.failures.si + job.evictions.si == 0;
  if (undisturbed && std::isinf(job.interval.si)) {
    return {.retained = 1 - job.input_stall, .input_wait = job.input_stall};
  }
  const Cycle cycle = job.clock == RenewalClock::kHeld ? held_cycle(job) : productive_cycle(job);
  return {.retained = (1 - job.input_stall) * cycle.stepping / cycle.length,
          .input_wait = job.input_stall * cycle.stepping / cycle.length,
          .checkpoint = cycle.checkpoint / cycle.length,
          .rework = cycle.rework / cycle.length,
          .recovery = cycle.recovery / cycle.length,
          .preemption = cycle.preemption / cycle.length};
}

}  // namespace fleetsim
