#pragma once

#include <functional>
#include <map>
#include <string>

#include "sim/scenario/spec.hpp"

namespace fleetsim {

/// What an equation says of a figure, in the figure's unit.
struct ClosedForm {
  double value = 0.0;
  std::string kind;  ///< "first order", "exact renewal", "assumed", ..., and what else it takes for granted
};

/// By name of the figure.
using ClosedForms = std::map<std::string, ClosedForm, std::less<>>;

/// The figures that the equations give from the scenario's inputs alone; those whose inputs are missing are
/// absent. What the scenario assumes is taken as given, in place of an equation of ours.
ClosedForms closed_forms(const Scenario& scenario);

}  // namespace fleetsim
