#include <doctest/doctest.h>

#include <nlohmann/json.hpp>
#include <string>

#include "models/catalog/measured_network.hpp"
#include "models/collective/fit_curve.hpp"
#include "tests/models/near.hpp"
#include "tests/tools/program.hpp"
#include "tools/calibrate/nccl_tests.hpp"

namespace fleetsim {
namespace {

// As all_reduce_perf of version 2.17 prints it over two hosts, between lines of a launcher.
constexpr std::string_view kAllReduce =
    R"(node-a:4242:4242 [0] NCCL INFO Bootstrap : Using eth0
# nccl-tests version 2.17.6 nccl-headers=22807 nccl-library=22807
# Collective test starting: all_reduce_perf
# nThread 1 nGpus 1 minBytes 65536 maxBytes 1073741824 step: 4(factor) warmup iters: 1 iters: 20 agg iters: 1 validation: 1 graph: 0 unalign: 0
#
# Using devices
#  Rank  0 Group  0 Pid   6899 on     node-a device  0 [0000:04:00] NVIDIA H100 80GB HBM3
#  Rank  1 Group  0 Pid   6900 on     node-a device  1 [0000:05:00] NVIDIA H100 80GB HBM3
#  Rank  2 Group  0 Pid   6733 on     node-b device  0 [0000:04:00] NVIDIA H100 80GB HBM3
#  Rank  3 Group  0 Pid   6734 on     node-b device  1 [0000:05:00] NVIDIA H100 80GB HBM3
#
#                                                              out-of-place                       in-place          
#       size         count      type   redop    root     time   algbw   busbw  #wrong     time   algbw   busbw  #wrong 
#        (B)    (elements)                               (us)  (GB/s)  (GB/s)             (us)  (GB/s)  (GB/s)         
       65536         16384     float     sum      -1    40.10    1.63    2.45       0    39.90    1.64    2.46       0
      262144         65536     float     sum      -1    42.00    6.24    9.36       0    41.80    6.27    9.41       0
     1048576        262144     float     sum      -1    55.20   19.00   28.49       0    55.00   19.07   28.60       0
     4194304       1048576     float     sum      -1    105.0   39.95   59.92       0    104.8   40.02   60.03       0
    16777216       4194304     float     sum      -1    300.0   55.92   83.89       3    299.0   56.11   84.17       0
# Out of bounds values : 3 FAILED
# Avg bus bandwidth    : 36.9 
#
# Collective test concluded: all_reduce_perf
)";

// An old all-gather: no word of the program, no reduction or root, an error where the count of wrong is now.
constexpr std::string_view kOldAllGather = R"(# nThread 1 nGpus 8 minBytes 1048576 maxBytes 8388608
#   Rank  0 Pid  1 on  host device  0 [0x07] Tesla V100
#                                             out-of-place                    in-place
#       size         count    type     time  algbw  busbw    error     time  algbw  busbw    error
#        (B)    (elements)             (us) (GB/s) (GB/s)              (us) (GB/s) (GB/s)
     1048576         32768   float    100.0   10.49   9.18    0e+00    99.0   10.59   9.27    0e+00
     2097152         65536   float    150.0   13.98  12.23    0e+00   149.0   14.07  12.32    0e+00
     4194304        131072   float    250.0   16.78  14.68      N/A   249.0   16.84  14.74      N/A
     8388608        262144   float    450.0   18.64  16.31      N/A   449.0   18.68  16.35      N/A
)";

constexpr std::string_view kJson = R"({"version":2,"start_time":"2025-11-30 10:00:00",
  "args":["./build/sendrecv_perf","-b","1M"],"env":["PATH=/usr/bin"],"nccl_version":22807,
  "config":{"nthreads":1,"ngpus":2,"parallel_init":"false",
            "devices":[{"rank":0,"group":0,"hostname":"h","device":0,"device_info":"NVIDIA H200"}]},
  "results":[
    {"size":1048576,"count":262144,"type":"float","redop":"","root":"    -1",
     "out_of_place":{"time":10.0,"alg_bw":104.8,"bus_bw":104.8,"nwrong":0.0},
     "in_place":{"time":9.0,"alg_bw":116.5,"bus_bw":116.5,"nwrong":null},"actual_iterations":20,"experiment_name":"x"},
    {"size":2097152,"out_of_place":{"time":13.0},"in_place":null},
    {"size":4194304,"out_of_place":{"time":19.0},"in_place":null},
    {"size":8388608,"out_of_place":{"time":30.0},"in_place":null}],
  "out_of_bounds":{"count":0,"okay":"true"}})";

// Matrix products that take sqrt((F / 720 TFLOP/s (1 + 85 / K) (1 + 330,000 / (M N)))^2 + (bytes / 3 TB/s)^2)
// + 5 us.
std::string gemm_table() {
  std::string table = "op,m,n,k,dtype,time_us\n";
  for (const int m : {64, 1024, 4096}) {
    for (const int n : {1024, 8192}) {
      for (const int k : {512, 8192}) {
        const double dm = m, dn = n, dk = k;
        const double computing = 2 * dm * dn * dk / 720e12 * (1 + 85 / dk) * (1 + 330e3 / (dm * dn));
        const double time = std::hypot(computing, 2 * (dm * dk + dk * dn + dm * dn) / 3e12) + 5e-6;
        table += "x," + std::to_string(m) + "," + std::to_string(n) + "," + std::to_string(k) + ",bf16," +
                 std::to_string(time * 1e6) + "\n";
      }
    }
  }
  return table;
}

struct Ran {
  Ended ended;
  std::string written;
};

/// `fleetsim calibrate WHAT` on a file of this text, with `--out`.
Ran calibrate(const std::string& what, std::string_view text, std::vector<std::string> more = {}) {
  const TemporaryFolder folder;
  const std::string file = (folder.path() / "in").string(), out = (folder.path() / "out").string();
  write_file(file, text);
  std::vector<std::string> words{"calibrate", what, file, "--out", out};
  words.insert(words.end(), more.begin(), more.end());
  Ran ran{run_program(words), {}};
  ran.written = read_file(out);
  return ran;
}

TEST_CASE("calibrate nccl: what nccl-tests prints becomes a file that reads as the same sweep") {
  const Ran ran = calibrate("nccl", kAllReduce, {"--accelerator", "h100-sxm", "--fabric", "ndr400-rail"});
  CHECK(ran.ended.code == 0);
  CHECK(has(ran.ended.out, "all-reduce over 4 ranks, 2 in each domain, NVIDIA H100 80GB HBM3"));
  CHECK(has(ran.ended.err, "line 19: results were wrong there"));
  const Parsed<MeasuredNetwork> read = read_measured_network(ran.written);
  REQUIRE(read);
  CHECK(read.value->accelerators == std::vector<std::string>{"h100-sxm"});
  CHECK(read.value->fabric == "ndr400-rail");
  const MeasuredCurve& curve = read.value->curves.at(0);
  CHECK(curve.ranks() == 4);
  CHECK(curve.per_domain() == 2);
  CHECK(curve.points().size() == 5);
  CHECK(curve.points()[2].message == Bytes{1048576});
  CHECK(curve.points()[2].time.si == near(55.2e-6));
  const Ran in_place = calibrate("nccl", kAllReduce, {"--in-place", "--per-domain", "4"});
  const Parsed<MeasuredNetwork> other = read_measured_network(in_place.written);
  REQUIRE(other);
  CHECK(other.value->curves.at(0).points()[2].time.si == near(55e-6));
  CHECK(other.value->curves.at(0).per_domain() == 4);
}

TEST_CASE("calibrate nccl: old versions, tagged lines, several runs and JSON") {
  const Ran old = calibrate("nccl", kOldAllGather, {"--collective", "all-gather", "--ranks", "8"});
  CHECK(old.ended.code == 0);
  CHECK(has(old.ended.out, "all-gather over 8 ranks, in one domain, Tesla V100"));

  std::string tagged;
  for (std::size_t at = 0, end = 0; (end = kAllReduce.find('\n', at)) != kAllReduce.npos; at = end + 1)
    tagged += "[1,0]<stdout>:" + std::string(kAllReduce.substr(at, end + 1 - at));
  const Ran twice = calibrate("nccl", tagged + std::string(kAllReduce));
  CHECK(twice.ended.code == 0);
  CHECK(read_measured_network(twice.written).value.value().curves.size() == 2);

  const Ran json = calibrate("nccl", kJson);
  CHECK(json.ended.code == 0);
  CHECK(has(json.ended.out, "send-recv over 2 ranks, in one domain, NVIDIA H200"));
  CHECK(read_measured_network(json.written).value.value().curves.at(0).points()[3].time.si == near(30e-6));
}

TEST_CASE("calibrate nccl: what cannot be read gets one line, and nothing is written") {
  const auto broken = [](std::string text, std::string_view from, std::string_view to) {
    return text.replace(text.find(from), from.size(), to);
  };
  const std::string whole(kAllReduce), json(kJson);
  struct Case {
    std::string text;
    std::vector<std::string> more;
    std::string_view answer;
  };
  for (const Case& each :
       {Case{"", {}, "no results: expected what a program of nccl-tests prints"},
        Case{broken(whole, "    42.00    6.24", "    42.00"), {}, "line 16: expected 13 columns; found 12"},
        Case{broken(whole, " 55.20", " fast "), {}, "line 17: expected a time in us; found \"fast\""},
        Case{broken(whole, " 4194304  ", "     304  "),
             {},
             "line 18: expected a size larger than the one before"},
        Case{broken(whole, "all_reduce_perf", "gather_perf"), {}, "\"gather_perf\" is no collective"},
        Case{std::string(kOldAllGather), {}, "give --collective"},
        Case{std::string(kOldAllGather), {"--collective", "all-gather"}, "one rank has nothing to exchange"},
        Case{whole, {"--per-domain", "3"}, "4 ranks are not a multiple of --per-domain 3"},
        Case{whole, {"--collective", "gather"}, "--collective expects all-reduce"},
        Case{whole, {"--fabric", "ndr400"}, "unknown fabric"},
        Case{"{\"results\": 3}", {}, "/results: expected the list"},
        Case{broken(json, "\"size\":2097152", "\"size\":\"2M\""),
             {},
             "/results/1/size: expected a whole number"},
        Case{"{", {}, "expected JSON"}}) {
    const Ran ran = calibrate("nccl", each.text, each.more);
    CAPTURE(ran.ended.err);
    CHECK(ran.ended.code == 2);
    CHECK(ran.ended.out.empty());
    CHECK(has(ran.ended.err, each.answer));
    CHECK(ran.written.empty());
  }
  CHECK(has(run_program({"calibrate", "nccl", "/no/such/file"}).err, "cannot be read"));
}

TEST_CASE("calibrate gemm: the constants of a table are found again and written as rates of an accelerator") {
  const Ran ran = calibrate("gemm", gemm_table(), {"--source", "a test"});
  CHECK(ran.ended.code == 0);
  CHECK(has(ran.ended.out, "bf16, 12 shapes"));
  const auto entry = nlohmann::json::parse(ran.written);
  const auto& rate = entry["rates"]["gemm_bf16"];
  CHECK(rate["source"] == "a test: best of 12 shapes");
  CHECK(std::stod(rate["value"].get<std::string>()) == near(696.6, 0.001));
  CHECK(std::stod(rate["fit"]["rate"].get<std::string>()) == near(720, 0.005));
  CHECK(rate["fit"]["depth"].get<double>() == near(85, 0.05));
  CHECK(rate["fit"]["area"].get<double>() == near(330e3, 0.05));
  CHECK(std::stod(rate["fit"]["bandwidth"].get<std::string>()) == near(3000, 0.02));
  CHECK(std::stod(rate["fit"]["overhead"].get<std::string>()) == near(5, 0.05));
  CHECK(rate["fit"]["median_error"].get<double>() < 0.003);
}

TEST_CASE("what calibrate gemm writes is taken by step --gemms, and the page says so") {
  const TemporaryFolder folder;
  const std::string table = (folder.path() / "in").string(), out = (folder.path() / "out").string();
  write_file(table, gemm_table());
  REQUIRE(run_program({"calibrate", "gemm", table, "--out", out}).code == 0);
  const std::vector<std::string> step{"step", "--model", "llama2-70b", "--gpus", "64"};
  std::vector<std::string> own = step;
  own.insert(own.end(), {"--gemms", out});
  const Ended with = run_program(own), without = run_program(step);
  CHECK(with.code == 0);
  CHECK(has(with.out, "as measured by the user"));
  CHECK(has(without.out, "best measured rate"));
  write_file(out, R"({"rates": {"gemm_bf16": {"fit": {"rate": "720"}}}})");
  CHECK(has(run_program(own).err, "/rates/gemm_bf16/fit/rate: expected a quantity"));
  write_file(out, "{}");
  CHECK(has(run_program(own).err, "/rates: is missing"));
}

TEST_CASE("products of another device, another format, or beyond the device's peak are refused") {
  const TemporaryFolder folder;
  const std::string table = (folder.path() / "in").string(), out = (folder.path() / "out").string();
  write_file(table, gemm_table());
  const auto step = [&](const std::vector<std::string>& more) {
    std::vector<std::string> words{"step", "--model", "llama2-7b", "--gemms", out};
    words.insert(words.end(), more.begin(), more.end());
    return run_program(words);
  };
  REQUIRE(run_program({"calibrate", "gemm", table, "--out", out}).code == 0);
  CHECK(has(step({}).out, "does not say on which device"));
  CHECK(has(step({"--precision", "fp8"}).err, "has no products in fp8"));
  CHECK(has(step({"--node", "dgx-a100"}).err, "beyond the peak of a100-80gb-sxm"));
  REQUIRE(run_program({"calibrate", "gemm", table, "--accelerator", "h200-sxm", "--out", out}).code == 0);
  CHECK(has(step({}).err, "was measured on h200-sxm, and the node has h100-sxm"));
  CHECK(has(step({"--node", "dgx-h200"}).out, "as measured by the user"));
  CHECK(has(run_program({"calibrate", "gemm", table, "--accelerator", "h20"}).err, "unknown accelerator"));
}

TEST_CASE("calibrate gemm: operations a second will do, and what is wrong is said with its line") {
  std::string rates = "m,n,k,dtype,tflops\n";
  for (int i = 1; i <= 8; ++i) rates += std::to_string(512 * i) + ",4096,4096,fp8,1000\n";
  CHECK(calibrate("gemm", rates).ended.code == 0);
  struct Case {
    std::string text;
    std::string_view answer;
  };
  for (const Case& each :
       {Case{"m,n,k\n", "dtype"}, Case{"m,n,k,dtype\n1,2,3,bf16\n", "time_us or tflops"},
        Case{"m,n,k,dtype,time_us\n1,2,3,bf17,1\n", "line 2: dtype: expected bf16"},
        Case{"m,n,k,dtype,time_us\n1,2,3,bf16,1\n1,0,3,bf16,1\n", "line 3: n: expected a whole"},
        Case{"m,n,k,dtype,time_us\n1,2,3,bf16\n", "line 2: expected 5 cells; found 4"},
        Case{"m,n,k,dtype,time_us\n1,2,3,bf16,-1\n", "line 2: time_us: expected a number above"},
        Case{"m,n,k,dtype,time_us\n1,2,3,bf16,1\n", "bf16: expected at least eight shapes"},
        Case{"m,n,k,dtype,time_us\n", "at least one row"}}) {
    const Ran ran = calibrate("gemm", each.text);
    CAPTURE(ran.ended.err);
    CHECK(ran.ended.code == 2);
    CHECK(has(ran.ended.err, each.answer));
    CHECK(ran.written.empty());
  }
  CHECK(has(run_program({"calibrate", "gem", "x"}).err, "did you mean \"gemm\"?"));
  CHECK(has(run_program({"calibrate", "--help"}).out, "nccl"));
}

}  // namespace
}  // namespace fleetsim
