#include "sim/core/random_stream.hpp"

#include <Random123/philox.h>
#include <doctest/doctest.h>

#include <cmath>
#include <cstdint>
#include <random>
#include <set>
#include <vector>

namespace fleetsim {
namespace {

static_assert(std::uniform_random_bit_generator<RandomStream>);

std::vector<std::uint64_t> first(int count, const StreamKey& key) {
  RandomStream stream{key};
  std::vector<std::uint64_t> numbers;
  for (int i = 0; i < count; ++i) numbers.push_back(stream());
  return numbers;
}

TEST_CASE("the generator passes the known answers published with Random123") {
  // kat_vectors of the Random123 distribution, the rows "philox4x64 10": counter, key, result.
  using Philox = r123::Philox4x64;
  struct Row {
    Philox::ctr_type counter;
    Philox::key_type key;
    Philox::ctr_type result;
  };
  constexpr std::uint64_t kOnes = ~std::uint64_t{0};
  const Row rows[] = {
      {{{0, 0, 0, 0}},
       {{0, 0}},
       {{0x16554d9eca36314c, 0xdb20fe9d672d0fdc, 0xd7e772cee186176b, 0x7e68b68aec7ba23b}}},
      {{{kOnes, kOnes, kOnes, kOnes}},
       {{kOnes, kOnes}},
       {{0x87b092c3013fe90b, 0x438c3c67be8d0224, 0x9cc7d7c69cd777b6, 0xa09caebf594f0ba0}}},
      {{{0x243f6a8885a308d3, 0x13198a2e03707344, 0xa4093822299f31d0, 0x082efa98ec4e6c89}},
       {{0x452821e638d01377, 0xbe5466cf34e90c6c}},
       {{0xa528f45403e61d95, 0x38c72dbd566e9788, 0xa5a1610e72fd18b5, 0x57bd43b5e52b7fe6}}},
  };
  for (const Row& row : rows) CHECK(Philox{}(row.counter, row.key) == row.result);
}

TEST_CASE("a stream is the generator at its key, from counter 0 on") {
  CHECK(first(4, {.seed = 0, .replication = 0, .purpose = Purpose{0}, .entity = 0}) ==
        std::vector<std::uint64_t>{0x16554d9eca36314c, 0xdb20fe9d672d0fdc, 0xd7e772cee186176b,
                                   0x7e68b68aec7ba23b});
  const auto numbers =
      first(12, {.seed = 11, .replication = 5, .purpose = Purpose::kRepair, .entity = 1ull << 40});
  for (std::uint64_t block = 0; block < 3; ++block) {
    const auto expected = r123::Philox4x64{}({{block, 1ull << 40, 0, 0}}, {{11, 5ull << 32 | 3}});
    for (std::size_t i = 0; i < 4; ++i) CHECK(numbers[4 * block + i] == expected[i]);
  }
}

TEST_CASE("purposes keep their numbers") {
  CHECK(static_cast<int>(Purpose::kComponentFailure) == 1);
  CHECK(static_cast<int>(Purpose::kFailureVictim) == 2);
  CHECK(static_cast<int>(Purpose::kRepair) == 3);
  CHECK(static_cast<int>(Purpose::kArrival) == 4);
  CHECK(static_cast<int>(Purpose::kGang) == 5);
  CHECK(static_cast<int>(Purpose::kDuration) == 6);
  CHECK(static_cast<int>(Purpose::kWork) == 7);
  CHECK(static_cast<int>(Purpose::kEviction) == 8);
  CHECK(static_cast<int>(Purpose::kLemon) == 9);
  CHECK(static_cast<int>(Purpose::kPlacement) == 10);
  CHECK(static_cast<int>(Purpose::kBootstrap) == 11);
}

TEST_CASE("every part of the key makes another stream") {
  std::set<std::uint64_t> seen;
  std::size_t drawn = 0;
  for (const std::uint64_t seed : {1ull, 2ull, 1ull << 63}) {
    for (const std::uint32_t replication : {0u, 1u, 0x8000'0000u}) {
      for (const Purpose purpose : {Purpose::kRepair, Purpose::kArrival}) {
        for (const std::uint64_t entity : {0ull, 1ull, 1ull << 32, 1ull << 63}) {
          const StreamKey key{.seed = seed, .replication = replication, .purpose = purpose, .entity = entity};
          for (const std::uint64_t number : first(100, key)) seen.insert(number);
          drawn += 100;
        }
      }
    }
  }
  CHECK(seen.size() == drawn);  // of 7,200 64-bit numbers, two agree by chance once in 7e11
}

TEST_CASE("a stream does not depend on what is drawn from others") {
  const StreamKey key{.seed = 1, .replication = 2, .purpose = Purpose::kArrival, .entity = 3};
  const auto alone = first(50, key);
  RandomStream stream{key};
  std::vector<std::uint64_t> among_others;
  for (std::uint64_t i = 0; i < 50; ++i) {
    RandomStream other{{.seed = 1, .replication = 2, .purpose = Purpose::kArrival, .entity = 4 + i}};
    for (std::uint64_t k = 0; k < i; ++k) other();
    among_others.push_back(stream());
  }
  CHECK(among_others == alone);
}

TEST_CASE("statistical: bits of neighbouring streams are fair and unrelated") {
  const int n = 4'000;
  std::uint64_t ones = 0;
  std::uint64_t equal = 0;
  for (std::uint64_t entity = 0; entity < n; ++entity) {
    const auto at = [entity](std::uint64_t offset) {
      return first(1, {.seed = 9, .replication = 0, .purpose = Purpose::kWork, .entity = entity + offset})[0];
    };
    ones += static_cast<std::uint64_t>(__builtin_popcountll(at(0)));
    equal += static_cast<std::uint64_t>(__builtin_popcountll(~(at(0) ^ at(1))));
  }
  const double four_sigma = 4 * std::sqrt(64.0 * n) / 2;  // of a binomial count with p = 1/2
  CHECK(std::abs(static_cast<double>(ones) - 32.0 * n) < four_sigma);
  CHECK(std::abs(static_cast<double>(equal) - 32.0 * n) < four_sigma);
}

}  // namespace
}  // namespace fleetsim
