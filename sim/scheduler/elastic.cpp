#include "sim/scheduler/elastic.hpp"

#include <algorithm>
#include <array>

namespace fleetsim {
namespace {

using Start = ElasticPolicy::Start;

constexpr std::array kPolicies{
    ElasticPolicy{"fixed", "keeps the size of its gang"},
    ElasticPolicy{"wait", "starts only at its largest size", Start::at_most},
    ElasticPolicy{"immediate", "starts with what there is, and keeps that size", Start::with_free},
    ElasticPolicy{"step-up", "starts with what there is, and grows when more is free", Start::with_free,
                  true},
    ElasticPolicy{"fill-and-shrink", "the same, and gives up what others wait for", Start::with_free, true,
                  true},
};

}  // namespace

std::span<const ElasticPolicy> elastic_table() { return kPolicies; }

const ElasticPolicy* find_elastic(std::string_view name) {
  const auto row = std::find_if(kPolicies.begin(), kPolicies.end(),
                                [&](const ElasticPolicy& each) { return each.name == name; });
  return row == kPolicies.end() ? nullptr : &*row;
}

}  // namespace fleetsim
