// See nvlinks.h.
#include "topo/show/nvlinks.h"

#include "topo/system/link_speed.h"

#include <algorithm>
#include <cmath>
#include <set>

namespace linerate::topo {
namespace {

constexpr std::uint32_t kSwitchClass = 0x068000;
constexpr std::uint32_t kUnseenDomain = 0xfffffff;  // of NCCL's "fffffff:ff:ff.0"

int links_to_switches(const Graph& graph, int gpu) {
  int count = 0;
  for (const auto& links : nvlinks_of(graph, gpu))
    if (graph.node(links.to).kind == NodeKind::nvs) count += links.count;
  return count;
}

}  // namespace

// Older versions of NCCL count C2C as NVLink, in one link with what NVLinks there are.
std::vector<NvLinks> nvlinks_of(const Graph& graph, int gpu) {
  const Gpu& device = *graph.node(gpu).gpu;
  const double one = nvlink_gbps(device, graph.version());
  std::vector<NvLinks> found;
  for (const auto& link : graph.node(gpu).links) {
    const bool is_c2c = graph.node(link.to).kind == NodeKind::cpu && device.c2c;
    if (link.kind == LinkKind::nvl && !is_c2c)
      found.push_back({link.to, static_cast<int>(std::lround(link.gbps / one)), link.gbps});
  }
  std::ranges::sort(found, {}, &NvLinks::to);
  return found;
}

int nvlinks_between(const Graph& graph, int a, int b) {
  int direct = 0;
  for (const auto& links : nvlinks_of(graph, a))
    if (links.to == b) direct += links.count;
  return direct > 0 ? direct : std::min(links_to_switches(graph, a), links_to_switches(graph, b));
}

int nvswitches_of(const Gpu& gpu) {
  std::set<std::string_view> chips;
  for (const auto& link : gpu.nvlinks) {
    const auto id = parse_bus_id(link.target);
    const bool seen = id && id->domain != kUnseenDomain;
    if (link.tclass == kSwitchClass && link.count > 0 && seen) chips.insert(link.target);
  }
  return static_cast<int>(chips.size());
}

int active_nvlinks(const Gpu& gpu) {
  int active = 0;
  for (const auto& link : gpu.nvlinks) active += link.count;
  return active;
}

int nvlink_capacity(const Gpu& gpu) {
  std::uint32_t capacity = 0;
  for (const auto& link : gpu.nvlinks) capacity = std::max(capacity, link.capacity);
  return static_cast<int>(capacity);
}

std::string_view nvlink_word(const Gpu& gpu) { return gpu.gcn.empty() ? "NVLink" : "xGMI link"; }

}  // namespace linerate::topo
