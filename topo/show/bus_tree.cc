// See bus_tree.h.
#include "topo/show/bus_tree.h"

#include "topo/show/alike.h"

#include <iterator>
#include <map>
#include <utility>

namespace linerate::topo {
namespace {

class BusTreeMaker {
 public:
  explicit BusTreeMaker(const Graph& graph) : graph_(graph) {
    for (const int n : graph.of(NodeKind::gpu)) number_[graph.node(n).gpu] = n;
    for (const int n : graph.of(NodeKind::net)) number_[graph.node(n).net] = n;
  }

  CpuTree tree(int cpu) const {
    const Cpu& processor = *graph_.node(cpu).cpu;
    CpuTree tree{.cpu = cpu, .twigs = twigs(processor.devices)};
    Twig placeless{.ports = ports(processor.nets)};
    if (!placeless.ports.empty()) tree.twigs.push_back(std::move(placeless));
    return tree;
  }

 private:
  int number_of(const void* of) const {
    const auto found = number_.find(of);
    return found == number_.end() ? -1 : found->second;
  }

  std::vector<int> ports(const std::vector<Net>& nets) const {
    std::vector<int> known;
    for (const auto& net : nets)
      if (const int n = number_of(&net); n >= 0) known.push_back(n);
    return known;
  }

  std::vector<Twig> twigs(const std::vector<PciDevice>& devices) const {
    std::vector<Twig> found;
    for (const auto& device : devices) {
      Twig twig = twig_of(device);
      if (!twig.is_switch() || !twig.below.empty()) found.push_back(std::move(twig));
    }
    return found;
  }

  Twig twig_of(const PciDevice& device) const {
    Twig twig{.device = &device};
    if (device.gpu) twig.gpu = number_of(&*device.gpu);
    if (!device.gpu) twig.ports = ports(device.nets);
    if (!twig.is_switch()) return twig;
    twig.below = twigs(device.children);
    if (twig.below.size() != 1) return twig;
    Twig only = std::move(twig.below.front());
    only.above.insert(only.above.begin(), &device);
    return only;
  }

  const Graph& graph_;
  std::map<const void*, int> number_;  // nodes, by what of the system they stand for
};

}  // namespace

std::vector<CpuTree> bus_trees(const Graph& graph, int host) {
  const BusTreeMaker maker(graph);
  std::vector<CpuTree> trees;
  for (const int cpu : nodes_on(graph, NodeKind::cpu, host)) trees.push_back(maker.tree(cpu));
  return trees;
}

}  // namespace linerate::topo
