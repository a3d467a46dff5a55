// What a log says of a job that may be healthy: versions, ranks, hosts, channels, network,
// settings.
#pragma once

#include "diagnose/log/message.h"

#include <array>
#include <cstddef>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <unordered_map>
#include <vector>

namespace linerate::logs {

// What writes lines: a process, or a GPU of one that has several.
struct Place {
  std::string host{};
  int pid = -1, device = -1;
  int rank = -1;  // where the line itself says it; else by the communicators
  auto operator<=>(const Place&) const = default;
};

struct RankSeen {
  std::string host{};
  bool completed = false;
  double init_s = 0;  // 0: not logged
};

// Ranks that were initialised together.
struct CommSeen {
  int nranks = 0;
  std::map<int, RankSeen> ranks{};
  std::size_t completed() const;
};

// Channels of one kind between a host and the host of a rank.
struct ChannelKey {
  std::string host{};       // that wrote the line; empty: unknown
  std::string transport{};  // "P2P/CUMEM", "SHM", "NET/IB"
  int peer = -1;            // its rank; -1: on the same host
  bool sends = false;       // from host to peer
  bool gpudirect = false;
  auto operator<=>(const ChannelKey&) const = default;
};

using HostsByName = std::map<std::string, std::set<std::string>>;

class LogFacts {
 public:
  // Takes what an INFO line, or one of Level::none, says. Whether it says anything.
  bool take(const Message& message);

  // "rank 3 (node1)", "node1, GPU 2", "an unknown rank".
  std::string name_of(const Place& place) const;
  // The rank of a place in the job's largest communicator; -1: unknown.
  int rank_of(const Place& place) const;
  // The communicator with the most ranks; null: none was seen.
  const CommSeen* job() const;

  std::set<std::string> versions{};  // "2.21.5+cuda12.4"
  std::set<std::string> drivers{};   // "12080": what CUDA the driver has
  std::map<std::string, CommSeen> comms{};
  std::map<Place, int> ranks{};  // of the largest communicator that the place is in
  HostsByName networks{};        // "IB" -> hosts
  HostsByName devices{};         // "mlx5_0:1/IB …" -> hosts
  // Name -> value -> places that were told so.
  std::map<std::string, std::map<std::string, std::set<Place>>> settings{};
  std::map<ChannelKey, std::size_t> channels{};
  std::set<std::string> rings{};  // number of ring channels, as written
  std::size_t tree_lines = 0, nvls_lines = 0;

 private:
  void take_comm(const Message& message);
  void take_version(const Message& message);
  bool take_channel(const Message& message);
  void take_setting(const Message& message);
  void take_timing(const Message& message);
  void take_network(const Message& message);
  void keep_host(HostsByName& lists, std::string_view name, std::string_view host);
  bool take_line(const Message& message);

  struct Reader;
  std::unordered_map<std::size_t, std::size_t*> counts_{};  // channels by their line's hash
  std::size_t entries_ = 0;
  std::string largest_{};  // its name in comms
};

Place place_of(const Message& message);

}  // namespace linerate::logs
