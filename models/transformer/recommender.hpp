#pragma once

#include <cstdint>
#include <vector>

#include "models/quantity/quantity.hpp"

namespace fleetsim {

/// A deep learning recommendation model: rows of embedding tables are looked up and pooled, numbers go
/// through the bottom layers, all of them meet in the interaction, and the top layers score. Source: Naumov
/// et al., arXiv:1906.00091; low-rank crosses: Wang et al., DCN V2, arXiv:2008.13535.
struct Recommender {
  std::int64_t tables = 0;
  std::int64_t rows = 0;               ///< of all tables
  std::int64_t width = 0;              ///< elements of a row
  double lookups = 0;                  ///< rows of a sample, over all tables
  std::vector<std::int64_t> bottom{};  ///< widths, the input's first; the last is that of a row
  std::vector<std::int64_t> top{};     ///< widths behind the interaction
  std::int64_t crosses = 0;            ///< layers of the interaction
  std::int64_t cross_rank = 0;

  /// Width of the interaction: a pooled row of each table, and the bottom's.
  std::int64_t interaction() const { return (tables + 1) * width; }
};

/// Weights outside of the tables, which data ranks hold in copies.
std::int64_t dense_parameters(const Recommender& model);
/// What must be saved to resume: FP32 rows with one number of Adagrad each, and 14 bytes a weight of the
/// layers.
Bytes checkpoint_bytes(const Recommender& model);
/// Of one sample in training, three times the forward products. Lookups are no arithmetic.
Flops training_flops_per_sample(const Recommender& model);

}  // namespace fleetsim
