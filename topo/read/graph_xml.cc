#include "topo/read/graph_xml.h"

#include "base/file.h"
#include "base/text.h"
#include "topo/read/xml_file.h"
#include "topo/search/channels.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <optional>
#include <utility>

namespace linerate::topo {
namespace {

constexpr XmlBounds kIds{0, 1000}, kPatterns{1, 6}, kCrossings{0, 2}, kChannels{0, 4096};
constexpr XmlBounds kGbps{0, 1e6}, kLatencies{0, 1e9};
constexpr XmlBounds kRanks{-1, std::numeric_limits<int>::max()};
constexpr std::size_t kMaxChannels = 64;      // MAXCHANNELS
constexpr std::size_t kMaxNetsOfChannel = 2;  // in and out

// One document, element by element.
class GraphXmlReader {
 public:
  explicit GraphXmlReader(const XmlFile& file) : complaints_(file) {}

  Result<GraphDump> read() {
    const auto root = complaints_.file().document().child("graphs");
    if (!root) return no_graphs();
    if (const auto stray = complaints_.file().stray_text()) return *stray;
    const XmlAttributes at(root, complaints_);
    int version = 0;
    at.require("version", "1");
    at.whole("version", {1, 1}, version);
    GraphDump dump;
    for (const auto& node : root.children()) {
      if (std::string_view(node.name()) == "graph")
        add_graph(node, dump.graphs);
      else
        complaints_.add(node, fmt::format("<{}> is no part of <graphs>: <graph> is needed.",
                                          shown_text(node.name())));
    }
    if (dump.graphs.empty()) complaints_.add(root, "<graphs> has no <graph>: give one at least.");
    if (complaints_.first()) return *complaints_.first();
    return dump;
  }

 private:
  Failure no_graphs() const {
    const XmlFile& file = complaints_.file();
    const auto first = file.document().first_child();
    auto why = fmt::format("<{}> is no file of NCCL's graphs: <graphs> is needed.",
                           shown_text(first.name()));
    if (std::string_view(first.name()) == "system")
      why += " This one is a topology (NCCL_TOPO_DUMP_FILE): give it to --nccl-xml.";
    return file.failure(file.line_of(first), why);
  }

  void add_graph(pugi::xml_node node, std::vector<DumpedGraph>& graphs) {
    auto graph = read_graph(node);
    if (std::ranges::count(graphs, graph.id, &DumpedGraph::id) > 0)
      complaints_.add(node, fmt::format("There is a second <graph> with id {}.", graph.id));
    graphs.push_back(std::move(graph));
  }

  DumpedGraph read_graph(pugi::xml_node node) {
    const XmlAttributes at(node, complaints_);
    DumpedGraph graph;
    int channels = 0;
    at.require("id", "0");
    at.whole("id", kIds, graph.id);
    at.require("pattern", "4");
    at.whole("pattern", kPatterns, graph.pattern);
    at.require("nchannels", "12");
    at.whole("nchannels", kChannels, channels);
    at.whole("crossnic", kCrossings, graph.cross_nic);
    at.number("speedintra", kGbps, graph.intra_gbps);
    at.number("speedinter", kGbps, graph.inter_gbps);
    at.number("latencyinter", kLatencies, graph.latency_us);
    read_type(at, "typeintra", graph.intra_type);
    read_type(at, "typeinter", graph.inter_type);
    at.flag("samechannels", graph.same_channels);
    read_channels(node, graph.channels);
    if (graph.pattern == static_cast<int>(Pattern::nvls)) keep_heads(graph.channels);
    if (static_cast<std::size_t>(channels) != graph.channels.size())
      at.complain("nchannels",
                  fmt::format("the number of its <channel>, {},", graph.channels.size()));
    return graph;
  }

  void read_type(const XmlAttributes& at, const char* name, PathType& into) {
    const auto text = at.text(name);
    if (text.empty()) return;
    for (int i = 0; i <= static_cast<int>(PathType::dis); ++i)
      if (name_of(static_cast<PathType>(i)) == text) {
        into = static_cast<PathType>(i);
        return;
      }
    at.complain(name, "a path type such as NVL or PXN");
  }

  void read_channels(pugi::xml_node graph, std::vector<DumpedChannel>& channels) {
    for (const auto& node : graph.children()) {
      if (std::string_view(node.name()) != "channel")
        complaints_.add(node, fmt::format("<{}> is no part of <graph>: <channel> is needed.",
                                          shown_text(node.name())));
      else if (channels.size() == kMaxChannels)
        complaints_.add(node, fmt::format("NCCL has {} channels at most.", kMaxChannels));
      else
        channels.push_back(read_channel(node));
      if (complaints_.first()) return;
    }
  }

  // Up to 2.20 NCCL fills an NVLS channel up with its first GPU.
  static void keep_heads(std::vector<DumpedChannel>& channels) {
    for (auto& channel : channels) {
      channel.gpus.resize(std::min<std::size_t>(channel.gpus.size(), 1));
      channel.ranks.resize(std::min<std::size_t>(channel.ranks.size(), 1));
    }
  }

  DumpedChannel read_channel(pugi::xml_node node) {
    DumpedChannel channel;
    for (const auto& device : node.children()) {
      const std::string_view name = device.name();
      if (name == "gpu")
        read_gpu(device, channel);
      else if (name == "net")
        channel.nets.push_back(read_device(device));
      else
        complaints_.add(device, fmt::format("<{}> is no part of <channel>: <gpu> or <net> is "
                                            "needed.",
                                            shown_text(name)));
    }
    if (channel.gpus.empty()) complaints_.add(node, "<channel> has no <gpu>: give one at least.");
    if (channel.nets.size() > kMaxNetsOfChannel)
      complaints_.add(node, "<channel> has more than two <net>: one in, one out.");
    if (channel.ranks.size() != channel.gpus.size()) channel.ranks.clear();
    return channel;
  }

  void read_gpu(pugi::xml_node node, DumpedChannel& channel) {
    channel.gpus.push_back(read_device(node));
    const XmlAttributes at(node, complaints_);
    int rank = -1;
    at.whole("rank", kRanks, rank);
    if (rank >= 0) channel.ranks.push_back(rank);
  }

  // NCCL_TOPO_ID in src/graph/topo.h: the host stands in the highest byte.
  DumpedDevice read_device(pugi::xml_node node) {
    constexpr int kHostShift = 56, kMaxDevice = 65535;
    constexpr std::int64_t kDeviceBits = (std::int64_t{1} << kHostShift) - 1;
    const XmlAttributes at(node, complaints_);
    at.require("dev", "0x3");
    if (!at.has("dev")) return {};
    const auto id = parse_integer("dev", at.text("dev"));
    if (!id || *id < 0 || (*id & kDeviceBits) > kMaxDevice) {
      at.complain("dev", "a device's number, such as 3 or 0x3,");
      return {};
    }
    return {.dev = static_cast<int>(*id & kDeviceBits),
            .host = static_cast<int>(*id >> kHostShift)};
  }

  XmlComplaints complaints_;
};

}  // namespace

bool GraphDump::multi_node() const {
  return std::ranges::any_of(graphs, [](const DumpedGraph& graph) {
    return std::ranges::any_of(graph.channels,
                               [](const DumpedChannel& channel) { return !channel.nets.empty(); });
  });
}

std::string graph_name(int id) {
  constexpr std::array kNames{"ring", "tree", "CollNet chain", "NVLS", "CollNet direct"};
  const auto at = static_cast<std::size_t>(id);
  return id >= 0 && at < kNames.size() ? kNames[at] : fmt::format("graph {}", id);
}

Result<GraphDump> read_graph_xml(std::string_view text, std::string_view name) {
  const auto file = XmlFile::parse(text, name);
  if (!file) return file.failure();
  auto dump = GraphXmlReader(*file).read();
  if (!dump) return dump;
  GraphDump read = std::move(dump).value();
  read.source = name;
  return read;
}

Result<GraphDump> load_graph_xml(const std::string& path) {
  const auto text = read_regular_file(path, XmlLimits{}.bytes);
  if (!text) return Failure{fmt::format("{}: {}", path, text.sentence())};
  return read_graph_xml(*text, path);
}

}  // namespace linerate::topo
