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

// Constant during a search. GPUs and ports are numbered among their kind; a spot is either or the
// NVSwitch.
class Ground {
 public:
  Ground(const Graph& graph, const Paths& paths, const SearchLimits& limits);

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
  const Way& way(int from, int to) const {
    return ways_[at(from) * at(switch_spot() + 1) + at(to)];
  }
  int node_of(int spot) const;

  const std::vector<float>& links() const { return links_; }  // GB/s, by number
  int pci_link(int gpu) const { return pci_links_[static_cast<std::size_t>(gpu)]; }
  int pci_back_link(int gpu) const { return pci_backs_[static_cast<std::size_t>(gpu)]; }

  // Ports' facts, by number.
  const Net& net(int n) const { return *graph_.node(graph_.of(NodeKind::net)[at(n)]).net; }
  float net_gbps(int n) const;
  bool same_port(int a, int b) const;                      // of one NIC and port number
  int gpu_near(int n) const { return near_gpus_[at(n)]; }  // -1: none

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
  Way make_way(int from, int to) const;
  int count_hops(const Path& path) const;
  void find_pci_links();
  void measure();
  bool is_in_two_domains() const;

  const Graph& graph_;
  const Paths& paths_;
  SearchRules rules_;
  int gpus_ = 0, nets_ = 0;
  bool multi_node_ = false;
  int hosts_ = 1, sm_ = 0;
  bool through_amd_ = false, is_split_ = false;
  float max_gbps_ = 0, total_gbps_ = 0;
  std::vector<int> first_link_;  // number of each node's first link
  std::vector<float> links_;
  std::vector<Way> ways_;
  std::vector<int> pci_links_, pci_backs_, near_gpus_;
};

}  // namespace linerate::topo
