#pragma once

#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "sim/scenario/read.hpp"
#include "sim/scenario/reader.hpp"
#include "sim/scenario/resolve.hpp"

namespace fleetsim {

/// One point of the study before it is read.
struct PointPlan {
  std::size_t alternative = 0;      ///< into StudyPlan::alternatives
  std::vector<std::size_t> values;  ///< into the values of each axis
  Json document;
};

/// Traces problems of resolved points back to what the user wrote, each once, and puts them in its order.
class Locator {
 public:
  Locator(const Sources& sources, const StudyPlan& plan) : sources_{sources}, plan_{plan} {}

  /// The problems of one point. Points come in their order, so that what is wrong with the base is said of
  /// it.
  void add(const Problems& problems, const PointPlan& point);
  /// An issue whose place is known.
  void add(Issue issue);
  /// An issue at a pointer into the merged files: in the file that has it.
  Issue issue_at(const std::string& pointer, const std::string& message) const;
  bool empty() const { return found_.empty(); }

  std::vector<Issue> sorted() const;

 private:
  struct Found {
    Issue issue;
    std::size_t rank = 0;            ///< of the file or option
    std::vector<std::size_t> place;  ///< of the pointer, by position at each level
  };

  /// Where it stands in what sets this point apart from the base: an axis, or the alternative's patch.
  std::optional<Found> in_point(const Problem& problem, const PointPlan& point) const;
  Found in_base(const Problem& problem) const;
  Found in_files(const std::string& pointer, const std::string& place, const std::string& message) const;
  /// "in alternative "x", with /y = z": what sets this point apart, in words.
  std::string condition(const PointPlan& point) const;
  bool is_as_written(const Problem& problem) const;
  void put(Found found);

  const Sources& sources_;
  const StudyPlan& plan_;
  std::vector<Found> found_;
  std::set<std::pair<std::string, std::string>>
      known_;  ///< pointer and message of problems in resolved points
  std::set<std::tuple<std::string, std::string, std::string>> issues_;
  bool in_first_point_ = true;
};

}  // namespace fleetsim
