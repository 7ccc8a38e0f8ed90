// Files that were damaged: whatever comes, it is read or refused, and nothing is thrown.
#include <cstdint>
#include <nlohmann/json.hpp>

#include "sim/scenario/json_text.hpp"
#include "tests/scenario/every_key.hpp"
#include "tests/scenario/texts.hpp"

using namespace fleetsim;

namespace {

/// A small generator of our own, so that a failure comes again (splitmix64).
class Dice {
 public:
  explicit Dice(std::uint64_t seed) : state_{seed} {}
  std::size_t below(std::size_t bound) {
    std::uint64_t z = state_ += 0x9e3779b97f4a7c15;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
    z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
    return static_cast<std::size_t>((z ^ (z >> 31)) % bound);
  }

 private:
  std::uint64_t state_;
};

constexpr std::string_view kTexts[] = {kSharedPool, kSmall, kEveryKey[0], kEveryKey[1]};

/// Points if and only if there are no issues; every issue says something.
void check_sound(const std::string& text) {
  StudyReading reading;
  INFO(text);
  CHECK_NOTHROW(reading = read(text));
  CHECK(reading.issues.empty() != reading.points.empty());
  for (const Issue& issue : reading.issues) {
    CHECK(!issue.file.empty());
    CHECK(!issue.message.empty());
  }
}

/// The `n`th value of a document, in the order of the text; counts down as it goes.
Json* nth_value(Json& value, std::size_t& n) {
  if (n-- == 0) return &value;
  if (!value.is_structured()) return nullptr;
  for (Json& child : value) {
    if (Json* found = nth_value(child, n)) return found;
  }
  return nullptr;
}

std::size_t count_values(const Json& value) {
  std::size_t count = 1;
  if (value.is_structured()) {
    for (const Json& child : value) count += count_values(child);
  }
  return count;
}

}  // namespace

TEST_CASE("every prefix of a scenario is refused") {
  for (std::size_t length = 0; length + 1 < kSmall.size(); ++length) {
    const StudyReading reading = read(kSmall.substr(0, length));
    CHECK(reading.issues.size() == 1);
    CHECK(reading.points.empty());
  }
}

TEST_CASE("scenarios with random bytes changed are read or refused") {
  Dice dice(1);
  for (int i = 0; i < 3000; ++i) {
    std::string text(kTexts[dice.below(std::size(kTexts))]);
    for (std::size_t changes = 1 + dice.below(3); changes > 0; --changes) {
      constexpr std::string_view kBytes = "{}[]\",:0123456789-.e \n\0\xff/hsdNn";
      const std::size_t at = dice.below(text.size());
      switch (dice.below(4)) {
        case 0:
          text[at] = kBytes[dice.below(kBytes.size())];
          break;
        case 1:
          text.erase(at, 1 + dice.below(8));
          break;
        case 2:
          text.insert(at, 1, kBytes[dice.below(kBytes.size())]);
          break;
        default:
          text.insert(at, text.substr(dice.below(text.size()), dice.below(24)));
      }
    }
    check_sound(text);
  }
}

TEST_CASE("scenarios with values swapped for others are read or refused") {
  // Numbers at the ends of their types, and values of every kind, in every place.
  const Json values = Json::parse(R"([null, true, -1, 0, 1, 0.5, 3, 64, 1000, 4294967295, 4294967296,
    9223372036854775807, 18446744073709551615, 1e300, -1e300, 1e-320, "", "0 s", "1 ns", "1 h", "106751 d", "1e-320 /s",
    "1e300 /s", "0 /d", "1e308 GB", "1e-300 GB/s", "1e-300 FLOP/s", "1e308 FLOP/s", "2562047 GPU-h", "young", "daly", "auto", "none", "textbook", "a", "inf", "x/y~z",
    {}, [], {"choice": {"1": 1e308, "2": 1e308}}, {"choice": {"1 h": 1e-320}}, {"weibull": {"mean": "1 h", "shape": 1e-3}},
    {"lognormal": {"median": "1 h", "sigma": 37}}, {"exponential": "106751 d"}, {"nodes": 100000, "per_node": 64}])");
  Dice dice(2);
  for (int i = 0; i < 3000; ++i) {
    Json document = Json::parse(kTexts[dice.below(std::size(kTexts))]);
    for (std::size_t changes = 1 + dice.below(3); changes > 0; --changes) {
      std::size_t n = 1 + dice.below(count_values(document) - 1);
      if (Json* value = nth_value(document, n)) *value = values[dice.below(values.size())];
      if (!document.is_object() || document.empty()) break;
    }
    check_sound(document.dump());
  }
}
