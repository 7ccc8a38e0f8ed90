#include "tools/records/atomic_file.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <system_error>

namespace fleetsim {
namespace {

namespace fs = std::filesystem;

std::string reason(int error) { return std::generic_category().message(error); }

/// Another name at every call, in this process and in others.
fs::path temporary_name(const fs::path& folder) {
  static std::atomic<unsigned> count{0};
  return folder / (".fleetsim-" + std::to_string(getpid()) + "-" + std::to_string(count++) + ".tmp");
}

int write_all(int file, std::string_view content) {
  while (!content.empty()) {
    const ssize_t written = write(file, content.data(), content.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return errno;
    content.remove_prefix(static_cast<std::size_t>(written));
  }
  return fsync(file) == 0 ? 0 : errno;
}

}  // namespace

std::optional<std::string> write_file_atomically(const fs::path& path, std::string_view content) {
  const auto failed = [&](const std::string& why) { return "cannot write " + path.string() + ": " + why; };
  std::error_code ignored;
  // A link stays a link; what it names is written.
  const fs::path target = fs::is_symlink(path, ignored) ? fs::weakly_canonical(path, ignored) : path;
  const fs::file_status status = fs::status(target, ignored);
  if (fs::is_directory(status)) return failed("there is a folder of that name");
  if (fs::exists(status) && !fs::is_regular_file(status)) return failed("it is not a file");
  const fs::path folder = target.has_parent_path() ? target.parent_path() : fs::path(".");

  constexpr int kAnyoneReads = 0666;
  const fs::path temporary = temporary_name(folder);
  const int file =
      open(temporary.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, kAnyoneReads);
  if (file < 0) return failed(reason(errno));
  int error = write_all(file, content);
  if (close(file) != 0 && error == 0) error = errno;
  if (error == 0 && rename(temporary.c_str(), target.c_str()) != 0) error = errno;
  if (error == 0) return std::nullopt;
  unlink(temporary.c_str());
  return failed(reason(error));
}

}  // namespace fleetsim
