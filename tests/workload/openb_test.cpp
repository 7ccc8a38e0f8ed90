#include "sim/workload/openb.hpp"

#include <doctest/doctest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "sim/core/device_time.hpp"

namespace fleetsim {
namespace {

const std::string kHeader =
    "name,cpu_milli,memory_mib,num_gpu,gpu_milli,gpu_spec,qos,pod_phase,creation_time,deletion_time,"
    "scheduled_time\n";
constexpr std::int64_t kSecond = 1'000'000'000;

OpenbReading<OpenbPod> read_pods(const std::string& text, DeviceModelNames& models) {
  std::istringstream in{text};
  return read_openb_pods(in, models);
}

TEST_CASE("alibaba-01: a pod that was never scheduled has no run time, and none of its lifetime is one") {
  DeviceModelNames models;
  const auto reading = read_pods(kHeader +
                                     "p1,12000,16384,1,1000,,LS,Running,1000,4600,1000\n"
                                     "p2,11908,47104,1,1000,,BE,Pending,2000,2125,\n"
                                     "p3,3152,5600,1,810,,BE,Failed,3000,3012,3002\n"
                                     "p4,8000,30517,0,0,,BE,Running,3000,4000,3000\n",
                                 models);
  CHECK(reading.problems.empty());
  REQUIRE(reading.rows.size() == 4);
  DeviceTime total;
  for (const OpenbPod& pod : reading.rows) {
    if (pod.run) total += Capacity::milli_devices(std::int64_t{pod.cards} * pod.milli_per_card) * *pod.run;
  }
  CHECK(total == DeviceTime::milli_device_ns(Int128{3'608'100} * kSecond));
  CHECK(reading.rows[0].run->ns() == 3600 * kSecond);
  CHECK_FALSE(reading.rows[0].gave_up_after);
  CHECK_FALSE(reading.rows[1].run);
  CHECK(reading.rows[1].gave_up_after->ns() == 125 * kSecond);
  CHECK(reading.rows[2].run->ns() == 10 * kSecond);
  CHECK(reading.rows[2].submit == SimTime::at_ns(3000 * kSecond));
  CHECK(reading.rows[3].cards == 0);
}

TEST_CASE(
    "alibaba-02: shares of one card, whole cards, alternatives; shares of several are skipped and told") {
  DeviceModelNames models;
  const auto reading = read_pods(
      "name,cpu_milli,memory_mib,num_gpu,gpu_milli,gpu_spec\n"
      "a,1,1,1,460,\nb,1,1,8,1000,\nc,1,1,1,1000,V100M16|V100M32\nd,1,1,0,0,\ne,1,1,2,1000,T4\n"
      "f,1,1,2,500,\n",
      models);
  CHECK(reading.problems.empty());
  CHECK(models == DeviceModelNames{"V100M16", "V100M32", "T4"});
  REQUIRE(reading.rows.size() == 5);
  const auto is = [&](std::size_t row, std::uint32_t cards, std::uint32_t milli, std::uint64_t accepts) {
    const OpenbPod& pod = reading.rows[row];
    return pod.cards == cards && pod.milli_per_card == milli && pod.models == accepts;
  };
  CHECK(is(0, 1, 460, 0));
  CHECK(is(1, 8, 1000, 0));
  CHECK(is(2, 1, 1000, 0b011));
  CHECK(is(3, 0, 0, 0));
  CHECK(is(4, 2, 1000, 0b100));
  CHECK(reading.notes == std::vector<std::string>{"skipped, asks for shares of several cards: 1 (line 7)"});
}

TEST_CASE("lists without times and models are read, and models have one number in both lists") {
  DeviceModelNames models;
  std::istringstream nodes_in{
      "sn,cpu_milli,memory_mib,gpu,model\nn0,32000,262144,0,\nn1,96000,393216,8,G2\nn2,8000,61440,1,T4\n"};
  const auto nodes = read_openb_nodes(nodes_in, models);
  CHECK(nodes.problems.empty());
  REQUIRE(nodes.rows.size() == 3);
  CHECK(nodes.rows[0].cards == 0);
  CHECK(nodes.rows[0].model == 0);
  CHECK(nodes.rows[1].name == "n1");
  CHECK(nodes.rows[1].cpu_milli == 96000);
  CHECK(nodes.rows[1].memory_mib == 393216);
  CHECK(nodes.rows[1].cards == 8);
  CHECK(nodes.rows[1].model == 1);
  const auto pods = read_pods("name,cpu_milli,memory_mib,num_gpu,gpu_milli\np,12000,16384,1,1000\n", models);
  REQUIRE(pods.rows.size() == 1);
  CHECK_FALSE(pods.rows[0].run);
  CHECK_FALSE(pods.rows[0].gave_up_after);
  const auto typed = read_pods(kHeader + "p,1,1,1,1000,G3|T4,LS,Running,0,1,0\n", models);
  CHECK(typed.rows[0].models == 0b110);
}

TEST_CASE("what is wrong with a list is said with its line and column") {
  DeviceModelNames models;
  const auto problems = [&](const std::string& rows) { return read_pods(kHeader + rows, models).problems; };
  CHECK(
      problems("p,1,1,1,1001,,LS,Running,0,1,0\n") ==
      std::vector<std::string>{"line 2: gpu_milli: expected a whole number from 1 to 1000; found \"1001\""});
  CHECK(problems("p,-1,1,1,1000,,LS,Running,0,1,0\n").front().starts_with("line 2: cpu_milli: "));
  CHECK(problems("p,1,1,1,0,,LS,Running,0,1,0\n").front().starts_with("line 2: gpu_milli: "));
  CHECK(problems("p,1,1,65,1000,,LS,Running,0,1,0\n").front().starts_with("line 2: num_gpu: "));
  CHECK(problems("p,1,1,1,1000,,LS,Running,5,4,\n").front() ==
        "line 2: deletion_time: before the pod was there");
  CHECK(problems("p,1,1,1,1000,,LS,Running,0,1.5,0\n").front().starts_with("line 2: deletion_time: "));
  CHECK(problems("p,1,1\n").front() == "line 2: 3 cells where the header has 11");
  CHECK(read_pods("", models).problems.front() == "the file is empty: it has no header");
  const auto no_column = read_pods("name,cpu_milli\np,1\n", models);
  CHECK(no_column.problems.size() == 3);
  CHECK(no_column.rows.empty());
  std::istringstream two{"sn,cpu_milli,memory_mib,gpu,model\nn,1,1,1,G2|T4\n"};
  CHECK(read_openb_nodes(two, models).problems.front().starts_with("line 2: model: "));
}

TEST_CASE("real: Alibaba openb, the default list") {
  const char* folder = std::getenv("FLEETSIM_TRACES");
  std::ifstream in;
  if (folder != nullptr)
    in.open(std::filesystem::path(folder) / "alibaba_gpu_v2023_openb" / "openb_pod_list_default.csv");
  if (!in.is_open()) {
    MESSAGE("skipped: FLEETSIM_TRACES names no folder with alibaba_gpu_v2023_openb");
    return;
  }
  DeviceModelNames models;
  const auto reading = read_openb_pods(in, models);
  CHECK(reading.problems.empty());
  CHECK(reading.notes.empty());
  CHECK(reading.rows.size() == 8152);
  int never_ran = 0, shares = 0, no_card = 0;
  for (const OpenbPod& pod : reading.rows) {
    never_ran += pod.run ? 0 : 1;
    shares += pod.cards == 1 && pod.milli_per_card < 1000 ? 1 : 0;
    no_card += pod.cards == 0 ? 1 : 0;
  }
  CHECK(never_ran == 897);
  CHECK(shares == 3078);
  CHECK(no_card == 1088);
}

}  // namespace
}  // namespace fleetsim
