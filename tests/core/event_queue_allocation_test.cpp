#include <doctest/doctest.h>

#include <cstdint>
#include <cstdlib>
#include <new>

#include "sim/core/event_queue.hpp"
#include "sim/core/random_stream.hpp"

namespace {

std::size_t allocations = 0;

}  // namespace

void* operator new(std::size_t size) {
  ++allocations;
  if (void* const memory = std::malloc(size)) return memory;
  throw std::bad_alloc{};
}
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }

namespace fleetsim {
namespace {

TEST_CASE("a queue in its steady state allocates nothing") {
  for (const std::uint32_t pending : {500u, 5'000u, 100'000u}) {
    CAPTURE(pending);
    RandomStream stream{{.seed = 4, .replication = 0, .purpose = Purpose::kBootstrap, .entity = pending}};
    const auto delay = [&stream] {
      return Duration::nanoseconds(static_cast<std::int64_t>(stream() % 1'000'000'000));
    };
    EventQueue queue;
    for (std::uint32_t i = 0; i < pending; ++i) {
      queue.push({.time = SimTime::zero() + delay(),
                  .phase = Phase::kArrival,
                  .kind = 0,
                  .entity = i,
                  .generation = 0});
    }
    const auto hold = [&](std::uint32_t times) {
      for (std::uint32_t i = 0; i < times; ++i) {
        Event event = queue.pop();
        event.time += delay();
        queue.push(event);
      }
    };
    hold(5 * pending);
    const std::size_t before = allocations;
    REQUIRE(before > 0);
    hold(20 * pending);
    CHECK(allocations == before);
  }
}

}  // namespace
}  // namespace fleetsim
