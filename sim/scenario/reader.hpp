#pragma once

#include <cstdint>
#include <initializer_list>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "models/quantity/decimal.hpp"
#include "models/quantity/parse.hpp"
#include "sim/core/distribution.hpp"
#include "sim/core/time.hpp"
#include "sim/scenario/json_text.hpp"
#include "sim/scenario/keys.hpp"

namespace fleetsim {

/// Something wrong in a resolved scenario, before it is traced back to the file it came from.
struct Problem {
  std::string pointer;  ///< what the message is about
  std::string place;    ///< where it stands; below `pointer` for an unknown key
  std::string message;
  /// A part that does nothing beside the others: said of what the file itself says, not of what an
  /// alternative or an option makes of it.
  bool idle = false;
};

using Problems = std::vector<Problem>;

/// The words around a known name: `unknown order "fifoo"; did you mean "fifo"?`, or the whole list when it is
/// short.
std::string unknown_name(std::string_view what, std::string_view name,
                         std::span<const std::string_view> known);

/// Whole numbers that a key may take.
struct WholeRange {
  std::int64_t least = 0;
  std::int64_t most = std::numeric_limits<std::int64_t>::max();
};

enum class Sign : std::uint8_t { not_negative, positive };

struct WeightedName {
  std::string name;
  double weight = 0;
};

/// Reads one object of a scenario. On construction it reports keys that no row of the table knows, and
/// required ones that are missing; a getter reports a value that is not what its key takes. Getters give
/// nothing for a key that is absent or wrong, so that defaults stay in the structs that are filled.
class Reader {
 public:
  /// @param object  the kind of object, as in KeyInfo::object; "" where keys are names of the user's
  Reader(const Json& value, std::string pointer, std::string_view object, Problems& problems);

  bool has(std::string_view key) const { return find(key) != nullptr; }
  /// The keys of `keys` that are there.
  std::vector<std::string_view> present(std::initializer_list<std::string_view> keys) const;
  const Json* find(std::string_view key) const;
  const std::string& pointer() const { return pointer_; }
  std::string pointer_of(std::string_view key) const { return child_pointer(pointer_, key); }
  Problems& problems() const { return *problems_; }

  /// Reports about this object as a whole, or about one of its keys.
  void problem(std::string message) const;
  void problem(std::string_view key, std::string message) const;
  /// Reports that a key does nothing beside the others.
  void idle(std::string_view key, std::string message) const;
  /// Reports that the value of a key is not `expected`.
  void expected(std::string_view key, std::string_view expected) const;
  /// Reports all but the first of `keys` that are there, which exclude each other. @returns how many are
  /// there.
  std::size_t at_most_one(std::initializer_list<std::string_view> keys) const;

  std::optional<std::string> text(std::string_view key) const;
  std::optional<bool> flag(std::string_view key) const;
  std::optional<double> number(std::string_view key) const;
  std::optional<double> positive_number(std::string_view key) const;
  /// In [0, 1], as a number or "7.7 %".
  std::optional<double> share(std::string_view key) const;
  std::optional<std::int64_t> whole(std::string_view key, WholeRange range = {}) const;
  std::optional<std::uint32_t> count(std::string_view key, std::uint32_t least, std::uint32_t most) const;
  /// Of either sign.
  std::optional<std::int64_t> integer(std::string_view key) const;

  std::optional<Duration> duration(std::string_view key, Sign sign = Sign::not_negative) const;
  std::optional<SimTime> instant(std::string_view key) const;
  /// Whether the key has a value; one that stands for no limit is reported, since what is left out limits
  /// nothing.
  bool has_limit(std::string_view key) const;
  std::optional<PerSecond> rate(std::string_view key) const;
  std::optional<Bytes> bytes(std::string_view key) const;
  std::optional<ByteRate> byte_rate(std::string_view key) const;
  std::optional<FlopRate> flop_rate(std::string_view key) const;
  std::optional<Price> price(std::string_view key) const;
  /// "1000 GPU-h", as the time of one device.
  std::optional<Duration> device_time(std::string_view key) const;
  /// A list of durations; nothing if one of them is wrong.
  std::optional<std::vector<Duration>> durations(std::string_view key) const;
  /// A "map weight": names with weights above 0, at least one; nothing if one of them is wrong.
  std::optional<std::vector<WeightedName>> weights(std::string_view key) const;
  /// Of times: a quantity, or an object with one of the forms of distributions.
  std::optional<Distribution> distribution(std::string_view key) const;

  /// One of the words of the key's type, "sync|async"; `values` in the order of those words.
  template <class Enum>
  std::optional<Enum> choice(std::string_view key, std::initializer_list<Enum> values) const {
    const std::optional<std::size_t> index = word(key, values.size());
    if (!index) return std::nullopt;
    return values.begin()[*index];
  }

  /// A name out of a list that the program knows.
  std::optional<std::string> name(std::string_view key, std::string_view what,
                                  std::span<const std::string_view> known) const;

  /// The object under a key, of the kind of its type; nothing when the key is absent.
  std::optional<Reader> object(std::string_view key) const;
  /// The same where the type allows other values too and `object` is the kind among them.
  Reader object(std::string_view key, std::string_view kind) const;
  /// Objects under a key of type "map T", with their names.
  std::vector<std::pair<std::string, Reader>> objects(std::string_view key) const;
  /// Objects of a key of type "list T".
  std::vector<Reader> list(std::string_view key) const;

 private:
  std::optional<std::size_t> word(std::string_view key, std::size_t words) const;
  template <class Value>
  std::optional<Value> quantity(std::string_view key, Parsed<Value> (*parse)(std::string_view),
                                Sign sign) const;

  const Json* object_;  ///< never null; an empty object where something else stood
  std::string pointer_;
  std::string_view kind_;
  Problems* problems_;
};

/// Puts a value, if there is one, into the field that holds the default. @returns whether there was one.
template <class Field, class Value>
bool assign(Field& field, std::optional<Value> value) {
  if (value) field = std::move(*value);
  return value.has_value();
}

// For values that stand in a list or behind a free name; `pointer` is where.

template <class Value>
std::optional<Value> read_quantity(const Json& value, const std::string& pointer,
                                   Parsed<Value> (*parse)(std::string_view), Sign sign, Problems& problems);
std::optional<Distribution> read_distribution(const Json& value, const std::string& pointer,
                                              Problems& problems);
/// The least time a distribution can give, in seconds; 0 where that is not an end of it.
double least_value(const Distribution& distribution);
/// "1000 GPU-h" as the time of one device.
Parsed<Duration> parse_device_time(std::string_view text);
/// Reports that a value is not `expected`.
void report_expected(const Json& value, const std::string& pointer, std::string_view expected,
                     Problems& problems);
/// A whole number in the range; a float without fraction counts as whole.
std::optional<std::int64_t> whole_of(const Json& value, WholeRange range);
/// Reports that a value is not a whole number of the range.
void report_not_in(WholeRange range, const Json& value, const std::string& pointer, Problems& problems);

extern template std::optional<Duration> read_quantity(const Json&, const std::string&,
                                                      Parsed<Duration> (*)(std::string_view), Sign,
                                                      Problems&);

}  // namespace fleetsim
