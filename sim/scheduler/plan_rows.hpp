#pragma once

#include <algorithm>
#include <cstddef>
#include <optional>
#include <utility>
#include <vector>

#include "sim/core/time.hpp"

namespace fleetsim {

/// Where a stay begins.
struct PlannedSlot {
  SimTime start = SimTime::never();
  bool at_once = false;  ///< otherwise somebody has to leave before, be it now
};

/// What will be free, as rows of numbers, each from its instant to the next row's, the last one for ever.
/// What somebody overdue holds is not free yet, and may be any moment now: a second row of the present
/// instant has it.
template <class Number>
class PlanRows {
 public:
  /// @param width  numbers of a row
  explicit PlanRows(std::size_t width) : width_{width}, copy_(width) {}

  /// Begins anew with one row, of zeros.
  void reset(SimTime now) {
    times_.assign(1, now);
    numbers_.assign(width_, 0);
  }
  /// What ends at or before `now` is forgotten.
  void advance(SimTime now) {
    const auto past = std::upper_bound(times_.begin(), times_.end(), now) - times_.begin() - 1;
    times_.erase(times_.begin(), times_.begin() + past);
    numbers_.erase(numbers_.begin(), numbers_.begin() + past * static_cast<std::ptrdiff_t>(width_));
    times_[0] = now;
  }

  std::size_t width() const { return width_; }
  std::size_t size() const { return times_.size(); }
  SimTime time(std::size_t index) const { return times_[index]; }
  Number* operator[](std::size_t index) { return &numbers_[index * width_]; }

  /// The first row that has what is given back at `at`; all after it have it, too.
  std::size_t from(SimTime at) {
    if (at > times_.front()) return row_at(at);
    add_overdue();
    return 1;
  }
  std::size_t first_of(const PlannedSlot& slot) {
    const bool after_the_overdue = !slot.at_once && slot.start == times_.front();
    return after_the_overdue ? 1 : row_at(slot.start);
  }
  /// The rows of a stay: from the first, up to before the second.
  std::pair<std::size_t, std::size_t> of(const PlannedSlot& slot, Duration hold) {
    const bool overdue_at_once = slot.at_once && hold == Duration::zero();
    if (overdue_at_once) add_overdue();
    const std::size_t first = first_of(slot);
    const SimTime end = slot.start + hold;
    return {first, overdue_at_once ? 1 : end == SimTime::never() ? size() : row_at(end)};
  }
  /// The earliest start of a stay, not before `from`. `has_room(first, index)` says of the rows from `first`
  /// to `index`, one after the other, whether there is room in all of them; `next(first, index)`, where a
  /// stay that found none before `index` can begin.
  template <class HasRoom, class Next>
  std::optional<PlannedSlot> earliest(Duration hold, SimTime from, HasRoom&& has_room, Next&& next) {
    for (std::size_t first = from > times_.front() ? row_at(from) : 0; first < size();) {
      const SimTime end = times_[first] + hold;
      // Also a stay of no length has to fit at its instant.
      const auto touches = [&](std::size_t at) { return times_[at] < end || times_[at] == times_[first]; };
      bool enough = true;
      std::size_t index = first;
      for (; enough && index < size() && touches(index); ++index) enough = has_room(first, index);
      if (enough) return PlannedSlot{.start = times_[first], .at_once = first == 0};
      first = next(first, index);
    }
    return std::nullopt;
  }

 private:
  /// The row that begins at `at`, cut out of the one before if need be.
  std::size_t row_at(SimTime at) {
    const auto found = std::lower_bound(times_.begin(), times_.end(), at);
    const auto index = static_cast<std::size_t>(found - times_.begin());
    if (found == times_.end() || *found != at) insert(index, at);
    return index;
  }
  void add_overdue() {
    if (times_.size() == 1 || times_[1] != times_[0]) insert(1, times_.front());
  }
  /// As the one before.
  void insert(std::size_t index, SimTime at) {
    const auto before = numbers_.begin() + static_cast<std::ptrdiff_t>((index - 1) * width_);
    copy_.assign(before, before + static_cast<std::ptrdiff_t>(width_));
    times_.insert(times_.begin() + static_cast<std::ptrdiff_t>(index), at);
    numbers_.insert(numbers_.begin() + static_cast<std::ptrdiff_t>(index * width_), copy_.begin(),
                    copy_.end());
  }

  std::size_t width_;
  std::vector<SimTime> times_;
  std::vector<Number> numbers_;
  std::vector<Number> copy_;
};

}  // namespace fleetsim
