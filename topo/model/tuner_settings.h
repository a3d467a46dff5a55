// What NCCL's environment variables ask of its choices, read as that version of NCCL reads them.
#pragma once

#include "base/environment.h"
#include "base/result.h"
#include "topo/model/constants.h"
#include "topo/search/channels.h"
#include "topo/version.h"

#include <array>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace linerate::topo {

// LL128 is used where it is safe, unless a list names it.
enum class ProtocolUse : std::uint8_t { off, on, where_safe };

struct TunerSettings {
  using Algorithms = std::array<bool, kAlgorithms>;
  using Protocols = std::array<ProtocolUse, kProtocols>;

  std::array<Algorithms, kFunctions> algorithms = every<Algorithms>({true, true, true, true, true});
  std::array<Protocols, kFunctions> protocols =
      every<Protocols>({ProtocolUse::on, ProtocolUse::where_safe, ProtocolUse::on});
  ChannelSettings channels{};
  // The variables that are set, of those above, with their values: NCCL_ALGO, Ring.
  std::vector<std::pair<std::string, std::string>> given{};

  bool allows(Function function, Algorithm algorithm) const {
    return algorithms[index_of(function)][index_of(algorithm)];
  }
  ProtocolUse use_of(Function function, Protocol protocol) const {
    return protocols[index_of(function)][index_of(protocol)];
  }

 private:
  template <typename List>
  static constexpr std::array<List, kFunctions> every(const List& list) {
    std::array<List, kFunctions> all{};
    all.fill(list);
    return all;
  }
};

// Reads NCCL_ALGO, NCCL_PROTO, NCCL_NVLS_ENABLE, NCCL_MIN_CTAS, NCCL_MAX_CTAS, NCCL_MIN_NCHANNELS
// and NCCL_MAX_NCHANNELS (NCCL_MIN_NRINGS, NCCL_MAX_NRINGS). Lists as in parseList of
// src/graph/tuning.cc: without blanks, in either case, "^" for all others, and since 2.24
// "allreduce:tree;broadcast:ring". What makes NCCL end with an error is refused: a name that is
// unknown since 2.24, no channels at all. Numbers as C's strtoll reads them, what follows is
// ignored.
Result<TunerSettings> read_tuner_settings(const Environment& environment,
                                          const NcclVersion& version);

// What is set, changes what NCCL does, and is left out of predictions: a sentence for each kind of
// change, with the names.
std::vector<std::string> unmodelled_settings(const Environment& environment);

}  // namespace linerate::topo
