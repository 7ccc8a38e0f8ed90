#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <optional>
#include <vector>

namespace fleetsim {

/// The `count` lowest of the bits that are set, of which there are as many.
constexpr std::uint64_t lowest_bits(std::uint64_t bits, std::uint32_t count) {
  if (count <= 8) {  // one after the other
    std::uint64_t rest = bits;
    for (; count > 0; --count) rest &= rest - 1;
    return bits & ~rest;
  }
  // By halves: those of the lower half that are wanted, then those of the upper.
  std::uint32_t end = 0;
  for (std::uint32_t half = 32; half > 0; half /= 2) {
    const auto below =
        static_cast<std::uint32_t>(std::popcount(bits >> end & ((std::uint64_t{1} << half) - 1)));
    const std::uint32_t all = below <= count ? ~0U : 0U;
    end += half & all;
    count -= below & all;
  }
  // `end` stops short of the last bit only where that bit is not wanted, or is the last of the word.
  const std::uint64_t lower = bits & ((std::uint64_t{1} << end) - 1);
  return count == 0 ? lower : bits;
}

/// A set of small integers that finds its next member in a few word operations: 64 members a word, and a word
/// of words above it, level over level.
class BitIndex {
 public:
  explicit BitIndex(std::uint32_t size) {
    std::uint32_t words = size;
    do {
      words = words <= 64 ? 1 : (words + 63) / 64;
      from_[levels_++] = static_cast<std::uint32_t>(words_.size());
      words_.resize(words_.size() + words);
    } while (words > 1);
    from_[levels_] = static_cast<std::uint32_t>(words_.size());
  }

  void insert(std::uint32_t member) { insert_word(member / 64, std::uint64_t{1} << (member % 64)); }
  void erase(std::uint32_t member) { erase_word(member / 64, std::uint64_t{1} << (member % 64)); }

  /// Members of the word that holds `64 * word` and the next 63, all at once.
  void insert_word(std::uint32_t word, std::uint64_t members) {
    const bool was_empty = words_[word] == 0;
    words_[word] |= members;
    if (was_empty && levels_ > 1) insert_above(word);
  }
  void erase_word(std::uint32_t word, std::uint64_t members) {
    words_[word] &= ~members;
    if (words_[word] == 0 && levels_ > 1) erase_above(word);
  }
  std::uint64_t word(std::uint32_t word) const { return words_[word]; }
  bool contains(std::uint32_t member) const { return (words_[member / 64] >> (member % 64) & 1) != 0; }

  /// The least member >= `from`.
  std::optional<std::uint32_t> next(std::uint32_t from) const {
    for (std::uint32_t level = 0; level < levels_; ++level) {
      if (from_[level] + from / 64 >= from_[level + 1]) return std::nullopt;
      const std::uint64_t word = words_[from_[level] + from / 64] >> (from % 64);
      if (word != 0) {
        from += static_cast<std::uint32_t>(std::countr_zero(word));
        while (level > 0) {
          --level;
          from = from * 64 + static_cast<std::uint32_t>(std::countr_zero(words_[from_[level] + from]));
        }
        return from;
      }
      from = from / 64 + 1;
    }
    return std::nullopt;
  }
  /// The greatest member <= `from`, which is below the size.
  std::optional<std::uint32_t> previous(std::uint32_t from) const {
    for (std::uint32_t level = 0; level < levels_; ++level) {
      const std::uint64_t word = words_[from_[level] + from / 64] << (63 - from % 64);
      if (word != 0) {
        from -= static_cast<std::uint32_t>(std::countl_zero(word));
        while (level > 0) {
          --level;
          from = from * 64 + 63 - static_cast<std::uint32_t>(std::countl_zero(words_[from_[level] + from]));
        }
        return from;
      }
      if (from < 64) return std::nullopt;
      from = from / 64 - 1;
    }
    return std::nullopt;
  }

 private:
  void insert_above(std::uint32_t member) {
    for (std::uint32_t level = 1; level < levels_; ++level) {
      std::uint64_t& word = words_[from_[level] + member / 64];
      const bool was_empty = word == 0;
      word |= std::uint64_t{1} << (member % 64);
      if (!was_empty) return;
      member /= 64;
    }
  }

  void erase_above(std::uint32_t member) {
    for (std::uint32_t level = 1; level < levels_; ++level) {
      std::uint64_t& word = words_[from_[level] + member / 64];
      word &= ~(std::uint64_t{1} << (member % 64));
      if (word != 0) return;
      member /= 64;
    }
  }

  static constexpr std::uint32_t kMaxLevels = 6;  // 64^6 members cover 32 bits

  std::uint32_t levels_ = 0;
  std::array<std::uint32_t, kMaxLevels + 1> from_{};  ///< where a level's words begin
  std::vector<std::uint64_t> words_;
};

}  // namespace fleetsim
