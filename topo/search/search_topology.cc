#include "topo/search/search_topology.h"

#include "topo/graph/paths.h"
#include "topo/system/links.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <utility>

namespace linerate::topo {
namespace {

int lowest_sm(const Graph& graph) {
  int sm = 0;
  bool first = true;
  for (const int gpu : graph.of(NodeKind::gpu)) {
    const int own = graph.node(gpu).gpu->sm;
    sm = first ? own : std::min(sm, own);
    first = false;
  }
  return sm;
}

int count_hosts(const Graph& graph) {
  int last = 0;
  for (const auto& node : graph.nodes()) last = std::max(last, node.host);
  return last + 1;
}

bool is_power(const Node& node) {
  return node.kind == NodeKind::cpu && node.cpu->arch == CpuArch::ppc64;
}

bool is_old_gpu(const Node& node) { return node.kind == NodeKind::gpu && node.gpu->sm < kAmpereSm; }

}  // namespace

SearchTopology::SearchTopology(const Graph& graph, const Paths& paths, bool multi_node)
    : graph_(graph),
      paths_(paths),
      rules_(search_rules(graph.version())),
      gpus_(static_cast<int>(graph.of(NodeKind::gpu).size())),
      nets_(static_cast<int>(graph.of(NodeKind::net).size())),
      multi_node_(multi_node),
      hosts_(count_hosts(graph)),
      sm_(lowest_sm(graph)) {
  const auto cpus = graph.of(NodeKind::cpu);
  through_amd_ = !cpus.empty() && is_amd(*graph.node(cpus.front()).cpu);
  number_links();
  make_paths();
  number_ports();
  order_nets();
  order_next_gpus();
  find_pci_links();
  is_split_ = is_in_two_domains();
  gives_back_all_ = keeps_exact_loads();
  measure();
}

int SearchTopology::node_of(int vertex) const {
  if (vertex < gpus()) return graph_.of(NodeKind::gpu)[at(vertex)];
  if (vertex < switch_vertex()) return graph_.of(NodeKind::net)[at(vertex - gpus())];
  return graph_.of(NodeKind::nvs).front();
}

float SearchTopology::net_gbps(int n) const {
  return static_cast<float>(graph_.node(graph_.of(NodeKind::net)[at(n)]).gbps);
}

// Ports that are the same one have the number of the first of them.
void SearchTopology::number_ports() {
  std::map<std::pair<std::uint64_t, int>, int> of_nics;
  for (int n = 0; n < nets_; ++n) {
    const Net& port = net(n);
    ports_.push_back(port.guid == 0 ? n
                                    : of_nics.try_emplace({port.guid, port.port}, n).first->second);
    const int node = node_of(net_vertex(n));
    const int gpu = local_gpu(graph_, paths_, node);
    near_gpus_.push_back(gpu < 0 ? -1 : graph_.node(gpu).index);
    auto& nearest_gpus = nearest_gpus_.emplace_back(nearest(graph_, paths_, node, NodeKind::gpu));
    for (int& near : nearest_gpus) near = graph_.node(near).index;
  }
}

void SearchTopology::order_nets() {
  const auto most = at(rules_.max_channels);
  for (const int gpu : graph_.of(NodeKind::gpu)) {
    auto& nets = local_nets_.emplace_back(local_nets(graph_, paths_, gpu));
    if (nets.size() > most) nets.resize(most);
    for (int& net : nets) net = graph_.node(net).index;
  }
}

void SearchTopology::number_links() {
  for (const auto& node : graph_.nodes()) {
    first_link_.push_back(static_cast<int>(links_.size()));
    for (const auto& link : node.links) links_.push_back(static_cast<float>(link.gbps));
  }
}

// The number of the link that leads from `from` as `hop` does; -1: none.
int SearchTopology::link_number(int from, const Hop& hop) const {
  const int to = hop.from == from ? hop.to : hop.from;
  const auto& links = graph_.node(from).links;
  const auto found = std::ranges::find_if(
      links, [&](const Link& link) { return link.to == to && link.kind == hop.kind; });
  if (found == links.end()) return -1;
  return first_link_[at(from)] + static_cast<int>(found - links.begin());
}

// Traffic into GPUs before Ampere, and over NVLink into POWER processors, slows what comes back.
SearchHop SearchTopology::search_hop(const Path& path, std::size_t at) const {
  constexpr float kAcknowledgements = 1.0F / 8;
  const Hop& step = path.hops[at];
  SearchHop hop{.link = link_number(step.from, step), .pci = step.kind == LinkKind::pci};
  const Node& next = graph_.node(step.to);
  const bool from_gpu = graph_.node(path.hops.front().from).kind == NodeKind::gpu;
  if (is_old_gpu(next) && !from_gpu) hop.back_share += kAcknowledgements;
  if (is_power(next) && step.kind == LinkKind::nvl) hop.back_share += 1;
  if (hop.back_share > 0) hop.back_link = link_number(step.to, step);
  return hop;
}

bool SearchTopology::has_path(int from, int to) const {
  return multi_node_ ? !is_net(from) || !is_net(to) : !is_net(from) && !is_net(to);
}

void SearchTopology::make_paths() {
  const int vertices = switch_vertex() + (has_switch() ? 1 : 0);
  const std::size_t row = at(switch_vertex() + 1);
  search_paths_.resize(row * row);
  for (int from = 0; from < vertices; ++from)
    for (int to = 0; to < vertices; ++to)
      if (has_path(from, to)) search_paths_[at(from) * row + at(to)] = make_path(from, to);
}

void SearchTopology::order_next_gpus() {
  for (int gpu = 0; gpu < gpus(); ++gpu) {
    auto& order = next_gpus_.emplace_back();
    for (int i = 1; i < gpus(); ++i) {
      const int next = (gpu + i) % gpus();
      const SearchPath& path = this->path(gpu, next);
      const int hops = static_cast<int>(path.hops.size());
      if (hops > 0)
        order.push_back(
            {.gpu = next, .gbps = static_cast<int>(path.gbps), .hops = hops, .path = &path});
    }
    std::ranges::stable_sort(order, {},
                             [](const NextGpu& next) { return std::pair(-next.gbps, next.hops); });
  }
}

SearchPath SearchTopology::make_path(int from, int to) const {
  const Path& path = paths_.between(node_of(from), node_of(to));
  SearchPath made{.type = place(path.type),
                  .back_type = place(paths_.between(node_of(to), node_of(from)).type),
                  .gbps = static_cast<float>(path.gbps),
                  .hop_count = count_hops(path)};
  const bool by_intel = std::ranges::any_of(path.hops, [&](const Hop& hop) {
    const Node& node = graph_.node(hop.to);
    return node.kind == NodeKind::cpu && is_intel(*node.cpu);
  });
  made.inflates_pci = path.type == PathType::phb && from < gpus() && by_intel;
  for (std::size_t hop = 0; hop < path.hops.size(); ++hop)
    made.hops.push_back(search_hop(path, hop));
  return made;
}

// Where GPUs count, so does each end, and one that passes on what it gets (PXN) counts twice.
int SearchTopology::count_hops(const Path& path) const {
  const int hops = static_cast<int>(path.hops.size());
  if (hops == 0 || !rules_.counts_gpu_hops) return hops;
  const auto is_gpu = [&](int node) { return graph_.node(node).kind == NodeKind::gpu; };
  const int ends = (is_gpu(path.hops.front().from) ? 1 : 0) + (is_gpu(path.hops.back().to) ? 1 : 0);
  return hops + ends + (path.type == PathType::pxn ? 2 : 0);
}

// A GPU's own PCI link, and the one towards it: what is left of them orders GPUs near a NIC.
void SearchTopology::find_pci_links() {
  for (const int gpu : graph_.of(NodeKind::gpu)) {
    const auto& links = graph_.node(gpu).links;
    const auto pci = std::ranges::find(links, LinkKind::pci, &Link::kind);
    const bool has_pci = pci != links.end();
    const auto number = first_link_[at(gpu)] + static_cast<int>(pci - links.begin());
    pci_links_.push_back(has_pci ? number : -1);
    if (!has_pci) {
      pci_backs_.push_back(-1);
      continue;
    }
    const auto& above = graph_.node(pci->to).links;
    const auto back = std::ranges::find(above, gpu, &Link::to);
    pci_backs_.push_back(first_link_[at(pci->to)] + static_cast<int>(back - above.begin()));
  }
}

void SearchTopology::measure() {
  if (!multi_node_ && gpus() == 1) {
    max_gbps_ = total_gbps_ = static_cast<float>(kLocalGbps);
    return;
  }
  const int first = multi_node_ ? gpus() : 0, last = multi_node_ ? switch_vertex() : gpus();
  for (int gpu = 0; gpu < gpus(); ++gpu) {
    for (int to = first; to < last; ++to)
      if (!path(gpu, to).hops.empty()) max_gbps_ = std::max(max_gbps_, path(gpu, to).gbps);
    float nvlink = 0, pci = 0;
    for (const auto& link : graph_.node(node_of(gpu)).links) {
      if (link.kind == LinkKind::nvl) nvlink += static_cast<float>(link.gbps);
      if (link.kind == LinkKind::pci) pci = static_cast<float>(link.gbps);
    }
    total_gbps_ = std::max({total_gbps_, nvlink, pci});
  }
}

bool SearchTopology::is_in_two_domains() const {
  std::vector<int> domain(at(gpus())), size(at(gpus()), 0);
  for (int gpu = 0; gpu < gpus(); ++gpu) domain[at(gpu)] = gpu;
  for (int gpu = 0; gpu < gpus(); ++gpu)
    for (int peer = gpu + 1; peer < gpus(); ++peer)
      if (path(gpu, peer).type == place(PathType::nvl)) domain[at(peer)] = domain[at(gpu)];
  for (const int d : domain) ++size[at(d)];
  return std::ranges::count_if(size, [](int gpus_in) { return gpus_in > 1; }) == 2;
}

// What is left of a link is rounded to 1/1000 GB/s, of which all speeds and their halves are
// multiples.
bool SearchTopology::keeps_exact_loads() const {
  const auto is_whole = [](float value) { return value == std::round(value); };
  const auto is_rounded = [](float gbps) { return gbps == rounded_gbps(gbps); };
  return std::ranges::all_of(links_, is_rounded) &&
         std::ranges::all_of(search_paths_, [&](const SearchPath& path) {
           return std::ranges::all_of(path.hops, is_whole, &SearchHop::back_share);
         });
}

float SearchTopology::slowest_net_gbps() const {
  float slowest = 0;
  for (int gpu = 0; gpu < gpus(); ++gpu)
    for (const int net : local_nets_of(gpu)) {
      const float gbps = path(gpu, net_vertex(net)).gbps;
      slowest = slowest == 0 ? gbps : std::min(slowest, gbps);
    }
  return slowest;
}

std::pair<int, int> SearchTopology::nearest_and_farthest_type(bool to_nets) const {
  int nearest = place(PathType::sys), farthest = place(PathType::loc);
  for (int gpu = 0; gpu < gpus(); ++gpu)
    for (int to = to_nets ? gpus() : 0; to < (to_nets ? switch_vertex() : gpus()); ++to) {
      if (to == gpu) continue;
      nearest = std::min(nearest, path(gpu, to).type);
      farthest = std::max(farthest, path(gpu, to).type);
    }
  return {nearest, farthest};
}

int SearchTopology::next_type(int place) const {
  do ++place;
  while (!has_path_type(type_at(place, graph_.version()), graph_.version()));
  return place;
}

}  // namespace linerate::topo
