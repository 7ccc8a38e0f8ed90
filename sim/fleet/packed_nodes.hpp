#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <vector>

#include "sim/core/ids.hpp"
#include "sim/fleet/domains.hpp"
#include "sim/fleet/placement.hpp"
#include "sim/packing/packer.hpp"
#include "sim/workload/listed_job.hpp"

namespace fleetsim {

/// Nodes that are told apart by more than their free devices: CPU, memory, the model of their devices, how
/// many they have. A packing policy chooses among them. Kept by a pool, which says what is free of each card.
class PackedNodes {
 public:
  struct Setup {
    std::span<const NodeSpec> nodes;
    const PackingPolicy& policy;
    std::span<const WeightedShape> typical{};
    std::span<const HostDemand> demands{};  ///< by number, the first asks for nothing
    std::span<const std::vector<MemberKind>> unlike{};
    StreamKey draws;
    std::optional<StreamKey>
        order{};  ///< nodes stand in random order, which decides ties, instead of their own
  };
  explicit PackedNodes(const Setup& setup);

  std::uint32_t count() const { return static_cast<std::uint32_t>(rank_of_.size()); }
  const NodeSpec& spec(std::uint32_t node) const { return room().spec(rank_of_[node]); }
  const NodeRoom& room() const { return packer_.room(); }
  const Fragmentation& fragmentation() const { return packer_.fragmentation(); }

  /// Says what the job takes of a node, before it takes or gives back anything.
  void know(JobId job, const GangShape& shape);
  void hold(const Part& part, JobId job) { packer_.hold(task_of(job, part), rank_of_[part.node]); }
  void let_go(const Part& part, JobId job) { packer_.let_go(task_of(job, part), rank_of_[part.node]); }
  /// What is free of each card of the node; a node that is not open takes nobody.
  void set_cards(std::uint32_t node, std::span<const std::uint16_t> free, bool is_open) {
    packer_.set_cards(rank_of_[node], free, is_open);
  }
  /// No gang can count on the node.
  void write_off(std::uint32_t node);

  /// In one of the domains, of those that there are; anywhere where `domains` is null.
  bool fits(const GangShape& shape, const Domains* domains) const;
  /// Whether the nodes that are not written off could hold it if they were free.
  bool could_ever_fit(const GangShape& shape, const Domains* domains) const;
  /// Whether those of one domain could.
  bool could_ever_hold(const GangShape& shape, const Domains& domains, std::uint32_t domain) const;
  /// Appends a place for the gang, if there is one.
  bool place(const GangShape& shape, const Domains* domains, Placement& out) const;
  /// The part that the policy would take for one member of a gang, with so many devices, of the nodes that
  /// `may_use` allows.
  std::optional<Part> find_member(const GangShape& shape, std::uint32_t devices,
                                  const std::function<bool(std::uint32_t)>& may_use) const;
  /// Whether the part's node has the CPU and memory that the job takes with it.
  bool can_host(JobId job, const Part& part) const;
  /// Whether the node has the CPU, the memory and the model of device that a member asks for, whoever may
  /// have its devices.
  bool has_host_room(const GangShape& shape, std::uint32_t node) const;

  // For those who look ahead.

  /// The tasks that a gang consists of.
  struct Gang {
    struct Kind {
      ShapeId task;
      std::uint32_t count;
    };
    std::vector<Kind> kinds;
    bool is_nested;  ///< a node with room for a task of one kind has room for those of the kinds after it
    std::uint32_t nodes;
    mutable std::array<std::optional<bool>, kTopologyLevels> could_fit{};
  };
  const Gang& gang(const GangShape& shape) const { return gangs_[gang_number(shape)]; }
  const Gang& gang(std::uint32_t number) const { return gangs_[number]; }
  std::uint32_t gang_number(const GangShape& shape) const;
  const TaskShape& task(ShapeId id) const { return packer_.shape(id); }
  const TaskShape& held_by(JobId job, const Part& part) const { return packer_.shape(task_of(job, part)); }
  std::uint32_t fitting(ShapeId id) const { return packer_.fitting(id); }
  bool has_room(std::uint32_t node, ShapeId id) const { return packer_.fits(id, rank_of_[node]); }
  struct Free {
    std::int64_t cpu_milli, memory_bytes;
    std::span<const std::uint16_t> cards;
    bool is_open;
  };
  Free free(std::uint32_t node) const;
  /// As if so much were free of the node.
  void set_free(std::uint32_t node, const Free& free);
  /// All that these others are, but what is drawn.
  void follow(const PackedNodes& others);
  /// Whether nodes (of one domain) that pass `has_room(node, task)` are enough for the gang, a node for each
  /// member.
  bool enough(const Gang& gang, const Domains* domains,
              const std::function<bool(std::uint32_t, ShapeId)>& has_room) const;

 private:
  static TaskShape task_of(const GangShape& shape, const HostDemand& demand, std::uint32_t cards);
  ShapeId task_of(JobId job, const Part& part) const {
    return gangs_[gang_of_[job.value]].kinds[part.member].task;
  }
  Gang make_gang(const GangShape& shape) const;
  bool find_within(const Gang& gang, const Within& within, std::vector<std::uint32_t>& ranks) const;
  bool match(const Gang& gang, const Within& within, std::vector<std::uint32_t>& ranks) const;
  bool find(const Gang& gang, const Domains* domains, std::vector<std::uint32_t>& ranks) const;

  std::vector<std::uint32_t> node_at_, rank_of_;  ///< by rank in the order that decides ties, by node
  std::vector<HostDemand> demands_;
  std::vector<std::vector<MemberKind>> unlike_;
  std::vector<bool> written_off_;  ///< by node
  // Scores are made when they are asked for, and whoever draws draws.
  mutable Packer packer_;
  mutable std::map<GangShape, std::uint32_t> numbers_;
  mutable std::deque<Gang> gangs_;      ///< by number
  std::vector<std::uint32_t> gang_of_;  ///< by job: a number
};

}  // namespace fleetsim
