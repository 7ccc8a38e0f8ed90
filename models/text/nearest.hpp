#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace fleetsim {

/// The known names most like `name`, best first, at most `limit`; equals in the order of `known`. Names so
/// unlike that they would only mislead are left out. For "did you mean ...?".
std::vector<std::string> nearest_names(std::string_view name, std::span<const std::string_view> known,
                                       std::size_t limit = 3);
std::vector<std::string> nearest_names(std::string_view name, std::span<const std::string> known,
                                       std::size_t limit = 3);

}  // namespace fleetsim
