#pragma once

#include <span>
#include <string>

#include "sim/scenario/read.hpp"
#include "tools/report/text.hpp"

namespace fleetsim {

/// All that is wrong with what the user wrote: file by file, each problem with its pointer, nothing else.
std::string errors_page(std::span<const Issue> issues, const Style& style);

}  // namespace fleetsim
