#pragma once

#include "models/step/device.hpp"
#include "tools/runs/run_row.hpp"

namespace fleetsim {

/// The software of a row: what the row states in fields named like the keys of `fleetsim step --software`,
/// else what is known of its framework and release (`models/catalog/calibration/software.json`, with
/// sources), else the default of each. Values that are not understood are problems of the row.
/// `transformer` is the catalog's name of the model, or empty.
struct RunSoftware {
  Software software;
  Software stated;        ///< the same without what is only inferred
  bool inferred = false;  ///< whether they differ
};
RunSoftware software_of(RunRow& row, Number number, std::string_view transformer);

}  // namespace fleetsim
