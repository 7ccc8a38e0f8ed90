#pragma once

#include <span>
#include <string_view>

namespace fleetsim {

/// A file of the catalog as it was at build time, so that an installed program needs no files beside it.
struct EmbeddedFile {
  std::string_view kind;  ///< its folder, such as "accelerators"
  std::string_view name;  ///< without the extension
  std::string_view text;
};

/// All of them, by kind and name.
std::span<const EmbeddedFile> embedded_files();

}  // namespace fleetsim
