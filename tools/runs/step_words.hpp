#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "models/step/step.hpp"

namespace fleetsim {

// Layouts, software and number formats as words of a command line.

/// "tensor=8,pipeline=2,micro_batch=1,sharding=full" into a layout. Nothing where all is understood, else
/// what is not: the word, what was expected, the nearest name.
std::string read_layout_words(std::string_view words, Layout& layout);

/// "graphs=no,release=2024.5,attention=flash2" likewise.
std::string read_software_words(std::string_view words, Software& software);

/// The keys of software.
std::vector<std::string> software_keys();

/// "bf16", "fp8", "mxfp8", "nvfp4".
std::string read_number_word(std::string_view word, Number& number);
std::string_view to_string(Number number);

/// Keys and values in the words above.
using KeyValues = std::vector<std::pair<std::string, std::string>>;
/// All of a layout but what is zero and stands for its default, and of software: read back they are the same.
KeyValues layout_values(Layout layout);
KeyValues software_values(Software software);
/// "tensor=8,pipeline=2".
std::string joined(const KeyValues& values, std::string_view between = ",");

/// "TP8 PP2x4 CP1 DP8, micro-batch 1, sharded optimizer": what differs from one is shown.
std::string described(const Layout& layout);

}  // namespace fleetsim
