#include <doctest/doctest.h>

#include <nlohmann/json.hpp>

#include "tests/tools/program.hpp"
#include "tools/runs/step_words.hpp"

using namespace fleetsim;

TEST_CASE("a step's parts in JSON add up to the step") {
  const Ended ended = run_program({"step", "--model", "llama3-8b", "--gpus", "16", "--json"});
  REQUIRE(ended.code == 0);
  const nlohmann::json step = nlohmann::json::parse(ended.out).at("steps").at(0);
  double sum = 0;
  for (const auto& [name, seconds] : step.at("parts_s").items()) sum += seconds.get<double>();
  CHECK(sum == doctest::Approx(step.at("step_s").get<double>()).epsilon(1e-12));
  CHECK(step.at("mfu").get<double>() == doctest::Approx(step["parts_s"]["ideal"].get<double>() / sum));
}

TEST_CASE("what a step cannot be is said in one line, with exit code 2") {
  struct Bad {
    std::vector<std::string> words;
    std::string_view says;
  };
  const Bad all[] = {
      {{"step"}, "--model"},
      {{"step", "--model", "lama2-70b"}, "did you mean \"llama2-70b\""},
      {{"step", "--model", "llama3-8b", "--node", "dgx-h10"}, "dgx-h100"},
      {{"step", "--model", "llama3-8b", "--precision", "fp9"}, "fp8"},
      {{"step", "--model", "llama3-8b", "--node", "dgx-a100", "--precision", "fp8"},
       "no matrix products in fp8"},
      {{"step", "--model", "llama2-70b", "--gpus", "8", "--layout", "tensor=3"}, "does not divide"},
      {{"step", "--model", "llama2-70b", "--gpus", "8", "--layout", "tensor=8"}, "GB too much"},
      {{"step", "--model", "llama3-405b", "--gpus", "8"}, "GB too much"},
      {{"step", "--model", "llama3-8b", "--gpus", "0"}, "--gpus"},
      {{"step", "--model", "llama3-8b", "--vary", "gpus=eight"}, "eight"},
      {{"step", "--model", "llama3-8b", "--layout", "tensor=2", "--best", "3"}, "expected one of them"},
      {{"step", "--model", "llama3-8b", "--csv"}, "--csv goes with --file"},
      {{"step", "--file", "rows.json", "--gpus", "8"}, "--gpus has no place beside --file"},
      {{"step", "--model", "llama3-8b", "--layout", "tensor=2,tensor=4"}, "\"tensor\" is given twice"},
      {{"step", "--model", "llama3-405b", "--vary", "gpus=8,16"}, "GB too much"},
      {{"step", "--model", "dlrm-dcnv2", "--best", "3"}, "is for transformers"},
      {{"step", "--file", "/no/such/file"}, "cannot be read"}};
  for (const Bad& bad : all) {
    const Ended ended = run_program(bad.words);
    CAPTURE(ended.err);
    CHECK(ended.code == 2);
    CHECK(ended.out.empty());
    CHECK(ended.err.find(bad.says) != std::string::npos);
  }
}

TEST_CASE("a fabric that is narrower above its leaves makes a step longer, alone and in a run alike") {
  const auto step_on = [](const char* fabric) {
    const Ended ended =
        run_program({"step", "--model", "deepseek-v2-lite", "--gpus", "128", "--batch", "512", "--fabric",
                     fabric, "--layout", "expert=32,micro_batch=1,recompute=full", "--json"});
    REQUIRE_MESSAGE(ended.code == 0, ended.err);
    return Json::parse(ended.out).at("steps").at(0).at("step_s").get<double>();
  };
  const double narrow = step_on("ethernet400-4to1");
  CHECK(narrow > 1.2 * step_on("llama3-roce400"));
}

TEST_CASE("the fastest layouts come in order, and the first is the one that is taken") {
  const Ended five = run_program({"step", "--model", "llama2-70b", "--gpus", "64", "--best", "5", "--json"});
  const Ended one = run_program({"step", "--model", "llama2-70b", "--gpus", "64", "--json"});
  REQUIRE(five.code == 0);
  const nlohmann::json steps = nlohmann::json::parse(five.out).at("steps");
  REQUIRE(steps.size() == 5);
  for (std::size_t i = 1; i < 5; ++i) CHECK(steps[i].at("step_s") >= steps[i - 1].at("step_s"));
  CHECK(nlohmann::json::parse(one.out).at("steps").at(0) == steps[0]);
}

TEST_CASE("a size that does not fit has its own line, and the others are predicted") {
  const std::vector<std::string> words = {"step", "--model", "llama2-70b", "--vary", "gpus=8,16,128"};
  const Ended page = run_program(words);
  REQUIRE(page.code == 0);
  CHECK(has(page.out, "  does not fit, 56.4 GB too much\n"));
  std::vector<std::string> whole = words;
  whole.insert(whole.end(), {"--batch", "512", "--json"});
  const nlohmann::json steps = nlohmann::json::parse(run_program(whole).out).at("steps");
  REQUIRE(steps.size() == 3);
  CHECK(has(steps[0].at("infeasible").get<std::string>(), "GB too much"));
  for (const nlohmann::json& step : steps) CHECK(step.at("global_batch") == 512);
}

TEST_CASE("a step names all that it is a step of, on the page and in JSON") {
  const std::vector<std::string> words = {"step",     "--model",  "llama2-70b",
                                          "--gpus",   "64",       "--node",
                                          "dgx-h200", "--layout", "tensor=8,pipeline=8,recompute=full",
                                          "--batch",  "32"};
  const std::string page = run_program(words).out;
  for (const std::string_view part :
       {"llama2-70b on dgx-h200 (h200-sxm, ndr400-rail)", "recompute=full", "sharding=optimizer",
        "offload=no", "release=2026.5", "32 sequences", "Exchange ", "copies scaled from h100-sxm"})
    CHECK(has(page, part));
  std::vector<std::string> json_words = words;
  json_words.emplace_back("--json");
  const nlohmann::json step = nlohmann::json::parse(run_program(json_words).out).at("steps").at(0);
  for (const char* key : {"model", "node", "device", "fabric", "precision", "software", "exchange", "rates"})
    CHECK(step.contains(key));
  CHECK(step.at("layout").at("recompute") == "full");
  CHECK(step.at("warnings").empty());
}

TEST_CASE("sends between stages are named, and a number keeps its sign of percent") {
  std::vector<std::string> words = {"step",   "--model",  "llama2-70b",
                                    "--gpus", "64",       "--batch",
                                    "32",     "--layout", "tensor=8,pipeline=8,recompute=full"};
  const std::string page = run_program(words).out;
  CHECK(has(page, "Sends between pipeline stages, "));
  CHECK_FALSE(has(page, "\n    %"));
  words.emplace_back("--json");
  const nlohmann::json step = nlohmann::json::parse(run_program(words).out).at("steps").at(0);
  const double sends = step.at("stage_sends_s");
  CHECK(sends > 0);
  CHECK(sends < step.at("parts_s").at("tensor_comm"));
  words.back() = "--ascii";
  words[8] = "tensor=8,recompute=full,sharding=full";
  CHECK_FALSE(has(run_program(words).out, "Sends"));
}

TEST_CASE("layers that do not divide are shown by stage") {
  const std::string page = run_program({"step", "--model", "llama2-70b", "--gpus", "48", "--batch", "48",
                                        "--layout", "tensor=8,pipeline=6,recompute=full"})
                               .out;
  CHECK(has(page, "layers: 14/14/13/13/13/13 by stage; the fullest sets the pace"));
}

TEST_CASE("too few microbatches for the pipeline are warned of") {
  const Ended few = run_program({"step", "--model", "llama2-70b", "--gpus", "64", "--batch", "4", "--layout",
                                 "tensor=8,pipeline=8,recompute=full"});
  CHECK(few.code == 0);
  CHECK(has(few.out, "4 microbatches do not fill 8 pipeline stages"));
}

TEST_CASE("a recommender's page speaks of samples") {
  const Ended page = run_program({"step", "--model", "dlrm-dcnv2", "--gpus", "16"});
  CHECK(page.code == 0);
  CHECK(has(page.out, "65,536 samples"));
  for (const std::string_view word : {"token", "sequence", "attention", "left out family"})
    CHECK_FALSE(has(page.out, word));
}

TEST_CASE("every key of a layout and of software is in the help, and MFU is explained") {
  const std::string help = run_program({"step", "--help"}).out;
  for (const auto& [key, value] : layout_values({.shard_group = 2, .stages = {1}, .capacity = 1}))
    CHECK(has(help, key));
  for (const std::string& key : software_keys()) CHECK(has(help, key));
  CHECK(has(run_program({"explain", "mfu"}).out, "peak"));
  CHECK(has(run_program({"explain", "HFU"}).out, "recomputation"));
}
