#include "tools/calibrate/nccl_tests.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <nlohmann/json.hpp>
#include <set>
#include <utility>

namespace fleetsim {
namespace {

using Words = std::vector<std::string_view>;

Words split(std::string_view line) {
  constexpr std::string_view kBlanks = " \t\r";
  Words words;
  for (std::size_t at = line.find_first_not_of(kBlanks); at != line.npos;) {
    const std::size_t end = std::min(line.find_first_of(kBlanks, at), line.size());
    words.push_back(line.substr(at, end - at));
    at = line.find_first_not_of(kBlanks, end);
  }
  return words;
}

std::optional<double> number(std::string_view word) {
  double value = 0;
  const auto read = std::from_chars(word.data(), word.data() + word.size(), value);
  if (read.ec != std::errc{} || read.ptr != word.data() + word.size()) return std::nullopt;
  return value;
}

bool is_whole(std::string_view word) {
  return !word.empty() && std::all_of(word.begin(), word.end(), [](char c) { return c >= '0' && c <= '9'; });
}

std::string_view base_name(std::string_view path) {
  const std::size_t slash = path.rfind('/');
  return slash == path.npos ? path : path.substr(slash + 1);
}

/// Without what `mpirun --tag-output` puts before a line: "[1,0]<stdout>:".
std::string_view untagged(std::string_view line) {
  constexpr std::string_view kTag = "<stdout>:";
  const std::size_t tag = line.starts_with('[') ? line.find(kTag) : line.npos;
  return tag == line.npos ? line : line.substr(tag + kTag.size());
}

/// Reads the table that is printed, line by line.
class TextReader {
 public:
  NcclReading read(std::string_view text) {
    while (!text.empty() && !reading_.problem) {
      const std::size_t end = text.find('\n');
      ++line_;
      take(untagged(text.substr(0, end)));
      text = end == text.npos ? std::string_view{} : text.substr(end + 1);
    }
    std::erase_if(reading_.runs, [](const NcclRun& run) { return run.rows.empty(); });
    if (reading_.runs.empty() && !reading_.problem)
      reading_.problem =
          "no results: expected what a program of nccl-tests prints, with a line \"# size count type ...\"";
    return std::move(reading_);
  }

 private:
  void take(std::string_view line) {
    const Words words = split(line);
    if (words.empty()) return;
    if (words.front().starts_with('#')) {
      comment(line, words);
    } else if (is_whole(words.front()) && !columns_.empty()) {
      result(words);
    }
  }

  void comment(std::string_view line, const Words& words) {
    const auto is = [&](std::size_t at, std::string_view word) {
      return at < words.size() && words[at] == word;
    };
    if (is(1, "Collective") && is(3, "starting:") && words.size() > 4) {
      run_for_header().program = base_name(words[4]);
    } else if (is(1, "nThread")) {
      run_for_header();
    } else if (is(1, "Rank")) {
      rank(line, words);
    } else if (is(1, "size") && is(2, "count")) {
      run_for_header();
      columns_.assign(words.begin() + 1, words.end());
    }
  }

  /// The run that lines before a table belong to: a new one after results.
  NcclRun& run_for_header() {
    if (reading_.runs.empty() || !reading_.runs.back().rows.empty()) {
      reading_.runs.emplace_back();
      hosts_.clear();
    }
    return reading_.runs.back();
  }

  void rank(std::string_view line, const Words& words) {
    const auto on = std::find(words.begin(), words.end(), "on");
    if (on == words.end() || on + 1 == words.end()) return;
    NcclRun& run = run_for_header();
    ++run.ranks;
    hosts_.insert(std::string(*(on + 1)));
    run.hosts = static_cast<std::int64_t>(hosts_.size());
    const std::size_t bracket = line.find("] ");
    if (run.device.empty() && bracket != line.npos) {
      run.device = line.substr(bracket + 2);
      run.device.erase(run.device.find_last_not_of(" \r") + 1);
    }
  }

  void result(const Words& words) {
    const std::string at = "line " + std::to_string(line_) + ": ";
    if (words.size() < columns_.size()) {
      reading_.problem = at + "expected " + std::to_string(columns_.size()) + " columns; found " +
                         std::to_string(words.size());
      return;
    }
    NcclRun& run = reading_.runs.back();
    NcclRow row{.message = Bytes{number(words[0]).value_or(0)}};
    if (!(row.message.si > 0)) return;  // the smallest size of a gather may be cut down to nothing
    if (!run.rows.empty() && row.message <= run.rows.back().message) {
      reading_.problem = at + "expected a size larger than the one before; found " + std::string(words[0]);
      return;
    }
    double algorithm = 0, bus = 0;
    bool is_second = false;
    for (std::size_t c = 0; c < columns_.size(); ++c) {
      const std::string& column = columns_[c];
      const std::optional<double> value = number(words[c]);
      if (column == "time" || column == "cputime") {
        if (!value || !(*value > 0)) {
          if (words[c] != "N/A") {
            reading_.problem = at + "expected a time in us; found \"" + std::string(words[c]) + "\"";
            return;
          }
        } else {
          (is_second ? row.in_place : row.out_of_place) = Seconds{*value * 1e-6};
        }
        is_second = true;
      } else if (column == "algbw") {
        algorithm = value.value_or(0);
      } else if (column == "busbw") {
        bus = value.value_or(0);
      } else if (column == "#wrong" && value.value_or(0) > 0) {
        reading_.notes.push_back(at + "results were wrong there");
      }
    }
    if (algorithm > 0) run.bus_over_algorithm = bus / algorithm;
    run.rows.push_back(row);
  }

  NcclReading reading_;
  std::vector<std::string> columns_;
  std::set<std::string> hosts_;
  int line_ = 0;
};

using nlohmann::json;

std::optional<Seconds> json_time(const json& row, const char* which) {
  const auto found = row.find(which);
  if (found == row.end() || !found->is_object()) return std::nullopt;
  for (const char* const key : {"time", "cpu_time"}) {
    if (found->contains(key) && found->at(key).is_number() && found->at(key).get<double>() > 0)
      return Seconds{found->at(key).get<double>() * 1e-6};
  }
  return std::nullopt;
}

std::int64_t json_count(const json& object, const char* key) {
  return object.contains(key) && object[key].is_number_integer() ? object[key].get<std::int64_t>() : 1;
}

NcclReading read_json(std::string_view text) {
  NcclReading reading;
  const json file = json::parse(text, nullptr, /*allow_exceptions=*/false);
  if (file.is_discarded() || !file.is_object() || !file.contains("results") || !file["results"].is_array()) {
    reading.problem =
        file.is_discarded() ? "expected JSON" : "/results: expected the list that nccl-tests writes";
    return reading;
  }
  NcclRun run;
  if (file.contains("args") && file["args"].is_array() && !file["args"].empty() &&
      file["args"][0].is_string())
    run.program = base_name(file["args"][0].get_ref<const std::string&>());
  if (file.contains("config") && file["config"].is_object()) {
    const json& config = file["config"];
    std::set<std::string> hosts;
    if (config.contains("devices") && config["devices"].is_array()) {
      // One entry a process, each with so many threads of so many GPUs.
      run.ranks = static_cast<std::int64_t>(config["devices"].size()) * json_count(config, "nthreads") *
                  json_count(config, "ngpus");
      for (const json& device : config["devices"]) {
        hosts.insert(device.value("hostname", std::string{}));
        if (run.device.empty()) run.device = device.value("device_info", std::string{});
      }
    }
    run.hosts = static_cast<std::int64_t>(hosts.size());
  }
  std::size_t index = 0;
  for (const json& each : file["results"]) {
    const std::string at = "/results/" + std::to_string(index++);
    if (!each.is_object() || !each.contains("size") || !each["size"].is_number_unsigned()) {
      reading.problem = at + "/size: expected a whole number of bytes";
      return reading;
    }
    const NcclRow row{Bytes{each["size"].get<double>()}, json_time(each, "out_of_place"),
                      json_time(each, "in_place")};
    if (!(row.message.si > 0)) continue;
    if (!run.rows.empty() && row.message <= run.rows.back().message) {
      reading.problem = at + "/size: expected more than the size before";
      return reading;
    }
    run.rows.push_back(row);
  }
  if (run.rows.empty()) {
    reading.problem = "/results: expected at least one size";
  } else {
    reading.runs.push_back(std::move(run));
  }
  return reading;
}

}  // namespace

NcclReading read_nccl_tests(std::string_view text) {
  const std::size_t first = text.find_first_not_of(" \t\r\n");
  if (first != text.npos && text[first] == '{') return read_json(text);
  return TextReader{}.read(text);
}

std::optional<Collective> collective_of(const NcclRun& run) {
  constexpr std::pair<std::string_view, Collective> kPrograms[] = {
      {"all_reduce_perf", Collective::kAllReduce},
      {"all_gather_perf", Collective::kAllGather},
      {"reduce_scatter_perf", Collective::kReduceScatter},
      {"alltoall_perf", Collective::kAllToAll},
      {"sendrecv_perf", Collective::kSendRecv}};
  for (const auto& [program, collective] : kPrograms)
    if (run.program.starts_with(program)) return collective;
  // Of the others no ratio exceeds one.
  if (run.program.empty() && run.bus_over_algorithm > 1.2) return Collective::kAllReduce;
  return std::nullopt;
}

}  // namespace fleetsim
