#pragma once

#include <mutex>
#include <optional>
#include <string>
#include <utility>

#include "sim/engine/simulate.hpp"

namespace fleetsim {

/// The fault of the earliest replication of the earliest point, in whatever order threads meet them.
class FirstFault {
 public:
  using Place = std::pair<std::size_t, std::size_t>;  ///< point, replication

  void add(Place place, std::string what) {
    const std::lock_guard lock{mutex_};
    if (!first_ || place < first_->first) first_.emplace(place, std::move(what));
  }
  /// Whether the study has failed before this place.
  bool is_before(Place place) {
    const std::lock_guard lock{mutex_};
    return first_ && first_->first < place;
  }
  void raise() const {
    if (first_) throw RunFault{first_->second};
  }

 private:
  std::mutex mutex_;
  std::optional<std::pair<Place, std::string>> first_;
};

}  // namespace fleetsim
