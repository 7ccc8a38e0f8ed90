#include <doctest/doctest.h>

#include <algorithm>
#include <map>
#include <memory>
#include <tuple>
#include <vector>

#include "models/catalog/catalog.hpp"
#include "models/step/evidence.hpp"
#include "models/step/step.hpp"

// What sends between pipeline stages cost, by hand and against a schedule played through pass by pass.
namespace fleetsim {
namespace {

constexpr double kRate = 50e9, kNvlink = 400e9;

/// 80 layers of 8,192 on 64 devices, eight to a node; links that reach their rate at once.
StepInput on_ideal_links(std::int64_t stages, std::int64_t chunks, std::int64_t batch) {
  StepInput input;
  input.model = *transformer("llama2-70b").entry;
  input.device = step_device(*accelerator("h100-sxm").entry);
  input.links = std::make_shared<const Network>(
      ideal_network(8, {ByteRate{kNvlink}, Seconds{}}, {ByteRate{kRate}, Seconds{}}));
  input.layout = {
      .devices = 64, .pipeline = stages, .interleave = chunks, .global_batch = batch, .uneven = true};
  return input;
}

/// Without tensor ranks, sends are all that this part has.
Seconds sends_of(const StepInput& input) {
  REQUIRE(layout_problems(input.layout, input.model).empty());
  return step_breakdown(input, step_constants()).tensor_comm;
}

double one_send(double bytes) { return bytes / kRate; }

constexpr double kSequenceBytes = 4096 * 8192 * 2.0;  // of a sequence's activations

/// A pass of a chunk, forward or backward, and the schedule's order of them on one rank: Megatron-LM's 1F1B,
/// plain or interleaved.
struct Pass {
  bool is_forward;
  int chunk, microbatch;
};

std::vector<Pass> schedule(int stages, int chunks, int microbatches, int rank) {
  const auto pass = [&](bool is_forward, int index) {
    const int round = index / (stages * chunks), in_round = index % (stages * chunks);
    const int chunk = chunks == 1 ? 0 : in_round / stages;
    const int microbatch = chunks == 1 ? index : round * stages + in_round % stages;
    return Pass{is_forward, is_forward ? chunk : chunks - 1 - chunk, microbatch};
  };
  const int all = chunks * microbatches, ahead = stages - rank - 1;
  const int warm = std::min(chunks == 1 ? ahead : 2 * ahead + (chunks - 1) * stages, all);
  std::vector<Pass> order;
  for (int i = 0; i < warm; ++i) order.push_back(pass(true, i));
  for (int i = 0; i < all; ++i) {
    if (warm + i < all) order.push_back(pass(true, warm + i));
    order.push_back(pass(false, i));
  }
  return order;
}

/// The end of a step whose passes take 1 forward and 2 backward. A send takes `send`; without chunks its rank
/// waits for it, with them it goes on.
double played(int stages, int chunks, int microbatches, double send) {
  std::vector<std::vector<Pass>> orders;
  for (int rank = 0; rank < stages; ++rank) orders.push_back(schedule(stages, chunks, microbatches, rank));
  std::vector<std::size_t> next(orders.size(), 0);
  std::vector<double> free(orders.size(), 0);
  std::map<std::tuple<bool, int, int>, double> arrived;  // by direction, place in the pipeline, microbatch
  const int last = stages * chunks - 1;
  for (bool moved = true; moved;) {
    moved = false;
    for (int rank = 0; rank < stages; ++rank) {
      const auto r = static_cast<std::size_t>(rank);
      for (; next[r] < orders[r].size(); ++next[r], moved = true) {
        const Pass& pass = orders[r][next[r]];
        const int place = pass.chunk * stages + rank;
        const bool is_first = place == (pass.is_forward ? 0 : last);
        const auto input = arrived.find({pass.is_forward, place, pass.microbatch});
        if (!is_first && input == arrived.end()) break;
        const double start = is_first ? free[r] : std::max(free[r], input->second);
        const double end = start + (pass.is_forward ? 1 : 2);
        const bool is_last = place == (pass.is_forward ? last : 0);
        arrived[{pass.is_forward, place + (pass.is_forward ? 1 : -1), pass.microbatch}] = end + send;
        free[r] = end + (chunks == 1 && !is_last ? send : 0);
      }
    }
  }
  return *std::max_element(free.begin(), free.end());
}

TEST_CASE("without chunks a microbatch waits for one send each way, and the first for all stages") {
  // 16 data ranks, and so 16 microbatches of one sequence; four stages.
  const double send = one_send(kSequenceBytes);
  CHECK(sends_of(on_ideal_links(4, 1, 256)).si == doctest::Approx((2 * 15 + 2 * 3) * send).epsilon(1e-9));
  // Two stages send to each other at the same time: 32 data ranks of 8 microbatches.
  CHECK(sends_of(on_ideal_links(2, 1, 256)).si == doctest::Approx((7 + 2) * send).epsilon(1e-9));
  CHECK(sends_of(on_ideal_links(1, 1, 256)).si == 0);
}

TEST_CASE("chunks hide sends behind each other, but for the way through all of them and back") {
  const double send = one_send(kSequenceBytes);
  CHECK(sends_of(on_ideal_links(4, 5, 256)).si == doctest::Approx(2 * 19 * send).epsilon(1e-9));
  CHECK(sends_of(on_ideal_links(4, 20, 256)).si == doctest::Approx(2 * 79 * send).epsilon(1e-9));
}

TEST_CASE("exposed sends are those of the schedule, played through pass by pass") {
  const double send = one_send(kSequenceBytes);
  for (const int stages : {2, 4, 8}) {
    for (const int chunks : {1, 2, 5}) {
      for (const int microbatches : {8, 16, 32}) {
        CAPTURE(stages);
        CAPTURE(chunks);
        CAPTURE(microbatches);
        const double brief = 0.01;
        const double waits =
            (played(stages, chunks, microbatches, brief) - played(stages, chunks, microbatches, 0)) / brief;
        const Seconds ours = sends_of(on_ideal_links(stages, chunks, microbatches * 64 / stages));
        CHECK(std::abs(ours.si / send - waits) <= 1 + 1e-6);  // one more where the last is not waited for
      }
    }
  }
}

TEST_CASE("what crosses is a rank's own rows") {
  // Beside the exchange inside nodes, which stays when the network takes no time.
  const auto alone = [](StepInput input) {
    const Seconds with = sends_of(input);
    input.links = std::make_shared<const Network>(
        ideal_network(8, {ByteRate{kNvlink}, Seconds{}}, {ByteRate{1e30}, Seconds{}}));
    return with.si - sends_of(input).si;
  };
  StepInput input = on_ideal_links(4, 1, 32);
  input.layout.tensor = 8;
  CHECK(alone(input) == doctest::Approx(36 * one_send(kSequenceBytes / 8)).epsilon(1e-9));
  input.layout.sequence_parallel = false;
  CHECK(alone(input) == doctest::Approx(36 * one_send(kSequenceBytes)).epsilon(1e-9));
  input = on_ideal_links(4, 1, 64);
  input.layout.context = 4;
  CHECK(alone(input) == doctest::Approx(36 * one_send(kSequenceBytes / 4)).epsilon(1e-9));
}

TEST_CASE("stages of one NVLink domain send over NVLink, those of several over the network") {
  StepInput input = on_ideal_links(4, 1, 32);
  input.layout.devices = 8;  // two data ranks of 16 microbatches
  CHECK(sends_of(input).si == doctest::Approx(36 * kSequenceBytes / kNvlink).epsilon(1e-9));
  // Sixteen devices: two stages in each domain. The slower of the sends sets the pace; of those that the
  // first microbatch meets, half cross.
  input.layout.devices = 16;
  input.layout.global_batch = 64;
  const double far = one_send(kSequenceBytes), near = kSequenceBytes / kNvlink;
  CHECK(sends_of(input).si == doctest::Approx(30 * far + 3 * (near + far)).epsilon(1e-9));
}

TEST_CASE("more chunks are more sends, slower links longer ones, and parts still add up to the step") {
  StepInput input = on_ideal_links(8, 1, 256);
  Seconds before;
  for (const std::int64_t chunks : {2, 3, 5, 10}) {
    input.layout.interleave = chunks;
    const Seconds sends = sends_of(input);
    CHECK(sends > before);
    before = sends;
    StepInput slow = input;
    slow.slow_links.sends = 300;  // longer than a chunk's passes
    const StepBreakdown step = step_breakdown(slow, step_constants());
    CHECK(step.tensor_comm > 301 * sends);
    Seconds sum;
    for (const StepPart& part : step_parts()) sum += step.*part.time;
    CHECK(sum.si == step.total().si);
    slow.software.overlap = false;
    CHECK(step_breakdown(slow, step_constants()).tensor_comm > step.tensor_comm);
  }
}

TEST_CASE("chunks hide the gradients' exchange behind the rounds of the others") {
  StepInput input = on_ideal_links(4, 1, 256);
  const StepBreakdown plain = step_breakdown(input, step_constants());
  input.layout.interleave = 5;
  const StepBreakdown chunked = step_breakdown(input, step_constants());
  CHECK(chunked.data_comm < 0.5 * plain.data_comm);
  CHECK(chunked.overlap_contention > plain.overlap_contention);
  input.software.overlap = false;
  const StepBreakdown serial = step_breakdown(input, step_constants());
  CHECK(serial.overlap_contention == plain.overlap_contention);
  CHECK(serial.data_comm > plain.data_comm);
}

TEST_CASE("how well sends are known is said beside the other exchange") {
  StepInput input = on_ideal_links(4, 1, 256);
  const std::vector<ExchangeEvidence> all = exchange_evidence(input);
  CHECK(std::any_of(all.begin(), all.end(), [](const auto& each) { return each.kind == "stages"; }));
}

}  // namespace
}  // namespace fleetsim
