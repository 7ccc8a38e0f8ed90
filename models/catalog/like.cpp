#include <cctype>
#include <map>

#include "models/catalog/find.hpp"

namespace fleetsim {
namespace {

/// Lower case, without blanks and the marks that tables set as they like, nor the maker's name ahead.
std::string plain(std::string_view name) {
  std::string kept;
  for (const char c : name) {
    if (std::string_view(" \t_-.()").find(c) != std::string_view::npos) continue;
    kept += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  }
  constexpr std::string_view kMaker = "nvidia";
  return kept.starts_with(kMaker) && kept.size() > kMaker.size() ? kept.substr(kMaker.size()) : kept;
}

/// From every way an entry of the kind is written to its name.
std::map<std::string, std::string> spellings(CatalogKind kind) {
  std::map<std::string, std::string> all;
  for (const std::string& name : names(kind)) {
    all.emplace(plain(name), name);
    const nlohmann::json object = nlohmann::json::parse(*catalog_text(kind, name));
    if (!object.contains("also")) continue;
    for (const nlohmann::json& also : object.at("also")) {
      all.emplace(plain(also.get_ref<const std::string&>()), name);
    }
  }
  return all;
}

struct Spelled {
  std::string name;
  std::string remark;
};

Spelled without_remark(std::string_view name) {
  const std::size_t open = name.rfind('(');
  if (open == std::string_view::npos || name.back() != ')') return {std::string(name), ""};
  return {std::string(name.substr(0, open)), std::string(name.substr(open + 1, name.size() - open - 2))};
}

template <class T>
Found<Like<T>> find_like(CatalogKind kind, const std::map<std::string, std::string>& known,
                         std::string_view name, Found<T> (*lookup)(std::string_view)) {
  Spelled spelled{std::string(name), ""};
  auto found = known.find(plain(spelled.name));
  if (found == known.end()) {
    spelled = without_remark(name);
    found = known.find(plain(spelled.name));
  }
  if (found == known.end()) return not_found<Like<T>>(kind, name);
  Found<Like<T>> like;
  like.entry = Like<T>{found->second, lookup(found->second).entry.value(), spelled.remark};
  return like;
}

}  // namespace

Found<Like<Transformer>> transformer_like(std::string_view name) {
  static const std::map<std::string, std::string> known = spellings(CatalogKind::kTransformers);
  return find_like(CatalogKind::kTransformers, known, name, transformer);
}

Found<Like<Accelerator>> accelerator_like(std::string_view name) {
  static const std::map<std::string, std::string> known = spellings(CatalogKind::kAccelerators);
  return find_like(CatalogKind::kAccelerators, known, name, accelerator);
}

}  // namespace fleetsim
