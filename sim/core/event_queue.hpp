#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "sim/core/time.hpp"

namespace fleetsim {

/// What happens first at one instant. What ends exactly at a failure or a limit has ended.
enum class Phase : std::uint8_t {
  kCompletion,  ///< completions and commits
  kRelease,     ///< capacity given back
  kFailure,     ///< failures and repairs
  kEviction,
  kLimit,  ///< drains, resizes, limits, hold timeouts
  kArrival,
  kScheduling,
  kSampling,
};

/// Something that will happen. `kind`, `entity` and `generation` mean what the engine says they mean; the
/// queue carries them and never looks at them.
struct Event {
  SimTime time;
  Phase phase;
  std::uint8_t kind;
  std::uint32_t entity;
  std::uint32_t generation;
  bool operator==(const Event&) const = default;
};

/// The events to come, in one total order: time, then phase, then order of insertion, and nothing else. An
/// event may be pushed at any time, also at the current instant and in an earlier phase: it is then popped
/// next.
///
/// Few events are kept in a binary heap. Of many, the heap holds the nearest, and the others lie unsorted in
/// buckets: a ladder of rungs, each of which divides the nearest bucket of the rung before into buckets of
/// equal width. When the heap runs dry, the nearest bucket becomes the heap, or a rung if it is too full.
/// Widths are of the whole 128-bit order, which is unique: many events at one time are divided like any
/// others. Nothing is allocated once the queue has been as full as it gets.
class EventQueue {
 public:
  EventQueue();

  void push(const Event& event) {
    const Entry entry = entry_of(event);
    ++size_;
    if (entry.key() >= near_limit_) {
      append(bucket_of(entry.key()), entry);
    } else if (root_is_vacant_) {
      root_is_vacant_ = false;
      sift_down(entry);
    } else {
      push_near(entry);
    }
  }

  bool empty() const { return size_ == 0; }
  std::size_t size() const { return size_; }

  /// The time of the event that `pop` would return; the queue is not empty.
  SimTime next_time() const {
    if (!root_is_vacant_) return near_[0].sim_time();
    const bool only_one = near_.size() == 2;
    return near_[only_one || near_[1].key() < near_[2].key() ? 1 : 2].sim_time();
  }

  /// Removes and returns the first event; the queue is not empty.
  Event pop() {
    if (root_is_vacant_) fill_root();
    const Entry first = near_[0];
    --size_;
    root_is_vacant_ = true;  // most events push another, which may take this place
    if (near_.size() == 1) refill();
    return first.event();
  }

  /// Drops all events; the order of insertion starts anew.
  void clear();

 private:
  __extension__ using Key = unsigned __int128;

  static constexpr Key kEnd = ~Key{0};                ///< after every key
  static constexpr std::size_t kNearCapacity = 1024;  ///< entries of the heap before some are put in buckets
  static constexpr std::size_t kLeaf = 32;            ///< intended entries of the smallest buckets
  static constexpr std::size_t kFanout = 256;         ///< buckets of a rung, at most
  static constexpr std::size_t kBlock = 32;           ///< entries of a block of a bucket's storage
  static constexpr std::uint32_t kNoBlock = 0xFFFF'FFFF;
  static constexpr std::uint64_t kSignBit = std::uint64_t{1} << 63;
  static constexpr int kKindBits = 8;
  static constexpr int kSequenceBits = 48;  ///< at 10^8 events a second, a month

  /// An event with its place in the order. Compared as one 128-bit number: the time, moved so that the
  /// earliest is 0; phase, sequence and, without effect since sequences differ, kind.
  struct Entry {
    std::uint64_t time;
    std::uint64_t order;
    std::uint32_t entity;
    std::uint32_t generation;

    Key key() const { return static_cast<Key>(time) << 64 | order; }
    SimTime sim_time() const { return SimTime::at_ns(static_cast<std::int64_t>(time ^ kSignBit)); }
    Event event() const {
      return {.time = sim_time(),
              .phase = static_cast<Phase>(order >> (kSequenceBits + kKindBits)),
              .kind = static_cast<std::uint8_t>(order),
              .entity = entity,
              .generation = generation};
    }
  };

  struct Block {
    Entry entries[kBlock];
    std::uint32_t next;
  };

  /// An unsorted bag of entries: `count` of them, in a chain of blocks of which only the first is not full.
  struct Bucket {
    std::uint32_t first_block = kNoBlock;
    std::size_t count = 0;
  };

  /// Buckets of 2^shift keys each from `begin` on; the last one reaches to `end`. They lie in `buckets_`, the
  /// nearest at the back; those used up are gone.
  struct Rung {
    Key begin;
    Key end;
    int shift;
    std::size_t furthest;  ///< where the last of its buckets lies
    std::size_t count;     ///< of buckets at the start
  };

  Entry entry_of(const Event& event) {
    const std::uint64_t phase = static_cast<std::uint64_t>(event.phase) << (kSequenceBits + kKindBits);
    return {.time = static_cast<std::uint64_t>(event.time.ns()) ^ kSignBit,
            .order = phase | next_sequence_++ << kKindBits | event.kind,
            .entity = event.entity,
            .generation = event.generation};
  }

  /// Where an entry beyond the heap belongs: in the finest rung that reaches as far.
  Bucket& bucket_of(Key key) {
    const auto reaches = [key](const Rung& rung) { return key < rung.end; };
    return bucket_of(*(std::partition_point(rungs_.begin(), rungs_.end(), reaches) - 1), key);
  }

  Bucket& bucket_of(const Rung& rung, Key key) {
    const auto index = static_cast<std::size_t>((key - rung.begin) >> rung.shift);
    return buckets_[rung.furthest + rung.count - 1 - std::min(index, rung.count - 1)];
  }

  void append(Bucket& bucket, const Entry& entry) {
    const std::size_t offset = bucket.count++ % kBlock;
    if (offset == 0) bucket.first_block = new_block(bucket.first_block);
    blocks_[bucket.first_block].entries[offset] = entry;
  }

  /// Puts `entry` at the root, or as far below as it belongs.
  void sift_down(const Entry& entry) {
    Entry* const heap = near_.data();
    const std::size_t size = near_.size();
    const Key key = entry.key();
    std::size_t hole = 0;
    std::size_t child = 1;
    for (; child + 1 < size; child = 2 * hole + 1) {
      child += heap[child + 1].key() < heap[child].key() ? 1 : 0;
      if (key < heap[child].key()) break;
      heap[hole] = heap[child];
      hole = child;
    }
    if (child + 1 == size && heap[child].key() < key) {
      heap[hole] = heap[child];
      hole = child;
    }
    heap[hole] = entry;
  }

  void sift_up(std::size_t hole, const Entry& entry) {
    for (; hole > 0; hole = (hole - 1) / 2) {
      const Entry& parent = near_[(hole - 1) / 2];
      if (parent.key() < entry.key()) break;
      near_[hole] = parent;
    }
    near_[hole] = entry;
  }

  void push_near(const Entry& entry) {
    near_.push_back(entry);
    sift_up(near_.size() - 1, entry);
    if (near_.size() > kNearCapacity) spill();
  }

  void fill_root() {
    // The last entry belongs near the bottom: the hole goes all the way down, and then up to where it
    // belongs.
    root_is_vacant_ = false;
    const Entry last = near_.back();
    near_.pop_back();
    Entry* const heap = near_.data();
    const std::size_t size = near_.size();
    std::size_t hole = 0;
    std::size_t child = 1;
    for (; child + 1 < size; child = 2 * hole + 1) {
      child += heap[child + 1].key() < heap[child].key() ? 1 : 0;
      heap[hole] = heap[child];
      hole = child;
    }
    if (child + 1 == size) {
      heap[hole] = heap[child];
      hole = child;
    }
    sift_up(hole, last);
  }

  std::uint32_t new_block(std::uint32_t next);
  void spill();
  void refill();
  void split(const Bucket& bucket, Key end);
  template <class Visit>
  void consume(const Bucket& bucket, Visit visit);

  std::vector<Entry> near_;  ///< a heap of the entries below `near_limit_`; never empty but with the queue
  bool root_is_vacant_ = false;  ///< the heap has a hole at its root
  Key near_limit_;
  std::vector<Rung> rungs_;  ///< from coarse to fine; each ends where a bucket of the one before begins
  std::vector<Bucket> buckets_;
  std::vector<Block> blocks_;
  std::uint32_t free_block_;  ///< the first of the chain of unused blocks
  std::uint64_t next_sequence_ = 0;
  std::size_t size_ = 0;
};

}  // namespace fleetsim
