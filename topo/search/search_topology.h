// What a search reads, in numbers: vertices, the paths between them, and the links of each path.
#pragma once

#include "topo/search/channels.h"
#include "topo/search/search_rules.h"

#include <cmath>
#include <utility>
#include <vector>

namespace linerate::topo {

// One hop of a path, and what a channel takes of it.
struct SearchHop {
  int link = 0;          // number among all links of the graph
  bool pci = false;      // Intel's processors make PCI traffic between GPUs larger
  int back_link = -1;    // also taken from; -1: none
  float back_share = 0;  // of what the link itself gives
};

struct SearchPath {
  int type = 0;       // place of its path type
  int back_type = 0;  // of the opposite path
  float gbps = 0;
  int hop_count = 0;  // as the version counts them
  bool inflates_pci = false;
  std::vector<SearchHop> hops{};
};

// A GPU that may come after another one in a channel.
struct NextGpu {
  int gpu = 0;
  int gbps = 0, hops = 0;  // of the path there; whole GB/s, as NCCL compares them
  const SearchPath* path = nullptr;

  bool is_as_near_as(const NextGpu& other) const {
    return gbps == other.gbps && hops == other.hops;
  }
};

// Constant during a search, and the same for all patterns. GPUs and NIC ports have the number that
// they have among their kind. Vertices number all of them: GPUs, then ports, then the NVSwitch.
class SearchTopology {
 public:
  SearchTopology(const Graph& graph, const Paths& paths, bool multi_node);
  SearchTopology(const SearchTopology&) = delete;
  SearchTopology& operator=(const SearchTopology&) = delete;

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
  float max_gbps() const { return max_gbps_; }       // of one path
  float total_gbps() const { return total_gbps_; }   // of all links of one GPU

  int net_vertex(int net) const { return gpus() + net; }
  int switch_vertex() const { return gpus() + nets(); }
  bool is_net(int vertex) const { return vertex >= gpus() && vertex < switch_vertex(); }
  // Empty between ports, and between GPUs and ports of a job on one node.
  const SearchPath& path(int from, int to) const {
    return search_paths_[at(from) * at(switch_vertex() + 1) + at(to)];
  }
  int node_of(int vertex) const;

  const std::vector<float>& links() const { return links_; }  // GB/s, by number
  // Whether giving back what a channel took leaves exactly what was there.
  bool gives_back_all() const { return gives_back_all_; }
  int pci_link(int gpu) const { return pci_links_[static_cast<std::size_t>(gpu)]; }
  int pci_back_link(int gpu) const { return pci_backs_[static_cast<std::size_t>(gpu)]; }

  // Ports' facts, by number.
  const Net& net(int n) const { return *graph_.node(graph_.of(NodeKind::net)[at(n)]).net; }
  float net_gbps(int n) const;
  float slowest_net_gbps() const;  // of the paths from GPUs to their ports; 0: there are none
  // Of one NIC and port number. NICs are told apart by their GUID, those without one by themselves.
  bool same_port(int a, int b) const { return ports_[at(a)] == ports_[at(b)]; }
  int gpu_near(int n) const { return near_gpus_[at(n)]; }  // that uses it first; -1: none
  // The ports of a GPU for its channel 0, 1, ... until the first one comes again.
  const std::vector<int>& local_nets_of(int gpu) const { return local_nets_[at(gpu)]; }
  const std::vector<int>& gpus_nearest(int n) const { return nearest_gpus_[at(n)]; }

  // All others that a GPU reaches: most GB/s first, then fewest hops, then those behind it by
  // number.
  const std::vector<NextGpu>& next_gpus(int gpu) const { return next_gpus_[at(gpu)]; }

  // Places of path types: nearest and farthest between two GPUs, or a GPU and a port.
  std::pair<int, int> nearest_and_farthest_type(bool to_nets) const;
  int place(PathType type) const { return place_of(type, graph_.version()); }
  int next_type(int place) const;  // the next farther one of this version

 private:
  static std::size_t at(int n) { return static_cast<std::size_t>(n); }
  void number_links();
  int link_number(int from, const Hop& hop) const;
  SearchHop search_hop(const Path& path, std::size_t at) const;
  bool has_path(int from, int to) const;
  void make_paths();
  SearchPath make_path(int from, int to) const;
  int count_hops(const Path& path) const;
  void number_ports();
  void order_nets();
  void order_next_gpus();
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
  std::vector<SearchPath> search_paths_;
  std::vector<int> pci_links_, pci_backs_, near_gpus_, ports_;
  std::vector<std::vector<int>> local_nets_, nearest_gpus_;
  std::vector<std::vector<NextGpu>> next_gpus_;
};

// To 1/1000 GB/s, so that taking and giving back leaves what was there.
inline float rounded_gbps(float gbps) {
  constexpr float kSteps = 1000;
  return std::round(gbps * kSteps) / kSteps;
}

}  // namespace linerate::topo
