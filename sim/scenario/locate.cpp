#include "sim/scenario/locate.hpp"

#include <algorithm>

namespace fleetsim {
namespace {

std::string shown(const Json& value) { return value.is_string() ? value.get<std::string>() : value.dump(); }

/// The pointer without its last token.
std::string parent_of(const std::string& pointer) { return pointer.substr(0, pointer.rfind('/')); }

/// Positions of the tokens of a pointer in the document, as far as it leads.
std::vector<std::size_t> position_of(const Json& document, const std::string& pointer) {
  std::vector<std::size_t> positions;
  std::vector<std::string> prefixes;
  for (std::string prefix = pointer; !prefix.empty(); prefix = parent_of(prefix)) prefixes.push_back(prefix);
  const Json* parent = &document;
  for (auto prefix = prefixes.rbegin(); prefix != prefixes.rend(); ++prefix) {
    const Json* value = value_at(document, *prefix);
    if (value == nullptr) break;
    std::size_t position = 0;
    for (auto entry = parent->begin(); &*entry != value; ++entry) ++position;
    positions.push_back(position);
    parent = value;
  }
  return positions;
}

}  // namespace

std::optional<Locator::Found> Locator::in_point(const Problem& problem, const PointPlan& point) const {
  for (std::size_t i = 0; i < plan_.axes.size(); ++i) {
    const Axis& axis = plan_.axes[i];
    if (!is_within(problem.place, axis.pointer)) continue;
    if (axis.from_option)
      return Found{{"--vary", problem.pointer, problem.message}, sources_.files.size() + 1, {i}};
    const std::string value = child_pointer(child_pointer("/sweep", axis.pointer), point.values[i]);
    const auto below = [&](const std::string& pointer) {
      return is_within(pointer, axis.pointer) ? value + pointer.substr(axis.pointer.size()) : value;
    };
    return in_files(below(problem.pointer), below(problem.place), problem.message);
  }
  const auto& [name, patch] = plan_.alternatives[point.alternative];
  if (problem.place.empty() || value_at(patch, problem.place) == nullptr) return std::nullopt;
  const std::string here = child_pointer("/alternatives", name);
  return in_files(here + problem.pointer, here + problem.place, problem.message);
}

Locator::Found Locator::in_base(const Problem& problem) const {
  for (std::size_t i = 0; i < plan_.settings.size(); ++i) {
    const Setting& setting = plan_.settings[i];
    if (is_within(problem.place, setting.pointer)) {
      return {{setting.option, problem.pointer, problem.message}, sources_.files.size(), {i}};
    }
  }
  return in_files(problem.pointer, problem.place, problem.message);
}

Locator::Found Locator::in_files(const std::string& pointer, const std::string& place,
                                 const std::string& message) const {
  for (std::string there = place;; there = parent_of(there)) {
    for (std::size_t i = 0; i < sources_.files.size(); ++i) {
      const SourceFile& file = sources_.files[i];
      if (value_at(file.document, there) != nullptr) {
        return {{file.name, pointer, message}, i, position_of(file.document, there)};
      }
    }
    if (there.empty()) return {{sources_.files.front().name, pointer, message}, 0, {}};
  }
}

std::string Locator::condition(const PointPlan& point) const {
  std::string text;
  const std::string& alternative = plan_.alternatives[point.alternative].first;
  if (!alternative.empty()) text += "in alternative " + describe(Json(alternative));
  for (std::size_t i = 0; i < plan_.axes.size(); ++i) {
    text += text.empty() ? "with " : i == 0 ? ", with " : ", ";
    text += plan_.axes[i].pointer + " = " + shown(plan_.axes[i].values[point.values[i]]);
  }
  return text;
}

void Locator::put(Found found) {
  const Issue& issue = found.issue;
  if (issues_.emplace(issue.file, issue.pointer, issue.message).second) found_.push_back(std::move(found));
}

/// Whether the base has it so, and no option has changed the section around it.
bool Locator::is_as_written(const Problem& problem) const {
  const std::string section = problem.place.substr(0, problem.place.find('/', 1));
  const auto changes = [&](const std::string& pointer) {
    return is_within(pointer, section) && !is_within(problem.place, pointer);
  };
  return in_first_point_ &&
         std::none_of(plan_.settings.begin(), plan_.settings.end(),
                      [&](const Setting& each) { return changes(each.pointer); }) &&
         std::none_of(plan_.axes.begin(), plan_.axes.end(),
                      [&](const Axis& each) { return changes(each.pointer); });
}

void Locator::add(const Problems& problems, const PointPlan& point) {
  for (const Problem& problem : problems) {
    if (problem.idle && !is_as_written(problem)) continue;
    const bool known = known_.contains({problem.pointer, problem.message});
    const Json* value = value_at(point.document, problem.place);
    // A value that is wrong in the base and again in a patch is to be corrected in both; an object is the
    // same one.
    if (known && (value == nullptr || value->is_structured())) continue;
    if (std::optional<Found> found = in_point(problem, point)) {
      put(std::move(*found));
    } else if (!known) {
      Found base = in_base(problem);
      if (!in_first_point_) base.issue.message += " (" + condition(point) + ")";
      put(std::move(base));
    }
    known_.emplace(problem.pointer, problem.message);
  }
  in_first_point_ = false;
}

void Locator::add(Issue issue) {
  Found found{issue, 0, {}};
  const auto same = [&](const SourceFile& file) { return file.name == issue.file; };
  const auto file = std::find_if(sources_.files.begin(), sources_.files.end(), same);
  found.rank = static_cast<std::size_t>(file - sources_.files.begin());
  if (file != sources_.files.end()) found.place = position_of(file->document, issue.pointer);
  put(std::move(found));
}

Issue Locator::issue_at(const std::string& pointer, const std::string& message) const {
  return in_files(pointer, pointer, message).issue;
}

std::vector<Issue> Locator::sorted() const {
  std::vector<Found> found = found_;
  std::stable_sort(found.begin(), found.end(), [](const Found& a, const Found& b) {
    return std::tie(a.rank, a.place) < std::tie(b.rank, b.place);
  });
  std::vector<Issue> issues;
  for (Found& entry : found) issues.push_back(std::move(entry.issue));
  return issues;
}

}  // namespace fleetsim
