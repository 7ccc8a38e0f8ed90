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

TEST_CASE("house: heavy headers stay out of ours") {
  const std::regex heavy{R"(#include <(nlohmann/json\.hpp|tbb/|oneapi/|boost/graph|boost/program_options))"};
  for (const char* const part : {"models", "sim", "tools"}) {
    for (const auto& entry : fs::recursive_directory_iterator{fs::path{FLEETSIM_SOURCE_DIR} / part}) {
      if (entry.path().extension() != ".hpp") continue;
      CHECK_MESSAGE(!std::regex_search(content(entry.path()), heavy), entry.path().string());
    }
  }
}

}  // namespace
