#include "tools/records/atomic_file.hpp"

#include <doctest/doctest.h>
#include <sys/resource.h>

#include <csignal>
#include <fstream>
#include <sstream>

#include "tests/ledger/temporary_folder.hpp"

namespace fleetsim {
namespace {

namespace fs = std::filesystem;

std::ptrdiff_t entries(const fs::path& folder) {
  return std::distance(fs::directory_iterator(folder), fs::directory_iterator());
}

/// While it lives, no file can grow past the size given, as if the disk were full.
class FullDisk {
 public:
  explicit FullDisk(rlim_t size) {
    getrlimit(RLIMIT_FSIZE, &before_);
    previous_ = std::signal(SIGXFSZ, SIG_IGN);
    const rlimit now{size, before_.rlim_max};
    setrlimit(RLIMIT_FSIZE, &now);
  }
  ~FullDisk() {
    setrlimit(RLIMIT_FSIZE, &before_);
    std::signal(SIGXFSZ, previous_);
  }
  FullDisk(const FullDisk&) = delete;
  FullDisk& operator=(const FullDisk&) = delete;

 private:
  rlimit before_{};
  void (*previous_)(int);
};

TEST_CASE("atomic file: writes, replaces and leaves nothing else") {
  const TemporaryFolder folder;
  const fs::path path = folder.path() / "file";
  CHECK_FALSE(write_file_atomically(path, "first").has_value());
  CHECK(read_file(path) == "first");
  const std::string second(1'000'000, 'x');
  CHECK_FALSE(write_file_atomically(path, second).has_value());
  CHECK(read_file(path) == second);
  CHECK_FALSE(write_file_atomically(path, "").has_value());
  CHECK(read_file(path).empty());
  CHECK(entries(folder.path()) == 1);
}

TEST_CASE("atomic file: a full disk leaves the old file and nothing else") {
  const TemporaryFolder folder;
  const fs::path path = folder.path() / "file";
  REQUIRE_FALSE(write_file_atomically(path, "old").has_value());
  std::optional<std::string> problem;
  {
    const FullDisk full(4096);
    problem = write_file_atomically(path, std::string(100'000, 'x'));
  }
  REQUIRE(problem.has_value());
  CHECK(problem->starts_with("cannot write " + path.string() + ": "));
  CHECK(read_file(path) == "old");
  CHECK(entries(folder.path()) == 1);
}

TEST_CASE("atomic file: a folder in the way, and a folder that is not there") {
  const TemporaryFolder folder;
  fs::create_directory(folder.path() / "taken");
  CHECK(write_file_atomically(folder.path() / "taken", "x")
            .value_or("")
            .ends_with("there is a folder of that name"));
  CHECK(write_file_atomically(folder.path() / "none" / "file", "x").has_value());
  CHECK(entries(folder.path()) == 1);
}

TEST_CASE("atomic file: a link is followed, a device is not replaced") {
  const TemporaryFolder folder;
  std::ofstream(folder.path() / "real") << "old";
  fs::create_symlink("real", folder.path() / "link");
  CHECK_FALSE(write_file_atomically(folder.path() / "link", "new").has_value());
  CHECK(fs::is_symlink(folder.path() / "link"));
  CHECK(read_file(folder.path() / "real") == "new");
  fs::create_symlink("/dev/null", folder.path() / "null");
  CHECK(write_file_atomically(folder.path() / "null", "new").value_or("").ends_with("it is not a file"));
}

}  // namespace
}  // namespace fleetsim
