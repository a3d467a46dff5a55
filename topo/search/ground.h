// What a search stands on: the ways between GPUs and NIC ports of a node, in numbers.
#pragma once

#include "topo/search/channels.h"
#include "topo/search/search_rules.h"

#include <vector>

namespace linerate::topo {

// One hop of a way, and what a channel takes of it.
struct Leg {
  int link = 0;          // number among all links of the graph
  bool pci = false;      // Intel's processors make PCI traffic between GPUs larger
  int back_link = -1;    // also taken from; -1: none
  float back_share = 0;  // of what the link itself gives
};

struct Way {
  int type = 0;       // place of its path type
  int back_type = 0;  // of the opposite way
  float gbps = 0;
  int hops = 0;  // as the version counts them
  bool inflates_pci = false;
  std::vector<Leg> legs{};
};

// A GPU that may come after another one in a channel.
struct Follower {
  int gpu = 0;
  int gbps = 0, hops = 0;  // of the way there; whole GB/s, as NCCL compares them
  const Way* way = nullptr;

  bool is_as_near_as(const Follower& other) const {
    return gbps == other.gbps && hops == other.hops;
  }
};

// Constant during a search, and the same for all patterns. GPUs and ports are numbered among their
// kind; a spot is either or the NVSwitch.
class Ground {
 public:
  Ground(const Graph& graph, const Paths& paths, bool multi_node);
  Ground(const Ground&) = delete;
  Ground& operator=(const Ground&) = delete;

  const Graph& graph() const { return graph_; }
  const Paths& paths() const { return paths_; }
  const SearchRules& rules() const { return rules_; }
  bool multi_node() const { return multi_node_; }
  int gpus() const { return gpus_; }
  int nets() const { return nets_; }
  bool has_switch() const { return !graph_.of(NodeKind::nvs).empty(); }
  int hosts() const { return hosts_; }
  int sm() const { return sm_; }                     // the lowest compute capability
  bool through_amd() const { return through_amd_; }  // the first processor is AMD's
  bool is_split() const { return is_split_; }        // two NVLink domains
  float max_gbps() const { return max_gbps_; }       // of one way
  float total_gbps() const { return total_gbps_; }   // of all links of one GPU

  int net_spot(int net) const { return gpus() + net; }
  int switch_spot() const { return gpus() + nets(); }
  // Of one node alone there are none to ports; between ports there are none.
  const Way& way(int from, int to) const {
    return ways_[at(from) * at(switch_spot() + 1) + at(to)];
  }
  int node_of(int spot) const;

  const std::vector<float>& links() const { return links_; }  // GB/s, by number
  // Whether what channels take of links and give back leaves exactly what was there.
  bool gives_back_all() const { return gives_back_all_; }
  int pci_link(int gpu) const { return pci_links_[static_cast<std::size_t>(gpu)]; }
  int pci_back_link(int gpu) const { return pci_backs_[static_cast<std::size_t>(gpu)]; }

  // Ports' facts, by number.
  const Net& net(int n) const { return *graph_.node(graph_.of(NodeKind::net)[at(n)]).net; }
  float net_gbps(int n) const;
  // Of one NIC and port number. NICs are told apart by their GUID, those without one by themselves.
  bool same_port(int a, int b) const { return ports_[at(a)] == ports_[at(b)]; }
  int gpu_near(int n) const { return near_gpus_[at(n)]; }  // that uses it first; -1: none
  // The ports of a GPU for its channel 0, 1, ... until the first one comes again.
  const std::vector<int>& net_turns(int gpu) const { return net_turns_[at(gpu)]; }
  const std::vector<int>& gpus_nearest(int n) const { return nearest_gpus_[at(n)]; }

  // All others that a GPU reaches: most GB/s first, then fewest hops, then those behind it by
  // number.
  const std::vector<Follower>& followers(int gpu) const { return followers_[at(gpu)]; }

  // Places of path types: nearest and farthest between two GPUs, or a GPU and a port.
  int nearest_type(bool to_nets) const;
  int farthest_type(bool to_nets) const;
  int place(PathType type) const { return place_of(type, graph_.version()); }
  int next_type(int place) const;  // the next farther one of this version

 private:
  static std::size_t at(int n) { return static_cast<std::size_t>(n); }
  void number_links();
  int link_number(int from, const Hop& hop) const;
  Leg leg(const Path& path, std::size_t hop) const;
  bool has_way(int from, int to) const;
  void make_ways();
  Way make_way(int from, int to) const;
  int count_hops(const Path& path) const;
  void know_ports();
  void know_turns();
  void order_followers();
  void find_pci_links();
  void measure();
  bool is_in_two_domains() const;
  bool keeps_exact_loads() const;

  const Graph& graph_;
  const Paths& paths_;
  SearchRules rules_;
  int gpus_ = 0, nets_ = 0;
  bool multi_node_ = false;
  int hosts_ = 1, sm_ = 0;
  bool through_amd_ = false, is_split_ = false, gives_back_all_ = false;
  float max_gbps_ = 0, total_gbps_ = 0;
  std::vector<int> first_link_;  // number of each node's first link
  std::vector<float> links_;
  std::vector<Way> ways_;
  std::vector<int> pci_links_, pci_backs_, near_gpus_, ports_;
  std::vector<std::vector<int>> net_turns_, nearest_gpus_;
  std::vector<std::vector<Follower>> followers_;
};

}  // namespace linerate::topo
