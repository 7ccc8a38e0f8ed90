#include <algorithm>
#include <array>
#include <vector>

#include "models/quantity/format.hpp"
#include "tools/report/sections.hpp"

namespace fleetsim {
namespace {

constexpr std::size_t kLabel = 25, kCell = 15;
constexpr std::size_t kMostClasses = 4, kMostPools = 4;
constexpr std::size_t kSizeLabel = 12, kSizeCell = 11, kSizesOnLine = 8;

using Text = std::string (*)(const Estimate&, const Style&);

std::string two_decimals(const Estimate& estimate, const Style& style) {
  return with_interval(estimate, Decimals{.least = 2, .most = 3}, style);
}

bool is_positive(const Figure* figure) { return figure != nullptr && figure->simulated.mean.value_or(0) > 0; }

/// A row of percentiles; nothing without a job. Intervals that find no room are in result.json.
std::string percentile_row(const PointResult& base, const std::string& label, const std::string& figure,
                           Text text, const Style& style) {
  constexpr std::array<std::string_view, 5> kEnds{".p50", ".p90", ".p95", ".p99", ".max"};
  std::string line = "  " + pad_right(label, kLabel - 2);
  for (const std::string_view end : kEnds) {
    const Figure* const found = base.find(figure + std::string(end));
    if (found == nullptr || !found->simulated.mean) return {};
    std::string cell = text(found->simulated, style);
    if (display_width(cell) + 2 > kCell) cell = text(Estimate{found->simulated.mean, std::nullopt, 0}, style);
    line += pad_left(cell, kCell);
  }
  return line + "\n";
}

std::string percentile_rows(const PointResult& base, const Style& style) {
  std::string text = percentile_row(base, "queue wait", "queue_wait", time_with_interval, style);
  const std::vector<JobClass>& classes = scenario_of(base).classes;
  std::vector<std::string> rows;
  std::size_t with_jobs = 0;
  for (const JobClass& each : classes) {
    const std::string figure = "jobs." + each.name + ".queue_wait";
    with_jobs += mean_of(base, figure + ".max") ? 1 : 0;
    if (is_positive(base.find(figure + ".max")))
      rows.push_back(percentile_row(base, "  of " + clip(each.name, kLabel - 8, style), figure,
                                    time_with_interval, style));
  }
  // Where one class alone has an end its row would say the same again.
  for (std::size_t i = 0; i < std::min(rows.size(), kMostClasses) && with_jobs > 1; ++i) text += rows[i];
  text += percentile_row(base, "time to result", "time_to_result", time_with_interval, style);
  return text + percentile_row(base, "bounded slowdown", "bounded_slowdown", two_decimals, style);
}

std::string starvation_lines(const PointResult& base, const Style& style) {
  std::string text;
  if (const Figure* const longest = base.find("longest_wait"); is_positive(longest))
    text = "longest wait, started or not: " + time_with_interval(longest->simulated, style);
  if (const Figure* const starved = base.find("starved"); is_positive(starved))
    text += (text.empty() ? "" : " | ") + std::string{"waited more than "} + std::to_string(kStarvedAfter) +
            " times their length: " + number_with_interval(starved->simulated, style);
  return text.empty() ? "" : wrap("  ", text);
}

struct Reason {
  std::string_view figure, label;
  Leaf leaf;  ///< of what is free meanwhile
};
constexpr std::array kReasons{
    Reason{"nothing_free", "nothing was free", Leaf::scheduling_no_demand},
    Reason{"reservation", "order or a reservation kept it", Leaf::scheduling_reservation},
    Reason{"quota", "a quota kept it", Leaf::scheduling_quota},
    Reason{"topology_wait", "nowhere near enough together", Leaf::scheduling_topology_wait},
    Reason{"fragmentation", "enough, in the wrong shape", Leaf::scheduling_fragmentation},
    Reason{"shortfall", "less than any of them needed", Leaf::scheduling_shortfall},
};

/// Who waited while what was free in a pool, and why it was not given to them.
std::string pool_rows(const PointResult& base, std::uint32_t pool, const Style& style) {
  const std::string& name = scenario_of(base).pools[pool].name;
  const double depth = mean_of(base, "pools." + name + ".queue_depth").value_or(0);
  if (!(depth > 0)) return {};
  const LeafTotals leaves = base.ledger.of_pool(PoolId{pool});
  const DeviceTime offered = factors(leaves).in_service;
  std::string text = "  " + pad_right("queued for " + clip(name, 18, style) + " while", 38) +
                     pad_left("jobs", 10) + pad_left("of waiting", 14) +
                     pad_left("kept free, of offered", 24) + "\n";
  for (const Reason& reason : kReasons) {
    const Figure* const jobs = base.find("pools." + name + ".waiting." + std::string(reason.figure));
    if (!is_positive(jobs)) continue;
    const double mean = *jobs->simulated.mean;
    const bool nothing = reason.leaf == Leaf::scheduling_no_demand;
    const double kept = share_of(leaves[static_cast<std::size_t>(reason.leaf)], offered);
    text += "    " + pad_right(std::string(reason.label), 36) + pad_left(format_number(mean), 10) +
            pad_left(format_percent(mean / depth), 14) + pad_left(nothing ? "-" : format_percent(kept), 24) +
            "\n";
  }
  return text;
}

/// S of the sizes that there were, side by side.
std::string size_rows(const PointResult& base) {
  constexpr std::string_view kPrefix = "scheduling_goodput.size.";
  std::vector<const Figure*> sizes;
  for (const Figure& figure : base.figures)
    if (figure.name.starts_with(kPrefix) && figure.simulated.mean) sizes.push_back(&figure);
  if (sizes.size() < 2) return {};
  std::string text;
  for (std::size_t first = 0; first < sizes.size(); first += kSizesOnLine) {
    std::string names = "  " + pad_right("gang of", kSizeLabel - 2),
                values = "  " + pad_right("S", kSizeLabel - 2);
    for (std::size_t i = first; i < std::min(sizes.size(), first + kSizesOnLine); ++i) {
      names += pad_left(sizes[i]->name.substr(kPrefix.size()), kSizeCell);
      values += pad_left(format_fixed(*sizes[i]->simulated.mean, 3), kSizeCell);
    }
    text += names + "\n" + values + "\n";
  }
  return text;
}

std::string preemption_line(const PointResult& base, const Style& style) {
  const Figure* const stopped = base.find("preemptions");
  if (!is_positive(stopped)) return {};
  std::string text =
      with_interval(stopped->simulated, Decimals{.least = 1, .most = 2}, style) + " jobs a run";
  const auto lost = mean_of(base, "preemptions.lost");
  if (lost) text += ", who lost " + format_number(*lost / 3600) + " GPU-h since their last commits";
  const auto deepest = mean_of(base, "preemptions.deepest");
  if (deepest && *deepest > 1) text += "; cascades up to a depth of " + format_fixed(*deepest, 1);
  return wrap("  stopped for others: ", text);
}

/// What of a pool's free capacity jobs could not use, where it is measured.
std::string fragmentation_lines(const PointResult& base, const Style& style) {
  constexpr std::pair<std::string_view, std::string_view> kLevels[] = {
      {"device", "card"}, {"node", "node"}, {"rack", "rack"}, {"pod", "pod"}};
  std::string text;
  for (const PoolSpec& pool : scenario_of(base).pools) {
    if (!pool.measure_fragmentation) continue;
    std::string levels;
    for (const auto& [level, name] : kLevels) {
      const auto share = mean_of(base, "pools." + pool.name + ".fragmentation." + std::string(level));
      if (share) levels += (levels.empty() ? "" : ", ") + std::string(name) + " " + format_percent(*share);
    }
    if (!levels.empty())
      text += wrap("  fragmentation of " + clip(pool.name, 24, style) + ", of free capacity: ", levels);
  }
  return text;
}

std::string quota_lines(const PointResult& base, const Style& style) {
  std::string text;
  for (const QuotaSpec& quota : scenario_of(base).scheduler.quotas) {
    const auto share = mean_of(base, "quotas." + quota.name + ".share"),
               used = mean_of(base, "quotas." + quota.name + ".used");
    if (!share) continue;
    text += (text.empty() ? "" : "; ") + clip(quota.name, 24, style) + " held " + format_percent(*share) +
            " of what was offered";
    if (used)
      text += ", " + format_percent(*used) + (quota.guarantee ? " of its guarantee" : " of its limit");
  }
  return text.empty() ? "" : wrap("  quotas: ", text);
}

}  // namespace

std::string scheduling_section(const PointResult& base, const Style& style) {
  if (!is_positive(base.find("longest_wait"))) return {};
  std::string text = pad_right(heading("SCHEDULING, jobs", style), kLabel);
  for (const std::string_view title : {"50 %", "90 %", "95 %", "99 %", "max"})
    text += pad_left(std::string(title), kCell);
  text += "\n" + percentile_rows(base, style) + starvation_lines(base, style);
  std::size_t shown = 0;
  for (std::uint32_t pool = 0; pool < scenario_of(base).pools.size() && shown < kMostPools; ++pool) {
    const std::string rows = pool_rows(base, pool, style);
    text += rows;
    shown += rows.empty() ? 0 : 1;
  }
  return text + size_rows(base) + preemption_line(base, style) + quota_lines(base, style) +
         fragmentation_lines(base, style);
}

}  // namespace fleetsim
