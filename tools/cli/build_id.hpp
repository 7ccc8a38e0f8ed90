#pragma once

#include <string_view>

namespace fleetsim {

/// The state of the sources that the program was built from: a revision, "-dirty" if they differ from it, or
/// "unknown".
std::string_view build_id();

}  // namespace fleetsim
