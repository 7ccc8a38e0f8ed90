#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "models/quantity/quantity.hpp"
#include "models/reliability/failure_row.hpp"
#include "models/reliability/reliability.hpp"
#include "models/transformer/transformer.hpp"

namespace fleetsim {

// What is known of hardware, models, failures and prices: one JSON file an entry, every value with its public
// source. The files are built into the program; adding one adds an entry.

/// The folders of the catalog.
enum class CatalogKind : std::uint8_t {
  kAccelerators,
  kNodes,
  kFabrics,
  kTransformers,
  kFailures,
  kPrices,
  kStorage,
  kRecovery,
  kCollectives,
};

inline constexpr CatalogKind kCatalogKinds[] = {
    CatalogKind::kAccelerators, CatalogKind::kNodes,    CatalogKind::kFabrics,
    CatalogKind::kTransformers, CatalogKind::kFailures, CatalogKind::kPrices,
    CatalogKind::kStorage,      CatalogKind::kRecovery, CatalogKind::kCollectives};

/// The name of the folder: "accelerators".
std::string_view to_string(CatalogKind kind);

/// The names of all entries of a kind, sorted.
std::vector<std::string> names(CatalogKind kind);

/// One line on an entry; nothing if there is none of that name.
std::optional<std::string> about(CatalogKind kind, std::string_view name);

/// The text of an entry's file, sources and all; nothing if there is none of that name.
std::optional<std::string_view> catalog_text(CatalogKind kind, std::string_view name);

/// An entry, or why there is none: exactly one of `entry` and `problem`.
template <class T>
struct Found {
  std::optional<T> entry;
  std::string problem;               ///< for the user: unknown accelerator "h10" (did you mean "h100-sxm"?)
  std::vector<std::string> nearest;  ///< known names like the one asked for, best first

  explicit operator bool() const { return entry.has_value(); }
};

/// Data sheet rates: ideals to measure against, not what kernels reach.
struct Accelerator {
  std::string name;
  FlopRate peak_bf16;  ///< dense, without sparsity
  std::optional<FlopRate> peak_fp8;
  Bytes hbm;
  ByteRate hbm_bandwidth;
  ByteRate nvlink_one_way;
  Watts power;
};

struct Node {
  std::string name;
  std::string accelerator;  ///< an entry of accelerators
  std::int64_t devices = 0;
  std::int64_t nvlink_domain = 0;  ///< devices that NVLink ties together: `devices`, or those of a rack
  Bytes host_memory;
  std::int64_t cpu_cores = 0;
  std::int64_t nics = 0;   ///< of the compute fabric
  ByteRate nic_bandwidth;  ///< each, one direction
  Watts power;
};

/// What carries the packets: fabrics of one technology have latencies that are alike.
enum class Technology : std::uint8_t { kInfiniband, kRoce, kEfa };

/// What shares a first switch: the same rail of all nodes of a pod, or all rails of the nodes of a rack.
enum class FabricLayout : std::uint8_t { kRails, kRacks };

struct Fabric {
  std::string name;
  Technology technology = Technology::kInfiniband;
  FabricLayout layout = FabricLayout::kRacks;
  ByteRate link;           ///< one rail, one direction
  std::int64_t rails = 0;  ///< per node
  std::int64_t nodes_per_rack = 0;
  std::int64_t nodes_per_pod = 0;
  double oversubscription = 1;      ///< bandwidth below over bandwidth above the leaf switches
  double pod_oversubscription = 1;  ///< bandwidth of the nodes of a pod over what leaves it
  Seconds latency;                  ///< end to end
};

struct FailureMix {
  std::string name;
  std::vector<FailureRow> rows;
};

struct Storage {
  std::string name;
  ByteRate aggregate;
  std::int64_t jobs_sharing = 1;  ///< evenly
};

/// Lookup by name. An entry that its own file spoils is a fault of the build and throws std::logic_error.
Found<Accelerator> accelerator(std::string_view name);
Found<Node> node(std::string_view name);
Found<Fabric> fabric(std::string_view name);
Found<Transformer> transformer(std::string_view name);
Found<FailureMix> failure_mix(std::string_view name);
Found<Price> price(std::string_view name);
Found<Storage> storage(std::string_view name);
Found<RecoveryBudget> recovery_budget(std::string_view name);

}  // namespace fleetsim
