// Replicas that serve: what a scenario says of them, and what is said where it is wrong.
#include <cstdlib>

#include "models/catalog/network.hpp"
#include "models/serving/serving.hpp"
#include "tests/scenario/texts.hpp"

using namespace fleetsim;

namespace {

constexpr std::string_view kServing = R"({
  "fleet": { "pools": { "p": { "node": "dgx-h100", "nodes": 4 } } },
  "workload": { "s": { "kind": "service", "model": "llama2-70b", "gang": 8,
    "startup": { "fetch": "300 s", "load": "25 s", "warmup": "15 s" },
    "service": { "replicas": 2, "life": "1 d", "drain": "30 s" } } },
  "window": { "length": "7 d" }
})";

JobClass service_with(Sets sets) { return scenario_of(read_with(kServing, std::move(sets))).classes[0]; }
std::string issue_at(const std::string& place, const std::string& value) {
  return only_issue(read_with(kServing, {{place, value}}), place);
}

std::int64_t weight(const JobClass& job, Leaf leaf) {
  for (const auto& [each, weight] : job.program.weights)
    if (each == leaf) return weight;
  return 0;
}

}  // namespace

TEST_CASE("a replica: how it becomes ready, how long it lives, and how it comes back") {
  const JobClass job = service_with({});
  CHECK(job.kind == JobKind::service);
  CHECK(job.startup.total() == Duration::nanoseconds(340'000'000'000));
  CHECK(job.recovery.relaunch.total() == job.startup.total());
  CHECK(job.service.kept);
  CHECK(job.arrivals.count == 2);
  CHECK(job.service.life->mean() == 86400);
  CHECK(job.service.drain.mean() == 30);
  CHECK(!job.program_goodput.has_value());
}

TEST_CASE(
    "decoding: MBU is the floor over the step, P its arithmetic, and the rest is streaming and unknown") {
  // 140 GB at 8 x 3.35 TB/s are 5.22388 ms; 140 GFLOP at 8 x 989 TFLOP/s are 17.6947 us.
  const JobClass job = service_with({{"/workload/s/service/decode", R"({"step": "10.447761 ms"})"}});
  CHECK(*job.service.mbu == doctest::Approx(0.5).epsilon(1e-7).scale(0));
  CHECK(*job.program_goodput == doctest::Approx(17.69464e-6 / 10.447761e-3).epsilon(1e-6).scale(0));
  CHECK(weight(job, Leaf::ideal) + weight(job, Leaf::program_memory_bound) == 500'000'009);
  CHECK(weight(job, Leaf::program_headroom) == 0);
  const JobClass half = service_with(
      {{"/workload/s/service/decode", R"({"step": "10.447761 ms"})"}, {"/workload/s/service/busy", "0.5"}});
  CHECK(weight(half, Leaf::program_headroom) == 500'000'000);
  CHECK(*half.program_goodput == doctest::Approx(*job.program_goodput / 2).scale(0));
  CHECK(*half.service.mbu == *job.service.mbu);
}

TEST_CASE("a predicted decode step: MBU, P and parts are those of the serving model") {
  const JobClass job = service_with(
      {{"/workload/s/service/decode", R"({"model": true, "batch": 64, "context": 2048, "host": "2 ms"})"}});
  Replica replica{.model = *transformer("llama2-70b").entry,
                  .device = *accelerator("h100-sxm").entry,
                  .network = *network("dgx-h100", node("dgx-h100").entry->fabric).entry,
                  .tensor = 8,
                  .host = Seconds{2e-3}};
  const ServingStep step = decode_step(replica, {.batch = 64, .context = 2048});
  CHECK(job.service.predicted->time == step.time);
  CHECK(*job.service.mbu == step.mbu);
  CHECK(*job.program_goodput == step.mfu);
  // 140 GB of weights and 64 x 2,048 tokens of 327,680 B of cache through eight memories at 3.35 TB/s.
  const double floor = (140e9 + 64.0 * 2048 * 327'680) / (8 * 3.35e12);
  CHECK(*job.service.mbu == doctest::Approx(floor / step.time.si).epsilon(0.02));
  CHECK(static_cast<double>(weight(job, Leaf::program_dispatch)) ==
        doctest::Approx(1e9 * 2e-3 / step.time.si).epsilon(1e-6));
  CHECK(static_cast<double>(weight(job, Leaf::program_tensor_comm)) ==
        doctest::Approx(1e9 * step.exchange.si / step.time.si).epsilon(1e-6));
  std::int64_t sum = 0;
  for (const auto& [leaf, part] : job.program.weights) sum += part;
  CHECK(std::abs(sum - 1'000'000'000) < 4);
  CHECK(weight(job, Leaf::program_unattributed) == 0);
}

TEST_CASE("of a predicted decode step while half busy, half is headroom") {
  const JobClass job = service_with({{"/workload/s/service/decode", R"({"model": true, "batch": 8})"},
                                     {"/workload/s/service/busy", "0.5"}});
  CHECK(std::abs(weight(job, Leaf::program_headroom) - 500'000'000) < 4);
}

TEST_CASE("a decode step that cannot be predicted says why") {
  const auto issue = [](const std::string& decode, const std::string& place) {
    return only_issue(read_with(kServing, {{"/workload/s/service/decode", decode}}),
                      "/workload/s/service/decode" + place);
  };
  CHECK(contains(issue("{}", ""), "missing key \"step\", or \"model\": true"));
  CHECK(contains(issue(R"({"model": true, "step": "9 ms"})", "/step"), "excluded by \"model\": true"));
  CHECK(contains(issue(R"({"model": true, "cache": "1 GB"})", "/cache"), "excluded by \"model\": true"));
  CHECK(contains(issue(R"({"step": "9 ms", "context": 9})", "/context"), "goes with \"model\": true"));
  CHECK(contains(issue(R"({"model": true, "batch": 9000, "context": 4096})", "/model"), "does not fit"));
  CHECK(contains(only_issue(read_with(kServing, {{"/workload/s/service/decode", R"({"model": true})"},
                                                 {"/workload/s/gang", "7"}}),
                            "/workload/s/service/decode/model"),
                 "divides the 64 heads"));
}

TEST_CASE("a share of busy time without a known ideal leaves headroom and the rest") {
  const JobClass job = service_with({{"/workload/s/service/busy", "\"70 %\""}});
  CHECK(weight(job, Leaf::program_headroom) == 300'000'000);
  CHECK(weight(job, Leaf::program_unmodelled) == 700'000'000);
}

TEST_CASE("what makes no sense for a service is reported at its place") {
  CHECK(contains(issue_at("/workload/s/duration", "\"1 h\""), "means nothing to a service"));
  CHECK(contains(issue_at("/workload/s/service/life", "\"0 s\""), "above zero"));
  CHECK(contains(issue_at("/workload/s/service/ready", "\"1 h\""), "life"));
  CHECK(contains(issue_at("/workload/s/service/busy", "0"), "above 0"));
  CHECK(contains(only_issue(read_with(kServing, {{"/workload/s/service/decode", R"({"step": "5 ms"})"}}),
                            "/workload/s/service/decode/step"),
                 "at least the 5.2"));
  CHECK(contains(only_issue(read_with(kServing, {{"/workload/s/arrivals", R"({"poisson": "1 /h"})"}}),
                            "/workload/s/service/replicas"),
                 "excluded by \"arrivals\""));
  CHECK(contains(only_issue(read_with(kServing, {{"/window", R"({"until": "done"})"}}), "/window/until"),
                 "replaced without end"));
  CHECK(contains(only_issue(read_with(kSmall, {{"/workload/a/service", "{}"}}), "/workload/a/service"),
                 "needs \"kind\""));
}
