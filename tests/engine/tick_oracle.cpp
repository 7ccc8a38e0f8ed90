#include "tests/engine/tick_oracle.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

namespace fleetsim {
namespace {

struct Progress {
  std::int64_t steps = 0, position = 0;  ///< whole steps, and nanoseconds of wait and work of the next
};

/// A nanosecond of stepping whose fate is open.
struct Tick {
  std::int64_t at;
  Leaf retained_as;
  Progress before;
};

class Player {
 public:
  explicit Player(const Scenario& scenario)
      : scenario_{scenario},
        job_{scenario.classes.front()},
        window_from_{scenario.window.warm_up.ns()},
        window_to_{scenario.window.length ? window_from_ + scenario.window.length->ns()
                                          : std::numeric_limits<std::int64_t>::max()} {}

  TickedJob play() {
    launch(job_.startup, Leaf::runtime_startup, 0);
    for (;; ++now_) {
      finish_what_ends();
      for (const ScriptedFault& fault : scenario_.script)
        if (fault.at.ns() == now_) fail(fault), finish_what_ends();
      for (const SimTime at : job_.evictions.at)
        if (at.ns() == now_) evict(), finish_what_ends();
      for (const DrainSpec& drain : scenario_.pools.front().drains)
        if (drain.at.ns() == now_) begin_drain(drain);
      if (leaves_now_) leave_node(), finish_what_ends();
      if (state_ == State::away && left_ == 0) launch(job_.preemption, Leaf::runtime_preemption, 0);
      finish_what_ends();
      if (state_ == State::done) return out_;
      tick();
    }
  }

 private:
  enum class State { launching, stepping, pausing, saving, away, done };

  // A step: its wait, its own time, the excess of a slow first step, the excess of a flush beside it.
  std::int64_t wait() const { return job_.step.wait.ns(); }
  std::int64_t profile() const { return wait() + job_.step.time.ns(); }
  std::int64_t step_length() const { return profile() + straggler_ + warm_excess_ + flush_excess_; }

  /// By how much a step that begins now waits for the slowest member.
  std::int64_t slowness() const {
    double speed = 1.0;
    for (const ScriptedSlowness& episode : scenario_.slow_script) {
      const std::int64_t from = episode.at.ns();
      const bool lasts = episode.length == Duration::max() || now_ - from < episode.length.ns();
      if (from <= now_ && lasts) speed = std::min(speed, episode.speed);
    }
    return std::llround(static_cast<double>(job_.step.time.ns()) / speed) - job_.step.time.ns();
  }

  void charge(Leaf leaf, std::int64_t at) {
    if (at >= window_from_ && at < window_to_) ++out_.leaves[static_cast<std::size_t>(leaf)];
  }

  void launch(const LaunchSpec& phases, Leaf leaf, std::int64_t before) {
    state_ = State::launching;
    leaves_now_ = false;
    if (drained_[node_] && leaf != Leaf::runtime_recovery) {
      while (drained_[node_]) ++node_;
      leaves_at_commit_ = false;
    }
    leaf_ = leaf;
    left_ = before + phases.total().ns();
    slow_left_ = phases.slow_steps;
    slow_excess_ = phases.slow_excess.ns();
    flushing_until_.reset();
    since_ = 0;
  }

  void begin_step(std::int64_t position) {
    in_step_ = position;
    straggler_ = job_.step.continuous ? 0 : slowness();
    warm_excess_ = slow_left_ > 0 ? slow_excess_ : 0;
    slow_left_ -= slow_left_ > 0 ? 1 : 0;
    flush_excess_ = flushing_until_ && now_ < *flushing_until_ ? job_.checkpoint.step_excess.ns() : 0;
  }

  /// Everything provisional before `to` is retained, the rest lost.
  void settle(std::int64_t to, Leaf lost) {
    for (const Tick& tick : provisional_) charge(tick.at < to ? tick.retained_as : lost, tick.at);
    provisional_.clear();
  }
  void retain_before(std::int64_t to) {
    const auto open = std::find_if(provisional_.begin(), provisional_.end(),
                                   [to](const Tick& tick) { return tick.at >= to; });
    for (auto tick = provisional_.begin(); tick != open; ++tick) charge(tick->retained_as, tick->at);
    provisional_.erase(provisional_.begin(), open);
  }
  void commit(const Progress& what) {
    ++out_.commits;
    committed_at_ = now_;
    committed_ = what;
    leaves_now_ = leaves_at_commit_ && state_ != State::saving;
  }

  void finish_what_ends() {
    if (flushing_until_ && *flushing_until_ == now_) {
      retain_before(staged_at_);
      commit(staged_);
      flushing_until_.reset();
      if (job_.checkpoint.interval_from == IntervalFrom::commit) since_ = 0;
    }
    if (state_ == State::saving && left_ == 0) {
      if (!provisional_.empty()) commit(progress());
      settle(now_, Leaf::ideal);
      return leave();
    }
    if (state_ == State::pausing && left_ == 0) end_pause();
    if (state_ == State::launching && left_ == 0) {
      state_ = State::stepping;
      steps_ = committed_.steps;
      began_ = now_;
      if (steps_ == *job_.steps) return complete();  // cut in the excess of its last step
      begin_step(committed_.position);
    }
    if (state_ == State::stepping && in_step_ == step_length()) {
      ++steps_;
      in_step_ = 0;
      if (steps_ == *job_.steps) return complete();
      at_boundary_ = true;
    }
    if (state_ == State::stepping && at_boundary_) {
      const bool due = job_.checkpoint.mode != CheckpointMode::none &&
                       since_ >= job_.checkpoint.interval.ns() && !flushing_until_;
      at_boundary_ = false;
      if (!due) return begin_step(0);
      state_ = State::pausing;
      left_ = job_.checkpoint.pause.ns();
      if (left_ == 0) end_pause();
    }
  }

  void complete() {
    settle(now_, Leaf::ideal);
    if (committed_at_ != now_) ++out_.commits;
    out_.end = now_;
    state_ = State::done;
    leaves_now_ = false;
  }

  void end_pause() {
    since_ = 0;
    const std::int64_t flush =
        job_.checkpoint.mode == CheckpointMode::asynchronous ? job_.checkpoint.flush.ns() : 0;
    if (flush == 0) {
      retain_before(now_);
      commit({steps_, 0});
    } else {
      flushing_until_ = now_ + flush;
      staged_at_ = now_;
      staged_ = {steps_, 0};
    }
    state_ = State::stepping;
    begin_step(0);
  }

  Progress progress() const {
    if (in_step_ >= profile()) return {steps_ + 1, 0};
    return {steps_, in_step_};
  }

  void fail(const ScriptedFault& fault) {
    if (state_ == State::away || state_ == State::done) return;
    ++out_.failures;
    settle(0, Leaf::runtime_rework);
    const Duration detect = fault.detect.value_or(job_.recovery.detect);
    launch(job_.recovery.relaunch, Leaf::runtime_recovery, detect.ns());
  }

  void evict() {
    if (state_ == State::away || state_ == State::done || state_ == State::saving) return;
    ++out_.evictions;
    leaves_now_ = false;
    const EvictionTerms& terms = job_.evictions.terms;
    const bool has_stepped = (state_ == State::stepping || state_ == State::pausing) && now_ > began_;
    if (has_stepped && terms.save && *terms.save <= terms.grace) {
      state_ = State::saving;
      left_ = terms.save->ns();
      return;
    }
    if (terms.lost_work && !provisional_.empty()) {
      const std::int64_t kept = now_ - terms.lost_work->ns();
      const auto cut = std::find_if(provisional_.begin(), provisional_.end(),
                                    [kept](const Tick& tick) { return tick.at >= kept; });
      if (cut == provisional_.end()) {
        committed_ = progress();
      } else if (cut != provisional_.begin()) {
        committed_ = cut->before;
      }
      settle(kept, Leaf::runtime_preemption);
    }
    settle(0, Leaf::runtime_preemption);
    leave();
  }

  void begin_drain(const DrainSpec& drain) {
    const std::uint32_t node = drain.nodes.front();
    drained_[node] = true;
    const bool there = state_ != State::away && state_ != State::done && node == node_;
    leaves_now_ = leaves_now_ || (there && drain.mode == DrainMode::now);
    leaves_at_commit_ = leaves_at_commit_ || (there && drain.mode == DrainMode::at_commit);
  }

  void leave_node() {
    ++out_.drains;
    settle(0, Leaf::runtime_reconfiguration);
    launch(job_.reconfiguration, Leaf::runtime_reconfiguration, 0);
  }

  void leave() {
    state_ = State::away;
    left_ = job_.evictions.terms.requeue_delay.ns();
    flushing_until_.reset();
  }

  void tick() {
    switch (state_) {
      case State::launching:
        charge(leaf_, now_);
        --left_;
        break;
      case State::saving:
        charge(Leaf::runtime_preemption, now_);
        --left_;
        break;
      case State::away:
        ++out_.requeue_wait;
        --left_;
        break;
      case State::pausing:
        provisional_.push_back({now_, Leaf::runtime_checkpoint, {steps_, 0}});
        --left_;
        break;
      case State::stepping:
        step_tick();
        break;
      case State::done:
        break;
    }
  }

  void step_tick() {
    const std::int64_t stepping = profile() + straggler_;
    if (in_step_ >= stepping && in_step_ < stepping + warm_excess_) {
      charge(leaf_, now_);
    } else {
      const Leaf leaf = in_step_ < wait()      ? Leaf::runtime_input_wait
                        : in_step_ < profile() ? Leaf::program_unmodelled
                        : in_step_ < stepping  ? Leaf::program_straggler
                                               : Leaf::program_checkpoint_write;
      provisional_.push_back({now_, leaf, progress()});
      ++since_;
    }
    ++in_step_;
  }

  const Scenario& scenario_;
  const JobClass& job_;
  std::int64_t window_from_, window_to_;
  TickedJob out_;

  std::int64_t now_ = 0;
  State state_ = State::launching;
  Leaf leaf_ = Leaf::runtime_startup;
  std::int64_t left_ = 0;  ///< of a launch, a pause, a save, or away
  std::int64_t began_ = 0;
  std::int64_t steps_ = 0, in_step_ = 0, straggler_ = 0, warm_excess_ = 0, flush_excess_ = 0;
  std::int64_t slow_left_ = 0, slow_excess_ = 0;
  std::int64_t since_ = 0;  ///< stepping time towards the interval
  bool at_boundary_ = false;
  Progress committed_, staged_;
  std::int64_t staged_at_ = 0, committed_at_ = -1;
  std::optional<std::int64_t> flushing_until_;
  std::vector<Tick> provisional_;
  // The lowest node that is not drained when it starts.
  std::uint32_t node_ = 0;
  std::vector<bool> drained_ = std::vector<bool>(scenario_.pools.front().nodes);
  bool leaves_now_ = false, leaves_at_commit_ = false;
};

}  // namespace

TickedJob play_by_ticks(const Scenario& scenario) { return Player{scenario}.play(); }

}  // namespace fleetsim
