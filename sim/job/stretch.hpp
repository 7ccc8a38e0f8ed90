#pragma once

#include <cstdint>
#include <limits>
#include <optional>

#include "models/quantity/duration.hpp"
#include "sim/core/time.hpp"

namespace fleetsim {

/// How one step divides, in order: its wait, its own time, and what delays it beyond its profile.
struct StepTimes {
  std::int64_t wait = 0, own = 1;  ///< nanoseconds
  /// By which a slow rank, traffic of others, or slower links than a compact placement has, delay each step.
  std::int64_t straggler = 0, neighbour = 0, placement = 0;
  std::int64_t warm_up = 0;       ///< excess of a slow first step: neither provisional nor stepping time
  std::int64_t flush_excess = 0;  ///< of a step that starts while a checkpoint is being flushed

  std::int64_t slow() const { return straggler + neighbour + placement; }
  /// What counts towards the interval of checkpoints, outside a flush.
  std::int64_t stepping() const { return wait + own + slow(); }
};

/// Periodic checkpoints, in nanoseconds of stepping time. `interval` absent: none.
struct CheckpointCycle {
  std::optional<std::int64_t> interval;
  std::int64_t pause = 0;
  std::int64_t flush = 0;  ///< durable this long after the pause; 0 is a synchronous checkpoint
  bool interval_from_commit = false;
};

/// What happened up to an instant of a stretch. All times in nanoseconds since the stretch's origin.
struct Elapsed {
  std::int64_t steps = 0;     ///< whole steps
  std::int64_t position = 0;  ///< into the current step, in [0, wait + own): what a cut keeps
  std::int64_t wait = 0, own = 0, pause = 0, warm_up = 0, flush_excess = 0;
  std::int64_t straggler = 0, neighbour = 0, placement = 0;
  std::int64_t stages = 0;  ///< checkpoint pauses that have ended

  std::int64_t stepping() const { return wait + own + straggler + neighbour + placement + flush_excess; }
  friend Elapsed operator-(Elapsed later, const Elapsed& earlier);
};

/// A stretch of stepping at one speed: steps, and a checkpoint at the first step end at or after each
/// interval. Every question about it is answered in closed form from integers, so that no event is needed per
/// step or checkpoint.
class Stretch {
 public:
  struct Start {
    SimTime at{};
    std::int64_t position = 0;          ///< into a step that was cut earlier, in [0, wait + own)
    std::int64_t since_checkpoint = 0;  ///< stepping time already counted towards the interval
    std::optional<SimTime>
        flush_until{};  ///< a flush of an earlier stretch is under way (only at a step's start)
  };

  Stretch() = default;
  Stretch(const StepTimes& step, const CheckpointCycle& cycle, const Start& start) {
    begin(step, cycle, start);
  }

  /// Makes it another one, in its place.
  void begin(const StepTimes& step, const CheckpointCycle& cycle, const Start& start) {
    step_ = step;
    origin_ = start.at.ns() - start.position;
    start_ = start.at.ns();
    asked_at_ = kNeverAsked;
    first_slow_ = 0;
    checkpoints_ = cycle.interval.has_value();
    if (checkpoints_) plan_checkpoints(cycle, start);
  }

  SimTime start() const { return SimTime::at_ns(start_); }
  bool has_checkpoints() const { return checkpoints_; }
  /// Nothing but steps' own time.
  bool is_plain() const {
    return !checkpoints_ && step_.wait == 0 && step_.slow() == 0 && step_.warm_up == 0;
  }
  const StepTimes& step() const { return step_; }

  /// State at `t` >= start(), as long as the work lasts. What ends exactly at `t` has ended.
  const Elapsed& at(SimTime t) const {
    if (t.ns() != asked_at_) {
      asked_ = compute(t);
      asked_at_ = t.ns();
    }
    return asked_;
  }
  Elapsed between(SimTime from, SimTime to) const {
    if (from.ns() == origin_) return at(to);  // nothing has elapsed at the origin
    const Elapsed before = at(from);          // first: it has mostly been asked for just now
    return at(to) - before;
  }

  /// When `steps` whole steps counted from the origin (a cut step is the first) have ended. A checkpoint due
  /// at that very end is not taken.
  SimTime end_of_step(std::int64_t steps) const {
    if (checkpoints_) return end_between_checkpoints(steps);
    return SimTime::at_ns(origin_) + Duration::nanoseconds(step_.stepping() + step_.warm_up) * steps;
  }

  /// When the first step begins that has not begun before `t` >= start(): a step keeps the speed it began
  /// with. The end of a step at which a checkpoint is due counts, though its pause comes first.
  SimTime next_step_start(SimTime t) const;

  /// When the stepping time since start() reaches `amount` nanoseconds.
  SimTime when_stepped(std::int64_t amount) const;

  /// The instant up to which the last checkpoint that is durable at `t` covers; nothing if none is durable
  /// yet.
  std::optional<SimTime> covered(SimTime t) const;

  /// The durable instant of the first checkpoint that covers `t`; never if there are no checkpoints.
  SimTime when_covered(SimTime t) const;

  /// Stepping time that counts towards the next checkpoint's interval, and a flush under way at `t`.
  std::int64_t since_checkpoint(SimTime t) const;
  std::optional<SimTime> flush_until(SimTime t) const;

  /// The end of the last checkpoint pause that has ended at `t`, and how many checkpoints are durable.
  std::optional<SimTime> last_stage_end(SimTime t) const;
  std::int64_t durable(SimTime t) const;

 private:
  Elapsed compute(SimTime t) const;
  void plan_checkpoints(const CheckpointCycle& cycle, const Start& start);
  SimTime end_between_checkpoints(std::int64_t steps) const;
  std::int64_t first_stage_end() const { return origin_ + first_length_ + pause_; }
  Elapsed in_steps(std::int64_t elapsed, std::int64_t slow) const;
  std::int64_t length(std::int64_t steps, std::int64_t slow) const;
  /// Fewest steps, of which the first `slow` are slow, whose stepping (or total) time reaches `amount`.
  std::int64_t steps_reaching(std::int64_t amount, std::int64_t slow, std::int64_t per_step) const;

  StepTimes step_;
  std::int64_t origin_ = 0, start_ = 0;
  std::int64_t since_ = 0;
  bool checkpoints_ = false;
  bool interval_from_commit_ = false;
  std::int64_t pause_ = 0, flush_ = 0;
  std::int64_t first_steps_ = 0, first_slow_ = 0, first_length_ = 0;
  std::int64_t cycle_steps_ = 0, cycle_slow_ = 0, cycle_length_ = 0;
  std::optional<SimTime> inherited_flush_;
  // The last answer: what is settled asks for one instant several times, and divisions are slow.
  static constexpr std::int64_t kNeverAsked = std::numeric_limits<std::int64_t>::min();
  mutable std::int64_t asked_at_ = kNeverAsked;
  mutable Elapsed asked_{};
};

}  // namespace fleetsim
