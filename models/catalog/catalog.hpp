#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "models/gemm/gemm.hpp"
#include "models/quantity/quantity.hpp"
#include "models/reliability/failure_row.hpp"
#include "models/reliability/reliability.hpp"
#include "models/transformer/recommender.hpp"
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
  kCalibration,
  kCollectives,
  kGemms,
  kRecommenders,
};

inline constexpr CatalogKind kCatalogKinds[] = {
    CatalogKind::kAccelerators, CatalogKind::kNodes,       CatalogKind::kFabrics, CatalogKind::kTransformers,
    CatalogKind::kFailures,     CatalogKind::kPrices,      CatalogKind::kStorage, CatalogKind::kRecovery,
    CatalogKind::kCalibration,  CatalogKind::kCollectives, CatalogKind::kGemms,   CatalogKind::kRecommenders};

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

/// A rate as measured, or scaled from that of the nearest device by the ratio of their data sheets.
template <class T>
struct Measured {
  T value;
  std::string scaled_from;  ///< an entry of accelerators; empty where the device itself was measured
};

/// A rate of attention, causal, heads of 128, forward and backward together, at one length.
struct AttentionRate {
  FlopRate rate;
  std::int64_t sequence = 0;
  std::string scaled_from;  ///< as above

  /// At another length. Short sequences fill the device less: the rate falls as 1 / (1 + 450 / tokens), which
  /// fits the published curves of FlashAttention-2 from 512 to 16,384 tokens.
  FlopRate at(std::int64_t tokens) const;
};

/// What kernels reach at their best shape. Element-wise kernels are those of a framework without fusion, by
/// the bytes that must move.
struct KernelRates {
  Measured<FlopRate> gemm_bf16;
  std::optional<Measured<FlopRate>> gemm_fp8;
  std::optional<Measured<FlopRate>> gemm_sustained;  ///< over a minute, at the clock that power allows
  std::optional<AttentionRate> flash2;
  std::optional<AttentionRate> flash3;
  std::optional<AttentionRate> flash4;
  std::optional<AttentionRate> cudnn;
  Measured<ByteRate> copy;  ///< device to device, bytes read and written both counted
  Measured<ByteRate> add;
  Measured<ByteRate> norm;
  Measured<ByteRate> activation;
  Measured<ByteRate> rotary;
  Measured<Seconds> kernel_launch;
  Measured<Seconds> eager_operation;  ///< dispatch by the framework and launch
  std::int64_t multiprocessors = 0;
};

/// Data sheet rates: ideals to measure against, not what kernels reach, which is in `rates`.
struct Accelerator {
  std::string name;
  FlopRate peak_bf16;  ///< dense, without sparsity
  std::optional<FlopRate> peak_fp8;
  std::optional<FlopRate> peak_fp4;
  Bytes hbm;
  ByteRate hbm_bandwidth;
  ByteRate nvlink_one_way;
  Watts power;
  KernelRates rates;
};

struct Node {
  std::string name;
  std::string accelerator;  ///< an entry of accelerators
  std::int64_t devices = 0;
  std::int64_t nvlink_domain = 0;  ///< devices that NVLink joins, over several nodes where it is more
  Bytes host_memory;
  std::int64_t cpu_cores = 0;
  std::int64_t nics = 0;   ///< of the compute fabric
  ByteRate nic_bandwidth;  ///< each, one direction
  std::string fabric;      ///< an entry of fabrics: the usual one
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

/// Measured matrix products of a device, and the curve fitted to them.
struct GemmTable {
  std::string accelerator;  ///< an entry of accelerators
  Bytes per_element;
  GemmCurve curve;
  std::vector<MeasuredGemm> products;
};

struct RecommenderEntry {
  Recommender model;
  std::int64_t batch = 0;  ///< samples of a step in its reference
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

/// An entry as a table spelled it.
template <class T>
struct Like {
  std::string name;  ///< of the entry
  T entry;
  std::string remark;  ///< what the table added in parentheses: "w/o MTP"
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
Found<GemmTable> gemm_table(std::string_view name);
Found<RecommenderEntry> recommender(std::string_view name);

/// Lookup by any spelling: the name or one the entry lists under `also`, whatever its case, blanks, hyphens,
/// underscores, dots and parentheses. What stands in parentheses at the end may be a remark.
Found<Like<Transformer>> transformer_like(std::string_view name);
Found<Like<Accelerator>> accelerator_like(std::string_view name);

}  // namespace fleetsim
