#include <doctest/doctest.h>

#include "models/catalog/catalog.hpp"
#include "models/catalog/network.hpp"
#include "models/step/recommender_step.hpp"
#include "tests/models/near.hpp"

using namespace fleetsim;

namespace {

RecommenderInput input_of(std::int64_t devices) {
  const RecommenderEntry entry = recommender("dlrm-dcnv2").entry.value();
  return {.model = entry.model,
          .device = step_device(accelerator("h100-sxm").entry.value()),
          .links = std::make_shared<const Network>(network("dgx-h100", "ndr400-rail").entry.value()),
          .devices = devices,
          .batch = entry.batch};
}

}  // namespace

TEST_CASE("a recommender's layers are counted, and its tables are not arithmetic") {
  const Recommender model = recommender("dlrm-dcnv2").entry.value().model;
  // By hand: three layers below, three crosses of rank 512 over 27 rows of 128, five layers above.
  const double bottom = 13 * 512 + 512 * 256 + 256 * 128, crosses = 3 * 2 * 3456.0 * 512;
  const double top = 3456 * 1024 + 1024 * 1024 + 1024 * 512 + 512 * 256 + 256;
  CHECK(static_cast<double>(dense_parameters(model)) == bottom + crosses + top);
  CHECK(training_flops_per_sample(model).si == near(6 * (bottom + crosses + top)));
}

TEST_CASE("pooled rows cross the links twice, and looked up rows memory three times") {
  const RecommenderInput input = input_of(8);
  const StepBreakdown step = recommender_step(input, step_constants());
  // 8,192 samples of a device, 26 rows of 128 BF16 elements each.
  const Bytes pooled{8192.0 * 26 * 128 * 2};
  const Seconds once = collective_time(*input.links, Collective::kAllToAll, pooled, {8, 8});
  CHECK(step.expert_comm.si == near(2 * once.si));
  // Three times as many rows looked up: twice the rows of before, read, and read and written, with state.
  RecommenderInput more = input;
  more.model.lookups = 3 * 214;
  const Bytes rows{8192.0 * 2 * 214 * (3 * 128 * 4 + 2 * 4)};
  const StepBreakdown longer = recommender_step(more, step_constants());
  CHECK((longer.memory_bound - step.memory_bound).si == near((rows / input.device.copy).si));
  CHECK(longer.total() > step.total());
  Seconds sum;
  for (const StepPart& part : step_parts()) {
    CHECK(step.*part.time >= Seconds{});
    sum += step.*part.time;
  }
  CHECK(sum.si == step.total().si);
}

TEST_CASE("tables are spread over the devices, and layers are not") {
  const double tables = 204184588.0 * (128 * 4 + 4);
  const auto memory = [](std::int64_t devices) {
    RecommenderInput input = input_of(devices);
    input.batch = 1024 * devices;
    return recommender_step(input, step_constants()).memory.si;
  };
  CHECK(memory(8) - memory(16) == near(tables / 16));
}
