#include "tools/runs/software_of.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <regex>
#include <stdexcept>
#include <vector>

#include "models/catalog/catalog.hpp"
#include "tools/runs/step_words.hpp"

namespace fleetsim {
namespace {

/// What runs with such fields are known to have run: texts that the fields hold, all of them.
struct KnownSoftware {
  std::vector<std::pair<std::string, std::string>> holds;
  std::string transformer;  ///< in the catalog's name; empty: any
  std::string precision;    ///< empty: any
  double from = 0;          ///< release
  double before = 0;
  std::string words;      ///< as for --software
  bool inferred = false;  ///< from times, not from what is published
};

std::vector<KnownSoftware> read_known_software() {
  const nlohmann::json file = nlohmann::json::parse(*catalog_text(CatalogKind::kCalibration, "software"));
  constexpr double kNever = 1e9;
  std::vector<KnownSoftware> known;
  for (const nlohmann::json& row : file.at("rows")) {
    KnownSoftware& each = known.emplace_back();
    for (const auto& [field, text] : row.at("holds").items())
      each.holds.emplace_back(field, text.get<std::string>());
    each.transformer = row.value("transformer", "");
    each.inferred = row.value("inferred", false);
    each.precision = row.value("precision", "");
    each.from = row.value("from", 0.0);
    each.before = row.value("before", kNever);
    each.words = row.at("software");
    Software checked;
    if (const std::string problem = read_software_words(each.words, checked); !problem.empty())
      throw std::logic_error("calibration/software.json: " + problem);
  }
  return known;
}

struct Ran {
  Number number;
  std::string_view transformer;
  double release;
};

bool applies(const KnownSoftware& known, const RunRow& row, const Ran& ran) {
  return ran.transformer.find(known.transformer) != std::string_view::npos &&
         (known.precision.empty() || known.precision == to_string(ran.number)) && ran.release >= known.from &&
         ran.release < known.before &&
         std::all_of(known.holds.begin(), known.holds.end(), [&](const auto& each) {
           return row.text(each.first.c_str()).find(each.second) != std::string::npos;
         });
}

/// "... 25.09 ..." in the name of a framework: the middle of September 2025.
std::optional<double> release_named(const std::string& framework) {
  static const std::regex kRelease("(2[2-9])\\.(0[1-9]|1[0-2])(?![0-9])");
  std::smatch found;
  if (!std::regex_search(framework, found, kRelease)) return std::nullopt;
  return 2000 + std::stod(found[1]) + (std::stod(found[2]) - 0.5) / 12;
}

}  // namespace

RunSoftware software_of(RunRow& row, Number number, std::string_view transformer) {
  static const std::vector<KnownSoftware> kKnown = read_known_software();
  RunSoftware run;
  if (const auto release = release_named(row.text("framework")))
    run.software.release = run.stated.release = *release;
  for (const KnownSoftware& known : kKnown) {
    if (!applies(known, row, {number, transformer, run.software.release})) continue;
    read_software_words(known.words, run.software);
    if (!known.inferred) read_software_words(known.words, run.stated);
  }
  const auto state = [&](const std::string& words, const std::string& place) {
    const std::string problem = read_software_words(words, run.software);
    if (!problem.empty()) row.problem(place + problem);
    read_software_words(words, run.stated);
  };
  if (const std::string words = row.word("software"); !words.empty()) state(words, "\"software\": ");
  for (const std::string& key : software_keys()) {
    if (const std::string value = row.word(key.c_str()); !value.empty()) state(key + "=" + value, "");
  }
  run.inferred = software_values(run.software) != software_values(run.stated);
  return run;
}

}  // namespace fleetsim
