#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sim/workload/trace.hpp"

namespace fleetsim {

/// FNV-1a with 64 bits, started from a hash to go on from.
inline constexpr std::uint64_t kHashStart = 0xcbf29ce484222325;
std::uint64_t hash_bytes(std::string_view bytes, std::uint64_t hash = kHashStart);
/// Sixteen hexadecimal digits.
std::string hash_text(std::uint64_t hash);

/// The trace files of one study: found, read once, and hashed.
class Traces {
 public:
  struct File {
    TraceReading reading;
    std::uint64_t content = 0;  ///< hash of the bytes
  };

  /// Files are looked for in these folders, in order.
  explicit Traces(std::vector<std::filesystem::path> folders) : folders_{std::move(folders)} {}

  /// Nothing when the file is not there; problems of its content are in its reading. `format` is a known one.
  const File* read(const TraceFormat& format, const std::string& file, const TraceOptions& options);

  /// The text of a file that is no trace; nothing when it is not there.
  const std::string* text(const std::string& file);

  /// Where a file that is not there was looked for, for people.
  std::string folders_text() const;

  bool missing() const { return missing_; }

  /// Starts the list of contents of one more point of the study.
  void start_point() { contents_.clear(); }
  /// Hashes of what was read for this point.
  const std::vector<std::uint64_t>& contents() const { return contents_; }

 private:
  std::vector<std::filesystem::path> folders_;
  std::map<std::string, File> files_;  ///< by format, name and options
  std::map<std::string, std::string> texts_;  ///< by name
  std::vector<std::uint64_t> contents_;
  bool missing_ = false;
};

}  // namespace fleetsim
