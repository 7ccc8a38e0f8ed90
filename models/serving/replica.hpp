#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "models/catalog/catalog.hpp"
#include "models/collective/collective.hpp"
#include "models/gemm/gemm.hpp"
#include "models/transformer/transformer.hpp"

namespace fleetsim {

/// How kernels of a step are launched.
enum class Launch : std::uint8_t {
  kGraph,   ///< replayed from a CUDA graph: the device never waits for its host
  kNative,  ///< one by one by a compiled runtime
  kEager,   ///< one by one by a framework that dispatches every operation
};

/// Who sums over the devices in one NVLink domain.
enum class AllReduce : std::uint8_t {
  kLibrary,  ///< the collectives of NCCL, as measured
  kDirect,   ///< kernels of the server that read from all devices at once, where they are faster
};

/// A model on tensor-parallel devices that answer together.
struct Replica {
  Transformer model;
  Accelerator device;
  Network network;  ///< between the devices
  std::int64_t tensor = 1;
  Bytes per_weight{2};  ///< 1 for INT8 or FP8, scales aside
  Bytes per_cache_element{2};
  Launch launch = Launch::kGraph;
  AllReduce all_reduce = AllReduce::kDirect;
  Seconds host{};  ///< what the server does between steps while the devices wait
};

/// Matrix products on a device: the curve fitted to its measured products or, where there are none, that of
/// H100 by the ratios of best products and of memory bandwidth.
GemmCurve gemm_curve(const Accelerator& device);

/// Keys and values that one token of context keeps, all layers without a window.
Bytes cache_bytes_per_token(const Replica& replica);

/// Keys and values of one sequence at this context, where windows stop growing, and state of state-space
/// layers, which never grows.
Bytes cache_bytes(const Replica& replica, std::int64_t context);

/// What one device holds. Heads of keys and values are split over the devices as far as they go; compressed
/// ones are not.
struct ReplicaMemory {
  Bytes weights;
  Bytes cache;
  Bytes headroom;  ///< what is left of the share that a server may fill; negative where it does not fit
};

/// Sequences at a time, each with so much context.
struct ServingLoad {
  std::int64_t batch = 1;
  std::int64_t context = 0;
};

/// A server fills 90 % of the memory, the default of vLLM, and keeps the rest for activations and the
/// runtime.
ReplicaMemory replica_memory(const Replica& replica, ServingLoad load);

/// What keeps a replica from serving this load; empty if nothing does.
std::vector<std::string> replica_problems(const Replica& replica, ServingLoad load);

/// The most sequences of this context that fit; zero where the weights alone do not.
std::int64_t largest_batch(const Replica& replica, std::int64_t context);

}  // namespace fleetsim
