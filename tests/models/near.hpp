#pragma once

#include <doctest/doctest.h>

#include <cmath>

#include "models/quantity/quantity.hpp"

namespace fleetsim {

/// A value to compare with, up to a share of it. doctest's Approx adds a scale of one, and without it never
/// equals zero.
struct Near {
  double value;
  double relative;

  friend bool operator==(double actual, const Near& expected) {
    return std::fabs(actual - expected.value) <= expected.relative * std::fabs(expected.value);
  }
  friend doctest::String toString(const Near& near) { return "about " + doctest::toString(near.value); }
};

inline Near near(double value, double relative = 1e-9) { return {value, relative}; }

inline double hours(Seconds time) { return time / kOneHour; }
inline double minutes(Seconds time) { return time / kOneMinute; }

}  // namespace fleetsim
