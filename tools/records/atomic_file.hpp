#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

namespace fleetsim {

/// Writes the file as a whole or not at all: under a temporary name in the same folder, to the disk, then
/// renamed. Returns what went wrong, if anything; then nothing is left behind, and a file that was there
/// before is as it was.
std::optional<std::string> write_file_atomically(const std::filesystem::path& path, std::string_view content);

}  // namespace fleetsim
