// The shape of the forecast's parameters; their values are in forecast_parameters.h.
#pragma once

#include "topo/model/constants.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace linerate::topo {

using ByScale = std::array<double, 2>;  // one node, several

// What has parameters of its own: GPUs of a generation that NVLinks join, and racks that are one
// NVLink domain. `other`: GPUs without NVLinks, of which nobody published enough.
enum class Machine : std::uint8_t { volta, ampere, hopper, blackwell, blackwell_rack, other };
inline constexpr std::size_t kMachines = 6;

inline constexpr std::size_t kMoreCtas = std::size_t{2} << 30;  // NVLS of a B200 runs on more then

// What large messages reach of NCCL's bandwidth with Simple: on so many nodes or more.
struct EfficiencyRow {
  std::optional<Machine> machine{};  // none: of those without a row of their own
  Algorithm algorithm = Algorithm::ring;
  int from_nodes = 1;
  double efficiency = 1;
  std::size_t from_bytes = 0;
};

// Sends and receives.
struct SendParameters {
  ByScale host_us{};            // one message
  ByScale peer_us{};            // each further one
  ByScale fill_us{};            // until a large message is up to speed
  double channel_share = 1;     // what a channel carries, of a ring's channel
  double ll_channel_share = 1;  // the same with LL
  double net_channel_gbps = 1;  // what a channel carries between nodes, by NCCL
  ByScale efficiency{1, 1};     // of the busiest link
};

// Whose runs of healthy machines there are.
struct PublishedRow {
  Machine machine = Machine::hopper;
  int gpus = 8, nnodes = 1;  // of a node; of the job
  double ring_gbps = 0;      // as NCCL counts them: what all rings carry, where it is least
  std::string_view collective{};
  std::string_view by{};
};

// Runs support those of jobs whose numbers differ by no more than this factor. One node is no
// support for several.
inline constexpr double kNearGpus = 1.25, kNearNodes = 2, kNearGbps = 1.25;

// Of 80 % of healthy machines, over the forecast.
struct Band {
  double low = 0, high = 0;
};
enum class BandKind : std::uint8_t { one_node, several_nodes, sends_between_nodes };
inline constexpr std::size_t kBandKinds = 3;
inline constexpr std::size_t kSizeBands = 4;     // from 0, 1 MiB, 64 MiB, 1 GiB
inline constexpr std::size_t kSourceCounts = 3;  // none, one, more
using BandTable = std::array<std::array<Band, kSourceCounts>, kSizeBands>;

struct ForecastParameters {
  std::array<ByScale, kMachines> host_us{};  // starting a call
  ByScale latency_share{};                   // real latency for each microsecond of NCCL's
  double nic_share = 1;                      // the same of what a network plugin tells
  double ll_efficiency = 1, ll128_efficiency = 1;
  std::array<double, kAlgorithms> fill_us{};  // with Simple: until the pipeline is full
  SendParameters sends{};
  std::array<BandTable, kBandKinds> bands{};
};

}  // namespace linerate::topo
