#include "models/text/nearest.hpp"

#include <algorithm>
#include <utility>

namespace fleetsim {
namespace {

constexpr int kEdit = 4;  // one letter added, dropped or changed
constexpr int kCase = 1;  // one letter in the wrong case

char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

/// Levenshtein distance in which a letter of the wrong case costs little.
int distance(std::string_view a, std::string_view b) {
  std::vector<int> row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) row[j] = static_cast<int>(j) * kEdit;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    int diagonal = std::exchange(row[0], static_cast<int>(i) * kEdit);
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const int change = a[i - 1] == b[j - 1] ? 0 : lower(a[i - 1]) == lower(b[j - 1]) ? kCase : kEdit;
      const int best = std::min({diagonal + change, row[j] + kEdit, row[j - 1] + kEdit});
      diagonal = std::exchange(row[j], best);
    }
  }
  return row.back();
}

}  // namespace

std::vector<std::string> nearest_names(std::string_view name, std::span<const std::string_view> known,
                                       std::size_t limit) {
  std::vector<std::pair<int, std::string_view>> ranked;
  for (const std::string_view candidate : known) {
    const int longest = static_cast<int>(std::max(name.size(), candidate.size()));
    const bool contained = name.size() >= 3 && candidate.find(name) != std::string_view::npos;
    // A part of a name stands for it: only the letters left out count, and little.
    const int d =
        contained ? kCase * static_cast<int>(candidate.size() - name.size()) : distance(name, candidate);
    if (contained || 2 * d <= longest * kEdit) ranked.emplace_back(d, candidate);
  }
  std::stable_sort(ranked.begin(), ranked.end(),
                   [](const auto& a, const auto& b) { return a.first < b.first; });
  if (ranked.size() > limit) ranked.resize(limit);
  std::vector<std::string> names;
  for (const auto& entry : ranked) names.emplace_back(entry.second);
  return names;
}

std::vector<std::string> nearest_names(std::string_view name, std::span<const std::string> known,
                                       std::size_t limit) {
  const std::vector<std::string_view> views(known.begin(), known.end());
  return nearest_names(name, views, limit);
}

}  // namespace fleetsim
