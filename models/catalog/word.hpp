#pragma once

#include <cstddef>
#include <string_view>

#include "models/catalog/entry.hpp"

namespace fleetsim {

/// A word of the catalog and what it stands for.
template <class E>
struct Word {
  std::string_view name;
  E value;
};

template <class E, std::size_t N>
E word(const CatalogEntry& entry, std::string_view key, std::string_view text, const Word<E> (&words)[N]) {
  for (const Word<E>& known : words) {
    if (known.name == text) return known.value;
  }
  entry.fail(key, "is not a word known there");
}

}  // namespace fleetsim
