#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "models/gemm/measured_products.hpp"
#include "models/quantity/quantity.hpp"

namespace fleetsim {

/// The format of a matrix product's inputs.
enum class Number : std::uint8_t {
  kBf16,
  kFp8,    ///< one scale a tensor
  kMxfp8,  ///< one scale per 32 elements
  kNvfp4,
};

enum class AttentionKernel : std::uint8_t { kFlash2, kFlash3, kCudnn };

/// Rates that kernels reach on a device, measured, beside the peaks of its data sheet.
struct StepDevice {
  FlopRate peak_bf16;
  FlopRate peak_fp8;  ///< zero where there is none
  FlopRate peak_fp4;
  FlopRate gemm_bf16;  ///< at the best shape
  FlopRate gemm_fp8;
  FlopRate attention_flash2;  ///< forward and backward, causal, head 128, long sequences
  FlopRate attention_flash3;
  FlopRate attention_cudnn;
  ByteRate copy;              ///< device memory, read and write counted
  ByteRate memory_bandwidth;  ///< of the data sheet
  ByteRate host_link{50e9};   ///< PCIe 5 x16, measured on H100 hosts: 47 to 55 GB/s
  Bytes memory;
  double multiprocessors = 132;
  Seconds eager_operation{20e-6};  ///< what the host takes for one, where no graph replays it
  std::shared_ptr<const MeasuredProducts> products{};  ///< of one's own; null where there are none
};

struct Accelerator;

/// The rates of a catalog entry. Where a kernel was not measured, the nearest one that was stands in.
StepDevice step_device(const Accelerator& accelerator);

/// Whether the device multiplies matrices in that format, as far as is known.
bool has_products(const StepDevice& device, Number number);

/// What a run states about its software. Each has a default; none is a property of the hardware.
struct Software {
  AttentionKernel attention = AttentionKernel::kCudnn;
  bool skips_masked = true;     ///< attention leaves out blocks that a causal mask hides
  bool fused_experts = true;    ///< the activation between an expert's products runs as one kernel
  bool fused_products = false;  ///< ... and with its casts inside the products' own kernels
  bool fused = true;            ///< norms, activations and rotations run as one kernel each
  bool fused_scaling = true;    ///< block scales of MXFP8 are made beside other kernels
  bool prefetch = true;         ///< sharded weights are gathered ahead of their layer
  bool overlap = true;          ///< exchange runs beside computation, as far as the constants found it to
  bool graphs = true;           ///< launches are replayed from CUDA graphs, where shapes are fixed
  bool whole_graph = false;     ///< ... for the whole step, experts included
  double release = 2026.5;      ///< year of the software
};

}  // namespace fleetsim
