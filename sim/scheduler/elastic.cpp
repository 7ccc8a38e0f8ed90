#include "sim/scheduler/elastic.hpp"

#include <algorithm>
#include <array>

namespace fleetsim {
namespace {

using Start = ElasticPolicy::Start;

constexpr std::string_view kGrowing = "a look at the running elastic jobs whenever something becomes free";

constexpr std::array kPolicies{
    ElasticPolicy{"fixed", "keeps the size of its gang", "common usage", "none"},
    ElasticPolicy{"wait", "starts only at its largest size",
                  "Machine Learning Systems, volume 2, \"Elastic training\"", "that of any gang",
                  Start::at_most},
    ElasticPolicy{"immediate", "starts with what there is, and keeps that size",
                  "moldable jobs: Feitelson and Rudolph, JSSPP 1996",
                  "a search over its sizes when it starts", Start::with_free},
    ElasticPolicy{"step-up", "starts with what there is, and grows when more is free",
                  "malleable jobs: Feitelson and Rudolph, JSSPP 1996; Machine Learning Systems, volume 2",
                  kGrowing, Start::with_free, true},
    ElasticPolicy{
        "fill-and-shrink", "the same, and gives up what others wait for",
        "elastic training between a least and a most size, as TorchElastic allows and Pollux (Qiao et al., "
        "OSDI 2021) schedules",
        "the same, and a look at the running elastic jobs for each job that cannot start", Start::with_free,
        true, true},
};

}  // namespace

std::span<const ElasticPolicy> elastic_table() { return kPolicies; }

const ElasticPolicy* find_elastic(std::string_view name) {
  const auto row = std::find_if(kPolicies.begin(), kPolicies.end(),
                                [&](const ElasticPolicy& each) { return each.name == name; });
  return row == kPolicies.end() ? nullptr : &*row;
}

}  // namespace fleetsim
