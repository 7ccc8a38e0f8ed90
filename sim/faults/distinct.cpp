#include "sim/faults/distinct.hpp"

#include <boost/random/uniform_int_distribution.hpp>

namespace fleetsim {

std::vector<bool> draw_distinct(RandomStream& stream, std::uint32_t count, std::uint32_t of) {
  // Floyd's sample.
  std::vector<bool> drawn(of);
  for (std::uint32_t last = of - count; last < of; ++last) {
    boost::random::uniform_int_distribution<std::uint32_t> draw{0, last};
    const std::uint32_t entity = draw(stream);
    drawn[drawn[entity] ? last : entity] = true;
  }
  return drawn;
}

}  // namespace fleetsim
