// NCCL's collective functions, algorithms and protocols, as its tables number them.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace linerate::topo {

// What NCCL's tuner decides about; the other collectives are made of sends.
enum class Function : std::uint8_t { broadcast, reduce, all_gather, reduce_scatter, all_reduce };
enum class Algorithm : std::uint8_t {
  tree,
  ring,
  collnet_direct,
  collnet_chain,
  nvls,
  nvls_tree,
  pat
};
enum class Protocol : std::uint8_t { ll, ll128, simple };

inline constexpr std::size_t kFunctions = 5, kAlgorithms = 7, kProtocols = 3;

inline constexpr std::array<Function, kFunctions> kAllFunctions{
    Function::broadcast, Function::reduce, Function::all_gather, Function::reduce_scatter,
    Function::all_reduce};
inline constexpr std::array<Algorithm, kAlgorithms> kAllAlgorithms{Algorithm::tree,
                                                                   Algorithm::ring,
                                                                   Algorithm::collnet_direct,
                                                                   Algorithm::collnet_chain,
                                                                   Algorithm::nvls,
                                                                   Algorithm::nvls_tree,
                                                                   Algorithm::pat};
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

// As the collective is called; as NCCL prints algorithms and protocols.
constexpr std::string_view name_of(Function function) {
  constexpr std::array<std::string_view, kFunctions> kNames{"broadcast", "reduce", "all_gather",
                                                            "reduce_scatter", "all_reduce"};
  return kNames.at(index_of(function));
}
constexpr std::string_view name_of(Algorithm algorithm) {
  constexpr std::array<std::string_view, kAlgorithms> kNames{
      "Tree", "Ring", "CollNetDirect", "CollNetChain", "NVLS", "NVLSTree", "PAT"};
  return kNames.at(index_of(algorithm));
}
constexpr std::string_view name_of(Protocol protocol) {
  constexpr std::array<std::string_view, kProtocols> kNames{"LL", "LL128", "Simple"};
  return kNames.at(index_of(protocol));
}

}  // namespace linerate::topo
