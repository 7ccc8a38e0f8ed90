#pragma once

#include <compare>
#include <cstdint>

namespace fleetsim {

/// A dense index, assigned from 0 by the container that owns the entity; a type of its own for every kind.
template <class Tag>
struct Index {
  std::uint32_t value;
  auto operator<=>(const Index&) const = default;
};

using PoolId = Index<struct PoolTag>;
using NodeId = Index<struct NodeTag>;
using JobId = Index<struct JobTag>;  ///< the slot of a live job: it is given to another once the job is gone
using ClassId = Index<struct ClassTag>;

}  // namespace fleetsim
