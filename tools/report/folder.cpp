#include "tools/report/folder.hpp"

#include <stdlib.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <system_error>

#include "tools/records/atomic_file.hpp"
#include "tools/records/records_csv.hpp"

namespace fleetsim {
namespace {

namespace fs = std::filesystem;

/// A folder of its own beside the files to be, removed with what is left in it.
class Staging {
 public:
  explicit Staging(const fs::path& folder) {
    std::string name = (folder / ".fleetsim-XXXXXX").string();
    if (mkdtemp(name.data()) != nullptr) {
      path_ = name;
    } else {
      problem_ = std::generic_category().message(errno);
    }
  }
  ~Staging() {
    std::error_code ignored;
    if (!path_.empty()) fs::remove_all(path_, ignored);
  }
  Staging(const Staging&) = delete;
  Staging& operator=(const Staging&) = delete;

  const fs::path& path() const { return path_; }
  const std::string& problem() const { return problem_; }

 private:
  fs::path path_;
  std::string problem_;
};

std::string cannot_write(const fs::path& folder, const std::string& why) {
  return "cannot write into " + folder.string() + ": " + why;
}

/// Tables that only some runs write.
constexpr std::array kSometimes{"jobs.csv",      "preemptions.csv", "fragmentation.csv",
                                "scheduler.csv", "timeline.csv",    "steps.csv"};

/// Those of an earlier run that this one has not written would stand beside its results as if they were its
/// own.
void remove_leftovers(const fs::path& folder, const std::vector<fs::path>& written) {
  for (const char* const name : kSometimes) {
    std::error_code ignored;
    if (std::find(written.begin(), written.end(), name) == written.end()) fs::remove(folder / name, ignored);
  }
}

/// Moves everything in `from` to `to`, over what is there.
std::optional<std::string> move_files(const fs::path& from, const fs::path& to) {
  std::vector<fs::path> names;
  for (const fs::directory_entry& entry : fs::directory_iterator(from))
    names.push_back(entry.path().filename());
  for (const fs::path& name : names) {
    if (fs::is_directory(to / name)) return cannot_write(to, "there is a folder named " + name.string());
  }
  const bool has_results = fs::exists(to / "result.json");  // else what is there may be somebody's own
  for (const fs::path& name : names) {
    std::error_code error;
    fs::rename(from / name, to / name, error);
    if (error) return cannot_write(to, error.message());
  }
  if (has_results) remove_leftovers(to, names);
  return std::nullopt;
}

}  // namespace

std::optional<std::string> folder_problem(const fs::path& folder) {
  std::error_code ignored;
  fs::path place = fs::absolute(folder, ignored);
  while (!fs::exists(place, ignored) && place.has_parent_path() && place != place.parent_path())
    place = place.parent_path();
  if (!fs::is_directory(place, ignored)) return cannot_write(folder, place.string() + " is not a folder");
  const Staging probe(place);
  if (!probe.problem().empty()) return cannot_write(folder, probe.problem());
  return std::nullopt;
}

std::optional<std::string> write_folder(const fs::path& folder, const std::vector<NamedFile>& files,
                                        const Records* records) {
  std::error_code error;
  fs::create_directories(folder, error);
  if (error) return cannot_write(folder, error.message());
  const Staging staging(folder);
  if (!staging.problem().empty()) return cannot_write(folder, staging.problem());
  for (const NamedFile& file : files) {
    if (auto problem = write_file_atomically(staging.path() / file.name, file.content)) return problem;
  }
  if (records != nullptr) {
    if (auto problem = write_records(staging.path(), *records)) return problem;
  }
  return move_files(staging.path(), folder);
}

}  // namespace fleetsim
