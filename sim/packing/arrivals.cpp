#include "sim/packing/arrivals.hpp"

#include <boost/random/uniform_int_distribution.hpp>
#include <numeric>
#include <utility>

namespace fleetsim {
namespace {

std::size_t draw_below(std::size_t count, RandomStream& draws) {
  return boost::random::uniform_int_distribution<std::size_t>{0, count - 1}(draws);
}

}  // namespace

std::vector<std::uint32_t> shuffled(std::uint32_t count, RandomStream& draws) {
  std::vector<std::uint32_t> order(count);
  std::iota(order.begin(), order.end(), 0U);
  for (std::size_t left = count; left > 1; --left) std::swap(order[left - 1], order[draw_below(left, draws)]);
  return order;
}

std::vector<std::uint32_t> arrivals_up_to(std::span<const std::int64_t> requested_milli,
                                          std::int64_t target_milli, RandomStream& draws) {
  std::int64_t total = std::accumulate(requested_milli.begin(), requested_milli.end(), std::int64_t{0});
  std::vector<std::uint32_t> order = shuffled(static_cast<std::uint32_t>(requested_milli.size()), draws);
  while (total > target_milli && !order.empty()) {
    const auto out = order.begin() + static_cast<std::ptrdiff_t>(draw_below(order.size(), draws));
    total -= requested_milli[*out];
    order.erase(out);
  }
  if (order.size() < requested_milli.size() || total == 0) return order;
  while (true) {
    const auto task = static_cast<std::uint32_t>(draw_below(requested_milli.size(), draws));
    if (total + requested_milli[task] > target_milli) return order;
    total += requested_milli[task];
    order.push_back(task);
  }
}

}  // namespace fleetsim
