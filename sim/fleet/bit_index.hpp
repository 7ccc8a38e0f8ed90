#pragma once

#include <bit>
#include <cstdint>
#include <optional>
#include <vector>

namespace fleetsim {

/// A set of small integers that finds its next member in a few word operations: 64 members a word, and a word
/// of words above it, level over level.
class BitIndex {
 public:
  explicit BitIndex(std::uint32_t size) {
    for (std::uint32_t words = size;;) {
      words = (words + 63) / 64;
      levels_.emplace_back(words ? words : 1, 0);
      if (words <= 1) break;
    }
  }

  void insert(std::uint32_t member) {
    for (auto& level : levels_) {
      std::uint64_t& word = level[member / 64];
      const bool was_empty = word == 0;
      word |= std::uint64_t{1} << (member % 64);
      if (!was_empty) return;
      member /= 64;
    }
  }

  void erase(std::uint32_t member) {
    for (auto& level : levels_) {
      std::uint64_t& word = level[member / 64];
      word &= ~(std::uint64_t{1} << (member % 64));
      if (word != 0) return;
      member /= 64;
    }
  }

  /// The least member >= `from`.
  std::optional<std::uint32_t> next(std::uint32_t from) const {
    std::size_t level = 0;
    while (level < levels_.size()) {
      if (from / 64 >= levels_[level].size()) return std::nullopt;
      const std::uint64_t word = levels_[level][from / 64] >> (from % 64);
      if (word != 0) {
        from += static_cast<std::uint32_t>(std::countr_zero(word));
        while (level > 0) {
          --level;
          from = from * 64 + static_cast<std::uint32_t>(std::countr_zero(levels_[level][from]));
        }
        return from;
      }
      from = from / 64 + 1;
      ++level;
    }
    return std::nullopt;
  }

 private:
  std::vector<std::vector<std::uint64_t>> levels_;
};

}  // namespace fleetsim
