#include "topo/show/graph_dumps.h"

#include "topo/search/channels.h"
#include "topo/search/search_rules.h"
#include "topo/search/search_topology.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

namespace linerate::topo {
namespace {

constexpr int kRingId = 0, kTreeId = 1, kNvlsId = 3;

DumpedDevice device_of(const Graph& graph, int node) {
  const auto& at = graph.node(node);
  return {.dev = at.gpu != nullptr ? at.gpu->dev : at.net->dev, .host = at.host};
}

DumpedChannel dumped(const Graph& graph, const Channel& found) {
  DumpedChannel channel;
  for (const int gpu : found.gpus) channel.gpus.push_back(device_of(graph, gpu));
  for (const int net : {found.net_in, found.net_out})
    if (net >= 0) channel.nets.push_back(device_of(graph, net));
  return channel;
}

DumpedGraph dumped(const Graph& graph, int id, const ChannelSet& set) {
  DumpedGraph of{.id = id,
                 .pattern = static_cast<int>(set.pattern),
                 .cross_nic = set.cross_nic,
                 .intra_gbps = set.intra_gbps,
                 .inter_gbps = set.inter_gbps,
                 .latency_us = set.inter_latency_us,
                 .intra_type = set.intra_type,
                 .inter_type = set.inter_type,
                 .same_channels = set.same_channels};
  for (const auto& channel : set.channels) of.channels.push_back(dumped(graph, channel));
  return of;
}

std::string device_text(const DumpedDevice& device) {
  return device.host == 0 ? fmt::format("{}", device.dev)
                          : fmt::format("h{}/{}", device.host, device.dev);
}

// "NIC 0 - 0 1 2 3 - NIC 1": GPUs, and the ports at both ends.
std::string channel_text(const DumpedChannel& channel) {
  std::vector<std::string> gpus;
  for (const auto& gpu : channel.gpus) gpus.push_back(device_text(gpu));
  auto text = fmt::format("GPU {}", fmt::join(gpus, " "));
  if (channel.nets.empty()) return text;
  text = fmt::format("NIC {} - {}", device_text(channel.nets.front()), text);
  return channel.nets.size() < 2 ? text
                                 : fmt::format("{} - NIC {}", text, device_text(channel.nets[1]));
}

std::string pattern_text(int pattern) {
  constexpr std::array kNames{"",     "balanced tree", "split tree",    "tree",
                              "ring", "NVLS",          "CollNet direct"};
  return kNames.at(static_cast<std::size_t>(pattern));
}

std::string head_of(const DumpedGraph& graph) {
  auto text = fmt::format("{} ({}): ", graph_name(graph.id), pattern_text(graph.pattern));
  if (graph.channels.empty()) return text + "no channels\n";
  text += fmt::format("{} x {:g} GB/s ({})", graph.channels.size(), graph.intra_gbps,
                      name_of(graph.intra_type));
  if (!graph.channels.front().nets.empty()) {
    text +=
        fmt::format(", between nodes {:g} GB/s ({})", graph.inter_gbps, name_of(graph.inter_type));
    if (graph.latency_us > 0) text += fmt::format(", {:g} us", graph.latency_us);
    if (graph.cross_nic > 0) text += ", crosses NICs";
  }
  return text + '\n';
}

std::string text_of_graph(const DumpedGraph& graph) {
  auto text = head_of(graph);
  for (std::size_t first = 0; first < graph.channels.size();) {
    const auto shown = channel_text(graph.channels[first]);
    std::size_t next = first + 1;
    while (next < graph.channels.size() && channel_text(graph.channels[next]) == shown) ++next;
    const auto numbers =
        next - first > 1 ? fmt::format("{}-{}", first, next - 1) : fmt::format("{}", first);
    text += fmt::format("  {:>5}  {}\n", numbers, shown);
    first = next;
  }
  return text;
}

// The differences of one graph.
class Comparison {
 public:
  Comparison(const DumpedGraph& one, const DumpedGraph& other) : one_(one), other_(other) {}

  std::vector<std::string> lines() {
    tell("pattern", pattern_text(one_.pattern), pattern_text(other_.pattern));
    tell("channels", one_.channels.size(), other_.channels.size());
    tell_gbps("GB/s of a channel", one_.intra_gbps, other_.intra_gbps);
    tell_gbps("GB/s of a channel between nodes", one_.inter_gbps, other_.inter_gbps);
    tell_gbps("us of the NIC", one_.latency_us, other_.latency_us);
    tell("farthest path", name_of(one_.intra_type), name_of(other_.intra_type));
    tell("farthest path to a NIC", name_of(one_.inter_type), name_of(other_.inter_type));
    tell("crossing of NICs", one_.cross_nic, other_.cross_nic);
    tell("same channels", one_.same_channels, other_.same_channels);
    tell_channels();
    return std::move(lines_);
  }

 private:
  void add(const std::string& what) {
    lines_.push_back(fmt::format("{}: {}", graph_name(one_.id), what));
  }

  template <typename Value>
  void tell(std::string_view what, const Value& one, const Value& other) {
    if (one != other) add(fmt::format("{}: {} and {}", what, one, other));
  }

  // NCCL writes six digits behind the point, of floats.
  void tell_gbps(std::string_view what, double one, double other) {
    constexpr double kWritten = 1e-3;
    if (std::abs(one - other) > kWritten) add(fmt::format("{}: {:g} and {:g}", what, one, other));
  }

  void tell_channels() {
    constexpr std::size_t kShown = 8;
    std::size_t differing = 0;
    for (std::size_t c = 0; c < std::min(one_.channels.size(), other_.channels.size()); ++c) {
      const auto &a = one_.channels[c], &b = other_.channels[c];
      if (a.gpus == b.gpus && a.nets == b.nets) continue;
      if (++differing <= kShown)
        add(fmt::format("channel {}: {} and {}", c, channel_text(a), channel_text(b)));
    }
    if (differing > kShown) add(fmt::format("{} more channels differ", differing - kShown));
  }

  const DumpedGraph& one_;
  const DumpedGraph& other_;
  std::vector<std::string> lines_;
};

const DumpedGraph* graph_of(const GraphDump& dump, int id) {
  const auto found = std::ranges::find(dump.graphs, id, &DumpedGraph::id);
  return found == dump.graphs.end() ? nullptr : &*found;
}

bool has_channels(const DumpedGraph* graph) { return graph != nullptr && !graph->channels.empty(); }

void tell_missing(const DumpedGraph& graph, const GraphDump& where,
                  std::vector<std::string>& lines) {
  if (has_channels(&graph) && !has_channels(graph_of(where, graph.id)))
    lines.push_back(
        fmt::format("{}: {} has no channels for it", graph_name(graph.id), where.source));
}

}  // namespace

GraphDump searched_dump(const Graph& graph, bool multi_node) {
  const Paths paths(graph);
  const SearchTopology topology(graph, paths, multi_node);
  const int most = search_rules(graph.version()).max_channels;
  const auto ring = search_channels(topology, Pattern::ring, {.max_channels = most / 2});
  const int rings = ring.nchannels();
  const auto tree = search_channels(topology, Pattern::balanced_tree,
                                    {.min_channels = rings, .max_channels = rings});
  const auto nvls = search_channels(topology, Pattern::nvls, {.max_channels = most});
  return {.source = graph.system().name.empty() ? "the machine" : graph.system().name,
          .graphs = {dumped(graph, kRingId, ring), dumped(graph, kTreeId, tree),
                     dumped(graph, kNvlsId, nvls)}};
}

std::string dump_text(const GraphDump& dump) {
  std::string text;
  for (const auto& graph : dump.graphs) text += text_of_graph(graph);
  return text;
}

std::vector<std::string> differences(const GraphDump& one, const GraphDump& other) {
  std::vector<std::string> lines;
  for (const auto& graph : one.graphs) {
    tell_missing(graph, other, lines);
    const auto* match = graph_of(other, graph.id);
    if (!has_channels(&graph) || !has_channels(match)) continue;
    auto more = Comparison(graph, *match).lines();
    lines.insert(lines.end(), more.begin(), more.end());
  }
  for (const auto& graph : other.graphs) tell_missing(graph, one, lines);
  return lines;
}

}  // namespace linerate::topo
