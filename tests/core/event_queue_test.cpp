#include "sim/core/event_queue.hpp"

#include <doctest/doctest.h>

#include <cstdint>
#include <functional>
#include <limits>
#include <queue>
#include <string>
#include <tuple>
#include <vector>

#include "sim/core/random_stream.hpp"

namespace fleetsim {
namespace {

RandomStream numbers(std::uint64_t entity) {
  return RandomStream{{.seed = 20, .replication = 0, .purpose = Purpose::kBootstrap, .entity = entity}};
}

Event event_at(std::int64_t ns, Phase phase, std::uint32_t entity) {
  return {.time = SimTime::at_ns(ns), .phase = phase, .kind = 3, .entity = entity, .generation = ~entity};
}

/// The order as the header words it, over a container too simple to be wrong. The number of an event, counted
/// from 0 in order of insertion, is its entity.
class Oracle {
 public:
  void push(const Event& event) { events_.emplace(event.time, event.phase, event.entity); }
  void pop() { events_.pop(); }
  std::size_t size() const { return events_.size(); }
  Event first() const {
    const auto& [time, phase, entity] = events_.top();
    return event_at(time.ns(), phase, entity);
  }

 private:
  using Key = std::tuple<SimTime, Phase, std::uint32_t>;
  std::priority_queue<Key, std::vector<Key>, std::greater<>> events_;
};

/// A queue and its oracle, driven together.
class Pair {
 public:
  void push(std::int64_t ns, Phase phase) {
    const Event event = event_at(ns, phase, pushed_++);
    queue_.push(event);
    oracle_.push(event);
  }
  /// Counts instead of checking each: a million assertions are slow.
  Event pop() {
    const Event expected = oracle_.first();
    wrong_ += queue_.empty() || queue_.size() != oracle_.size() || queue_.next_time() != expected.time;
    wrong_ += queue_.pop() != expected;
    oracle_.pop();
    return expected;
  }
  void drain() {
    while (size() > 0) pop();
    CHECK(queue_.empty());
  }
  std::size_t size() const { return oracle_.size(); }
  int wrong() const { return wrong_; }

 private:
  EventQueue queue_;
  Oracle oracle_;
  std::uint32_t pushed_ = 0;
  int wrong_ = 0;
};

using Increment = std::function<std::int64_t(RandomStream&)>;

/// How far ahead of the present an event is pushed: what is known to hurt one or another kind of queue.
struct Pattern {
  const char* name;
  Increment increment;
};

std::int64_t below(RandomStream& stream, std::int64_t limit) {
  return static_cast<std::int64_t>(stream() % static_cast<std::uint64_t>(limit));
}

const Pattern kPatterns[] = {
    {"all at one time", [](RandomStream&) { return 0; }},
    {"monotone: constant", [](RandomStream&) { return 1'000'000; }},
    {"monotone: one nanosecond", [](RandomStream&) { return 1; }},
    {"uniform", [](RandomStream& s) { return below(s, 2'000'000'000); }},
    {"few distinct times", [](RandomStream& s) { return 1'000'000 * below(s, 8); }},
    {"bimodal",
     [](RandomStream& s) { return s() % 10 != 0 ? below(s, 1'000) : below(s, 1'000'000'000'000); }},
    {"two far clusters", [](RandomStream& s) { return s() % 2 * (std::int64_t{1} << 45) + below(s, 1'000); }},
    {"all magnitudes", [](RandomStream& s) { return static_cast<std::int64_t>(s() >> (20 + s() % 44)); }},
};

TEST_CASE("events come in order of time, phase and insertion, whatever the pattern of their times") {
  std::uint64_t case_number = 0;
  for (const Pattern& pattern : kPatterns) {
    for (const int pending : {1, 2, 3, 50, 1'000, 1'100, 5'000, 60'000}) {
      CAPTURE(pattern.name);
      CAPTURE(pending);
      RandomStream stream = numbers(++case_number);
      Pair pair;
      for (int i = 0; i < pending; ++i) pair.push(pattern.increment(stream), Phase::kArrival);
      for (int i = 0; i < 2 * pending + 1'000; ++i) {
        const Event event = pair.pop();
        pair.push(event.time.ns() + pattern.increment(stream), event.phase);
      }
      pair.drain();
      CHECK(pair.wrong() == 0);
    }
  }
}

TEST_CASE("events come in order while the queue grows and shrinks and phases mix") {
  // Bursts of up to 3,000 pushes and pops, so that the heap overflows, runs dry and refills at all sizes.
  for (std::uint64_t run = 0; run < 40; ++run) {
    RandomStream stream = numbers(1'000 + run);
    const std::int64_t spread = std::int64_t{1} << (run % 40);
    Pair pair;
    std::int64_t now = 0;
    for (int burst = 0; burst < 60; ++burst) {
      for (std::int64_t n = below(stream, 3'000); n > 0; --n) {
        pair.push(now + below(stream, spread), static_cast<Phase>(stream() % 8));
      }
      for (std::int64_t n = below(stream, 3'000); n > 0 && pair.size() > 0; --n) now = pair.pop().time.ns();
    }
    pair.drain();
    CHECK(pair.wrong() == 0);
  }
}

TEST_CASE("an event of an earlier phase, pushed at the current instant, is popped next") {
  for (const int others : {0, 10, 5'000}) {
    CAPTURE(others);
    Pair pair;
    for (int i = 0; i < others; ++i) pair.push(100, Phase::kScheduling);
    pair.push(100, Phase::kArrival);
    REQUIRE(pair.pop().phase == Phase::kArrival);
    pair.push(100, Phase::kScheduling);
    pair.push(100, Phase::kCompletion);
    pair.push(100, Phase::kFailure);
    CHECK(pair.pop().phase == Phase::kCompletion);
    CHECK(pair.pop().phase == Phase::kFailure);
    pair.drain();
    CHECK(pair.wrong() == 0);
  }
}

TEST_CASE("phases of one instant follow the order in which they are documented") {
  EventQueue queue;
  const Phase order[] = {Phase::kCompletion, Phase::kRelease, Phase::kFailure,    Phase::kEviction,
                         Phase::kLimit,      Phase::kArrival, Phase::kScheduling, Phase::kSampling};
  for (std::size_t i = std::size(order); i-- > 0;) queue.push(event_at(7, order[i], 0));
  for (const Phase phase : order) CHECK(queue.pop().phase == phase);
}

TEST_CASE("the order holds near the ends of time") {
  Pair pair;
  RandomStream stream = numbers(77);
  const std::int64_t late = std::int64_t{1} << 62;
  for (int i = 0; i < 20'000; ++i) {
    pair.push(late + below(stream, 1'000), Phase::kArrival);
    pair.push(below(stream, 1'000) - 500, Phase::kArrival);
    pair.push(std::numeric_limits<std::int64_t>::max() - below(stream, 3), Phase::kLimit);
    pair.push(std::numeric_limits<std::int64_t>::min() + below(stream, 3), Phase::kLimit);
  }
  pair.drain();
  CHECK(pair.wrong() == 0);
}

TEST_CASE("events pushed in descending order of time come in ascending order") {
  Pair pair;
  RandomStream stream = numbers(78);
  for (int i = 0; i < 100'000; ++i) pair.push(1'000 * (100'000 - i), Phase::kArrival);
  for (int i = 0; i < 50'000; ++i)
    pair.push(pair.pop().time.ns() + below(stream, 100'000'000), Phase::kArrival);
  pair.drain();
  CHECK(pair.wrong() == 0);
}

TEST_CASE("a pushed event comes back as it was") {
  EventQueue queue;
  const Event event{.time = SimTime::never(),
                    .phase = Phase::kSampling,
                    .kind = 255,
                    .entity = 0xFFFF'FFFE,
                    .generation = 0x8000'0001};
  queue.push(event);
  CHECK(queue.next_time() == SimTime::never());
  CHECK(queue.pop() == event);
}

TEST_CASE("a cleared queue is as new") {
  EventQueue queue;
  for (std::uint32_t i = 0; i < 10'000; ++i) queue.push(event_at(i % 100, Phase::kArrival, i));
  for (int i = 0; i < 100; ++i) queue.pop();
  queue.clear();
  CHECK(queue.empty());
  CHECK(queue.size() == 0);
  for (std::uint32_t i = 0; i < 10'000; ++i) queue.push(event_at(5, Phase::kArrival, i));
  int wrong = 0;
  for (std::uint32_t i = 0; i < 10'000; ++i) wrong += queue.pop().entity != i;
  CHECK(wrong == 0);
  CHECK(queue.empty());
}

}  // namespace
}  // namespace fleetsim
