#pragma once

#include <bit>
#include <cstdint>
#include <initializer_list>
#include <span>
#include <utility>
#include <vector>

#include "sim/core/device_time.hpp"

namespace fleetsim {

/// Devices of one node, one bit each.
using DeviceMask = std::uint64_t;
inline constexpr std::uint32_t kMaxDevicesPerNode = 64;

constexpr DeviceMask all_devices(std::uint32_t count) {
  return count == kMaxDevicesPerNode ? ~DeviceMask{0} : (DeviceMask{1} << count) - 1;
}

/// What of one node a job holds: whole devices, or `milli` of one device; none where it is there for CPU and
/// memory alone.
struct Part {
  std::uint32_t node = 0;
  std::uint16_t milli = 0;   ///< 0: whole devices
  std::uint16_t member = 0;  ///< of a gang with unlike members: which kind
  DeviceMask devices = 0;

  std::uint32_t count() const { return static_cast<std::uint32_t>(std::popcount(devices)); }
  Capacity capacity() const {
    return milli != 0 ? Capacity::milli_devices(milli) : Capacity::devices(count());
  }
  friend bool operator==(const Part&, const Part&) = default;
};

Capacity capacity(std::span<const Part> parts);

/// Whole nodes, 64 of which make a word of an index.
struct NodeWord {
  std::uint32_t word;
  std::uint64_t nodes;
};

/// What a job holds of a pool: a list of parts. Whole nodes of which only the number was asked for stay words
/// of the index of free nodes, as they are found, taken and given back, until somebody looks at the parts.
class Placement {
 public:
  using Parts = std::vector<Part>;
  using value_type = Part;

  Placement() = default;
  Placement(std::initializer_list<Part> parts) : parts_{parts} {}

  bool empty() const { return words_.empty() && parts_.empty(); }
  void clear() {
    words_.clear();
    parts_.clear();
  }
  void swap(Placement& other) {
    words_.swap(other.words_);
    if (!parts_.empty() || !other.parts_.empty()) parts_.swap(other.parts_);
    std::swap(devices_of_each_, other.devices_of_each_);
  }

  /// Whole nodes, before every other part.
  void add_nodes(const NodeWord& nodes, DeviceMask devices_of_each) {
    words_.push_back(nodes);
    devices_of_each_ = devices_of_each;
  }
  /// Those that are not listed, and the parts that are.
  std::span<const NodeWord> unlisted() const { return words_; }
  std::span<const Part> listed() const { return parts_; }
  void push_back(const Part& part) { parts_.push_back(part); }

  /// Visits all parts, and lists none.
  template <class Visit>
  void for_each(Visit&& visit) const {
    for (const NodeWord& each : words_)
      for (std::uint64_t left = each.nodes; left != 0; left &= left - 1)
        visit(Part{.node = each.word * 64 + static_cast<std::uint32_t>(std::countr_zero(left)),
                   .devices = devices_of_each_});
    for (const Part& part : parts_) visit(part);
  }

  /// All of it as a list.
  const Parts& list() const {
    if (!words_.empty()) list_nodes();
    return parts_;
  }
  Parts& list() {
    if (!words_.empty()) list_nodes();
    return parts_;
  }
  auto begin() const { return list().begin(); }
  auto end() const { return list().end(); }
  auto begin() { return list().begin(); }
  auto end() { return list().end(); }
  auto rbegin() const { return list().rbegin(); }
  auto rend() const { return list().rend(); }
  auto rbegin() { return list().rbegin(); }
  auto rend() { return list().rend(); }
  std::size_t size() const { return list().size(); }
  const Part& operator[](std::size_t index) const { return list()[index]; }
  Part& operator[](std::size_t index) { return list()[index]; }
  const Part& front() const { return list().front(); }
  const Part& back() const { return list().back(); }
  const Part* data() const { return list().data(); }
  void pop_back() { list().pop_back(); }
  void erase(Parts::const_iterator part) { list().erase(part); }
  template <class Which>
  void erase_if(Which&& which) {
    std::erase_if(list(), which);
  }
  template <class Iterator>
  void append(Iterator first, Iterator last) {
    list().insert(list().end(), first, last);
  }
  friend bool operator==(const Placement& a, const Placement& b) { return a.list() == b.list(); }

 private:
  void list_nodes() const;

  // Looking at the parts lists them.
  mutable std::vector<NodeWord> words_;
  mutable Parts parts_;
  DeviceMask devices_of_each_ = 0;  ///< of the nodes that are not listed
};

}  // namespace fleetsim
