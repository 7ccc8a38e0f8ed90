#include <doctest/doctest.h>

#include <nlohmann/json.hpp>

#include "tests/tools/program.hpp"

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
      {{"step", "--file", "/no/such/file"}, "cannot be read"}};
  for (const Bad& bad : all) {
    const Ended ended = run_program(bad.words);
    CAPTURE(ended.err);
    CHECK(ended.code == 2);
    CHECK(ended.out.empty());
    CHECK(ended.err.find(bad.says) != std::string::npos);
  }
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
