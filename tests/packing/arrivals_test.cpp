#include "sim/packing/arrivals.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <map>
#include <set>

namespace fleetsim {
namespace {

RandomStream stream(std::uint64_t seed) { return RandomStream{{seed, 0, Purpose::kArrival, 0}}; }

std::int64_t total(const std::vector<std::uint32_t>& order, const std::vector<std::int64_t>& requests) {
  std::int64_t sum = 0;
  for (const std::uint32_t task : order) sum += requests[task];
  return sum;
}

TEST_CASE("statistical: every order of three comes as often as the others") {
  RandomStream draws = stream(1);
  std::map<std::vector<std::uint32_t>, int> seen;
  constexpr int kRounds = 6000;
  for (int i = 0; i < kRounds; ++i) ++seen[shuffled(3, draws)];
  CHECK(seen.size() == 6);
  double chi_squared = 0;
  for (const auto& [order, count] : seen) chi_squared += (count - 1000.0) * (count - 1000.0) / 1000.0;
  CHECK(chi_squared < 20.5);  // 0.1 % point with 5 degrees of freedom
}

TEST_CASE("a list that asks for too little arrives whole, and then drawn again up to the target") {
  std::vector<std::int64_t> requests(100);
  for (std::size_t i = 0; i < requests.size(); ++i) requests[i] = static_cast<std::int64_t>(i % 5) * 250;
  RandomStream draws = stream(2);
  const auto order = arrivals_up_to(requests, 65'000, draws);
  std::vector<std::uint32_t> whole{order.begin(), order.begin() + 100};
  std::sort(whole.begin(), whole.end());
  CHECK(std::set<std::uint32_t>{whole.begin(), whole.end()}.size() == 100);
  CHECK(order.size() > 115);
  CHECK(total(order, requests) <= 65'000);
  CHECK(total(order, requests) > 65'000 - 1000);
  const std::vector<std::int64_t> alike(100, 1000);
  CHECK(arrivals_up_to(alike, 130'000, draws).size() == 130);
}

TEST_CASE("a list that asks for too much loses tasks at random until it does not") {
  const std::vector<std::int64_t> requests(100, 1000);
  RandomStream draws = stream(3);
  const auto order = arrivals_up_to(requests, 61'500, draws);
  CHECK(order.size() == 61);
  CHECK(std::set<std::uint32_t>{order.begin(), order.end()}.size() == 61);
  CHECK_FALSE(std::is_sorted(order.begin(), order.end()));
}

TEST_CASE("a list without devices is only shuffled, and the same stream gives the same order") {
  const std::vector<std::int64_t> none(10, 0);
  RandomStream draws = stream(4);
  CHECK(arrivals_up_to(none, 1000, draws).size() == 10);
  const std::vector<std::int64_t> requests{1000, 500, 250, 8000};
  RandomStream one = stream(5), same = stream(5), other = stream(6);
  const auto order = arrivals_up_to(requests, 100'000, one);
  CHECK(order == arrivals_up_to(requests, 100'000, same));
  CHECK(order != arrivals_up_to(requests, 100'000, other));
}

}  // namespace
}  // namespace fleetsim
