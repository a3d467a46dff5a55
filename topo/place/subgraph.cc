#include "topo/place/subgraph.h"

#include "topo/graph/graph.h"
#include "topo/graph/paths.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <ranges>
#include <set>
#include <string_view>
#include <utility>
#include <vector>

namespace linerate::topo {
namespace {

using PlacesOfGpus = std::set<std::pair<std::uint64_t, BusId>>;  // host and bus id

void keep_gpus(std::vector<PciDevice>& devices, std::uint64_t host, const PlacesOfGpus& kept) {
  std::erase_if(devices, [&](const PciDevice& device) {
    return device.gpu && !kept.contains({host, device.bus_id});
  });
  for (auto& device : devices) keep_gpus(device.children, host, kept);
}

}  // namespace

System only_gpus(const Graph& graph, std::span<const int> gpus) {
  System system = graph.system();
  const auto hosts = hosts_of(system);
  PlacesOfGpus kept;
  for (const int n : gpus) {
    const Node& node = graph.node(n);
    kept.emplace(hosts[static_cast<std::size_t>(node.host)], node.bus_id);
  }
  for (auto& cpu : system.cpus) keep_gpus(cpu.devices, cpu.host_hash, kept);
  return system;
}

// Nodes are told apart by what they are, then by their neighbours' classes until no
// class splits any more (Weisfeiler and Leman 1968); what is left tied keeps its order.

namespace {

// Numbers for texts: equal ones where texts are, rising as texts do.
std::vector<int> classes_of(const std::vector<std::string>& texts) {
  std::map<std::string_view, int> classes;
  for (const auto& word : texts) classes[word] = 0;
  int next = 0;
  for (auto& [word, number] : classes) number = next++;
  std::vector<int> found;
  for (const auto& word : texts) found.push_back(classes[word]);
  return found;
}

// Its place among the GPUs by host and number.
std::size_t turn_of(const Graph& graph, const Node& gpu) {
  const auto gpus = graph.of(NodeKind::gpu);
  return static_cast<std::size_t>(std::ranges::count_if(gpus, [&](int n) {
    const Node& other = graph.node(n);
    return std::pair(other.host, other.gpu->dev) < std::pair(gpu.host, gpu.gpu->dev);
  }));
}

std::string node_text(const Graph& graph, const Node& node) {
  auto text = fmt::format("{} {}", name_of(node.kind), node.gbps);
  if (node.gpu != nullptr)
    text += fmt::format(" {} {} {} {} {}", turn_of(graph, node), node.host, node.gpu->sm,
                        node.gpu->rank >= 0, node.gpu->gdr);
  if (node.net != nullptr)
    text += fmt::format(" {} {} {} {} {}", node.net->port, node.net->latency_us, node.net->maxconn,
                        node.net->gdr, node.net->coll);
  if (node.cpu != nullptr)
    text += fmt::format(" {} '{}' {} {}", static_cast<int>(node.cpu->arch), node.cpu->vendor,
                        node.cpu->family, node.cpu->model);
  return text;
}

struct Neighbour {
  std::string how{};
  int node = 0;
};

// Of each node: those that it has links to; of GPUs and ports, those that NCCL deals out.
std::vector<std::vector<Neighbour>> neighbours_of(const Graph& graph, const Paths& paths) {
  std::vector<std::vector<Neighbour>> all;
  for (const auto& node : graph.nodes()) {
    auto& own = all.emplace_back();
    for (const auto& link : node.links)
      own.push_back({fmt::format("{} {}", name_of(link.kind), link.gbps), link.to});
  }
  const int ports = static_cast<int>(graph.of(NodeKind::net).size());
  for (const int gpu : graph.of(NodeKind::gpu))
    for (int channel = 0; channel < ports; ++channel) {
      const int net = local_net(graph, paths, gpu, channel);
      if (net < 0) break;
      all[static_cast<std::size_t>(gpu)].push_back({fmt::format("takes {}", channel), net});
      all[static_cast<std::size_t>(net)].push_back({fmt::format("taken {}", channel), gpu});
    }
  return all;
}

// By the numbers that nodes have.
std::string neighbours_text(const std::vector<Neighbour>& neighbours,
                            const std::vector<int>& numbers) {
  std::vector<std::string> texts;
  for (const auto& [how, node] : neighbours)
    texts.push_back(fmt::format("; {} {}", how, numbers[static_cast<std::size_t>(node)]));
  std::ranges::sort(texts);
  return fmt::format("{}", fmt::join(texts, ""));
}

std::vector<int> refined(const std::vector<std::vector<Neighbour>>& neighbours,
                         std::vector<int> classes) {
  for (int count = -1;;) {
    const int now = classes.empty() ? 0 : *std::ranges::max_element(classes);
    if (now == count) return classes;
    count = now;
    std::vector<std::string> texts;
    for (std::size_t n = 0; n < classes.size(); ++n)
      texts.push_back(fmt::format("{:08}{}", classes[n], neighbours_text(neighbours[n], classes)));
    classes = classes_of(texts);
  }
}

// The first one of a NIC's ports that are one (GUID and number), by place; itself otherwise.
std::size_t first_of_port(const Graph& graph, const std::vector<int>& order, std::size_t place) {
  const Net* net = graph.node(order[place]).net;
  if (net == nullptr || net->guid == 0) return place;
  const auto same = std::ranges::find_if(order, [&](int n) {
    const Net* other = graph.node(n).net;
    return other != nullptr && other->guid == net->guid && other->port == net->port;
  });
  return static_cast<std::size_t>(same - order.begin());
}

}  // namespace

CanonicalForm canonical_form(const Graph& graph, const Paths& paths) {
  const auto at = [](int n) { return static_cast<std::size_t>(n); };
  const auto neighbours = neighbours_of(graph, paths);
  std::vector<std::string> texts;
  for (const auto& node : graph.nodes()) texts.push_back(node_text(graph, node));
  const auto classes = refined(neighbours, classes_of(texts));
  const auto all = std::views::iota(0, static_cast<int>(texts.size()));
  CanonicalForm found{.order = {all.begin(), all.end()}};
  std::ranges::stable_sort(found.order, {}, [&](int n) { return classes[at(n)]; });
  std::vector<int> places(texts.size());
  for (const int i : all) places[at(found.order[at(i)])] = i;
  for (const int i : all) {
    const auto n = at(found.order[at(i)]);
    found.key += fmt::format("{}{} ={}\n", texts[n], neighbours_text(neighbours[n], places),
                             first_of_port(graph, found.order, at(i)));
  }
  return found;
}

}  // namespace linerate::topo
