// An emulated cluster: nodes, the links between them, and which of these a pair of ranks uses.
#pragma once

#include "base/clock.h"
#include "base/result.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace linerate::host {

// What one link carries in one direction, as a data sheet says it.
struct LinkRate {
  double gbps = 0;  // GB/s, 10^9 bytes per second
  double latency_us = 0;
};

// The shape of a cluster whose nodes and racks are all alike.
struct NetworkPlan {
  int nodes = 1;
  int ranks_per_node = 1;
  int rails = 1;                    // NICs of a node; its k-th rank uses NIC k mod rails
  int nodes_per_rack = 0;           // 0: no racks
  LinkRate nic{};                   // of each NIC, up and down
  std::optional<LinkRate> local{};  // of each node, one for both directions; absent: free
  std::optional<LinkRate> rack{};   // of each rack, up to the spine and down from it
  std::optional<LinkRate> spine{};  // one for all racks and both directions; absent: never full
  int dilation = 1;                 // time runs so many times slower than the machine's

  static constexpr int kMaxNodes = 1024;
  static constexpr int kMaxRanksPerNode = 64;
  static constexpr int kMaxRails = 16;
  static constexpr int kMaxDilation = 10000;
};

// Makes what it names slower than its like.
struct Slowness {
  double factor = 1;    // times as long for the same bytes; at least 1
  double delay_us = 0;  // on top of each message's latency
};

// The links that a message crosses, in order, and what it pays beyond their bandwidth. Times are
// the machine's, dilated already: with what is slow, and as if nothing were.
struct Path {
  static constexpr std::size_t kMax = 5;
  std::array<std::uint32_t, kMax> link{};
  std::size_t nlinks = 0;
  ModeledTime latency{};
  double stretch = 1;  // a slow rank's transfers take so many times as long as the links are busy

  std::span<const std::uint32_t> links() const& { return std::span(link).first(nlinks); }
  void links() const&& = delete;  // they would outlive their path
};

// Immutable once it is in use, so any thread may read it. A rank's node is rank / ranks_per_node.
//
// Between two nodes a message crosses the sender's NIC up, the receiver's NIC down, and between
// two racks the sender's rack up, the spine, and the receiver's rack down. Within a node it
// crosses that node's local link, or nothing.
class Network {
 public:
  // REQUIRES: every number of the plan is within its limits, every bandwidth above 0.
  explicit Network(const NetworkPlan& plan);

  const NetworkPlan& plan() const { return plan_; }
  int nranks() const { return plan_.nodes * plan_.ranks_per_node; }
  int node_of(int rank) const { return rank / plan_.ranks_per_node; }
  // "node3": what stands in the place of a hostname.
  std::string node_name(int rank) const;
  // "4 nodes x 2 ranks".
  std::string places() const;
  // "4 nodes x 2 ranks, time dilated 100 times".
  std::string words() const;

  std::size_t nlinks() const { return links_.size(); }
  const std::string& name_of(std::size_t link) const { return links_[link].name; }
  // The link of this name, such as node3.nic.up (node3.nic1.up where a node has several),
  // node3.local, rack0.down or spine; nothing where there is none.
  std::optional<std::size_t> find_link(std::string_view name) const;

  // REQUIRES: factor >= 1, delay_us >= 0.
  void slow_link(std::size_t link, const Slowness& by);
  void slow_rank(int rank, const Slowness& by);

  // REQUIRES: from != to; both below nranks().
  Path path(int from, int to) const;
  // How long `bytes` keep the link busy, at most kMaxBusyNs: as it is, and as if it were healthy.
  ModeledTime busy(std::size_t link, std::size_t bytes) const;
  // Whether slow_link() or slow_rank() was ever called.
  bool slowed() const { return slowed_; }

  static constexpr double kMaxBusyNs = 1e15;  // eleven days: sums stay within 64 bits

  // Equal for networks that are alike: ranks of one job compare it.
  std::uint64_t fingerprint() const;

 private:
  struct Link {
    std::string name;
    double ns_per_byte = 0;
    double healthy_ns_per_byte = 0;
    ModeledTime latency{};
  };
  enum class Way : std::uint8_t { up, down };

  void add(std::string name, const LinkRate& rate);
  std::size_t nic(int rank, Way way) const;
  std::size_t rack(int rank, Way way) const;
  void cross(std::size_t link, Path& path) const;

  NetworkPlan plan_;
  std::vector<Link> links_{};
  std::size_t racks_at_ = 0;   // of the first rack's link up
  std::size_t locals_at_ = 0;  // of the first node's local link
  std::vector<Slowness> of_rank_{};
  bool slowed_ = false;
};

inline constexpr std::size_t kMaxNetworkBytes = std::size_t{64} << 10;

// Strict: unknown and repeated keys, missing units, several documents and values out of their range
// are refused by what goes on behind the file's name: ", line 3: …". The keys are in
// docs/emulation.md.
Result<Network> parse_network(std::string_view text);

// The same of a file, in one sentence that names it.
Result<std::shared_ptr<const Network>> read_network(const std::string& path);

}  // namespace linerate::host
