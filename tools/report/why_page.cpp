#include "tools/report/why_page.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <nlohmann/json.hpp>

#include "models/quantity/format.hpp"
#include "sim/scheduler/elastic.hpp"
#include "sim/study/refusal.hpp"
#include "tools/report/sections.hpp"

namespace fleetsim {
namespace {

constexpr std::size_t kMostLines = 60;  // more intervals are told more shortly
constexpr std::size_t kMostRanges = 24;

/// An instant of the run: "3 d 04:05:06", from an hour on to the second; "00:05:06.5" before.
std::string clock(SimTime time) {
  const std::int64_t ms = time.ns() / 1'000'000;
  const auto two = [](std::int64_t value) { return (value < 10 ? "0" : "") + std::to_string(value); };
  const std::int64_t seconds = ms / 1000, days = seconds / 86'400;
  std::string text = days > 0 ? std::to_string(days) + " d " : "";
  text += two(seconds / 3600 % 24) + ":" + two(seconds / 60 % 60) + ":" + two(seconds % 60);
  if (ms % 1000 == 0 || seconds >= 3600) return text;
  std::string fraction = std::to_string(1000 + ms % 1000).substr(1);
  fraction.erase(fraction.find_last_not_of('0') + 1);
  return text + "." + fraction;
}

std::string devices(Capacity capacity) {
  return capacity.milli() % 1000 == 0 ? format_integer(capacity.milli() / 1000)
                                      : format_number(static_cast<double>(capacity.milli()) / 1000);
}

template <class Value, class Text>
std::string least_to_most(const Value& least, const Value& most, Text text) {
  return least == most ? text(least) : text(least) + "-" + text(most);
}

std::string nodes_text(const Placement& parts) {
  std::vector<std::uint32_t> nodes;
  for (const Part& part : parts) nodes.push_back(part.node);
  std::sort(nodes.begin(), nodes.end());
  nodes.erase(std::unique(nodes.begin(), nodes.end()), nodes.end());
  std::string text;
  std::size_t ranges = 0;
  for (std::size_t first = 0; first < nodes.size(); ++ranges) {
    std::size_t last = first;
    while (last + 1 < nodes.size() && nodes[last + 1] == nodes[last] + 1) ++last;
    if (ranges == kMostRanges)
      return text + " and " + format_integer(static_cast<std::int64_t>(nodes.size() - first)) + " more";
    text += (text.empty() ? "" : ", ") + std::to_string(nodes[first]);
    if (last > first) text += "-" + std::to_string(nodes[last]);
    first = last + 1;
  }
  return (nodes.size() == 1 ? "node " : "nodes ") + text;
}

/// An interval as it is told: some in one where there are many.
struct Line {
  WatchSpan span;
  std::size_t others = 0;  ///< whom it waited for besides
};

std::vector<Line> lines_of(const std::vector<WatchSpan>& spans) {
  std::vector<Line> lines;
  const bool shortly = spans.size() > kMostLines;
  for (const WatchSpan& span : spans) {
    if (shortly && !lines.empty() && is_queued(span.state)) {
      WatchSpan& last = lines.back().span;
      const bool goes_on = last.state == span.state && last.starts == span.starts &&
                           last.evictions == span.evictions && last.drains == span.drains;
      if (goes_on) {
        lines.back().others += last.who == span.who ? 0 : 1;
        last.to = span.to;
        last.who = span.who;
        last.reserved = span.reserved;
        last.least_ahead = std::min(last.least_ahead, span.least_ahead);
        last.most_ahead = std::max(last.most_ahead, span.most_ahead);
        last.least_free = std::min(last.least_free, span.least_free);
        last.most_free = std::max(last.most_free, span.most_free);
        continue;
      }
    }
    lines.push_back({span});
  }
  return lines;
}

/// What happened between the interval before and this one.
std::string events_text(const WatchSpan& before, const WatchSpan& span) {
  std::string text;
  const auto add = [&](std::int64_t count, std::string_view one, std::string_view more) {
    if (count == 0) return;
    text += (text.empty() ? "" : ", ") +
            (count == 1 ? std::string(one) : std::to_string(count) + " " + std::string(more));
  };
  add(span.failures - before.failures, "a failure", "failures");
  if (!span.gave_way_to.empty()) {
    text += (text.empty() ? "gave way to " : ", gave way to ") + span.gave_way_to;
  } else {
    add(span.evictions - before.evictions, "evicted", "evictions");
  }
  add(span.drains - before.drains, "stopped for a drain", "drains");
  add(span.swaps - before.swaps, "stopped to be rid of a straggler", "swaps of stragglers");
  return text;
}

std::string where_text(const WatchSpan& span, const Scenario& scenario) {
  return nodes_text(span.parts) + " of " + scenario.pools[span.pool].name;
}

struct Context {
  const Watch& watch;
  const Scenario& scenario;
  WatchSpan before{};               ///< the interval before
  std::optional<Placement> held{};  ///< what the job had when it last ran
  std::optional<Capacity> size{};
};

/// At which size a gang that may change it runs, and what became of the size before.
std::string elastic_text(const WatchSpan& span, const Context& context) {
  const std::string size = devices(span.assigned) + " GPUs on " + where_text(span, context.scenario);
  if (span.starts > context.before.starts)
    return (span.starts > 1 ? "starts again at " : "starts at ") + size;
  const Capacity last = context.size.value_or(span.assigned);
  return (span.assigned > last ? "grows to " : span.assigned < last ? "shrinks to " : "goes on at ") + size;
}

/// Whether a gang of the class may start at one of several sizes.
bool starts_at_many(const JobClass& job_class) {
  if (!job_class.elastic || job_class.elastic->sizes.size() < 2) return false;
  const ElasticPolicy* const policy = find_elastic(job_class.elastic->policy);
  return policy != nullptr && policy->start == ElasticPolicy::Start::with_free;
}

std::string state_text(const Line& line, const Context& context) {
  const auto& [watch, scenario, before, held, size] = context;
  const WatchSpan& span = line.span;
  std::string who = span.who;
  if (line.others > 0) who += " (after " + std::to_string(line.others) + " others)";
  const std::string ahead = who.empty() ? "who is ahead" : who;
  switch (span.state) {
    case WatchState::quota:
      return "quota: " + who + " has no room for it";
    case WatchState::order:
      return "order: it would fit, but may not pass " + ahead;
    case WatchState::reservation:
      return "reservation: it would fit, but might delay " + ahead +
             (span.reserved ? "; start reserved for " + clock(*span.reserved) : "");
    case WatchState::backfill_depth:
      return "depth: it would fit, but stands further back than backfill looks";
    case WatchState::holders:
      return "holders: as many gangs assemble as may, " + ahead + " first";
    case WatchState::topology:
      return "topology: it would fit, but not as near together as it asks";
    case WatchState::fragmentation:
      return "fragmentation: enough is free in total, in the wrong shape";
    case WatchState::leaving:
      return "leaving: it will fit when those on their way out have left";
    case WatchState::out_of_service:
      return "out of service: it would fit if what is broken or drained were back";
    case WatchState::no_room:
      return "no room: less is free than the " + devices(watch.asked) + " it needs" +
             (starts_at_many(scenario.classes[watch.job_class]) ? " at least" : "");
    case WatchState::assembling:
      return "holds " + devices(span.assigned) + " of " + devices(watch.asked) + " and waits for the rest";
    case WatchState::provisioning:
      return "has " + devices(span.assigned) + ", which are made ready for it";
    case WatchState::running:
      if (scenario.classes[watch.job_class].elastic) return elastic_text(span, context);
      if (span.starts > before.starts && held == span.parts) return "starts again on the same nodes";
      if (span.starts > before.starts)
        return (span.starts > 1 ? "starts again on " : "starts on ") + where_text(span, scenario);
      return "goes on" + (held == span.parts ? "" : " on " + where_text(span, scenario));
    case WatchState::detecting:
      return "a member is out, not yet noticed";
    case WatchState::waiting_member:
      return "survivors wait for a replacement";
    case WatchState::saving:
      return "saves before it gives way";
    case WatchState::draining:
      return "ends its requests, and takes no more";
    case WatchState::away:
      return "is away, to be requeued";
    case WatchState::zombie:
      return "stopped for good; its lease goes on";
  }
  return {};
}

std::string heads(const std::vector<Line>& lines, const std::vector<std::string>& words, const Style& style) {
  constexpr std::array<std::string_view, 5> kTitles{"from", "to", "for", "ahead", "free"};
  std::vector<std::array<std::string, kTitles.size()>> cells;
  std::array<std::size_t, kTitles.size()> widths{};
  for (std::size_t i = 0; i < kTitles.size(); ++i) widths[i] = kTitles[i].size();
  for (const Line& line : lines) {
    const WatchSpan& span = line.span;
    auto& row = cells.emplace_back();
    row[0] = clock(span.from);
    row[1] = clock(span.to);
    row[2] = format_duration(span.to - span.from);
    if (is_queued(span.state)) {
      row[3] = least_to_most(span.least_ahead, span.most_ahead, [](std::size_t count) {
        return format_integer(static_cast<std::int64_t>(count));
      });
      row[4] = least_to_most(span.least_free, span.most_free, devices);
    }
    for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], row[i].size());
  }
  const auto head = [&](const auto& row) {
    std::string text;
    for (std::size_t i = 0; i < kTitles.size(); ++i) text += "  " + pad_left(std::string(row[i]), widths[i]);
    return text + "   ";
  };
  std::string text = head(kTitles) + "what it does, or what keeps it\n";
  for (std::size_t i = 0; i < lines.size(); ++i) {
    if (i == kMostLines / 2 && lines.size() > kMostLines + 1) {
      const std::size_t left_out = lines.size() - kMostLines;
      text += "  ... " + std::to_string(left_out) + " more intervals; --json has all of them\n";
      i += left_out;
    }
    text += wrap(head(cells[i]), clean(words[i], style));
  }
  return text;
}

/// How long it was kept by what, the most first.
std::string waits_text(const Watch& watch) {
  std::vector<std::pair<Duration, WatchState>> waits;
  Duration total;
  for (const WatchSpan& span : watch.spans) {
    if (!is_queued(span.state)) continue;
    total += span.to - span.from;
    const auto same =
        std::find_if(waits.begin(), waits.end(), [&](const auto& each) { return each.second == span.state; });
    if (same == waits.end()) {
      waits.emplace_back(span.to - span.from, span.state);
    } else {
      same->first += span.to - span.from;
    }
  }
  if (total == Duration::zero()) return "it never waited in the queue";
  std::stable_sort(waits.begin(), waits.end(),
                   [](const auto& a, const auto& b) { return a.first > b.first; });
  std::string text = "in the queue for " + format_duration(total);
  for (std::size_t i = 0; i < waits.size() && waits.size() > 1; ++i) {
    std::string name{watch_states()[static_cast<std::size_t>(waits[i].second)].name};
    std::replace(name.begin(), name.end(), '_', ' ');
    text += (i == 0 ? ": " : ", ") + name + " " + format_duration(waits[i].first);
  }
  return text;
}

/// "8 GPUs", or the sizes that a gang may have.
std::string asked_text(const Watch& watch, const JobClass& job_class) {
  std::string text = devices(watch.asked);
  if (job_class.elastic && !job_class.elastic->sizes.empty()) {
    const auto& sizes = job_class.elastic->sizes;
    text = format_integer(sizes.front().devices);
    if (sizes.size() > 1) text += " to " + format_integer(sizes.back().devices);
    return text + " GPUs, elastic: " + job_class.elastic->policy;
  }
  return text + (watch.asked == Capacity::devices(1) ? " GPU" : " GPUs");
}

std::string end_text(const Watch& watch, const Scenario& scenario) {
  if (!watch.state) return "has not ended when the run does, at " + clock(watch.end);
  std::string state{name_of(*watch.state)};
  std::replace(state.begin(), state.end(), '_', ' ');
  std::string text = state + " at " + clock(watch.end);
  if (*watch.state != FinalState::unsatisfiable) return text;
  return text + (watch.refusal ? ": " + text_of(*watch.refusal, scenario) : "");
}

}  // namespace

std::string why_page(const Watch& watch, const WatchedRun& run, const PageContext& context) {
  const Scenario& scenario = run.point.scenario;
  const Style& style = context.style;
  const std::string file = clip(context.file, 48, style);
  const std::string title = "WHY " + watch.id + " WAITED";
  std::string text =
      spread(heading(clip(title, kPageWidth - display_width(file) - 2, style), style), file) + "\n";
  text += wrap("", asked_text(watch, scenario.classes[watch.job_class]) + " | class " +
                       clean(scenario.classes[watch.job_class].name, style) + " | submitted at " +
                       clock(watch.submit) + " | replication " + std::to_string(run.replication) + ", seed " +
                       std::to_string(scenario.runs.seed));
  text += "\n";
  if (!watch.spans.empty()) {
    const std::vector<Line> lines = lines_of(watch.spans);
    std::vector<std::string> words;
    Context told{.watch = watch, .scenario = scenario};
    for (const Line& line : lines) {
      const std::string events = events_text(told.before, line.span);
      words.push_back((events.empty() ? "" : events + "; ") + state_text(line, told));
      told.before = line.span;
      if (line.span.state != WatchState::running) continue;
      told.held = line.span.parts;
      told.size = line.span.assigned;
    }
    text += heads(lines, words, style) + "\n";
  }
  text += wrap("  ", clean(end_text(watch, scenario), style) + "; " + waits_text(watch));
  if (watch.namesakes > 0)
    text += wrap(alarm("WARNING", style) + "    ",
                 format_integer(static_cast<std::int64_t>(watch.namesakes + 1)) +
                     " jobs have this id: this is the one that was submitted first");
  for (const std::string& note : context.notes)
    text += wrap(alarm("WARNING", style) + "    ", clean(note, style));
  return text;
}

std::string why_json(const Watch& watch, const WatchedRun& run, const Provenance& made_by) {
  using Document = nlohmann::ordered_json;
  const Scenario& scenario = run.point.scenario;
  const auto ns = [](SimTime time) { return std::to_string(time.ns()); };
  Document spans = Document::array();
  for (const WatchSpan& span : watch.spans) {
    Document json;
    json["from_ns"] = ns(span.from);
    json["to_ns"] = ns(span.to);
    json["state"] = watch_states()[static_cast<std::size_t>(span.state)].name;
    json["queued"] = is_queued(span.state);
    if (is_queued(span.state)) {
      json["who"] = span.who.empty() ? Document(nullptr) : Document(span.who);
      json["reserved_ns"] = span.reserved ? Document(ns(*span.reserved)) : Document(nullptr);
      json["ahead"] = {span.least_ahead, span.most_ahead};
      json["free_milli_devices"] = {span.least_free.milli(), span.most_free.milli()};
    } else if (!span.parts.empty()) {
      json["pool"] = scenario.pools[span.pool].name;
      json["milli_devices"] = span.assigned.milli();
      std::map<std::uint32_t, std::uint32_t> nodes;
      for (const Part& part : span.parts)
        nodes[part.node] += part.milli != 0 ? part.milli : 1000 * part.count();
      Document list = Document::array();
      for (const auto& [node, milli] : nodes) list.push_back({{"node", node}, {"milli_devices", milli}});
      json["nodes"] = std::move(list);
    }
    json["starts"] = span.starts;
    json["failures"] = span.failures;
    json["evictions"] = span.evictions;
    json["drains"] = span.drains;
    json["gave_way_to"] = span.gave_way_to.empty() ? Document(nullptr) : Document(span.gave_way_to);
    spans.push_back(std::move(json));
  }
  Document json = {{"schema", 1}};
  json["hash"] = run.point.hash;
  json["version"] = made_by.version;
  json["build"] = made_by.build;
  json["seed"] = scenario.runs.seed;
  json["replication"] = run.replication;
  json["job"] = watch.id;
  json["jobs_of_this_id"] = watch.namesakes + 1;
  json["class"] = scenario.classes[watch.job_class].name;
  json["milli_devices"] = watch.asked.milli();
  json["submit_ns"] = ns(watch.submit);
  json["state"] = watch.state ? Document(name_of(*watch.state)) : Document(nullptr);
  json["end_ns"] = watch.state ? Document(ns(watch.end)) : Document(nullptr);
  json["spans"] = std::move(spans);
  return json.dump(2, ' ', false, Document::error_handler_t::replace) + "\n";
}

}  // namespace fleetsim
