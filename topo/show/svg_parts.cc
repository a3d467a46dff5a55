// See svg_parts.h.
#include "topo/show/svg_parts.h"

#include "topo/show/alike.h"
#include "topo/show/fabric_words.h"
#include "topo/show/plain_text.h"
#include "topo/show/words.h"
#include "topo/system/port_use.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <utility>

namespace linerate::topo {
namespace {

constexpr std::size_t kTallestStack = 4;
constexpr std::size_t kCoreColumns = 36;  // of a longer list, their number is shown

class PartMaker {
 public:
  explicit PartMaker(const Graph& graph) : graph_(graph), use_(graph.system()) {}

  Part cpu(const CpuTree& tree) const;

 private:
  std::vector<Part> below(const std::vector<Twig>& twigs) const;
  Part part(const Twig& twig) const;
  Part gpu(const Twig& twig) const;
  Part nic(const Twig& twig) const;
  void add_port(Part& to, int port) const;

  const Graph& graph_;
  PortUse use_;
};

void add_tip(Part& part, const std::string& words) {
  if (!words.empty()) part.tip.push_back(words);
}

void add_link_tip(Part& part) {
  for (const auto* device : part.links)
    add_tip(part, fmt::format("{}, {}", text_of(device->bus_id), pcie_words(*device)));
}

Part PartMaker::cpu(const CpuTree& tree) const {
  const Cpu& cpu = *graph_.node(tree.cpu).cpu;
  const auto name = name_on_host(graph_, tree.cpu);
  Part part{.kind = PartKind::cpu, .node = tree.cpu, .below = below(tree.twigs)};
  part.lines = {{name, TextStyle::name}, {cpu_words(cpu)}};
  for (const auto& line : part.lines) add_tip(part, line.text);
  if (cpu.affinity.empty()) return part;
  const auto cores = fmt::format("cores {}", core_words(cpu.affinity));
  const bool fits = columns_of(cores) <= kCoreColumns;
  part.lines.push_back({fits ? cores : counted(core_count(cpu.affinity), "core")});
  add_tip(part, cores);
  return part;
}

// A switch above one device alone.
Part chain_part(const std::vector<const PciDevice*>& above, Part end) {
  Part part{.kind = PartKind::pci, .links = above};
  const bool one = above.size() == 1;
  part.lines = {{one ? "PCI switch" : fmt::format("{} PCI switches", above.size())},
                {one ? text_of(above[0]->bus_id) : "in a chain", TextStyle::small}};
  add_link_tip(part);
  part.below.push_back(std::move(end));
  return part;
}

// Chunks of NICs become columns; the order of the rest stays.
std::vector<Part> stacked(std::vector<Part> parts) {
  const auto is_nic = [](const Part& part) { return part.kind == PartKind::nic; };
  if (std::ranges::count_if(parts, is_nic) <= 2) return parts;
  std::vector<Part> columns;
  for (auto& part : parts) {
    if (!is_nic(part)) {
      columns.push_back(std::move(part));
      continue;
    }
    const bool open = !columns.empty() && columns.back().kind == PartKind::stack &&
                      columns.back().below.size() < kTallestStack;
    if (!open) columns.push_back({.kind = PartKind::stack});
    columns.back().below.push_back(std::move(part));
  }
  return columns;
}

std::vector<Part> PartMaker::below(const std::vector<Twig>& twigs) const {
  std::vector<Part> parts;
  for (const auto& twig : twigs) {
    Part end = part(twig);
    parts.push_back(twig.above.empty() ? std::move(end) : chain_part(twig.above, std::move(end)));
  }
  return stacked(std::move(parts));
}

Part PartMaker::part(const Twig& twig) const {
  if (twig.gpu >= 0) return gpu(twig);
  if (!twig.is_switch()) return nic(twig);
  Part part{.kind = PartKind::pci, .links = {twig.device}, .below = below(twig.below)};
  part.lines = {{"PCI switch"}, {text_of(twig.device->bus_id), TextStyle::small}};
  add_link_tip(part);
  return part;
}

std::string without_maker(std::string model) {
  for (const std::string_view maker : {"NVIDIA ", "AMD ", "Tesla "})
    if (model.starts_with(maker)) model.erase(0, maker.size());
  return model;
}

Part PartMaker::gpu(const Twig& twig) const {
  constexpr std::size_t kModelColumns = 12, kModelLines = 3;
  const Gpu& gpu = *graph_.node(twig.gpu).gpu;
  Part part{.kind = PartKind::gpu, .links = {twig.device}, .node = twig.gpu};
  part.lines = {{name_on_host(graph_, twig.gpu), TextStyle::name}};
  const auto model = gpu.model.empty() ? gpu_words(gpu) : without_maker(plain_text(gpu.model));
  for (const auto& line : lines_of(model, kModelColumns))
    if (part.lines.size() <= kModelLines) part.lines.push_back({line});
  part.lines.push_back({text_of(twig.device->bus_id), TextStyle::small});
  add_tip(part, fmt::format("{}: {}", part.lines[0].text, gpu_words(gpu)));
  add_tip(part, nvlink_words(graph_, twig.gpu));
  add_tip(part, c2c_words(gpu));
  add_link_tip(part);
  return part;
}

void PartMaker::add_port(Part& to, int port) const {
  const Net& net = *graph_.node(port).net;
  const auto name = name_on_host(graph_, port);
  to.lines.push_back({name, TextStyle::name});
  const bool used = use_.takes(net);
  if (used || net.speed_mbps > 0)
    to.lines.push_back({speed_words_of({.speed_mbps = net.speed_mbps})});
  const auto state = plain_text(net.state);
  if (is_down(net)) to.lines.push_back({state, TextStyle::bad});
  if (!used) to.lines.push_back({std::string(kLeftOut), TextStyle::small});
  to.bad = to.bad || is_down(net);
  std::vector<std::string> words;
  for (const auto& word : {used ? speed_words_of(net) : speed_words_of_unused(net), state,
                           std::string(used ? "" : kLeftOut)})
    if (!word.empty()) words.push_back(word);
  add_tip(to, fmt::format("{}: {}", name, fmt::join(words, ", ")));
}

Part PartMaker::nic(const Twig& twig) const {
  Part part{.kind = PartKind::nic, .node = twig.ports.front()};
  for (const int port : twig.ports) add_port(part, port);
  if (twig.device == nullptr) {
    part.lines.push_back({"place not known", TextStyle::small});
    return part;
  }
  part.links = {twig.device};
  part.lines.push_back({text_of(twig.device->bus_id), TextStyle::small});
  add_link_tip(part);
  return part;
}

}  // namespace

std::vector<Part> parts_of(const Graph& graph, int host) {
  const PartMaker maker(graph);
  std::vector<Part> cpus;
  for (const auto& tree : bus_trees(graph, host)) cpus.push_back(maker.cpu(tree));
  return cpus;
}

}  // namespace linerate::topo
