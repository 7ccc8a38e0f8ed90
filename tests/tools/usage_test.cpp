#include <doctest/doctest.h>

#include "sim/ledger/leaf.hpp"
#include "tests/tools/program.hpp"

namespace fleetsim {
namespace {

TEST_CASE("words that are not known end with 2, and with the nearest that is") {
  struct Case {
    std::vector<std::string> words;
    std::string_view answer;
  };
  for (const Case& each : {Case{{"vlidate"}, "did you mean \"validate\"?"},
                           Case{{"run", "x.json", "--chekc"}, "did you mean \"--check\"?"},
                           Case{{"run", "x.json", "--rep", "3"}, "unknown option"},
                           Case{{"list", "ordres"}, "did you mean \"orders\"?"},
                           Case{{"explain", "runtime.rewrok"}, "\"runtime.rework\""},
                           Case{{"import", "swff", "x", "--out", "y"}, "did you mean \"swf\"?"},
                           Case{{"run"}, "expected SCENARIO"}, Case{{"validate"}, "expected FILE"},
                           Case{{"import", "swf", "x"}, "expected --out FILE"},
                           Case{{"import", "sacct", "x"}, "unknown format \"sacct\""},
                           Case{{"run", "x.json", "--seed", "-1"}, "--seed expects a whole number"},
                           Case{{"run", "x.json", "--jobs", "0"}, "--jobs expects a whole number from 1"},
                           Case{{"run", "x.json", "--set", "nodes=3"}, "--set expects /pointer=value"},
                           Case{{"run", "x.json", "--records"}, "--records needs --out DIR"},
                           Case{{"run", "a/x.json", "b/x.json", "--out", "z"}, "two scenarios"},
                           Case{{"sweep", "x.json", "y.json"}, "unexpected \"y.json\""}}) {
    const Ended ended = run_program(each.words);
    CAPTURE(ended.err);
    CHECK(ended.code == 2);
    CHECK(ended.out.empty());
    CHECK(has(ended.err, each.answer));
  }
}

TEST_CASE("a replica's decode step stands beside its floor, and a replica that cannot be says why") {
  const Ended served = run_program({"serve", "--model", "llama2-70b", "--batch", "64", "--context", "2048"});
  CHECK(served.code == 0);
  CHECK(has(served.out, "llama2-70b on 8 x h100-sxm (dgx-h100), bf16, 64 sequences of 2,048 tokens"));
  CHECK(has(served.out, "decode step  13.1 ms  51.6 %"));
  // 140 GB through eight memories at 3.35 TB/s.
  CHECK(has(served.out, "floor of a decode step, weights alone: 5.22 ms"));
  const Ended seven = run_program({"serve", "--model", "llama2-70b", "--gpus", "7"});
  CHECK(seven.code == 2);
  CHECK(has(seven.err, "divides the 64 heads"));
  const Ended alone = run_program({"serve", "--model", "llama2-70b", "--gpus", "1"});
  CHECK(alone.code == 2);
  CHECK(has(alone.err, "does not fit: weights and cache are 63"));
}

TEST_CASE("every command has help, on standard output") {
  const Ended all = run_program({"--help"});
  CHECK(all.code == 0);
  for (const char* command : {"run", "sweep", "frontier", "validate", "account", "import", "calibrate",
                              "serve", "list", "explain"}) {
    CHECK(has(all.out, command));
    const Ended help = run_program({command, "--help"});
    CHECK(help.code == 0);
    CHECK(help.err.empty());
    CHECK(has(help.out, std::string("usage: fleetsim ") + command));
  }
  CHECK(run_program({"--version"}).out.starts_with("fleetsim "));
}

TEST_CASE("list knows every leaf, and explain tells who removes it") {
  const std::string leaves = run_program({"list", "leaves"}).out;
  for (const LeafInfo& leaf : leaf_table()) CHECK(has(leaves, std::string(leaf.name) + "\n"));
  CHECK(has(run_program({"explain", "scheduling.partial_gang"}).out, "removed by  orchestration"));
  CHECK(has(run_program({"explain", "jobs.llama.runtime_goodput"}).out, "R = retained"));
  CHECK(has(run_program({"explain", "/workload/x/checkpoint/interval"}).out, "key checkpoint.interval"));
  CHECK(has(run_program({"explain", "dgx-h100"}).out, "nodes dgx-h100"));
}

TEST_CASE("import writes a trace that keeps fractions of a second and counts what it skips") {
  const TemporaryFolder folder;
  const std::string log = (folder.path() / "log.swf").string(),
                    trace = (folder.path() / "trace.csv").string();
  write_file(log,
             "; UnixStartTime: 0\r\n"
             "  1\t0 -1 12.5 4 -1 -1 4 60 -1 1 1 1 1 1 1 -1 -1\r\n"
             "; a remark in the middle\r\n"
             "2 5 -1 30 64 -1 -1 64 60 -1 1 1 1 1 1 1 -1 -1\r\n"
             "3 9 -1 30 4 -1 -1 4\r\n");
  const Ended ended = run_program({"import", "swf", log, "--out", trace});
  CHECK(ended.code == 0);
  CHECK(has(ended.err, "line 5"));
  CHECK(has(ended.out, "2 jobs"));
  CHECK(has(read_file(trace), "12.5"));
  const Ended strict =
      run_program({"import", "swf", log, "--out", (folder.path() / "strict.csv").string(), "--strict"});
  CHECK(strict.code == 2);
  CHECK(has(strict.err, "line 5"));
  CHECK_FALSE(std::filesystem::exists(folder.path() / "strict.csv"));
}

}  // namespace
}  // namespace fleetsim
