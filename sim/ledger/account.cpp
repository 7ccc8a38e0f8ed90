#include <algorithm>
#include <numeric>
#include <span>
#include <utility>

#include "sim/ledger/records.hpp"

namespace fleetsim {
namespace {

/// Problems found, of which the first are told and the others counted.
class Problems {
 public:
  void add(std::string problem) {
    if (++count_ <= kTold) told_.push_back(std::move(problem));
  }
  std::vector<std::string> take() {
    if (count_ > kTold) told_.push_back("and " + std::to_string(count_ - kTold) + " more problems");
    return std::move(told_);
  }

 private:
  static constexpr std::size_t kTold = 50;
  std::vector<std::string> told_;
  std::size_t count_ = 0;
};

/// The rows of every job, as indices into a table: sorted by job, each job's in the order of the table.
class RowsByJob {
 public:
  template <class Row>
  RowsByJob(const std::vector<Row>& rows, std::size_t jobs) : begin_(jobs + 1, 0) {
    for (const Row& row : rows) {
      if (row.job < jobs) ++begin_[row.job + 1];
    }
    std::partial_sum(begin_.begin(), begin_.end(), begin_.begin());
    rows_.resize(begin_.back());
    std::vector<std::size_t> next(begin_.begin(), begin_.end() - 1);
    for (std::size_t i = 0; i < rows.size(); ++i) {
      if (rows[i].job < jobs) rows_[next[rows[i].job]++] = i;
    }
  }

  std::span<const std::size_t> of(std::size_t job) const {
    return std::span(rows_).subspan(begin_[job], begin_[job + 1] - begin_[job]);
  }
  template <class Row>
  void sort_by_start(const std::vector<Row>& rows) {
    for (std::size_t job = 0; job + 1 < begin_.size(); ++job) {
      std::stable_sort(rows_.begin() + static_cast<std::ptrdiff_t>(begin_[job]),
                       rows_.begin() + static_cast<std::ptrdiff_t>(begin_[job + 1]),
                       [&](std::size_t a, std::size_t b) { return rows[a].from < rows[b].from; });
    }
  }

 private:
  std::vector<std::size_t> begin_, rows_;
};

bool is_interval(const TimelineRow& row) {
  return row.kind == TimelineKind::leaf || row.kind == TimelineKind::stretch;
}

std::string between(SimTime from, SimTime to) {
  std::string text = "[";
  text.append(std::to_string(from.ns())).append(", ").append(std::to_string(to.ns())).append(")");
  return text;
}

/// What is known of a job while its timeline is read.
struct JobState {
  std::vector<std::pair<std::size_t, std::uint32_t>>
      provisional;          ///< rows of the timeline and their pools, in time
  std::size_t decided = 0;  ///< of those
  struct Retained {
    std::uint32_t pool;
    Capacity profile;  ///< of the rows that divide it
    DeviceTime amount;
  };
  std::vector<Retained> retained;  ///< step time
  DeviceTime held, timed;          ///< inside the window: by the allocations and by the timeline
};

class Accountant {
 public:
  explicit Accountant(const Records& records)
      : records_{records},
        ledger_{records.pools.size(), records.classes.size()},
        jobs_(records.jobs.size()),
        allocations_{records.allocations, records.jobs.size()},
        steps_{records.steps, records.jobs.size()} {
    allocations_.sort_by_start(records.allocations);
  }

  Accounting run() {
    check_jobs();
    for (std::size_t i = 0; i < records_.allocations.size(); ++i) read_allocation(i);
    for (std::size_t i = 0; i < records_.pool_rows.size(); ++i) read_pool_row(i);
    for (std::size_t i = 0; i < records_.timeline.size(); ++i) read_timeline(i);
    check_overlaps();
    close();
    return {std::move(ledger_), problems_.take()};
  }

 private:
  void problem(std::string_view table, std::size_t row, const std::string& what) {
    problems_.add(std::string(table) + " row " + std::to_string(row + 1) + ": " + what);
  }
  std::string name(std::size_t job) const {
    return "job " + std::to_string(job) + " (" + records_.jobs[job].id + ")";
  }
  ClassId class_of(std::uint32_t job) const { return ClassId{records_.jobs[job].job_class}; }

  Duration inside(SimTime from, SimTime to) const {
    const Duration time = std::min(to, records_.window_end) - std::max(from, records_.window_start);
    return std::max(time, Duration::zero());
  }

  void check_jobs() {
    if (records_.window_end <= records_.window_start) {
      problems_.add("the window " + between(records_.window_start, records_.window_end) + " is empty");
    }
    for (std::size_t job = 0; job < jobs_.size(); ++job) {
      if (records_.jobs[job].job_class >= ledger_.classes())
        problems_.add(name(job) + " has an unknown class");
    }
  }

  /// Whether the row names a job and a pool that exist and has a length and a capacity; says so otherwise.
  template <class Row>
  bool is_sound(std::string_view table, std::size_t index, const Row& row) {
    if (row.from >= row.to) {
      problem(table, index, between(row.from, row.to) + " is empty");
    } else if (row.capacity < Capacity::zero()) {
      problem(table, index, "negative capacity");
    } else {
      return true;
    }
    return false;
  }
  bool is_known_job(std::string_view table, std::size_t index, std::uint32_t job) {
    const bool known = job < jobs_.size() && records_.jobs[job].job_class < ledger_.classes();
    if (!known) problem(table, index, "unknown job " + std::to_string(job));
    return known;
  }
  bool is_known_pool(std::string_view table, std::size_t index, std::uint32_t pool) {
    const bool known = pool < ledger_.pools();
    if (!known) problem(table, index, "unknown pool " + std::to_string(pool));
    return known;
  }

  void read_allocation(std::size_t index) {
    const AllocationRow& row = records_.allocations[index];
    if (!is_known_job("allocation", index, row.job) || !is_known_pool("allocation", index, row.pool)) return;
    if (!is_sound("allocation", index, row)) return;
    if (row.spare < Capacity::zero()) return problem("allocation", index, "negative spare capacity");
    const SimTime complete = std::clamp(row.gang_complete.value_or(row.to), row.from, row.to);
    const ClassId job_class = class_of(row.job);
    const PoolId pool{row.pool};
    if (leaf_info(row.incomplete).boundary != Boundary::scheduling)
      return problem("allocation", index,
                     "an incomplete gang cannot be " + std::string(leaf_info(row.incomplete).name));
    ledger_.add(pool, job_class, row.incomplete, row.capacity * inside(row.from, complete));
    ledger_.add(pool, job_class, Leaf::runtime_idle_reservation, row.spare * inside(row.from, row.to));
    jobs_[row.job].held += row.capacity * inside(complete, row.to);
  }

  void read_pool_row(std::size_t index) {
    const PoolRow& row = records_.pool_rows[index];
    if (!is_known_pool("pool", index, row.pool) || !is_sound("pool", index, row)) return;
    if (leaf_info(row.leaf).boundary > Boundary::scheduling) {
      return problem("pool", index, "free capacity cannot be " + std::string(leaf_info(row.leaf).name));
    }
    ledger_.add(PoolId{row.pool}, row.leaf, row.capacity * inside(row.from, row.to));
  }

  void read_timeline(std::size_t index) {
    const TimelineRow& row = records_.timeline[index];
    if (!is_known_job("timeline", index, row.job)) return;
    switch (row.kind) {
      case TimelineKind::leaf:
        return read_leaf(index, row);
      case TimelineKind::stretch:
        return read_stretch(index, row);
      case TimelineKind::commit:
        return commit(index, row);
      case TimelineKind::discard:
        return discard(index, row.job, row.leaf);
    }
  }

  /// The pool of the allocations that hold this capacity, gang complete, all through the row's part of the
  /// window.
  std::optional<std::uint32_t> pool_of(std::size_t index, const TimelineRow& row) {
    const std::span<const std::size_t> rows = allocations_.of(row.job);
    const SimTime from = std::max(row.from, records_.window_start);
    const SimTime to = std::min(row.to, records_.window_end);
    auto next = std::upper_bound(rows.begin(), rows.end(), from, [&](SimTime time, std::size_t i) {
      return time < records_.allocations[i].from;
    });
    if (next != rows.begin()) --next;
    std::optional<std::uint32_t> pool;
    SimTime covered = from;
    for (; next != rows.end() && covered < to; ++next) {
      const AllocationRow& held = records_.allocations[*next];
      const SimTime begin = std::max(held.from, held.gang_complete.value_or(held.to));
      if (begin > covered || held.to <= covered || held.capacity != row.capacity) break;
      if (pool.value_or(held.pool) != held.pool) break;
      pool = held.pool;
      covered = held.to;
    }
    if (pool && covered >= to) return pool;
    problem("timeline", index,
            name(row.job) + " does not hold " + std::to_string(row.capacity.milli()) +
                " milli-devices of one pool with its gang complete during " + between(from, to));
    return std::nullopt;
  }

  void read_leaf(std::size_t index, const TimelineRow& row) {
    if (!is_sound("timeline", index, row)) return;
    if (leaf_info(row.leaf).boundary < Boundary::runtime) {
      return problem("timeline", index, "held time cannot be " + std::string(leaf_info(row.leaf).name));
    }
    const DeviceTime amount = row.capacity * inside(row.from, row.to);
    if (amount == DeviceTime::zero()) return;
    const std::optional<std::uint32_t> pool = pool_of(index, row);
    if (!pool) return;
    jobs_[row.job].timed += amount;
    ledger_.add(PoolId{*pool}, class_of(row.job), row.leaf, amount);
  }

  void read_stretch(std::size_t index, const TimelineRow& row) {
    if (!is_sound("timeline", index, row) || !has_sound_parts(index, row)) return;
    const Duration counted = inside(row.from, row.to);
    if (counted == Duration::zero()) return;
    if (counted != row.to - row.from) {
      return problem("timeline", index,
                     "stretch " + between(row.from, row.to) + " crosses an edge of the window");
    }
    const std::optional<std::uint32_t> pool = pool_of(index, row);
    if (!pool) return;
    JobState& job = jobs_[row.job];
    job.timed += row.capacity * counted;
    ledger_.add(PoolId{*pool}, class_of(row.job), row.warm_up_leaf, row.capacity * row.warm_up);
    job.provisional.emplace_back(index, *pool);
  }

  bool has_sound_parts(std::size_t index, const TimelineRow& row) {
    Duration parts;
    for (const Duration part : {row.step, row.wait, row.pause, row.excess, row.straggler, row.neighbour,
                                row.placement, row.warm_up}) {
      if (part < Duration::zero()) return problem("timeline", index, "negative part"), false;
      parts += part;
    }
    if (parts != row.to - row.from) {
      problem("timeline", index,
              "the parts add up to " + std::to_string(parts.ns()) + " ns of " +
                  std::to_string((row.to - row.from).ns()));
    } else if (leaf_info(row.excess_leaf).boundary != Boundary::program) {
      problem("timeline", index, "slow steps cannot be " + std::string(leaf_info(row.excess_leaf).name));
    } else if (leaf_info(row.warm_up_leaf).boundary != Boundary::runtime) {
      problem("timeline", index,
              "slow first steps cannot be " + std::string(leaf_info(row.warm_up_leaf).name));
    } else {
      return true;
    }
    return false;
  }

  void commit(std::size_t index, const TimelineRow& fate) {
    JobState& job = jobs_[fate.job];
    for (; job.decided < job.provisional.size(); ++job.decided) {
      const auto& [row_index, pool] = job.provisional[job.decided];
      const TimelineRow& row = records_.timeline[row_index];
      if (row.from < fate.to && fate.to < row.to) {
        problem("timeline", index,
                "the commit of " + std::to_string(fate.to.ns()) + " cuts the stretch " +
                    between(row.from, row.to));
      }
      if (row.to > fate.to) break;
      retain(job, row, pool);
    }
    forget_decided(job);
  }

  void retain(JobState& job, const TimelineRow& row, std::uint32_t pool_index) {
    const PoolId pool{pool_index};
    const ClassId job_class = class_of(row.job);
    ledger_.add(pool, job_class, Leaf::runtime_input_wait, row.capacity * row.wait);
    ledger_.add(pool, job_class, Leaf::runtime_checkpoint, row.capacity * row.pause);
    ledger_.add(pool, job_class, row.excess_leaf, row.capacity * row.excess);
    ledger_.add(pool, job_class, Leaf::program_straggler, row.capacity * row.straggler);
    ledger_.add(pool, job_class, Leaf::program_noisy_neighbour, row.capacity * row.neighbour);
    ledger_.add(pool, job_class, Leaf::program_placement, row.capacity * row.placement);
    const auto steps = steps_.of(row.job);
    const bool own = std::any_of(steps.begin(), steps.end(),
                                 [&](std::size_t i) { return records_.steps[i].capacity == row.capacity; });
    const Capacity profile = own ? row.capacity : Capacity::zero();
    const auto same = std::find_if(job.retained.begin(), job.retained.end(), [&](const auto& entry) {
      return entry.pool == pool_index && entry.profile == profile;
    });
    if (same != job.retained.end()) {
      same->amount += row.capacity * row.step;
    } else {
      job.retained.push_back({pool_index, profile, row.capacity * row.step});
    }
  }

  void discard(std::size_t index, std::uint32_t job_index, Leaf leaf) {
    if (leaf_info(leaf).boundary != Boundary::runtime) {
      return problem("timeline", index, "discarded time cannot be " + std::string(leaf_info(leaf).name));
    }
    charge_provisional(job_index, leaf);
  }

  void charge_provisional(std::uint32_t job_index, Leaf leaf) {
    JobState& job = jobs_[job_index];
    for (; job.decided < job.provisional.size(); ++job.decided) {
      const auto& [row_index, pool] = job.provisional[job.decided];
      const TimelineRow& row = records_.timeline[row_index];
      ledger_.add(PoolId{pool}, class_of(job_index), leaf, row.capacity * (row.to - row.from - row.warm_up));
    }
    forget_decided(job);
  }

  static void forget_decided(JobState& job) {
    if (job.decided < job.provisional.size()) return;
    job.provisional.clear();
    job.decided = 0;
  }

  /// Allocations of a job, and intervals of its timeline, may not overlap; together they say the same.
  void check_overlaps() {
    check_overlaps("allocation", records_.allocations, allocations_);
    RowsByJob timeline{records_.timeline, jobs_.size()};
    check_order(timeline);
    timeline.sort_by_start(records_.timeline);
    check_overlaps("timeline", records_.timeline, timeline);
    for (std::size_t job = 0; job < jobs_.size(); ++job) {
      if (jobs_[job].held == jobs_[job].timed) continue;
      problems_.add(name(job) + " holds " + to_string(jobs_[job].held) +
                    " milli-device-ns by its allocations and " + to_string(jobs_[job].timed) +
                    " by its timeline");
    }
  }

  template <class Row>
  void check_overlaps(std::string_view table, const std::vector<Row>& rows, const RowsByJob& by_job) {
    for (std::size_t job = 0; job < jobs_.size(); ++job) {
      std::optional<SimTime> busy_until;
      for (const std::size_t i : by_job.of(job)) {
        if constexpr (std::is_same_v<Row, TimelineRow>) {
          if (!is_interval(rows[i])) continue;
        }
        if (busy_until && rows[i].from < *busy_until) {
          problem(table, i, name(job) + " is already accounted for at " + std::to_string(rows[i].from.ns()));
        }
        busy_until = std::max(busy_until.value_or(rows[i].to), rows[i].to);
      }
    }
  }

  /// A commit retains the earliest stretches first, so they have to be listed in the order of time.
  void check_order(const RowsByJob& timeline) {
    for (std::size_t job = 0; job < jobs_.size(); ++job) {
      std::optional<SimTime> last;
      for (const std::size_t i : timeline.of(job)) {
        if (records_.timeline[i].kind != TimelineKind::stretch) continue;
        if (last && records_.timeline[i].from < *last) {
          problem("timeline", i,
                  name(job) + " steps at " + std::to_string(records_.timeline[i].from.ns()) +
                      " after it stepped at " + std::to_string(last->ns()));
        }
        last = records_.timeline[i].from;
      }
    }
  }

  void close() {
    for (std::size_t i = 0; i < records_.steps.size(); ++i) {
      const StepRow& row = records_.steps[i];
      if (row.weight < 0) problem("step", i, "negative weight");
      if (leaf_info(row.leaf).boundary < Boundary::program) {
        problem("step", i, "retained time cannot be " + std::string(leaf_info(row.leaf).name));
      }
      is_known_job("step", i, row.job);
    }
    for (std::uint32_t job = 0; job < jobs_.size(); ++job) {
      if (records_.jobs[job].job_class >= ledger_.classes()) continue;
      charge_provisional(job, Leaf::runtime_unresolved);
      for (const auto& [pool, profile, amount] : jobs_[job].retained) {
        std::vector<std::size_t> rows;
        for (const std::size_t i : steps_.of(job))
          if (records_.steps[i].capacity == profile) rows.push_back(i);
        split(job, PoolId{pool}, amount, rows);
      }
    }
  }

  void split(std::uint32_t job, PoolId pool, DeviceTime amount, std::span<const std::size_t> rows) {
    if (rows.empty()) return ledger_.add(pool, class_of(job), Leaf::program_unmodelled, amount);
    std::vector<std::int64_t> weights;
    Int128 all = 0;
    for (const std::size_t i : rows) {
      weights.push_back(std::max(records_.steps[i].weight, std::int64_t{0}));
      all += weights.back();
    }
    if (all == 0) {
      problems_.add(name(job) + " has step rows that all weigh nothing");
      return ledger_.add(pool, class_of(job), Leaf::program_unmodelled, amount);
    }
    const std::vector<DeviceTime> parts = split_by_largest_remainder(amount, weights);
    for (std::size_t i = 0; i < rows.size(); ++i) {
      ledger_.add(pool, class_of(job), records_.steps[rows[i]].leaf, parts[i]);
    }
  }

  const Records& records_;
  Ledger ledger_;
  std::vector<JobState> jobs_;
  RowsByJob allocations_, steps_;
  Problems problems_;
};

}  // namespace

Accounting account(const Records& records) { return Accountant{records}.run(); }

}  // namespace fleetsim
