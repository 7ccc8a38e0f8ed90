#pragma once

#include <optional>

#include "tools/cli/arguments.hpp"
#include "tools/runs/step_page.hpp"

namespace fleetsim {

/// What `fleetsim step` is asked for, without a layout.
struct AskedStep {
  StepInput input;
  StepNames names;
};

/// The step that the words ask for; nothing where they are wrong, which has been said to `arguments`. The
/// batch is four sequences a device unless stated.
std::optional<AskedStep> read_step_input(Arguments& arguments);

inline constexpr std::int64_t kUsualSequencesPerDevice = 4;

}  // namespace fleetsim
