#include <doctest/doctest.h>

#include "models/catalog/catalog.hpp"
#include "models/step/on_node.hpp"
#include "tests/models/near.hpp"

using namespace fleetsim;

namespace {

StepInput recommender_on(std::int64_t devices) {
  const RecommenderEntry entry = recommender("dlrm-dcnv2").entry.value();
  StepInput input = step_on(*node("dgx-h100").entry);
  input.recommender = entry.model;
  input.layout = {.devices = devices, .global_batch = entry.batch};
  return input;
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
  const StepInput input = recommender_on(8);
  const StepBreakdown step = step_breakdown(input, step_constants());
  // 8,192 samples of a device, 26 rows of 128 BF16 elements each.
  const Bytes pooled{8192.0 * 26 * 128 * 2};
  const Seconds once = collective_time(*input.links, Collective::kAllToAll, pooled, {8, 8});
  CHECK(step.expert_comm.si == near(2 * once.si));
  // Three times as many rows looked up: twice the rows of before, read, and read and written, with state.
  StepInput more = input;
  more.recommender->lookups = 3 * 214;
  const Bytes rows{8192.0 * 2 * 214 * (3 * 128 * 4 + 2 * 4)};
  const StepBreakdown longer = step_breakdown(more, step_constants());
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
    StepInput input = recommender_on(devices);
    input.layout.global_batch = 1024 * devices;
    return step_breakdown(input, step_constants()).memory.si;
  };
  CHECK(memory(8) - memory(16) == near(tables / 16));
}

TEST_CASE("a recommender has no step where the devices do not divide the batch") {
  StepInput input = recommender_on(24);
  CHECK(step_problems(input) ==
        std::vector<std::string>{"the number of devices 24 does not divide the global batch 65536"});
  input.layout.devices = 16;
  CHECK(step_problems(input).empty());
}

TEST_CASE("a recommender's checkpoint is its tables with their state, and its layers") {
  const Recommender model = recommender("dlrm-dcnv2").entry.value().model;
  CHECK(checkpoint_bytes(model).si ==
        near(204184588.0 * 516 + 14 * static_cast<double>(dense_parameters(model))));
}
