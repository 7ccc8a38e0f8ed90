#pragma once

#include "models/step/device.hpp"
#include "tools/runs/run_row.hpp"

namespace fleetsim {

/// The software of a row: what the row states in fields named like the keys of `fleetsim step --software`,
/// else what is known of its framework and release (`models/catalog/calibration/software.json`, with
/// sources), else the default of each. Values that are not understood are problems of the row.
Software software_of(RunRow& row, Number number);

}  // namespace fleetsim
