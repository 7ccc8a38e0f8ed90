#include <algorithm>

#include "sim/engine/engine.hpp"
#include "sim/scenario/packing.hpp"

// How much of what is free jobs could not use, for pools that are to be measured. It is looked at anew
// whenever the pool or its queue has changed, which costs by the size of the pool and of the queue.

namespace fleetsim {
namespace {

/// Whole free devices of a pool, and what is free of shared ones, wherever they are.
struct Loose {
  std::int64_t whole = 0;
  std::vector<std::uint32_t> shares{};  ///< milli free, by shared device
};

Loose loose(const Pool& pool) {
  Loose free;
  for (std::uint32_t count = 1; count <= pool.devices_per_node(); ++count)
    free.whole += std::int64_t{count} * pool.nodes_with(count);
  const auto shares = pool.shares();
  for (std::size_t index = 0; index < shares.size(); ++index) {
    const bool first = index == 0 || shares[index - 1].node != shares[index].node ||
                       shares[index - 1].device != shares[index].device;
    if (first && pool.offers_share(shares[index].node, shares[index].device))
      free.shares.push_back(pool.share_free(shares[index].node, shares[index].device));
  }
  return free;
}

bool take(Loose& free, const GangShape& shape) {
  if (shape.milli == 0) {
    const std::int64_t devices = shape.capacity().milli() / 1000;
    if (free.whole < devices) return false;
    free.whole -= devices;
    return true;
  }
  const auto share = std::find_if(free.shares.begin(), free.shares.end(),
                                  [&](std::uint32_t milli) { return milli >= shape.milli; });
  if (share != free.shares.end()) {
    *share -= shape.milli;
    return true;
  }
  if (free.whole == 0) return false;
  --free.whole;
  free.shares.push_back(1000 - shape.milli);
  return true;
}

/// Milli-devices that jobs of this shape could use, one after the other, wherever devices are.
std::int64_t usable_loose(const Loose& free, const GangShape& shape) {
  if (shape.milli == 0) return free.whole * 1000 >= shape.capacity().milli() ? free.whole * 1000 : 0;
  const auto in_parts = [&](std::int64_t milli) { return milli / shape.milli * shape.milli; };
  std::int64_t usable = free.whole * in_parts(1000);
  for (const std::uint32_t milli : free.shares) usable += in_parts(milli);
  return usable;
}

/// The same where whole members take one node each, of nodes given by how many have how many free devices.
template <class NodesWith>
std::int64_t usable_on_nodes(const GangShape& shape, std::uint32_t per_node, NodesWith&& nodes_with) {
  const auto with_at_least = [&](std::uint32_t count) {
    std::uint32_t nodes = 0;
    for (std::uint32_t level = count; level <= per_node; ++level) nodes += nodes_with(level);
    return nodes;
  };
  if (!can_hold(shape, with_at_least) || shape.per_node == 0) return 0;
  std::int64_t usable = 0;
  for (std::uint32_t level = shape.per_node; level <= per_node; ++level)
    usable += std::int64_t{nodes_with(level)} * (level / shape.per_node * shape.per_node) * 1000;
  return usable;
}

std::int64_t usable_on_nodes(const Pool& pool, const GangShape& shape, TopologyLevel level) {
  const std::uint32_t per_node = pool.devices_per_node();
  const Domains* const domains = pool.domains(level);
  if (!Pool::is_near(shape, level)) return 0;
  if (domains == nullptr)
    return usable_on_nodes(shape, per_node, [&](std::uint32_t count) { return pool.nodes_with(count); });
  std::int64_t usable = 0;
  for (std::uint32_t domain = 0; domain < domains->count(); ++domain)
    usable += usable_on_nodes(shape, per_node,
                              [&](std::uint32_t count) { return domains->nodes_with(count, domain); });
  return usable;
}

/// What of a gang's wish counts where one that keeps to `level`, or to less, is counted.
TopologyLevel as_far_as(TopologyLevel level, TopologyLevel needed) {
  return needed <= level ? needed : TopologyLevel::pool;
}

Capacity rounded(double milli) { return Capacity::milli_devices(static_cast<std::int64_t>(milli + 0.5)); }

}  // namespace

void Engine::start_fragmentation() {
  for (std::uint32_t pool = 0; pool < pools_.size(); ++pool) {
    if (!scenario_.pools[pool].measure_fragmentation) continue;
    FragmentationBook book;
    for (const JobClass& job_class : scenario_.classes) {
      if (std::find(job_class.pools.begin(), job_class.pools.end(), pool) == job_class.pools.end()) continue;
      const bool is_required = job_class.topology.wait == Duration::max();
      const TopologyLevel needed = is_required ? job_class.topology.level : TopologyLevel::pool;
      for (const ExpectedGang& gang :
           expected_gangs(job_class, pools_[pool].devices_per_node(), scenario_.window))
        if (gang.shape.capacity() != Capacity::zero() && gang.shape.unlike == 0 && gang.jobs > 0)
          book.expected.push_back({gang.shape, needed, gang.jobs});
    }
    fragmentation_books_.emplace_back(pool, std::move(book));
  }
}

void Engine::book_fragmentation(std::uint32_t pool, FragmentationBook& book) {
  const SimTime first = clip(book.since), last = clip(now_);
  book.since = now_;
  if (first >= last) return;
  sample_fragmentation(pool, book, first, last);
  FragmentationSums& sums = result_.fragmentation[pool];
  sums.free += book.free * (last - first);
  sums.device += book.device * (last - first);
  sums.node += book.node * (last - first);
  sums.rack += book.rack * (last - first);
  sums.pod += book.pod * (last - first);
  sums.typical += book.typical * (last - first);
}

/// What holds from `first` on, at those instants of the series that come before `last`.
void Engine::sample_fragmentation(std::uint32_t pool, const FragmentationBook& book, SimTime first,
                                  SimTime last) {
  const auto& every = scenario_.pools[pool].sample_fragmentation;
  std::vector<FragmentationSample>& samples = result_.fragmentation_samples;
  if (!every || options_.jobs != RunOptions::Jobs::each) return;
  const std::int64_t next = ((first - window_start_).ns() + every->ns() - 1) / every->ns();
  for (SimTime at = window_start_ + *every * next; at < last && samples.size() < kMostSamples;
       at = at + *every)
    samples.push_back({at, pool, book.free, book.device, book.node, book.rack, book.pod, book.typical});
}

void Engine::measure_fragmentation() {
  for (auto& measured : fragmentation_books_) {
    const std::uint32_t index = measured.first;
    FragmentationBook& book = measured.second;
    const Pool& pool = pools_[index];
    const bool queued = depth_[index] > 0;
    if (!queued && book.version == pool.version()) continue;
    book_fragmentation(index, book);
    book.version = queued ? ~std::uint64_t{0} : pool.version();
    book.free = pool.in_state(DeviceState::free);
    if (const PackedNodes* const packed = pool.packed()) {
      const Fragmentation& measure = packed->fragmentation();
      const std::int64_t weight = std::max<std::int64_t>(measure.weight(), 1);
      book.typical = Capacity::milli_devices((measure.of(packed->room()) + weight / 2) / weight);
    }
    if (queued) {
      measure_by_queue(index, book);
      continue;
    }
    const Loose free = loose(pool);
    double jobs = 0, device = 0, node = 0, rack = 0, pod = 0;
    for (const FragmentationBook::Gang& gang : book.expected) {
      const auto add = [&](double& sum, std::int64_t usable) {
        sum += gang.jobs * static_cast<double>(usable);
      };
      const bool share = gang.shape.milli != 0;
      const std::int64_t anywhere = usable_loose(free, gang.shape);
      jobs += gang.jobs;
      add(device, anywhere);
      const auto near = [&](TopologyLevel level) {
        return share ? anywhere : usable_on_nodes(pool, gang.shape, as_far_as(level, gang.needed));
      };
      add(node, near(TopologyLevel::node));
      add(rack, near(TopologyLevel::rack));
      add(pod, near(TopologyLevel::spine));
    }
    const auto stranded = [&](double usable) {
      return jobs == 0 ? Capacity::zero() : book.free - rounded(usable / jobs);
    };
    book.device = stranded(device);
    book.node = stranded(node);
    book.rack = stranded(rack);
    book.pod = stranded(pod);
  }
}

void Engine::measure_by_queue(std::uint32_t index, FragmentationBook& book) const {
  Loose anywhere = loose(pools_[index]);
  Pool on_nodes = pools_[index], in_racks = pools_[index], in_pods = pools_[index];
  book.device = book.node = book.rack = book.pod = book.free;
  const auto start = [&](Pool& pool, const Job& job, TopologyLevel level, Capacity& stranded) {
    Placement parts;
    if (!place(pool, allocation_shape(job), as_far_as(level, near(job).needed), *placement_, parts))
      return;
    pool.take(parts, job.slot);
    stranded -= allocation_shape(job).capacity();
  };
  for (const Job& job : queue_) {
    const auto& pools = class_of(job).pools;
    const bool waits = job.phase == JobPhase::queued;
    if (!waits || std::find(pools.begin(), pools.end(), index) == pools.end()) continue;
    if (take(anywhere, allocation_shape(job))) book.device -= allocation_shape(job).capacity();
    start(on_nodes, job, TopologyLevel::node, book.node);
    start(in_racks, job, TopologyLevel::rack, book.rack);
    start(in_pods, job, TopologyLevel::spine, book.pod);
  }
}

}  // namespace fleetsim
