#include "sim/scenario/traces.hpp"

#include <array>
#include <fstream>
#include <iterator>
#include <sstream>

namespace fleetsim {
namespace {

std::optional<std::string> content_of(const std::vector<std::filesystem::path>& folders,
                                      const std::string& file) {
  for (const std::filesystem::path& folder : folders) {
    const std::filesystem::path path = folder / file;
    std::error_code error;
    if (!std::filesystem::is_regular_file(path, error)) continue;
    std::ifstream in(path, std::ios::binary);
    if (!in) continue;
    return std::string(std::istreambuf_iterator<char>(in), {});
  }
  return std::nullopt;
}

std::string cache_key(const TraceFormat& format, const std::string& file, const TraceOptions& options) {
  std::string key(format.name);
  if (options.strict) key += " strict";
  if (options.recorded_status) key += " completed";
  if (options.machine_devices) key.append(" of ").append(std::to_string(*options.machine_devices));
  if (options.first_jobs) key.append(" ").append(std::to_string(*options.first_jobs));
  return key.append("\n").append(file);
}

}  // namespace

std::uint64_t hash_bytes(std::string_view bytes, std::uint64_t hash) {
  constexpr std::uint64_t kPrime = 0x100000001b3;
  for (const char c : bytes) hash = (hash ^ static_cast<unsigned char>(c)) * kPrime;
  return hash;
}

std::string hash_text(std::uint64_t hash) {
  std::string text(16, '0');
  for (auto digit = text.rbegin(); digit != text.rend(); ++digit, hash >>= 4)
    *digit = "0123456789abcdef"[hash & 15];
  return text;
}

const Traces::File* Traces::read(const TraceFormat& format, const std::string& file,
                                 const TraceOptions& options) {
  const std::string key = cache_key(format, file, options);
  auto found = files_.find(key);
  if (found == files_.end()) {
    const std::optional<std::string> content = content_of(folders_, file);
    if (!content) {
      missing_ = true;
      return nullptr;
    }
    std::istringstream in(*content);
    found = files_.emplace(key, File{format.read(in, options), hash_bytes(*content)}).first;
  }
  contents_.push_back(found->second.content);
  return &found->second;
}

const std::string* Traces::text(const std::string& file) {
  auto found = texts_.find(file);
  if (found == texts_.end()) {
    std::optional<std::string> content = content_of(folders_, file);
    if (!content) {
      missing_ = true;
      return nullptr;
    }
    found = texts_.emplace(file, std::move(*content)).first;
  }
  contents_.push_back(hash_bytes(found->second));
  return &found->second;
}

std::string Traces::folders_text() const {
  std::string text;
  for (const std::filesystem::path& folder : folders_) {
    if (!text.empty()) text += ", ";
    text += folder.empty() ? "." : folder.string();
  }
  return text;
}

}  // namespace fleetsim
