#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace fleetsim {

/// When a gang of several possible sizes starts, and when it changes its size.
struct ElasticPolicy {
  enum class Start : std::uint8_t {
    as_given,   ///< at the size of its gang
    at_most,    ///< at its largest size
    with_free,  ///< at any size, the largest that is free
  };
  std::string_view name, about, source, cost;
  Start start = Start::as_given;
  bool grows = false;    ///< into capacity that becomes free while nobody waits for it
  bool shrinks = false;  ///< where a job that it would keep waiting needs room, before anybody is stopped
};

std::span<const ElasticPolicy> elastic_table();
const ElasticPolicy* find_elastic(std::string_view name);

}  // namespace fleetsim
