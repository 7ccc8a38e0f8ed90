#include "sim/scenario/json_text.hpp"

#include <cerrno>
#include <cstring>
#include <fstream>
#include <nlohmann/json.hpp>
#include <vector>

namespace fleetsim {
namespace {

constexpr std::size_t kDeepest = 64;
constexpr std::size_t kLargestFile = std::size_t{64} << 20;
constexpr std::size_t kLongestQuote = 48;

/// Builds the document as it is read, watching for what the library would let pass.
class Builder : public nlohmann::json_sax<Json> {
 public:
  Builder(std::string_view text, std::vector<TextProblem>& problems) : text_{text}, problems_{problems} {}

  bool null() override { return add(nullptr); }
  bool boolean(bool value) override { return add(value); }
  bool number_integer(number_integer_t value) override { return add(value); }
  bool number_unsigned(number_unsigned_t value) override { return add(value); }
  bool number_float(number_float_t value, const string_t&) override { return add(value); }
  bool string(string_t& value) override { return add(std::move(value)); }
  bool binary(binary_t&) override { return false; }

  bool start_object(std::size_t) override { return open(Json::object()); }
  bool start_array(std::size_t) override { return open(Json::array()); }
  bool end_object() override { return close(); }
  bool end_array() override { return close(); }

  bool key(string_t& name) override {
    if (open_.back()->contains(name))
      fail(child_pointer(place(), name), "this key is there twice; a key may be given once");
    key_ = name;
    return true;
  }

  bool parse_error(std::size_t position, const std::string& last_token,
                   const nlohmann::detail::exception& error) override {
    if (error.id == 406) {  // a number out of range
      out_of_range_ = {next_place(), last_token, position};
      return false;
    }
    const std::size_t at = std::min(position == 0 ? 0 : position - 1, text_.size());
    const std::string_view before = text_.substr(0, at);
    const auto line = 1 + std::count(before.begin(), before.end(), '\n');
    const std::size_t column = at - (before.rfind('\n') == before.npos ? 0 : before.rfind('\n') + 1) + 1;
    std::string what = error.what();
    if (const auto cut = what.find(" - "); cut != what.npos) what.erase(0, cut + 3);
    return fail("line " + std::to_string(line), "not JSON at column " + std::to_string(column) + ": " + what);
  }

  Json& document() { return document_; }

  /// A number that the reading ended at, since no double holds it.
  struct OutOfRange {
    std::string place, number;
    std::size_t end = 0;  ///< of what was read
  };
  const std::optional<OutOfRange>& out_of_range() const { return out_of_range_; }

 private:
  template <class Value>
  bool add(Value&& value) {
    put(Json(std::forward<Value>(value)));
    return true;
  }

  Json& put(Json value) {
    if (open_.empty()) return document_ = std::move(value);
    if (open_.back()->is_array()) return open_.back()->emplace_back(std::move(value));
    return (*open_.back())[key_] = std::move(value);
  }

  bool open(Json empty) {
    if (open_.size() >= kDeepest) return fail(places_[1], "nested more than 64 levels deep");
    const std::string here = next_place();
    open_.push_back(&put(std::move(empty)));
    places_.push_back(here);
    return true;
  }

  bool close() {
    open_.pop_back();
    places_.pop_back();
    return true;
  }

  std::string place() const { return places_.empty() ? "" : places_.back(); }

  /// The pointer of the value that comes next.
  std::string next_place() const {
    if (open_.empty()) return "";
    return open_.back()->is_array() ? child_pointer(place(), open_.back()->size())
                                    : child_pointer(place(), key_);
  }

  bool fail(std::string place, std::string message) {
    problems_.push_back({std::move(place), std::move(message)});
    return false;
  }

  std::string_view text_;
  std::vector<TextProblem>& problems_;
  std::optional<OutOfRange> out_of_range_;
  Json document_;
  std::vector<Json*> open_;
  std::vector<std::string> places_;
  std::string key_;
};

/// Length of the UTF-8 sequence at the head of `text`; 0 when there is none.
std::size_t utf8_length(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned lead = byte(0);
  if (lead < 0x80) return 1;
  const std::size_t length = lead >= 0xC2 && lead <= 0xDF   ? 2
                             : (lead & 0xF0) == 0xE0        ? 3
                             : lead >= 0xF0 && lead <= 0xF4 ? 4
                                                            : 0;
  if (length == 0 || text.size() < length) return 0;
  for (std::size_t i = 1; i < length; ++i) {
    if ((byte(i) & 0xC0) != 0x80) return 0;
  }
  const unsigned second = byte(1);
  const bool overlong = (lead == 0xE0 && second < 0xA0) || (lead == 0xF0 && second < 0x90);
  const bool outside = (lead == 0xED && second > 0x9F) || (lead == 0xF4 && second > 0x8F);
  return overlong || outside ? 0 : length;
}

/// Where the text stops being UTF-8, as a line; nothing when it is UTF-8 throughout.
std::optional<std::size_t> first_broken_line(std::string_view text) {
  std::size_t line = 1;
  while (!text.empty()) {
    const std::size_t length = utf8_length(text);
    if (length == 0) return line;
    if (text.front() == '\n') ++line;
    text.remove_prefix(length);
  }
  return std::nullopt;
}

}  // namespace

std::optional<Json> parse_json(std::string_view text, std::vector<TextProblem>& problems) {
  if (text.find_first_not_of(" \t\r\n") == text.npos) {
    problems.push_back({"line 1", "the file is empty; expected a scenario, an object in JSON"});
    return std::nullopt;
  }
  if (const auto line = first_broken_line(text)) {
    problems.push_back({"line " + std::to_string(*line), "not UTF-8 text; a scenario is JSON in UTF-8"});
    return std::nullopt;
  }
  // The library gives up at a number out of range: put into quotes, it can be read past.
  constexpr std::size_t kMostNumbers = 100;
  std::string readable{text};
  std::vector<TextProblem> numbers;
  while (true) {
    std::vector<TextProblem> found;
    Builder builder(readable, found);
    const bool is_read = Json::sax_parse(readable, &builder);
    if (!is_read && builder.out_of_range() && numbers.size() < kMostNumbers) {
      const auto& [place, number, end] = *builder.out_of_range();
      numbers.push_back({place, "expected a number of a size that can be computed with; found " + number});
      const std::size_t at = readable.rfind(number, end);
      readable.replace(at, number.size(), "\"" + number + "\"");
      continue;
    }
    if (!is_read && found.empty()) found.push_back({"line 1", "not JSON"});
    problems.insert(problems.end(), found.begin(), found.end());
    problems.insert(problems.end(), numbers.begin(), numbers.end());
    if (!is_read) return std::nullopt;
    return std::move(builder.document());
  }
}

bool is_utf8(std::string_view text) { return !first_broken_line(text); }

std::optional<std::string> read_text_file(const std::filesystem::path& file, std::string& problem) {
  std::error_code error;
  const auto status = std::filesystem::status(file, error);
  if (status.type() == std::filesystem::file_type::not_found) {
    problem = "there is no such file";
    return std::nullopt;
  }
  if (std::filesystem::is_directory(status)) {
    problem = "expected a file; found a directory";
    return std::nullopt;
  }
  errno = 0;
  std::ifstream in(file, std::ios::binary);
  std::string text;
  char block[4096];
  while (in.read(block, sizeof block), in.gcount() > 0) {
    text.append(block, static_cast<std::size_t>(in.gcount()));
    if (text.size() > kLargestFile) {
      problem = "larger than 64 MiB, which no scenario is";
      return std::nullopt;
    }
  }
  if (in.eof()) return text;
  problem = "cannot be read";
  if (errno != 0) problem += std::string(": ") + std::strerror(errno);
  return std::nullopt;
}

std::string describe(const Json& value) {
  if (value.is_object()) return value.empty() ? "an empty object" : "an object";
  if (value.is_array()) return value.empty() ? "an empty list" : "a list";
  std::string text = value.dump(-1, ' ', false, Json::error_handler_t::replace);
  if (text.size() <= kLongestQuote) return text;
  std::size_t cut = kLongestQuote - 4;
  while (cut > 0 && (static_cast<unsigned char>(text[cut]) & 0xC0) == 0x80) --cut;
  return text.substr(0, cut) + (value.is_string() ? "...\"" : "...");
}

std::string child_pointer(std::string_view pointer, std::string_view key) {
  std::string joined(pointer);
  joined += '/';
  for (const char c : key) {
    if (c == '~') {
      joined += "~0";
    } else if (c == '/') {
      joined += "~1";
    } else {
      joined += c;
    }
  }
  return joined;
}

std::string child_pointer(std::string_view pointer, std::size_t index) {
  return std::string(pointer) + "/" + std::to_string(index);
}

}  // namespace fleetsim
