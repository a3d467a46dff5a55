// A cluster of GPUs that nobody needs to have: compute from data sheets and published benchmarks of
// kernels, calls from topo's forecast of NCCL for each group's GPUs (topo/place/order_cost.h), with
// what other groups on the node take of the same links, and from the switches of a cluster file.
//
// A kernel takes max(operations / (peak x share), bytes / (memory x share)). Shares are those that
// benchmarks reach (kGpus in gpu_machine.cc), and a product's is that of its waves of tiles, too:
// the last one leaves processors idle (NVIDIA, Matrix Multiplication Background, "Wave
// Quantization"). Kernels of 16-bit elements; attention is fused (FlashAttention-2, Dao 2023).
#pragma once

#include "base/result.h"
#include "plan/machine.h"
#include "topo/cluster/cluster.h"
#include "topo/version.h"

namespace linerate::plan {

struct GpuRates {
  double peak_tflops = 0;      // dense, of 16-bit elements
  double product_share = 0;    // of the peak, of large products
  double attention_share = 0;  // of the peak, of fused attention
  double memory_gbps = 0;
  double memory_bytes = 0;
  int processors = 0;  // streaming multiprocessors
};

class GpuKernels final : public ComputeModel {
 public:
  explicit GpuKernels(const GpuRates& rates) : rates_(rates) {}

  double us(const Kernel& kernel) const override;

 private:
  const GpuRates rates_;
};

// Of a GPU by its model ("NVIDIA H100 80GB HBM3"); the sentence lists those that are known.
Result<GpuRates> rates_of_gpu(std::string_view model);

// `memory_bytes`: of a rank, 0: what the GPU has, less what CUDA and NCCL take. A sentence where
// the cluster's nodes are not alike or have no GPUs whose rates are known, or where the ranks do
// not fill its nodes.
Result<Machine> gpu_machine(const topo::Cluster& cluster, const topo::NcclVersion& version,
                            int nranks, double memory_bytes = 0);

}  // namespace linerate::plan
