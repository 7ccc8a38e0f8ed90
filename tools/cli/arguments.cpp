#include "tools/cli/arguments.hpp"

#include <algorithm>
#include <boost/make_shared.hpp>
#include <boost/program_options.hpp>
#include <charconv>
#include <iostream>

#include "models/text/nearest.hpp"
#include "tools/report/text.hpp"

namespace fleetsim {
namespace {

namespace po = boost::program_options;

constexpr OptionRow kHelp = {"help", "", "this text"};

po::options_description described(const Usage& usage) {
  po::options_description options;
  const auto add = [&](const OptionRow& row, const po::value_semantic* semantic) {
    options.add_options()(std::string(row.name).c_str(), semantic);
  };
  for (const OptionRow& row : usage.options)
    row.value.empty() ? add(row, new po::untyped_value(true)) : add(row, po::value<Words>());
  add(kHelp, new po::untyped_value(true));
  return options;
}

std::string usage_line(const Usage& usage) {
  std::string text = "fleetsim " + std::string(usage.command);
  if (!usage.positional.empty()) text += " " + std::string(usage.positional);
  for (const OptionRow& row : usage.options) {
    const std::string value = row.value.empty() ? "" : " " + std::string(row.value);
    const std::string option = "--" + std::string(row.name) + value;
    text += " " + (row.required ? option : "[" + option + "]");
  }
  return text;
}

void print_help(const Usage& usage) {
  const auto shown = [](const OptionRow& row) {
    return "--" + std::string(row.name) + (row.value.empty() ? "" : " " + std::string(row.value));
  };
  std::vector<OptionRow> rows(usage.options.begin(), usage.options.end());
  rows.push_back(kHelp);
  std::size_t widest = 0;
  for (const OptionRow& row : rows) widest = std::max(widest, shown(row).size());
  std::cout << wrap("usage: ", usage_line(usage)) << "\n" << wrap("", usage.about) << "\n";
  for (const OptionRow& row : rows) std::cout << wrap(pad_right(shown(row), widest + 2), row.about);
}

Words plain_words(const std::vector<std::basic_string<char>>& words) { return {words.begin(), words.end()}; }

}  // namespace

std::string did_you_mean(std::string_view name, const std::vector<std::string_view>& known) {
  const std::vector<std::string> nearest = nearest_names(name, std::span(known), 1);
  return nearest.empty() ? "" : " (did you mean \"" + nearest.front() + "\"?)";
}

Arguments Arguments::parse(const Usage& usage, const Words& words) {
  Arguments result;
  result.command_ = usage.command;

  const po::options_description options = described(usage);
  try {
    // Abbreviations are not guessed at: what a script says must not change its meaning when an option is
    // added.
    constexpr int kStyle = po::command_line_style::allow_long | po::command_line_style::long_allow_adjacent |
                           po::command_line_style::long_allow_next;
    po::command_line_parser parser(words);
    const po::parsed_options parsed = parser.options(options).style(kStyle).run();
    for (const po::option& option : parsed.options) {
      if (option.position_key >= 0 && option.string_key.empty()) {
        result.positional_.push_back(option.value.front());
      } else {
        Words& values = result.values_[option.string_key];
        for (const std::string& value : plain_words(option.value)) values.push_back(value);
      }
    }
  } catch (const po::unknown_option& error) {
    std::vector<std::string> known = {"--" + std::string(kHelp.name)};
    for (const OptionRow& row : usage.options) known.push_back("--" + std::string(row.name));
    const std::string name = error.get_option_name();
    result.reject("unknown option \"" + name + "\"" + did_you_mean(name, {known.begin(), known.end()}));
  } catch (const po::error& error) {
    result.reject(error.what());
  }
  if (result.exit_) return result;
  if (result.has(kHelp.name)) {
    print_help(usage);
    result.exit_ = ExitCode::done;
  } else if (result.positional_.size() < usage.least) {
    result.reject("expected " + std::string(usage.positional));
  } else if (result.positional_.size() > usage.most) {
    result.reject("unexpected \"" + result.positional_[usage.most] + "\"");
  }
  return result;
}

std::optional<std::string> Arguments::value(std::string_view option) const {
  const auto found = values_.find(option);
  if (found == values_.end() || found->second.empty()) return std::nullopt;
  return found->second.back();
}

Words Arguments::values(std::string_view option) const {
  const auto found = values_.find(option);
  return found == values_.end() ? Words{} : found->second;
}

std::optional<std::uint64_t> Arguments::whole(std::string_view option, std::uint64_t least,
                                              std::uint64_t most) {
  const std::optional<std::string> text = value(option);
  if (!text) return std::nullopt;
  std::uint64_t number = 0;
  const auto read = std::from_chars(text->data(), text->data() + text->size(), number);
  if (read.ec == std::errc{} && read.ptr == text->data() + text->size() && number >= least && number <= most)
    return number;
  reject("--" + std::string(option) + " expects a whole number from " + std::to_string(least) + " to " +
         std::to_string(most) + "; found \"" + *text + "\"");
  return std::nullopt;
}

void Arguments::reject(const std::string& problem) {
  std::cerr << "fleetsim " << command_ << ": " << clean(problem, Style{}) << "\n"
            << "fleetsim " << command_ << " --help lists what it takes\n";
  exit_ = ExitCode::bad_input;
}

}  // namespace fleetsim
