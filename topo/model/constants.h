// The measured constants of NCCL's cost model, by version.
#pragma once

#include "topo/graph/rules.h"
#include "topo/model/algorithm.h"
#include "topo/version.h"

#include <array>
#include <cstdint>

namespace linerate::topo {

// GPUs that have rows of their own.
enum class Generation : std::uint8_t { volta, ampere, hopper, blackwell };
inline constexpr std::size_t kGenerations = 4;

Generation generation_of(int sm);  // 90 -> hopper; what is older than Ampere counts as Volta

// What connects the ranks of a step.
enum class Hardware : std::uint8_t { nvlink, pci, net };
inline constexpr std::size_t kHardware = 3;

// Of a message over such a way within a node: NVLink also through one other GPU.
Hardware hardware_of(PathType way, const NcclVersion& version);

using PerProtocol = std::array<double, kProtocols>;
using PerScale = std::array<double, 3>;  // one node, two nodes, more

// src/graph/tuning.cc of NCCL. Latencies in us, bandwidths in GB/s; those of a channel where the
// name says so.
struct ModelConstants {
  std::array<PerProtocol, kAlgorithms> base_us{};
  std::array<std::array<PerProtocol, kAlgorithms>, kHardware> hardware_us{};
  // By generation on one node; on several, row 1 for AMD and mixed processors, else row 0.
  std::array<PerScale, kGenerations> ll_gbps{};
  std::array<PerScale, kGenerations> channel_ring_ll128_gbps{};
  std::array<PerScale, kGenerations> channel_tree_ll128_gbps{};
  std::array<PerScale, kGenerations> channel_tree_gbps{};
  std::array<PerScale, kGenerations> channel_nvls_tree_gbps{};
  std::array<double, kGenerations> nvls_efficiency{};
  double collnet_arity_us = 0;  // per GPU, while a NIC serves several
  double pat_efficiency = 0;    // 0: no PAT
};

ModelConstants constants_of(const NcclVersion& version);

// The latency of one step of a ring: what NCCL's model has that comes nearest to a message.
double ring_step_us(const NcclVersion& version, Hardware hardware, Protocol protocol);

}  // namespace linerate::topo
