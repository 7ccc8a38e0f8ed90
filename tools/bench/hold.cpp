// The classic hold model: with n events pending, pop the first and push one an exponential delay later. The
// engine's queue against std::priority_queue with the same order and payload, in one program, so that their
// ratio means something on a noisy machine. Both must pop the same events at the same times; that is checked
// first, and the timed loops check that time never runs back and that no event is lost.

#include <benchmark/benchmark.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <queue>

#include "sim/core/distribution.hpp"
#include "sim/core/event_queue.hpp"

namespace {

using fleetsim::Distribution;
using fleetsim::Duration;
using fleetsim::Event;
using fleetsim::EventQueue;
using fleetsim::Phase;
using fleetsim::RandomStream;
using fleetsim::SimTime;

/// The obvious event list: a binary heap in the same 128-bit order.
class StandardQueue {
 public:
  void push(const Event& event) {
    const auto order = static_cast<std::uint64_t>(event.phase) << 56 | sequence_++ << 8 | event.kind;
    heap_.push({static_cast<std::uint64_t>(event.time.ns()), order, event.entity, event.generation});
  }
  std::size_t size() const { return heap_.size(); }
  Event pop() {
    const Entry first = heap_.top();
    heap_.pop();
    return {.time = SimTime::at_ns(static_cast<std::int64_t>(first.time)),
            .phase = static_cast<Phase>(first.order >> 56),
            .kind = static_cast<std::uint8_t>(first.order),
            .entity = first.entity,
            .generation = first.generation};
  }

 private:
  __extension__ using Key = unsigned __int128;

  struct Entry {
    std::uint64_t time;
    std::uint64_t order;
    std::uint32_t entity;
    std::uint32_t generation;
    Key key() const { return static_cast<Key>(time) << 64 | order; }
    bool operator<(const Entry& other) const { return key() > other.key(); }  // the least on top
  };

  std::priority_queue<Entry> heap_;
  std::uint64_t sequence_ = 0;
};

/// A queue in the steady state of the hold model, and what it has popped.
template <class Queue>
class Hold {
 public:
  explicit Hold(std::size_t pending) : pending_{pending} {
    RandomStream stream{{.seed = 1, .replication = 0, .purpose = fleetsim::Purpose::kBootstrap, .entity = 0}};
    const Distribution exponential{Distribution::Exponential{.mean = 1}};
    for (Duration& delay : delays_) delay = exponential.sample_duration(stream);
    for (std::size_t i = 0; i < pending; ++i) {
      queue_.push({.time = SimTime::zero() + next_delay(),
                   .phase = Phase::kArrival,
                   .kind = 0,
                   .entity = static_cast<std::uint32_t>(i),
                   .generation = 0});
    }
    for (std::size_t i = 0; i < 3 * pending; ++i) step();
  }

  void step() {
    Event event = queue_.pop();
    is_sound_ &= event.time >= now_;
    now_ = event.time;
    checksum_ = checksum_ * 31 + event.entity + static_cast<std::uint64_t>(event.time.ns());
    event.time += next_delay();
    queue_.push(event);
  }

  bool is_sound() const { return is_sound_ && queue_.size() == pending_; }
  std::uint64_t checksum() const { return checksum_; }

 private:
  /// From a table: the generator is not what is measured.
  Duration next_delay() { return delays_[drawn_++ % delays_.size()]; }

  Queue queue_;
  std::array<Duration, 8192> delays_;
  std::size_t pending_;
  std::size_t drawn_ = 0;
  SimTime now_ = SimTime::zero();
  std::uint64_t checksum_ = 0;
  bool is_sound_ = true;
};

template <class Queue>
void hold(benchmark::State& state) {
  Hold<Queue> model{static_cast<std::size_t>(state.range(0))};
  for (auto _ : state) model.step();
  benchmark::DoNotOptimize(model.checksum());
  if (!model.is_sound()) state.SkipWithError("time ran back, or events were lost");
  state.SetItemsProcessed(state.iterations());
}

constexpr std::array<std::int64_t, 3> kPending{1'000, 100'000, 1'000'000};

bool queues_agree(std::size_t pending) {
  Hold<EventQueue> ours{pending};
  Hold<StandardQueue> standard{pending};
  return ours.is_sound() && standard.is_sound() && ours.checksum() == standard.checksum();
}

}  // namespace

int main(int argc, char** argv) {
  for (const std::int64_t pending : kPending) {
    if (!queues_agree(static_cast<std::size_t>(pending))) {
      std::fprintf(stderr, "hold: the queues disagree with %lld events pending\n",
                   static_cast<long long>(pending));
      return 1;
    }
    benchmark::RegisterBenchmark("hold/EventQueue", hold<EventQueue>)->Arg(pending);
    benchmark::RegisterBenchmark("hold/std::priority_queue", hold<StandardQueue>)->Arg(pending);
  }
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 2;
  benchmark::RunSpecifiedBenchmarks();
  return 0;
}
