#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "sim/core/device_time.hpp"
#include "sim/core/ids.hpp"
#include "sim/core/random_stream.hpp"
#include "sim/fleet/bit_index.hpp"
#include "sim/fleet/domains.hpp"
#include "sim/fleet/nesting.hpp"
#include "sim/fleet/packed_nodes.hpp"
#include "sim/fleet/placement.hpp"
#include "sim/workload/listed_job.hpp"

namespace fleetsim {

/// What a device is doing, seen from its pool. Devices held by jobs are `held`; those of a node that is not
/// installed are `absent`.
enum class DeviceState : std::uint8_t { free, spare, transition, failed, maintenance, absent, held };
inline constexpr std::size_t kDeviceStates = 7;

/// The nodes of one pool with an index of what is free, kept up to date by every change. Knows nothing of
/// jobs but the number each device is held by.
class Pool {
 public:
  struct Shape {
    std::uint32_t nodes, devices_per_node, spares;
    std::span<const std::uint32_t> racks;
    enum class Holders : std::uint8_t {
      unknown,
      known
    } holders = Holders::known;  ///< whether `holder` is asked; so it is where nodes are packed
    const PackedNodes::Setup* packing = nullptr;      ///< nodes differ, or more than devices counts
    StreamKey draws{0, 0, Purpose::kPlacement, 0};    ///< for placements that draw
    std::span<const std::uint32_t> pods{}, spines{};  ///< of each node; empty: all in one
  };
  explicit Pool(const Shape& shape);

  std::uint32_t nodes() const { return nodes_; }
  std::uint32_t devices_per_node() const { return per_node_; }
  /// Devices that the node has, when it is there.
  DeviceMask installed(std::uint32_t node) const {
    return packed_ ? all_devices(packed_->spec(node).cards) : all_devices(per_node_);
  }
  /// Where nodes differ, or more than devices counts; otherwise nullptr.
  const PackedNodes* packed() const { return packed_ ? &*packed_ : nullptr; }
  /// For placements that draw.
  RandomStream& draws() const { return draws_; }
  /// Nothing is free for anybody.
  bool is_full() const { return in_state(DeviceState::free) == Capacity::zero() && !packed_; }
  /// Racks, pods or spines; nullptr where the whole pool is one, and at the levels node and pool.
  const Domains* domains(TopologyLevel level) const;
  bool is_divided() const { return !domains_.empty(); }
  /// Those levels of which the pool has several domains, the narrowest first.
  std::span<const Domains> levels() const { return domains_; }
  /// Which domains of that of `levels` lie in which of the next.
  const Nesting& nesting(std::size_t level) const;
  std::uint32_t racks() const {
    const Domains* const racks = domains(TopologyLevel::rack);
    return racks == nullptr ? 1 : racks->count();
  }
  std::uint32_t rack_of(std::uint32_t node) const {
    const Domains* const racks = domains(TopologyLevel::rack);
    return racks == nullptr ? 0 : racks->of(node);
  }
  /// Whether the gang keeps to one node if that is the level: whether it is one member.
  static bool is_near(const GangShape& shape, TopologyLevel level) {
    return level != TopologyLevel::node || shape.members() <= 1;
  }
  /// Makes it cheap to ask whether such gangs fit at a level.
  void expect(const GangShape& shape, TopologyLevel level);
  /// Device capacity in a state; shared devices count by their parts.
  Capacity in_state(DeviceState state) const { return totals_[static_cast<std::size_t>(state)]; }
  bool some_neither_free_nor_held() const { return otherwise_ != 0; }
  /// Devices of a node in a state other than held.
  DeviceMask devices_in(DeviceState state, std::uint32_t node) const {
    if (state == DeviceState::free && by_free_[per_node_].contains(node)) return all_devices(per_node_);
    return masks_[static_cast<std::size_t>(state)][node];
  }
  DeviceMask free_devices(std::uint32_t node) const { return devices_in(DeviceState::free, node); }
  /// Those of these devices that are in service.
  DeviceMask in_service(std::uint32_t node, DeviceMask devices) const {
    return devices & ~(devices_in(DeviceState::failed, node) | devices_in(DeviceState::maintenance, node) |
                       devices_in(DeviceState::absent, node));
  }
  /// Where devices of a node are that nobody holds: free, or out of the way while the node is withdrawn.
  DeviceState rest(std::uint32_t node) const { return rests_.empty() ? DeviceState::free : rests_[node]; }
  bool is_withdrawn(std::uint32_t node) const { return rest(node) != DeviceState::free; }
  bool some_withdrawn() const { return withdrawn_ > 0; }
  /// Changes with every change of what is free.
  std::uint64_t version() const { return version_; }
  std::uint32_t spare_target() const { return spare_target_; }
  std::uint32_t spare_count() const { return spare_count_; }

  /// Nodes with exactly `count` free devices, from `from` on; and how many there are (in a rack).
  std::optional<std::uint32_t> next_with(std::uint32_t count, std::uint32_t from) const {
    return by_free_[count].next(from);
  }
  std::optional<std::uint32_t> next_with_at_least(std::uint32_t count, std::uint32_t from) const {
    return count == per_node_ ? by_free_[count].next(from) : next_partly_free(count, from);
  }
  /// The first `count` wholly free nodes from `from` on, for `out`; there are as many.
  void first_whole_nodes(std::uint32_t count, std::uint32_t from, Placement& out) const;
  /// So many spare devices of one node, which has what else a member of the gang asks for, but none of those
  /// to avoid (`avoid(node)`): of the first node.
  template <class Avoid>
  std::optional<Part> find_spare(const GangShape& shape, std::uint32_t count, Avoid&& avoid) const {
    for (auto node = with_spares_.next(0); node; node = with_spares_.next(*node + 1)) {
      const DeviceMask spares = devices_in(DeviceState::spare, *node) & ~avoid(*node);
      if (static_cast<std::uint32_t>(std::popcount(spares)) < count) continue;
      if (packed_ && !packed_->has_host_room(shape, *node)) continue;
      return Part{.node = *node, .devices = lowest_bits(spares, count)};
    }
    return std::nullopt;
  }
  /// Nodes with exactly, or at least, `count` free devices.
  std::uint32_t nodes_with(std::uint32_t count) const { return free_counts_[count]; }
  std::uint32_t nodes_with_at_least(std::uint32_t count) const {
    return count == per_node_ ? free_counts_[count] : nodes_partly_free(count);
  }

  /// Whether the shape could be placed now with all its nodes in one domain of the level.
  bool fits(const GangShape& shape, TopologyLevel level) const {
    return packed_ ? is_near(shape, level) && packed_->fits(shape, domains(level))
                   : fits_devices(shape, level);
  }
  /// The same of a pool whose nodes are not packed.
  bool fits_devices(const GangShape& shape, TopologyLevel level) const;
  /// Whether an empty pool (spares kept) could hold it.
  bool could_ever_fit(const GangShape& shape, TopologyLevel level) const;
  /// Nodes that one domain of the level has for gangs, spares aside, in the best case.
  std::uint32_t most_nodes(TopologyLevel level) const;
  /// The first node and device that have `milli` of one device free: shared devices before whole ones of a
  /// node.
  std::optional<Part> find_share(std::uint32_t milli) const;
  /// Whether this part could be taken now.
  bool is_free(const Part& part) const;
  /// Milli-devices of a shared device that nobody holds.
  std::uint32_t share_free(std::uint32_t node, std::uint32_t device) const;

  /// Says what the job takes of a node beside devices, before it takes or gives back anything.
  void know(JobId job, const GangShape& shape) {
    if (packed_) packed_->know(job, shape);
  }
  /// Whether what nobody holds of a shared device is to be had.
  bool offers_share(std::uint32_t node, std::uint32_t device) const {
    return share_rest(node, device) == DeviceState::free;
  }
  /// Whether it is where the node's devices rest, or will be when the node is back.
  bool rests_with_node(std::uint32_t node, std::uint32_t device) const {
    return share_rest(node, device) == rest(node);
  }
  /// Takes parts from `free` (one from `spare`), for holder `job`; gives them back as free, or to another
  /// state. A part of a shared device goes back to where the node's devices rest, or, where that is free, is
  /// in transition.
  void take(std::span<const Part> parts, JobId job) {
    if (packed_) hold_packed(parts, job);
    take_devices(parts, job);
    if (packed_) tell_packed(parts);
  }
  void take(const Part& part, JobId job) { take(std::span{&part, 1}, job); }
  void take(const Placement& placement, JobId job) {
    if (packed_) return take(placement.list(), job);
    if (!placement.unlisted().empty()) take_nodes(placement.unlisted(), job);
    if (!placement.listed().empty()) take_devices(placement.listed(), job);
  }
  void take_spare(const Part& part, JobId job);
  void give_back(std::span<const Part> parts, JobId job, DeviceState to) {
    give_back_devices(parts, job, to);
    if (packed_) let_go_packed(parts, job);
  }
  void give_back(const Part& part, JobId job, DeviceState to) { give_back(std::span{&part, 1}, job, to); }
  void give_back(const Placement& placement, JobId job, DeviceState to) {
    if (packed_ || to != DeviceState::free || withdrawn_ > 0) return give_back(placement.list(), job, to);
    if (!placement.unlisted().empty()) give_back_nodes(placement.unlisted());
    if (!placement.listed().empty()) give_back_devices(placement.listed(), job, to);
  }
  /// Moves devices that no job holds between states. On a node that is withdrawn, they are at rest instead of
  /// free, spare or in transition, here and when they are given back.
  void move(std::uint32_t node, DeviceMask devices, DeviceState from, DeviceState to);
  /// Brings spare devices together on as few nodes as can be, so that the others are whole again: where some
  /// of a node are spare and others free, the free ones become spare in place of as many on nodes like it.
  void gather_spares() {
    if (partly_spare_ > 1) gather_parts();
  }
  /// A device that jobs share has failed: what nobody holds of it fails at once, the rest as it is given
  /// back.
  void break_share(std::uint32_t node, std::uint32_t device);
  /// Withdraws a node (`maintenance`, `absent`) or has it back (`free`). What nobody holds moves at once,
  /// what is held when it is given back, and what has failed when it is repaired, or at once if it is to be
  /// absent.
  /// @returns the whole devices that moved
  DeviceMask rest_in(std::uint32_t node, DeviceState state);
  /// The node never comes back: no gang can count on it. At most once a node.
  void write_off(std::uint32_t node) {
    --nodes_left_;
    if (node < nodes_ - spare_nodes_) {
      --usable_nodes_;
      for (Domains& each : domains_) each.write_off(node);
    }
    if (packed_) packed_->write_off(node);
  }
  /// Those that were not written off.
  std::uint32_t nodes_left() const { return nodes_left_; }

  /// Whether `holder` may be asked.
  bool knows_holders() const { return !holder_.empty(); }
  /// The job that holds a whole device; nothing if it is free, spare, out, or shared.
  std::optional<JobId> holder(std::uint32_t node, std::uint32_t device) const {
    const std::uint32_t job = holder_[std::size_t{node} * per_node_ + device];
    return job == kNobody ? std::nullopt : std::optional{JobId{job}};
  }
  /// Visits the job that holds it for every whole device, of these of a node, that somebody holds.
  template <class Visit>
  void for_each_holder(std::uint32_t node, DeviceMask devices, Visit&& visit) const {
    const std::uint32_t* const holders = &holder_[std::size_t{node} * per_node_];
    for (; devices != 0; devices &= devices - 1) {
      const std::uint32_t job = holders[std::countr_zero(devices)];
      if (job != kNobody) visit(JobId{job});
    }
  }
  /// Holders of parts of a shared device; a part that is torn down after its last one has none.
  struct Share {
    std::uint32_t node, device, milli;
    JobId job;
    bool is_held() const { return job.value != kNobody; }
  };
  bool is_torn_down(const Part& share) const { return torn_down(share) != shares_.end(); }
  /// It goes where what nobody holds of the device is.
  void end_teardown(const Part& share);
  std::span<const Share> shares() const { return shares_; }
  /// Visits, for each shared device of the node that rests with it, the part that nobody holds.
  template <class Visit>
  void for_each_resting_share(std::uint32_t node, Visit&& visit) const {
    std::optional<std::uint32_t> last;
    for (auto share = first_share(node, 0); share != shares_.end() && share->node == node; ++share) {
      if (std::exchange(last, share->device) == share->device) continue;
      const auto milli = static_cast<std::uint16_t>(share_free(node, share->device));
      if (milli == 0 || !rests_with_node(node, share->device)) continue;
      visit(Part{.node = node, .milli = milli, .devices = DeviceMask{1} << share->device});
    }
  }

 private:
  static constexpr std::uint32_t kNobody = 0xffffffff;

  DeviceMask& mask(DeviceState state, std::uint32_t node) {
    return masks_[static_cast<std::size_t>(state)][node];
  }
  void set_free(std::uint32_t node, DeviceMask devices);
  void gather_parts();
  bool is_partly_spare(std::uint32_t node) const {
    const DeviceMask spare = devices_in(DeviceState::spare, node);
    return spare != 0 && spare != installed(node);
  }
  void tell_packed(std::uint32_t node);
  void tell_packed(std::span<const Part> parts);
  void hold_packed(std::span<const Part> parts, JobId job);
  void let_go_packed(std::span<const Part> parts, JobId job);
  bool holds_devices(std::uint32_t node, JobId job) const;
  std::vector<Share>::const_iterator first_share(std::uint32_t node, std::uint32_t device) const;
  void take_nodes(std::span<const NodeWord> words, JobId job);
  void give_back_nodes(std::span<const NodeWord> words);
  void count_nodes(std::uint32_t nodes, std::uint32_t before, std::uint32_t after);
  void know_nodes(std::span<const NodeWord> words, std::uint32_t before, std::uint32_t after,
                  std::uint32_t holder);
  bool is_broken(std::uint32_t node, std::uint32_t device) const {
    return !broken_.empty() && (broken_[node] >> device & 1) != 0;
  }
  /// Where a part of a shared device is that nobody holds.
  DeviceState share_rest(std::uint32_t node, std::uint32_t device) const {
    return is_broken(node, device) ? DeviceState::failed : rest(node);
  }
  void set_holder(const Part& part, std::uint32_t holder);
  void take_share(const Part& part, JobId job);
  void give_back_share(const Part& part, JobId job, DeviceState to);
  void free_share(std::vector<Share>::const_iterator share, DeviceState from);
  std::vector<Share>::const_iterator torn_down(const Part& share) const;
  void take_devices(std::span<const Part> parts, JobId job);
  void give_back_devices(std::span<const Part> parts, JobId job, DeviceState to);
  DeviceState resting(std::uint32_t node, DeviceState state) const {
    if (!is_withdrawn(node) || state == DeviceState::held) return state;
    return state < DeviceState::failed || rest(node) == DeviceState::absent ? rest(node) : state;
  }
  std::optional<std::uint32_t> next_partly_free(std::uint32_t count, std::uint32_t from) const;
  std::uint32_t nodes_partly_free(std::uint32_t count) const;
  void add(DeviceState state, std::int64_t milli) {
    ++version_;
    totals_[static_cast<std::size_t>(state)] += Capacity::milli_devices(milli);
    if (state != DeviceState::free && state != DeviceState::held) otherwise_ += milli;
  }

  std::uint32_t nodes_, nodes_left_, per_node_;
  std::uint32_t usable_nodes_ = 0;  ///< that gangs may count on: neither spares nor written off
  std::uint32_t spare_nodes_ = 0;   ///< at first: the last ones
  std::uint32_t spare_target_ = 0, spare_count_ = 0;  ///< devices
  std::uint32_t partly_spare_ = 0;                    ///< nodes
  std::uint64_t version_ = 0;
  std::uint32_t withdrawn_ = 0;                               ///< nodes
  std::vector<DeviceState> rests_;                            ///< by node; empty until one is withdrawn
  std::array<std::vector<DeviceMask>, kDeviceStates> masks_;  ///< by state, by node; nothing is in the one of
                                                              ///< free devices of a node that is wholly free
  std::vector<std::uint32_t> holder_;                         ///< by device; kNobody
  BitIndex with_spares_;                                      ///< nodes with spare devices
  std::vector<BitIndex> by_free_;                             ///< by count of free devices
  std::vector<std::uint32_t> free_counts_;                    ///< nodes by count of free devices
  std::vector<Domains> domains_;           ///< racks, pods, spines, as far as there are several
  mutable std::vector<Nesting> nestings_;  ///< of each but the last in the next, once somebody asks
  std::vector<Share> shares_;              ///< sorted by node, device
  std::vector<DeviceMask> broken_;         ///< by node: shared devices that have failed; empty until one has
  std::array<Capacity, kDeviceStates> totals_{};
  std::int64_t otherwise_ = 0;  ///< milli-devices in the other states together
  std::optional<PackedNodes> packed_;
  mutable RandomStream draws_;
};

}  // namespace fleetsim
