// NCCL's collective functions, algorithms and protocols, as its tables number them, and the
// measured constants of its cost model by version.
#pragma once

#include "topo/graph/rules.h"
#include "topo/version.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace linerate::topo {

// What NCCL's tuner decides about; the other collectives are made of sends.
enum class Function : std::uint8_t { broadcast, reduce, all_gather, reduce_scatter, all_reduce };
// CollNet (reductions in network switches) is left out: NCCL uses it only where it is asked to.
enum class Algorithm : std::uint8_t { tree, ring, nvls, nvls_tree, pat };
enum class Protocol : std::uint8_t { ll, ll128, simple };

inline constexpr std::size_t kFunctions = 5, kAlgorithms = 5, kProtocols = 3;

inline constexpr std::array<Function, kFunctions> kAllFunctions{
    Function::broadcast, Function::reduce, Function::all_gather, Function::reduce_scatter,
    Function::all_reduce};
inline constexpr std::array<Algorithm, kAlgorithms> kAllAlgorithms{
    Algorithm::tree, Algorithm::ring, Algorithm::nvls, Algorithm::nvls_tree, Algorithm::pat};
inline constexpr std::array<Protocol, kProtocols> kAllProtocols{Protocol::ll, Protocol::ll128,
                                                                Protocol::simple};

template <typename Enum>
constexpr std::size_t index_of(Enum value) {
  return static_cast<std::size_t>(value);
}

// Each rank has its own part of the data: all_gather and reduce_scatter.
constexpr bool has_shares(Function function) {
  return function == Function::all_gather || function == Function::reduce_scatter;
}

// Through the multicast of NVSwitches within each node.
constexpr bool is_nvls(Algorithm algorithm) {
  return algorithm == Algorithm::nvls || algorithm == Algorithm::nvls_tree;
}

// As the collective is called; as NCCL prints algorithms and protocols.
constexpr std::string_view name_of(Function function) {
  constexpr std::array<std::string_view, kFunctions> kNames{"broadcast", "reduce", "all_gather",
                                                            "reduce_scatter", "all_reduce"};
  return kNames.at(index_of(function));
}
constexpr std::string_view name_of(Algorithm algorithm) {
  constexpr std::array<std::string_view, kAlgorithms> kNames{"Tree", "Ring", "NVLS", "NVLSTree",
                                                             "PAT"};
  return kNames.at(index_of(algorithm));
}
constexpr std::string_view name_of(Protocol protocol) {
  constexpr std::array<std::string_view, kProtocols> kNames{"LL", "LL128", "Simple"};
  return kNames.at(index_of(protocol));
}

// GPUs that have rows of their own.
enum class Generation : std::uint8_t { volta, ampere, hopper, blackwell };
inline constexpr std::size_t kGenerations = 4;

Generation generation_of(int sm);  // 90 -> hopper; what is older than Ampere counts as Volta

// What connects the ranks of a step.
enum class Hardware : std::uint8_t { nvlink, pci, net };
inline constexpr std::size_t kHardware = 3;

// Of a message over such a path within a node: NVLink also through one other GPU.
Hardware hardware_of(PathType type, const NcclVersion& version);

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
  double pat_efficiency = 0;  // 0: no PAT
};

ModelConstants constants_of(const NcclVersion& version);

// The latency of one step of a ring: what NCCL's model has that comes nearest to a message.
double ring_step_us(const NcclVersion& version, Hardware hardware, Protocol protocol);

}  // namespace linerate::topo
