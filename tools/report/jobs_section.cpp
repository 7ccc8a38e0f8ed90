#include <algorithm>
#include <cmath>
#include <vector>

#include "models/quantity/format.hpp"
#include "sim/study/refusal.hpp"
#include "tools/report/figure_lines.hpp"
#include "tools/report/sections.hpp"

namespace fleetsim {
namespace {

/// One class of jobs on the page.
struct Block {
  const PointResult& base;
  std::uint32_t index;
  const Style& style;

  const JobClass& spec() const { return scenario_of(base).classes[index]; }
  std::string name(std::string_view figure) const {
    return "jobs." + spec().name + "." + std::string(figure);
  }
  const Figure* find(std::string_view figure) const { return base.find(name(figure)); }
  DeviceTime in(Leaf leaf) const {
    return base.ledger.of_class(ClassId{index})[static_cast<std::size_t>(leaf)];
  }
};

std::string gang_text(const JobClass& spec) {
  const auto range = [](std::uint32_t least, std::uint32_t most) {
    const std::string from = format_integer(least);
    return (least == most ? from : from + " to " + format_integer(most)) + (most == 1 ? " GPU" : " GPUs");
  };
  if (!spec.arrivals.listed.empty()) {
    const auto [least, most] =
        std::minmax_element(spec.arrivals.listed.begin(), spec.arrivals.listed.end(),
                            [](const ListedJob& a, const ListedJob& b) { return a.devices < b.devices; });
    return range(least->devices, most->devices);
  }
  if (spec.gang.shape && spec.gang.shape->milli != 0)
    return format_integer(spec.gang.shape->milli) + " thousandths of a GPU";
  if (spec.gang.shape) return format_integer(spec.gang.shape->capacity().milli() / 1000) + " GPUs";
  if (spec.gang.sizes.empty()) return "no gang";
  const auto [least, most] = std::minmax_element(spec.gang.sizes.begin(), spec.gang.sizes.end());
  return range(*least, *most);
}

/// The terms of equation 4, and the losses at the runtime boundary that it does not know.
std::string term_lines(const Block& block) {
  struct Term {
    std::string_view figure, label;
  };
  constexpr Term kTerms[] = {{"startup", "startup"},
                             {"input", "input"},
                             {"checkpoint", "checkpoint and rework"},
                             {"recovery", "recovery"},
                             {"preemption", "preemption"}};
  std::string text;
  for (const Term& term : kTerms) {
    const Figure* figure = block.find(term.figure);
    if (is_seen(figure)) text += figure_line("  " + std::string(term.label), figure, percent, block.style);
  }
  const LeafTotals leaves = block.base.ledger.of_class(ClassId{block.index});
  const Factors sums = factors(leaves);
  for (const Leaf leaf : {Leaf::runtime_reconfiguration, Leaf::runtime_abandoned,
                          Leaf::runtime_idle_reservation, Leaf::runtime_zombie, Leaf::runtime_unresolved}) {
    if (block.in(leaf) == DeviceTime::zero()) continue;
    text += block_line("  " + leaf_label(leaf_info(leaf)), "-",
                       format_percent(share_of(block.in(leaf), sums.held), 2));
  }
  return text;
}

std::string seconds_text(const Figure* figure) {
  if (figure == nullptr) return {};
  const std::optional<double> value = figure->closed_form ? figure->closed_form : figure->simulated.mean;
  return value ? format_duration(Seconds{*value}) : "";
}

void append_fact(std::string& facts, const std::string& fact) {
  if (!fact.empty()) facts += (facts.empty() ? "" : " | ") + fact;
}

std::string count_text(std::int64_t total, std::uint32_t replications, std::string_view one,
                       std::string_view more) {
  return mean_count(static_cast<double>(total) / std::max<double>(1, replications), one, more);
}

/// What happened to the jobs of the class, in a mean window.
std::string count_lines(const Block& block) {
  const ClassOutcome& outcome = block.base.classes[block.index];
  std::string counts;
  const auto add = [&](std::int64_t number, std::string_view one, std::string_view more) {
    if (number == 0) return;
    counts += (counts.empty() ? "" : ", ") + count_text(number, block.base.replications, one, more);
  };
  add(outcome.submitted, "job submitted", "jobs submitted");
  add(outcome.completed, "completed", "completed");
  add(outcome.unfinished, "unfinished", "unfinished");
  add(outcome.failed, "failed", "failed");
  add(outcome.cancelled, "cancelled", "cancelled");
  add(outcome.killed_at_limit, "killed at its limit", "killed at their limit");
  add(outcome.unsatisfiable, "unsatisfiable", "unsatisfiable");
  if (outcome.unsatisfiable > 0 && outcome.refusal)
    counts += " (" + clean(text_of(*outcome.refusal, scenario_of(block.base)), block.style) + ")";
  add(outcome.no_progress, "without progress", "without progress");
  add(outcome.gave_up, "gave up", "gave up");
  add(outcome.failures, "failure", "failures");
  add(outcome.evictions, "eviction", "evictions");
  add(outcome.drains, "stop for a drain", "stops for drains");
  add(outcome.resizes, "change of size", "changes of size");
  add(outcome.swaps, "swap of stragglers", "swaps of stragglers");
  return counts.empty() ? "" : wrap("  per window: ", counts);
}

std::string facts_lines(const Block& block) {
  std::string facts;
  const std::string mtbf = seconds_text(block.find("mtbf")),
                    interval = seconds_text(block.find("checkpoint_interval"));
  if (block.spec().step.model)
    append_fact(facts, "a step takes " + format_duration(to_seconds(block.spec().step.time)) + ", predicted");
  if (!mtbf.empty()) append_fact(facts, "MTBF " + mtbf);
  if (!interval.empty()) {
    std::string fact = "checkpoint every " + interval;
    const std::string counted = seconds_text(block.find("young_interval_with_evictions"));
    const std::string young = seconds_text(block.find("young_interval"));
    if (!counted.empty() && counted != interval && counted != young)
      fact += " (" + counted + " if evictions are counted)";
    append_fact(facts, fact);
  }
  if (const Figure* const crossing = block.find("input_crossing");
      crossing != nullptr && crossing->closed_form)
    append_fact(facts, "checkpoints and recovery overtake input waits at " +
                           format_integer(std::llround(*crossing->closed_form)) + " devices");
  return (facts.empty() ? "" : wrap("  ", facts)) + count_lines(block);
}

std::string time_lines(const Block& block) {
  const Figure* time = block.find("time_to_result");
  if (time == nullptr) return {};
  if (!time->simulated.mean && !time->closed_form) {
    const std::string why = time->absent.empty() ? "no data" : time->absent;
    return wrap("  time to result: ", "none, " + clean(why, block.style));
  }
  std::string text = figure_line("time to result", time, time_with_interval, block.style);
  for (const auto& [figure, label] :
       {std::pair{"queue_wait", "  of which in the queue"}, std::pair{"requeue_wait", "  requeued"},
        std::pair{"member_wait", "  survivors waiting for a member"}}) {
    if (is_seen(block.find(figure)))
      text += figure_line(label, block.find(figure), time_with_interval, block.style);
  }
  return text;
}

/// Work in epochs, and what a change of size may cost.
std::string epoch_lines(const Block& block) {
  return figure_line("epochs in the window", block.find("epochs"), number_with_interval, block.style) +
         figure_line("  growing gains nothing at a pause of", block.find("break_even_pause"),
                     time_with_interval, block.style);
}

/// Why the equations and the run differ, where they do by more than chance.
std::string difference_note(const Block& block) {
  const Figure* runtime = block.find("runtime_goodput");
  if (runtime == nullptr || !runtime->closed_form || !runtime->simulated.mean ||
      !runtime->simulated.half_width)
    return {};
  const double gap = *runtime->simulated.mean - *runtime->closed_form;
  constexpr double kShown = 0.00005;  // what four decimals tell apart
  if (std::fabs(gap) <= std::max(*runtime->simulated.half_width, kShown)) return {};
  const EvictionSpec& evictions = block.spec().evictions;
  const bool evicted = block.base.classes[block.index].evictions > 0;
  std::string why = "the run is " + format_fixed(std::fabs(gap), 4) + (gap > 0 ? " above" : " below") +
                    " the closed form (" + clean(runtime->closed_form_kind, block.style) + ")";
  if (evicted && evictions.terms.lost_work) {
    why += ": the equation charges " + short_duration(*evictions.terms.lost_work) +
           " to every eviction, but one that comes sooner after a commit loses less; and it adds shares of "
           "different times";
  } else if (evicted) {
    why +=
        ": evictions here lose all since the last commit, and the equation adds shares of different times, "
        "to "
        "first order";
  } else {
    why +=
        ": the equation adds losses as shares of different times, to first order; the run charges each "
        "second once";
  }
  const Figure* renewal = block.find("runtime_goodput_renewal");
  if (renewal != nullptr && renewal->closed_form) {
    const bool agrees =
        std::fabs(*renewal->closed_form - *runtime->simulated.mean) <= *runtime->simulated.half_width;
    why += "; the exact long-run value " + format_fixed(*renewal->closed_form, 4) +
           (agrees ? " agrees with it" : " is of an endless run");
  }
  return wrap("  note: ", why + ".");
}

/// Not to be mistaken for members that are slow.
std::string fitted_note(const Block& block) {
  const JobClass& spec = block.spec();
  if (!spec.step.model) return {};
  for (const auto& [leaf, weight] : spec.program.weights) {
    if (leaf != Leaf::program_straggler) continue;
    const double share = static_cast<double>(weight) / static_cast<double>(spec.step.time.ns());
    return wrap("  note: ", "of a predicted step, " + format_percent(share) +
                                " stand under stragglers that no scenario puts there: a term of the step "
                                "model that was fitted to published runs and grows with their size.");
  }
  return {};
}

std::string block_text(const Block& block) {
  const Style& style = block.style;
  const std::string title =
      "JOB " + clip(block.spec().name, 18, style) + " (" + gang_text(block.spec()) + ")";
  std::string text = block_title(title, style);
  text += figure_line("runtime goodput R", block.find("runtime_goodput"), four_decimals, style);
  text += term_lines(block);
  text += figure_line("program goodput P", block.find("program_goodput"), four_decimals, style);
  for (const auto& [figure, label] : {std::pair{"straggler", "  stragglers, of retained"},
                                      std::pair{"noisy_neighbour", "  noisy neighbours, of retained"}})
    if (is_seen(block.find(figure))) text += figure_line(label, block.find(figure), percent, style);
  text += figure_line("job product R x P", block.find("job_product"), four_decimals, style);
  return text + epoch_lines(block) + time_lines(block) + facts_lines(block) + difference_note(block) +
         fitted_note(block);
}

}  // namespace

std::string jobs_section(const PointResult& base, const Style& style) {
  const std::vector<JobClass>& classes = scenario_of(base).classes;
  if (classes.empty()) return heading("JOB", style) + "  no data: the scenario has no workload\n";
  std::vector<std::uint32_t> order;
  for (std::uint32_t index = 0; index < classes.size(); ++index)
    if (classes[index].kind != JobKind::service) order.push_back(index);
  const std::size_t count = order.size();
  const auto held = [&](std::uint32_t index) { return factors(base.ledger.of_class(ClassId{index})).held; };
  std::stable_sort(order.begin(), order.end(), [&](auto a, auto b) { return held(a) > held(b); });
  std::string text;
  DeviceTime rest;
  for (std::size_t i = 0; i < count; ++i) {
    if (i < kMostBlocks) {
      text += block_text({base, order[i], style});
    } else {
      rest += held(order[i]);
    }
  }
  if (count > kMostBlocks) {
    text += "  and " + std::to_string(count - kMostBlocks) + " more, with " +
            format_percent(share_of(rest, factors(base.ledger.total()).held)) + " of held time\n";
  }
  return text;
}

}  // namespace fleetsim
