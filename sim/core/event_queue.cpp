#include "sim/core/event_queue.hpp"

#include <bit>

namespace fleetsim {

EventQueue::EventQueue() {
  near_.reserve(kNearCapacity + 1);
  clear();
}

void EventQueue::clear() {
  near_.clear();
  root_is_vacant_ = false;
  near_limit_ = kEnd;
  rungs_.clear();
  buckets_.clear();
  blocks_.clear();
  free_block_ = kNoBlock;
  next_sequence_ = 0;
  size_ = 0;
}

std::uint32_t EventQueue::new_block(std::uint32_t next) {
  std::uint32_t block = free_block_;
  if (block == kNoBlock) {
    block = static_cast<std::uint32_t>(blocks_.size());
    blocks_.emplace_back();
  } else {
    free_block_ = blocks_[block].next;
  }
  blocks_[block].next = next;
  return block;
}

/// Frees the blocks of a bucket that is no longer listed, each after `visit` has seen its entries: `visit`
/// may append them elsewhere.
template <class Visit>
void EventQueue::consume(const Bucket& bucket, Visit visit) {
  std::uint32_t block = bucket.first_block;
  std::size_t in_block = (bucket.count - 1) % kBlock + 1;
  for (std::size_t rest = bucket.count; rest > 0; rest -= in_block, in_block = kBlock) {
    for (std::size_t i = 0; i < in_block; ++i) visit(Entry{blocks_[block].entries[i]});
    const std::uint32_t next = blocks_[block].next;
    blocks_[block].next = free_block_;
    free_block_ = block;
    block = next;
  }
}

/// Moves the heap, grown too large, into a bucket, and takes back the nearest part of it.
void EventQueue::spill() {
  Bucket all;
  for (const Entry& entry : near_) append(all, entry);
  split(all, near_limit_);
  refill();
}

/// Fills the heap, of which nothing is left, from the nearest bucket that is not empty.
void EventQueue::refill() {
  near_.clear();
  root_is_vacant_ = false;
  near_limit_ = kEnd;
  while (near_.empty() && !rungs_.empty()) {
    const Rung& rung = rungs_.back();
    const Bucket nearest = buckets_.back();
    buckets_.pop_back();
    const std::size_t left = buckets_.size() - rung.furthest;
    near_limit_ = left == 0 ? rung.end : rung.begin + (static_cast<Key>(rung.count - left) << rung.shift);
    if (left == 0) rungs_.pop_back();
    if (nearest.count > 2 * kLeaf) {
      split(nearest, near_limit_);
    } else {
      consume(nearest, [this](const Entry& entry) { near_.push_back(entry); });
    }
  }
  std::make_heap(near_.begin(), near_.end(),
                 [](const Entry& a, const Entry& b) { return a.key() > b.key(); });
}

/// Makes a rung of a bucket that is no longer listed and reached to `end`. At least two of the new buckets
/// are not empty: the first and the one with the greatest key.
void EventQueue::split(const Bucket& bucket, Key end) {
  Key least = kEnd;
  Key greatest = 0;
  std::uint32_t block = bucket.first_block;
  std::size_t in_block = (bucket.count - 1) % kBlock + 1;
  for (std::size_t rest = bucket.count; rest > 0; rest -= in_block, in_block = kBlock) {
    for (std::size_t i = 0; i < in_block; ++i) {
      least = std::min(least, blocks_[block].entries[i].key());
      greatest = std::max(greatest, blocks_[block].entries[i].key());
    }
    block = blocks_[block].next;
  }
  const Key range = greatest - least;
  const auto high = static_cast<std::uint64_t>(range >> 64);
  const auto low = static_cast<std::uint64_t>(range);
  const int range_bits = 128 - (high != 0 ? std::countl_zero(high) : 64 + std::countl_zero(low));
  const std::size_t most = std::min(kFanout, bucket.count / kLeaf);
  int shift = std::max(0, range_bits - (64 - std::countl_zero(most)));
  while (range >> shift >= most) ++shift;
  const auto count = static_cast<std::size_t>(range >> shift) + 1;
  rungs_.push_back({.begin = least, .end = end, .shift = shift, .furthest = buckets_.size(), .count = count});
  buckets_.resize(buckets_.size() + count);
  const Rung rung = rungs_.back();
  consume(bucket, [this, rung](const Entry& entry) { append(bucket_of(rung, entry.key()), entry); });
}

}  // namespace fleetsim
