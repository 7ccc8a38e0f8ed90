#include "models/text/nearest.hpp"

#include <doctest/doctest.h>

#include <string>
#include <vector>

using namespace fleetsim;

TEST_CASE("the nearest names come best first and strangers stay out") {
  const std::vector<std::string> known{"h100-sxm", "h200-sxm", "a100-80gb-sxm", "b200"};
  CHECK(nearest_names("h100", known).front() == "h100-sxm");
  CHECK(nearest_names("H100-SXM", known).front() == "h100-sxm");
  CHECK(nearest_names("h100-sxn", known, 1) == std::vector<std::string>{"h100-sxm"});
  CHECK(nearest_names("xyzzy-plugh", known).empty());
  CHECK(nearest_names("", known).empty());
}
