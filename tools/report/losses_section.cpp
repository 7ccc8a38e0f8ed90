#include <algorithm>
#include <vector>

#include "models/quantity/format.hpp"
#include "tools/report/sections.hpp"

namespace fleetsim {
namespace {

constexpr double kSmallShare = 0.001;  // of what was in service; below it a loss is folded
constexpr std::size_t kMostRows = 7;   // of one boundary

struct Loss {
  const LeafInfo* leaf;
  DeviceTime amount;
};

std::vector<Loss> losses_at(Boundary boundary, const LeafTotals& leaves) {
  std::vector<Loss> losses;
  for (const LeafInfo& leaf : leaf_table()) {
    const DeviceTime amount = leaves[static_cast<std::size_t>(leaf.leaf)];
    if (leaf.boundary == boundary && amount != DeviceTime::zero()) losses.push_back({&leaf, amount});
  }
  std::stable_sort(losses.begin(), losses.end(),
                   [](const Loss& a, const Loss& b) { return a.amount > b.amount; });
  return losses;
}

/// What the rows of the table divide by.
struct Scale {
  DeviceTime whole;
  std::uint32_t replications;
};

std::string row(const std::string& label, DeviceTime amount, const Scale& scale) {
  const double hours = device_hours(amount) / std::max<double>(1, scale.replications);
  return "    " + pad_right(label, 25) + pad_left(format_number(hours), 12) +
         pad_left(format_percent(share_of(amount, scale.whole)), 9);
}

std::string loss_row(const Loss& loss, const Scale& scale) {
  const std::string line = row(leaf_label(*loss.leaf), loss.amount, scale) + "   " +
                           pad_right(std::string(loss.leaf->mechanism), 15) + std::string(loss.leaf->layer);
  return line.substr(0, line.find_last_not_of(' ') + 1) + "\n";
}

std::string boundary_rows(const std::vector<Loss>& losses, const Scale& scale) {
  std::size_t shown = 0;
  while (shown < losses.size() && shown < kMostRows &&
         share_of(losses[shown].amount, scale.whole) >= kSmallShare)
    ++shown;
  if (losses.size() - shown == 1) ++shown;  // one alone needs no folding
  std::string text;
  DeviceTime rest;
  for (std::size_t i = 0; i < losses.size(); ++i) {
    if (i < shown) {
      text += loss_row(losses[i], scale);
    } else {
      rest += losses[i].amount;
    }
  }
  if (shown < losses.size())
    text += row("other (" + std::to_string(losses.size() - shown) + " kinds)", rest, scale) + "\n";
  return text;
}

std::string boundary_block(std::string_view name, Boundary boundary, const LeafTotals& leaves,
                           const Scale& scale) {
  const std::vector<Loss> losses = losses_at(boundary, leaves);
  if (losses.empty()) return {};
  DeviceTime sum;
  for (const Loss& loss : losses) sum += loss.amount;
  return "  " + pad_right(std::string(name), 12) + format_percent(share_of(sum, scale.whole)) + "\n" +
         boundary_rows(losses, scale);
}

}  // namespace

std::string leaf_label(const LeafInfo& leaf) {
  std::string label(leaf.name.substr(leaf.name.find('.') + 1));
  std::replace(label.begin(), label.end(), '_', ' ');
  return leaf.leaf == Leaf::program_unmodelled ? "ideal not known" : label;
}

std::string losses_section(const PointResult& base, const Style& style) {
  const LeafTotals leaves = base.ledger.total();
  const Factors sums = factors(leaves);
  const Scale of_offered{sums.in_service, base.replications}, of_installed{sums.installed, base.replications};
  std::string body =
      boundary_block("scheduling", Boundary::scheduling, leaves, of_offered) +
      boundary_block("runtime", Boundary::runtime, leaves, of_offered) +
      boundary_block("program", Boundary::program, leaves, of_offered) +
      boundary_block("out of service, of installed ", Boundary::availability, leaves, of_installed);
  if (body.empty()) return {};
  const std::string per = base.replications > 1 ? "LOST, in a mean window" : "LOST";
  return pad_right(heading(per, style), 29) + pad_left("GPU-h", 12) + pad_left("share", 9) + "   " +
         pad_right("mechanism", 15) + "who removes it\n" + body;
}

std::string ledger_table(const LeafTotals& leaves, const Style& style) {
  struct Group {
    std::string_view name;
    Boundary boundary;
  };
  constexpr Group kGroups[] = {{"availability", Boundary::availability},
                               {"scheduling", Boundary::scheduling},
                               {"runtime", Boundary::runtime},
                               {"program", Boundary::program},
                               {"useful", Boundary::useful}};
  const DeviceTime whole = sum(leaves);
  std::string text = pad_right(heading("LEDGER", style), 34) + pad_left("GPU-h", 14) +
                     pad_left("of installed", 14) + pad_left("milli-device-ns", 32) + "\n";
  const auto line = [&](const std::string& label, DeviceTime amount) {
    text += pad_right(label, 34) + pad_left(format_number(device_hours(amount)), 14) +
            pad_left(format_percent(share_of(amount, whole), 2), 14) + pad_left(to_string(amount), 32) + "\n";
  };
  for (const Group& group : kGroups) {
    const std::vector<Loss> rows = losses_at(group.boundary, leaves);
    if (rows.empty()) continue;
    text += "  " + std::string(group.name) + "\n";
    for (const Loss& each : rows) line("    " + std::string(each.leaf->name), each.amount);
  }
  line("  installed", whole);
  return text;
}

}  // namespace fleetsim
