#include "sim/engine/job_times.hpp"

#include <algorithm>

namespace fleetsim {
namespace {

template <class Value>
std::array<Value, kPercentiles.size()> order_statistics(std::span<const std::vector<JobTimes>> lists,
                                                        Value JobTimes::*of, std::size_t count) {
  std::vector<Value> values;
  values.reserve(count);
  for (const std::vector<JobTimes>& list : lists)
    for (const JobTimes& job : list) values.push_back(job.*of);
  std::array<Value, kPercentiles.size()> result{};
  // What precedes a percentile is no greater, so that the next one is among the rest.
  auto from = values.begin();
  for (std::size_t index = 0; index < kPercentiles.size(); ++index) {
    const std::int64_t rank = (kPercentiles[index] * std::ssize(values) + 99) / 100;
    const auto nth = values.begin() + (rank - 1);
    std::nth_element(from, nth, values.end());
    result[index] = *nth;
    from = nth;
  }
  return result;
}

}  // namespace

JobPercentiles percentiles(std::span<const std::vector<JobTimes>> lists) {
  std::size_t count = 0;
  for (const std::vector<JobTimes>& list : lists) count += list.size();
  if (count == 0) return {};
  return {.jobs = static_cast<std::int64_t>(count),
          .queue_wait = order_statistics(lists, &JobTimes::queue_wait, count),
          .time_to_result = order_statistics(lists, &JobTimes::time_to_result, count),
          .bounded_slowdown = order_statistics(lists, &JobTimes::bounded_slowdown, count)};
}

}  // namespace fleetsim
