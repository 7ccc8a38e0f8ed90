#include "sim/job/stretch.hpp"

#include <algorithm>
#include <limits>

#include "sim/core/device_time.hpp"

namespace fleetsim {
namespace {

constexpr std::int64_t kForever = std::numeric_limits<std::int64_t>::max();

std::int64_t saturate(Int128 value) { return value > kForever ? kForever : static_cast<std::int64_t>(value); }

std::int64_t ceil_div(std::int64_t a, std::int64_t b) { return a <= 0 ? 0 : (a - 1) / b + 1; }

}  // namespace

Elapsed operator-(Elapsed later, const Elapsed& earlier) {
  later.steps -= earlier.steps;
  later.wait -= earlier.wait;
  later.own -= earlier.own;
  later.pause -= earlier.pause;
  later.straggler -= earlier.straggler;
  later.neighbour -= earlier.neighbour;
  later.placement -= earlier.placement;
  later.warm_up -= earlier.warm_up;
  later.flush_excess -= earlier.flush_excess;
  later.stages -= earlier.stages;
  return later;
}

void Stretch::plan_checkpoints(const CheckpointCycle& cycle, const Start& start) {
  since_ = start.since_checkpoint;
  interval_from_commit_ = cycle.interval_from_commit;
  pause_ = cycle.pause;
  flush_ = cycle.flush;
  inherited_flush_ = start.flush_until;
  const std::int64_t interval = *cycle.interval;
  const std::int64_t stepping = step_.stepping(), total = stepping + step_.warm_up;

  const std::int64_t flushing = start.flush_until ? start.flush_until->ns() - start_ : 0;
  first_slow_ = flushing > 0 ? ceil_div(flushing, total + step_.flush_excess) : 0;
  first_steps_ = steps_reaching(interval - start.since_checkpoint + start.position, first_slow_, stepping);
  // A stage waits for the flush before it, and may count its interval from there.
  const auto after_flush = [&](std::int64_t flush, std::int64_t slow) {
    const std::int64_t steps = steps_reaching(flush, slow, total);
    if (!interval_from_commit_) return steps;
    return std::max(steps, steps_reaching(in_steps(flush, slow).stepping() + interval, slow, stepping));
  };
  if (flushing > 0) first_steps_ = std::max(first_steps_, after_flush(flushing, first_slow_));
  if (start.position > 0) first_steps_ = std::max<std::int64_t>(first_steps_, 1);

  cycle_slow_ = flush_ > 0 && step_.flush_excess > 0 ? ceil_div(flush_, total + step_.flush_excess) : 0;
  cycle_steps_ = std::max<std::int64_t>(1, steps_reaching(interval, cycle_slow_, stepping));
  if (flush_ > 0) cycle_steps_ = std::max(cycle_steps_, after_flush(flush_, cycle_slow_));
  first_length_ = length(first_steps_, first_slow_);
  cycle_length_ = saturate(Int128{pause_} + length(cycle_steps_, cycle_slow_));
}

std::int64_t Stretch::steps_reaching(std::int64_t amount, std::int64_t slow, std::int64_t per_step) const {
  if (slow == 0) return ceil_div(amount, per_step);
  const std::int64_t steps = ceil_div(amount, per_step + step_.flush_excess);
  if (steps <= slow) return steps;
  return std::max(slow, ceil_div(amount - slow * step_.flush_excess, per_step));
}

std::int64_t Stretch::length(std::int64_t steps, std::int64_t slow) const {
  const std::int64_t total = step_.stepping() + step_.warm_up;
  return saturate(Int128{steps} * total + Int128{std::min(steps, slow)} * step_.flush_excess);
}

Elapsed Stretch::in_steps(std::int64_t elapsed, std::int64_t slow) const {
  const std::int64_t normal = step_.stepping() + step_.warm_up;
  std::int64_t slow_steps = 0, steps = 0, rest = elapsed;
  if (slow > 0) {
    slow_steps = std::min(slow, elapsed / (normal + step_.flush_excess));
    steps = slow_steps;
    rest -= slow_steps * (normal + step_.flush_excess);
  }
  if (slow_steps == slow && rest >= normal) {
    steps += rest / normal;
    rest %= normal;
  }
  // Inside a step: the wait, its own time, then what delays it.
  Elapsed result;
  const std::int64_t wait = std::min(rest, step_.wait);
  const std::int64_t own = std::min(rest - wait, step_.own);
  const std::int64_t straggler = std::min(rest - wait - own, step_.straggler);
  const std::int64_t neighbour = std::min(rest - wait - own - straggler, step_.neighbour);
  const std::int64_t placement = std::min(rest - wait - own - straggler - neighbour, step_.placement);
  const std::int64_t stepping = wait + own + straggler + neighbour + placement;
  const std::int64_t warm_up = std::min(rest - stepping, step_.warm_up);
  result.steps = steps;
  result.position = wait + own;
  result.wait = steps * step_.wait + wait;
  result.own = steps * step_.own + own;
  result.straggler = steps * step_.straggler + straggler;
  result.neighbour = steps * step_.neighbour + neighbour;
  result.placement = steps * step_.placement + placement;
  result.warm_up = steps * step_.warm_up + warm_up;
  result.flush_excess = slow_steps * step_.flush_excess + (rest - stepping - warm_up);
  return result;
}

Elapsed Stretch::compute(SimTime t) const {
  std::int64_t elapsed = t.ns() - origin_;
  if (!checkpoints_ || elapsed < first_length_) return in_steps(elapsed, first_slow_);
  elapsed -= first_length_;
  const std::int64_t cycles = elapsed / cycle_length_;
  std::int64_t rest = elapsed % cycle_length_;
  const std::int64_t pause = std::min(rest, pause_);
  rest -= pause;

  Elapsed result = in_steps(rest, cycle_slow_);
  const std::int64_t steps = first_steps_ + cycles * cycle_steps_;
  const std::int64_t slow =
      std::min(first_slow_, first_steps_) + cycles * std::min(cycle_slow_, cycle_steps_);
  result.steps += steps;
  result.wait += steps * step_.wait;
  result.own += steps * step_.own;
  result.straggler += steps * step_.straggler;
  result.neighbour += steps * step_.neighbour;
  result.placement += steps * step_.placement;
  result.warm_up += steps * step_.warm_up;
  result.flush_excess += slow * step_.flush_excess;
  result.pause = cycles * pause_ + pause;
  result.stages = cycles + (pause == pause_ ? 1 : 0);
  return result;
}

SimTime Stretch::end_between_checkpoints(std::int64_t steps) const {
  if (steps == kForever) return SimTime::never();
  Int128 elapsed = 0;
  if (steps <= first_steps_) {
    elapsed = length(steps, first_slow_);
  } else {
    const std::int64_t rest = steps - first_steps_;
    const std::int64_t cycles = (rest - 1) / cycle_steps_;
    elapsed = Int128{first_length_} + Int128{cycles} * cycle_length_ + pause_ +
              length(rest - cycles * cycle_steps_, cycle_slow_);
  }
  return SimTime::at_ns(saturate(elapsed + origin_));
}

SimTime Stretch::next_step_start(SimTime t) const {
  if (t.ns() == start_) return t;  // what is left of a step that was cut begins here, too
  const auto next = [&](std::int64_t begin, std::int64_t elapsed, std::int64_t slow) {
    const std::int64_t steps = in_steps(elapsed, slow).steps;
    const std::int64_t done = length(steps, slow);
    return SimTime::at_ns(saturate(Int128{begin} + (done == elapsed ? done : length(steps + 1, slow))));
  };
  const std::int64_t elapsed = t.ns() - origin_;
  if (!checkpoints_ || elapsed < first_length_) return next(origin_, elapsed, first_slow_);
  const std::int64_t in_cycle = (elapsed - first_length_) % cycle_length_;
  if (in_cycle == 0) return t;
  const std::int64_t pause_end = t.ns() - in_cycle + pause_;
  return in_cycle < pause_ ? SimTime::at_ns(pause_end) : next(pause_end, in_cycle - pause_, cycle_slow_);
}

SimTime Stretch::when_stepped(std::int64_t amount) const {
  const std::int64_t stepping = step_.stepping();
  // Counted from the origin: the part of a cut step done earlier comes first.
  std::int64_t rest = amount + (start_ - origin_);
  Int128 elapsed = 0;
  std::int64_t slow = first_slow_;
  if (checkpoints_) {
    const std::int64_t first =
        first_steps_ * stepping + std::min(first_steps_, first_slow_) * step_.flush_excess;
    if (rest > first) {
      rest -= first;
      const std::int64_t cycle =
          cycle_steps_ * stepping + std::min(cycle_steps_, cycle_slow_) * step_.flush_excess;
      const std::int64_t cycles = (rest - 1) / cycle;
      rest -= cycles * cycle;
      elapsed = Int128{first_length_} + Int128{cycles} * cycle_length_ + pause_;
      slow = cycle_slow_;
    }
  }
  const std::int64_t slow_length = stepping + step_.flush_excess;
  std::int64_t steps = std::min(slow, rest / slow_length);
  std::int64_t in_step = rest - steps * slow_length;
  if (steps == slow) {
    steps += in_step / stepping;
    in_step %= stepping;
  }
  elapsed += Int128{rest} + Int128{steps} * step_.warm_up;
  // The excess of a step that has just ended belongs before the next one, not to the instant asked for.
  if (in_step == 0 && steps > 0) elapsed -= step_.warm_up;
  return SimTime::at_ns(saturate(elapsed + origin_));
}

std::optional<SimTime> Stretch::covered(SimTime t) const {
  if (!checkpoints_) return std::nullopt;
  const std::int64_t since_first = t.ns() - first_stage_end() - flush_;
  if (since_first < 0) return std::nullopt;
  return SimTime::at_ns(first_stage_end() + since_first / cycle_length_ * cycle_length_);
}

SimTime Stretch::when_covered(SimTime t) const {
  if (!checkpoints_) return SimTime::never();
  const std::int64_t stages = ceil_div(t.ns() - first_stage_end(), cycle_length_);
  return SimTime::at_ns(saturate(Int128{first_stage_end()} + Int128{stages} * cycle_length_ + flush_));
}

std::int64_t Stretch::since_checkpoint(SimTime t) const {
  if (!checkpoints_) return 0;
  const Elapsed now = at(t);
  const std::optional<SimTime> last = last_stage_end(t);
  const std::optional<SimTime> durable = last ? SimTime::at_ns(last->ns() + flush_) : inherited_flush_;
  if (interval_from_commit_ && durable && *durable <= t) return (now - at(*durable)).stepping();
  if (last) return (now - at(*last)).stepping();
  return since_ + (now - at(start())).stepping();
}

std::optional<SimTime> Stretch::flush_until(SimTime t) const {
  if (!checkpoints_) return std::nullopt;
  const Elapsed now = at(t);
  if (now.stages == 0) return inherited_flush_ && *inherited_flush_ > t ? inherited_flush_ : std::nullopt;
  const std::int64_t durable = first_stage_end() + (now.stages - 1) * cycle_length_ + flush_;
  return durable > t.ns() ? std::optional{SimTime::at_ns(durable)} : std::nullopt;
}

std::optional<SimTime> Stretch::last_stage_end(SimTime t) const {
  if (!checkpoints_) return std::nullopt;
  const std::int64_t since_first = t.ns() - first_stage_end();
  if (since_first < 0) return std::nullopt;
  return SimTime::at_ns(first_stage_end() + since_first / cycle_length_ * cycle_length_);
}

std::int64_t Stretch::durable(SimTime t) const {
  if (!checkpoints_) return 0;
  const std::int64_t since_first = t.ns() - first_stage_end() - flush_;
  return since_first < 0 ? 0 : since_first / cycle_length_ + 1;
}

}  // namespace fleetsim
