#pragma once

#include <array>
#include <cstdint>
#include <limits>

namespace fleetsim {

/// What random numbers are drawn for. Append only: a number, once given, never changes its meaning, so that
/// adding a mechanism leaves the draws of all others as they were.
enum class Purpose : std::uint32_t {
  kComponentFailure = 1,
  kFailureVictim = 2,
  kRepair = 3,
  kArrival = 4,
  kGang = 5,
  kDuration = 6,
  kWork = 7,
  kEviction = 8,
  kLemon = 9,
  kPlacement = 10,
  kBootstrap = 11,
  kNodeOrder = 12,
  kSlowFromStart = 13,
  kSlowEpisode = 14,
  kReplicaLife = 15,
};

/// The name of a stream. All four parts are arguments of the generator itself, so that streams of different
/// names never share a state, whatever other streams exist.
struct StreamKey {
  std::uint64_t seed;
  std::uint32_t replication;
  Purpose purpose;
  std::uint64_t entity;
};

/// Independent uniform 64-bit numbers, determined by the key alone: Philox4x64-10, a counter-based generator
/// (Salmon et al., "Parallel random numbers: as easy as 1, 2, 3", SC 2011), through Random123. Satisfies
/// std::uniform_random_bit_generator; to be used under distributions of Boost.Random, which give the same
/// numbers everywhere, never under those of the standard library.
class RandomStream {
 public:
  using result_type = std::uint64_t;

  explicit RandomStream(const StreamKey& key);

  static constexpr result_type min() { return 0; }
  static constexpr result_type max() { return std::numeric_limits<result_type>::max(); }

  result_type operator()() {
    if (next_ == buffer_.size()) refill();
    return buffer_[next_++];
  }

 private:
  void refill();

  std::array<std::uint64_t, 2> key_;  ///< seed; replication and purpose
  std::uint64_t entity_;
  std::uint64_t block_ = 0;  ///< draws so far, in fours
  std::array<std::uint64_t, 4> buffer_{};
  std::size_t next_ = buffer_.size();
};

}  // namespace fleetsim
