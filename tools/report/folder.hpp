#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "sim/ledger/records.hpp"

namespace fleetsim {

struct NamedFile {
  std::string name;
  std::string content;
};

/// Why files could not be written into the folder, which need not exist yet; nothing if they could. Leaves
/// nothing behind: for asking before a long run.
std::optional<std::string> folder_problem(const std::filesystem::path& folder);

/// Writes the files, and the tables of records if given, all or none; makes the folder. Returns what went
/// wrong, if anything; then no file has changed.
std::optional<std::string> write_folder(const std::filesystem::path& folder,
                                        const std::vector<NamedFile>& files, const Records* records);

}  // namespace fleetsim
