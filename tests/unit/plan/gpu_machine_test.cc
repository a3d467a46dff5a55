// GPUs of built-in platforms: their rates, and groups of ranks within a node and across nodes.
#include "plan/gpu_machine.h"

#include "topo/cluster/platforms.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <string_view>

namespace linerate::plan {
namespace {

topo::Cluster cluster_of(std::string_view platform, int nnodes) {
  topo::Cluster cluster;
  cluster.groups.push_back(
      {.topology = std::string(platform),
       .system = std::make_shared<const topo::System>(topo::built_in_platform(platform).value()),
       .count = nnodes});
  return cluster;
}

Machine machine_with(std::string_view platform, int nranks, int nnodes = 64) {
  return gpu_machine(cluster_of(platform, nnodes), {}, {.nranks = nranks}).value();
}

TEST(GpuKernels, ReachTheShareOfThePeakThatBenchmarksDo) {
  const GpuKernels kernels(rates_of_gpu("NVIDIA A100-SXM4-80GB").value());
  const Kernel product{KernelKind::product, 27648, 8192, 8192};  // whole waves of 108

  const double tflops = flops_of(product) / kernels.us(product) / 1e6;

  EXPECT_NEAR(tflops, 271, 1);
}

TEST(GpuKernels, LoseWhatTheLastWaveLeavesIdle) {
  const GpuKernels kernels(rates_of_gpu("NVIDIA A100-SXM4-80GB").value());
  const Kernel full{KernelKind::product, 108 * 128, 256, 8192};
  const Kernel one_more{KernelKind::product, 109 * 128, 256, 8192};

  EXPECT_NEAR(kernels.us(one_more) / kernels.us(full), 2, 0.03);
}

TEST(GpuKernels, ArePassesOverMemoryWhereTheyComputeLittle) {
  const GpuKernels kernels(rates_of_gpu("NVIDIA H100 80GB HBM3").value());
  const Kernel add{KernelKind::add, 8192, 8192};

  EXPECT_NEAR(kernels.us(add), 3 * 2 * 8192.0 * 8192 / 3350e3 / 0.88 + 2, 1);
}

// By hand: 48 scores of 2048 x 2048 in 2 bytes are 0.224 ms of memory, and a product over 128 of
// them 0.19 ms.
TEST(GpuKernels, PassScoresThroughMemoryWhereAttentionIsNotFused) {
  const auto rates = rates_of_gpu("NVIDIA A100-SXM4-80GB").value();
  const GpuKernels fused(rates), unfused(rates, false);
  const Kernel forward{KernelKind::attention, 2048, 48, 128},
      backward{KernelKind::attention_backward, 2048, 48, 128}, add{KernelKind::add, 2048, 6144};

  EXPECT_NEAR(unfused.us(forward), (2 + 4.5) * 224.4 + 4 * 2, 2);
  EXPECT_NEAR(unfused.us(backward), (4 + 5.5) * 224.4 + 6 * 2, 2);
  EXPECT_GT(unfused.us(forward), 3 * fused.us(forward));
  EXPECT_EQ(unfused.us(add), fused.us(add));
}

TEST(RatesOfGpu, RefuseUnknownOnesWithTheChoices) {
  const auto rates = rates_of_gpu("Tesla K80");

  ASSERT_FALSE(rates.ok());
  EXPECT_NE(rates.sentence().find("A100-SXM4-80GB, "), std::string::npos);
}

TEST(GpuLinks, AreSlowerAcrossNodes) {
  const auto machine = machine_with("dgx-h100", 64);
  const auto us = [&](CallGroup group) {
    return machine.links->us(CallKind::all_reduce, group, 256e6);
  };

  EXPECT_GT(us({8, 8}), 2 * us({8, 1}));  // eight nodes, a GPU of each; one node
  EXPECT_GT(us({64, 1}), us({8, 1}));
}

// Two ranks of a node, and two of the next but one.
TEST(GpuLinks, RunsOfRanksAreOnTheNodesThatTheyReach) {
  const auto machine = machine_with("dgx-h100", 32);
  const auto us = [&](CallGroup group) {
    return machine.links->us(CallKind::all_reduce, group, 256e6);
  };

  EXPECT_LT(us({4, 1, 2, 4}), us({4, 1, 2, 16}));
  EXPECT_DOUBLE_EQ(us({8, 1, 4, 4}), us({8, 1}));
}

// Of three consecutive ranks some are on two nodes.
TEST(GpuLinks, TakeGroupsThatDoNotFillANode) {
  const auto machine = machine_with("dgx-h100", 24);

  EXPECT_GT(machine.links->us(CallKind::all_reduce, {3, 1}, 256e6),
            machine.links->us(CallKind::all_reduce, {2, 1}, 256e6));
}

// Four groups of a node share four NICs, and one group alone has them all.
TEST(GpuLinks, AreSharedByGroupsThatCallAtOnce) {
  const auto machine = machine_with("hgx-h100-4nic", 16);
  const auto us = [&](CallGroup group) {
    return machine.links->us(CallKind::message, group, 64e6);
  };

  EXPECT_NEAR(us({2, 8}) / machine_with("dgx-h100", 16).links->us(CallKind::message, {2, 8}, 64e6),
              2, 0.1);
  EXPECT_LT(us({2, 1}), us({2, 8}));
}

TEST(GpuLinks, ReduceScatterIsAboutHalfAnAllReduce) {
  const auto machine = machine_with("dgx-a100", 64);
  const double whole = machine.links->us(CallKind::all_reduce, {8, 8}, 1e9);

  EXPECT_NEAR(machine.links->us(CallKind::reduce_scatter, {8, 8}, 1e9) / whole, 0.5, 0.15);
}

TEST(GpuLinks, NarrowUplinksOfRacksSlowGroupsDownThatSpanThem) {
  auto cluster = cluster_of("dgx-h100", 16);
  const auto us = [&](CallGroup group) {
    return gpu_machine(cluster, {}, {.nranks = 128})
        .value()
        .links->us(CallKind::all_reduce, group, 256e6);
  };
  const double wide = us({16, 8}), within = us({4, 8});
  cluster.fabric.nodes_per_rack = 4;
  cluster.fabric.rack.oversubscription = 100;

  EXPECT_GT(us({16, 8}), 3 * wide);
  EXPECT_DOUBLE_EQ(us({4, 8}), within);
}

TEST(GpuMachine, HasTheGpusMemoryUnlessToldOtherwise) {
  EXPECT_NEAR(machine_with("dgx-a100", 8).memory_bytes, 77.0 * (1 << 30), 1);
  EXPECT_EQ(gpu_machine(cluster_of("dgx-a100", 1), {}, {.nranks = 8, .memory_bytes = 4e9})
                .value()
                .memory_bytes,
            4e9);
}

TEST(GpuMachine, RefusesRanksThatDoNotFillNodes) {
  const auto refusal = [](int nranks, int nnodes) {
    return gpu_machine(cluster_of("dgx-a100", nnodes), {}, {.nranks = nranks}).sentence();
  };

  EXPECT_EQ(refusal(12, 4),
            "12 ranks do not fill nodes of 8 GPUs: give a multiple of 8, or 8 at most.");
  EXPECT_EQ(refusal(64, 4),
            "64 ranks need 8 nodes of 8 GPUs that are alike, and the cluster has 4.");
}

}  // namespace
}  // namespace linerate::plan
