#include <algorithm>

#include "models/quantity/format.hpp"
#include "tools/report/sections.hpp"

namespace fleetsim {
namespace {

constexpr std::size_t kHead = 11;

std::string head(std::string_view name, const Style& style) { return pad_right(heading(name, style), kHead); }

std::string times_the_price(double cost, double price, const Style& style) {
  return price > 0 ? " (" + format_number(cost / price) + " " + std::string(times(style)) + ")" : "";
}

std::string money_line(const PointResult& base, const Style& style) {
  const std::optional<double> total = mean_of(base, "cost_total");
  if (!total) return {};
  const double hours =
      device_hours(factors(base.ledger.total()).in_service) / std::max<double>(1, base.replications);
  if (!(hours > 0)) return {};
  const double price = *total / hours;
  std::string text = format_fixed(price, 2) + " USD/GPU-h in";
  const Figure* useful = base.find("cost_per_useful_device_hour");
  if (useful != nullptr && useful->simulated.mean) {
    text += ", " + number_with_interval(useful->simulated, style) + " USD per useful GPU-h out" +
            times_the_price(*useful->simulated.mean, price, style);
    if (useful->closed_form)
      text += "; closed form " + format_fixed(*useful->closed_form, 2) + " (" +
              clean(useful->closed_form_kind, style) + ")";
  } else {
    const Figure* held = base.find("cost_per_held_device_hour");
    if (held != nullptr && held->simulated.mean)
      text += ", " + number_with_interval(held->simulated, style) + " USD per GPU-h held";
    text +=
        "; per useful GPU-h unknown: " +
        std::string(useful == nullptr || useful->absent.empty() ? "no data" : clean(useful->absent, style));
  }
  if (const auto billed = mean_of(base, "cost_per_useful_device_hour.held"))
    text += "; billed by held hours " + format_fixed(*billed, 2) + times_the_price(*billed, price, style);
  return wrap(head("MONEY", style), text + "; " + format_money(Money{*total}) + " a window");
}

const LeafInfo* largest_loss(const LeafTotals& leaves) {
  const LeafInfo* largest = nullptr;
  for (const LeafInfo& leaf : leaf_table()) {
    if (leaf.boundary == Boundary::useful || leaf.boundary == Boundary::availability || leaf.layer.empty())
      continue;
    const DeviceTime amount = leaves[static_cast<std::size_t>(leaf.leaf)];
    if (amount > (largest ? leaves[static_cast<std::size_t>(largest->leaf)] : DeviceTime::zero()))
      largest = &leaf;
  }
  return largest;
}

std::string next_line(const PointResult& base, const Style& style) {
  struct Worth {
    std::string_view name;
    double value;
  };
  const auto s = mean_of(base, "scheduling_goodput"), r = mean_of(base, "runtime_goodput"),
             p = mean_of(base, "program_goodput");
  std::string text;
  if (s && r && p) {
    Worth worth[] = {{"P", *s * *r}, {"S", *r * *p}, {"R", *s * *p}};
    std::stable_sort(std::begin(worth), std::end(worth),
                     [](const Worth& a, const Worth& b) { return a.value > b.value; });
    text = "one point of " + std::string(worth[0].name) + " is worth " + format_fixed(worth[0].value, 2) +
           " of MPG, " + std::string(worth[1].name) + " " + format_fixed(worth[1].value, 2) + ", " +
           std::string(worth[2].name) + " " + format_fixed(worth[2].value, 2);
  }
  const LeafTotals leaves = base.ledger.total();
  if (const LeafInfo* loss = largest_loss(leaves)) {
    const double share = share_of(leaves[static_cast<std::size_t>(loss->leaf)], factors(leaves).in_service);
    text += (text.empty() ? "" : "; ") + std::string("the largest loss with an owner is ") +
            leaf_label(*loss) + ", " + format_percent(share) + ": " + std::string(loss->layer);
  }
  return text.empty() ? "" : wrap(head("NEXT", style), text);
}

std::string contract_lines(const PointResult& base, const PageContext& context) {
  const Style& style = context.style;
  const Scenario& scenario = scenario_of(base);
  const LeafTotals leaves = base.ledger.total();
  const Factors sums = factors(leaves);
  const bool closes = sum(leaves) == base.installed_window;
  std::string text = std::string{"denominator in-service | window closes at its end, "} +
                     format_percent(share_of(sums.unresolved, sums.held), 2) + " of held time unresolved | " +
                     (closes ? "ledger closes exactly" : alarm("LEDGER DOES NOT CLOSE", style)) +
                     " | ideal: " + clean(ideal_text(scenario), style) +
                     " | policy: " + policy_text(scenario.scheduler);
  if (!scenario.contract_gate.empty()) text += " | quality gate: " + clip(scenario.contract_gate, 200, style);
  text += " | scenario " + base.point->hash;
  if (!context.made_by.version.empty()) text += " | fleetsim " + context.made_by.version;
  return wrap(head("CONTRACT", style), text);
}

}  // namespace

std::string closing_sections(const PointResult& base, const PageContext& context) {
  const Style& style = context.style;
  std::string text = money_line(base, style) + next_line(base, style) + contract_lines(base, context);
  for (const auto* list : {&base.warnings, &context.notes}) {
    for (const std::string& warning : *list)
      text += wrap(head(alarm("WARNING", style), {}), clean(warning, style));
  }
  return text;
}

}  // namespace fleetsim
