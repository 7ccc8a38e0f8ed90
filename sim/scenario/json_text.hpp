#pragma once

#include <filesystem>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace fleetsim {

using Json = nlohmann::ordered_json;

/// What is wrong with a text as JSON: a sentence and the place, "line 3" or a JSON pointer.
struct TextProblem {
  std::string place, message;
};

/// Parses strict JSON in UTF-8: no comments, no duplicate keys, no number out of range, at most 64 levels.
/// Past a key that is there twice, or a number out of range, which becomes a text, it reads on: then there
/// are problems beside a document. @returns nothing where the rest makes no sense.
std::optional<Json> parse_json(std::string_view text, std::vector<TextProblem>& problems);

bool is_utf8(std::string_view text);

/// The content of a file, at most 64 MiB; nothing, and why in a sentence, when it cannot be had.
std::optional<std::string> read_text_file(const std::filesystem::path& file, std::string& problem);

/// For messages: a string in quotes, a number as written, "an object"; long texts are cut.
std::string describe(const Json& value);

/// `pointer` with one more token, escaped.
std::string child_pointer(std::string_view pointer, std::string_view key);
std::string child_pointer(std::string_view pointer, std::size_t index);

}  // namespace fleetsim
