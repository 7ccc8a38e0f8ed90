#pragma once

#include "models/step/kernels.hpp"
#include "models/step/step.hpp"

namespace fleetsim {

/// Compute of one pass over part of a stage.
struct Compute {
  Seconds gemm;    ///< matrix kernels, attention among them
  Seconds memory;  ///< kernels bound by memory
  Flops flops;
  Bytes bytes;  ///< to and from device memory

  Seconds total() const { return gemm + memory; }
  Compute& operator+=(const Compute& other);
  friend Compute operator*(const Compute& c, double k) {
    return {c.gemm * k, c.memory * k, c.flops * k, c.bytes * k};
  }
};

/// Forward and backward of one block of layers for one microbatch on one rank, what it exchanges and what it
/// holds.
struct Block {
  Compute forward;
  Compute backward;
  Seconds tensor;         ///< its tensor- and context-parallel exchange, before overlap
  Seconds experts;        ///< its all-to-all, before overlap
  Seconds padding;        ///< of its matrix kernels, both ways: rows without a token
  Seconds waiting;        ///< ... and rows of the fullest expert over the even share
  double parameters = 0;  ///< on this rank, before sharding, experts left out
  double expert_parameters = 0;
  Bytes activations;  ///< kept for the backward pass
  Bytes cheap;        ///< of those, what selective recomputation does not keep

  Block& operator+=(const Block& other);
  friend Block operator*(const Block& b, double k) {
    return {b.forward * k,     b.backward * k, b.tensor * k,     b.experts * k,
            b.padding * k,     b.waiting * k,  b.parameters * k, b.expert_parameters * k,
            b.activations * k, b.cheap * k};
  }
};

/// The kinds of blocks a model is made of, each costed for one layer.
class Blocks {
 public:
  Blocks(const StepInput& input, const StepConstants& constants);

  Block attention() const;
  Block feed_forward(double width) const;
  Block experts() const;
  Block state_space() const;
  Block head() const;       ///< output projection and loss
  Block embedding() const;  ///< lookups, and their gradients added up

  const Kernels& kernels() const { return kernels_; }
  double tokens() const { return tokens_; }

 private:
  /// What goes into a product: selective recomputation makes norms and activations again.
  enum class Input : unsigned char { kOther, kNorm, kActivation };
  void project(Block& block, double rows, double from, double to, Input input = Input::kOther) const;
  void grouped_project(Block& block, double rows, double from, double to, double count) const;
  void products(Block& block, const Gemm& forward) const;
  void pointwise(Block& block, double bytes) const;
  void surround(Block& block) const;
  void attend(Block& block, double score_width, double value_width, double key_bytes) const;
  Block latent_attention() const;
  Seconds all_to_all(double rows, double width) const;

  const StepInput& in_;
  const Transformer& m_;
  const Layout& l_;
  const StepConstants& c_;
  Kernels kernels_;
  double tensor_;
  double tokens_;  // of one microbatch on one rank, before tensor parallelism
  double hidden_;
  double gates_;
};

}  // namespace fleetsim
