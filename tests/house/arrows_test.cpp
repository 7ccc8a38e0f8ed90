#include <doctest/doctest.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <regex>
#include <set>
#include <sstream>

// The shape of the house: who may include whom is what the CMake files say, and nothing runs upwards.
namespace {

namespace fs = std::filesystem;
using Names = std::set<std::string>;

std::string content(const fs::path& file) {
  std::ifstream in{file};
  std::stringstream text;
  text << in.rdbuf();
  return text.str();
}

/// Each room with all the rooms it may use, directly or not. A room may only use rooms declared before it.
std::map<std::string, Names> declared_rooms(const fs::path& root) {
  std::map<std::string, Names> rooms;
  for (const char* const part : {"models", "sim", "tools"}) {
    const std::string text = content(root / part / "CMakeLists.txt");
    const std::regex room{R"(fleetsim_room\(([a-z_/]+)([^)]*)\))"};
    for (std::sregex_iterator next{text.begin(), text.end(), room}, end; next != end; ++next) {
      Names& uses = rooms[(*next)[1]];
      std::istringstream words{(*next)[2].str()};
      bool in_uses = false;
      for (std::string word; words >> word;) {
        if (word == "USES" || word == "LIBRARIES") {
          in_uses = word == "USES";
        } else if (in_uses) {
          REQUIRE_MESSAGE(rooms.contains(word), (*next)[1].str()
                                                    << " uses " << word << ", which comes later");
          uses.insert(word);
          uses.insert(rooms[word].begin(), rooms[word].end());
        }
      }
    }
  }
  return rooms;
}

TEST_CASE("house: every include of ours goes to a room that the room's declaration names") {
  const fs::path root{FLEETSIM_SOURCE_DIR};
  const auto rooms = declared_rooms(root);
  CHECK(rooms.size() > 15);
  const std::regex include{R"re(#include "((models|sim|tools)/[a-z_]+)/[^"]*")re"};
  int includes = 0;
  for (const auto& [room, uses] : rooms) {
    for (const auto& entry : fs::directory_iterator{root / room}) {
      if (entry.path().extension() != ".cpp" && entry.path().extension() != ".hpp") continue;
      const std::string text = content(entry.path());
      for (std::sregex_iterator next{text.begin(), text.end(), include}, end; next != end; ++next) {
        const std::string used = (*next)[1];
        ++includes;
        CHECK_MESSAGE((used == room || uses.contains(used)), entry.path().string() << " includes " << used);
      }
    }
  }
  CHECK(includes > 100);
}

TEST_CASE("house: a header that other rooms include does not bring a heavy one with it") {
  const fs::path root{FLEETSIM_SOURCE_DIR};
  const std::regex heavy{R"(#include <(nlohmann/json\.hpp|tbb/|oneapi/|boost/graph|boost/program_options))"};
  const std::regex include{R"re(#include "((models|sim|tools)/[a-z_]+/[^"]*)")re"};
  std::map<std::string, Names> included_by;  // header -> rooms
  Names heavy_headers;
  for (const char* const part : {"models", "sim", "tools"}) {
    for (const auto& entry : fs::recursive_directory_iterator{root / part}) {
      if (entry.path().extension() != ".cpp" && entry.path().extension() != ".hpp") continue;
      const std::string text = content(entry.path());
      const std::string path = fs::relative(entry.path(), root).string();
      if (entry.path().extension() == ".hpp" && std::regex_search(text, heavy)) heavy_headers.insert(path);
      for (std::sregex_iterator next{text.begin(), text.end(), include}, end; next != end; ++next)
        included_by[(*next)[1]].insert(fs::path{path}.parent_path().string());
    }
  }
  for (const std::string& header : heavy_headers) {
    for (const std::string& room : included_by[header])
      CHECK_MESSAGE(room == fs::path{header}.parent_path().string(), room << " includes " << header);
  }
}

}  // namespace
