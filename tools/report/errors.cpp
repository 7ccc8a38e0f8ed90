#include "tools/report/errors.hpp"

#include <algorithm>
#include <vector>

namespace fleetsim {

std::string errors_page(std::span<const Issue> issues, const Style& style) {
  constexpr std::size_t kWidestPointer = 48;
  std::vector<std::string> files;
  std::size_t width = 0;
  for (const Issue& issue : issues) {
    if (std::find(files.begin(), files.end(), issue.file) == files.end()) files.push_back(issue.file);
    width = std::max(width, std::min(kWidestPointer, display_width(clean(issue.pointer, style))));
  }
  std::string page;
  for (const std::string& file : files) {
    const auto is_here = [&](const Issue& issue) { return issue.file == file; };
    const auto count = std::count_if(issues.begin(), issues.end(), is_here);
    page += clean(file, style) + ": " + std::to_string(count) + (count == 1 ? " problem\n" : " problems\n");
    for (const Issue& issue : issues) {
      if (!is_here(issue)) continue;
      page +=
          "  " + pad_right(clean(issue.pointer, style), width) + "  " + clean(issue.message, style) + "\n";
    }
  }
  return page;
}

}  // namespace fleetsim
