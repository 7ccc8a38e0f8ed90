#include "sim/core/random_stream.hpp"

#include <Random123/philox.h>

namespace fleetsim {

RandomStream::RandomStream(const StreamKey& key)
    : key_{key.seed,
           static_cast<std::uint64_t>(key.replication) << 32 | static_cast<std::uint32_t>(key.purpose)},
      entity_{key.entity} {}

void RandomStream::refill() {
  const r123::Philox4x64::ctr_type counter{{block_, entity_, 0, 0}};
  const r123::Philox4x64::key_type key{{key_[0], key_[1]}};
  const r123::Philox4x64::ctr_type numbers = r123::Philox4x64{}(counter, key);
  for (std::size_t i = 0; i < buffer_.size(); ++i) buffer_[i] = numbers[i];
  ++block_;
  next_ = 0;
}

}  // namespace fleetsim
