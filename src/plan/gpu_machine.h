// A cluster of GPUs that nobody needs to have: compute from data sheets and published benchmarks of
// kernels, calls from topo's forecast of NCCL for each group's GPUs (topo/place/order_cost.h), with
// what other groups on the node take of the same links, and from the switches of a cluster file.
//
// A kernel takes max(operations / (peak x share), bytes / (memory x share)). Shares are those that
// benchmarks reach (kGpus in gpu_machine.cc), and a product's is that of its waves of tiles, too:
// the last one leaves processors idle (NVIDIA, Matrix Multiplication Background, "Wave
// Quantization"). Kernels of 16-bit elements; attention is fused (FlashAttention-2, Dao 2023), or
// as Megatron-LM's was before: products of all positions with all, a kernel for mask and softmax,
// and dropout, whose scores go through memory (Korthikanti et al. 2022, section 4.1).
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
  explicit GpuKernels(const GpuRates& rates, bool fuses_attention = true)
      : rates_(rates), fuses_attention_(fuses_attention) {}

  double us(const Kernel& kernel) const override;

 private:
  double pass_us(double bytes) const;
  double unfused_us(const Kernel& attention) const;

  const GpuRates rates_;
  const bool fuses_attention_;
};

// Of a GPU by its model ("NVIDIA H100 80GB HBM3"); the sentence lists those that are known.
Result<GpuRates> rates_of_gpu(std::string_view model);

struct GpuJob {
  int nranks = 1;
  double memory_bytes = 0;  // of a rank; 0: what the GPU has, less what CUDA and NCCL take
  bool fuses_attention = true;
};
// A sentence where the cluster's nodes are not alike or have no GPUs whose rates are known, or
// where the ranks do not fill its nodes.
Result<Machine> gpu_machine(const topo::Cluster& cluster, const topo::NcclVersion& version,
                            const GpuJob& job);

}  // namespace linerate::plan
