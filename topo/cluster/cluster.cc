#include "topo/cluster/cluster.h"

#include "base/file.h"
#include "base/text.h"
#include "topo/cluster/nvlink_domain.h"
#include "topo/cluster/platforms.h"
#include "topo/detect/nccl_merge.h"
#include "topo/graph/graph.h"
#include "topo/read/nccl_xml.h"
#include "topo/system/system.h"
#include "yaml/document.h"
#include "yaml/section.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cassert>
#include <filesystem>
#include <map>
#include <numeric>
#include <utility>
#include <vector>

namespace linerate::topo {

int Cluster::nnodes() const {
  return std::accumulate(groups.begin(), groups.end(), 0,
                         [](int sum, const NodeGroup& group) { return sum + group.count; });
}

int Cluster::identical_to_first() const {
  const auto end = std::ranges::find_if(
      groups, [&](const NodeGroup& group) { return group.system != groups.front().system; });
  return std::accumulate(groups.begin(), end, 0,
                         [](int sum, const NodeGroup& group) { return sum + group.count; });
}

int Cluster::rack_of_node(int node) const {
  assert(node >= 0 && node < nnodes());
  return fabric.nodes_per_rack > 0 ? node / fabric.nodes_per_rack : 0;
}

namespace {

using yaml::Complaints;
using yaml::Section;

constexpr std::array<std::string_view, 5> kClusterKeys{"name", "nodes", "rails", "rack", "spine"};
constexpr std::array<std::string_view, 4> kGroupKeys{"topology", "file", "count", "nvlink_domain"};
constexpr std::array<std::string_view, 3> kRackLevelKeys{"nodes", "oversubscription", "latency"};
constexpr std::array<std::string_view, 2> kSpineKeys{"oversubscription", "latency"};
constexpr std::string_view kDetected = "detected";

constexpr yaml::Bounds kOversubscription{1, 1000};
constexpr yaml::Bounds kSwitchLatencyUs{0, 1e6};
constexpr std::size_t kMaxNameBytes = 200;

// NIC ports of one host; hosts of a rack are alike.
int ports_of_host(const System& system) {
  std::size_t ports = 0;
  walk_ports(system, [&](const std::vector<Net>& nets) { ports += nets.size(); });
  return static_cast<int>(ports / std::max<std::size_t>(hosts_of(system).size(), 1));
}

// Without steps that lead nowhere, so that "./a.xml" and "a.xml" are one file. What is behind ".."
// only the file system knows.
std::string plain_path(const std::string& path) {
  std::filesystem::path plain;
  for (const auto& part : std::filesystem::path(path))
    if (part != ".") plain /= part;
  return plain.empty() ? path : plain.string();
}

// What a group's nodes are: a file, completed by a topology where both are given, or a topology
// alone; as many hosts of it in one NVLink domain.
struct Source {
  std::string file{}, topology{};
  int hosts = 1;

  auto operator<=>(const Source&) const = default;
};

// One document, step by step.
class ClusterReader {
 public:
  explicit ClusterReader(const TopologySources& sources) : sources_(sources) {}

  Result<Cluster> read(const YAML::Node& document);

 private:
  void read_name(const Section& top);
  void read_nodes(const Section& top);
  void read_group(const YAML::Node& node);
  void read_fabric(const Section& top);
  void read_level(const Section& section, SwitchLevel& level);
  void check_rails(const Section& top);
  static std::string name_of(const Source& source);
  std::shared_ptr<const System> system_of(const Section& group, const Source& source);
  Result<System> load(const Source& source) const;
  Result<System> load_topology(const std::string& topology) const;

  const TopologySources& sources_;
  Complaints complaints_;
  Cluster cluster_;
  std::map<Source, std::shared_ptr<const System>> systems_;
};

Result<Cluster> ClusterReader::read(const YAML::Node& document) {
  const Section top(document, "the cluster", kClusterKeys, complaints_);
  top.require("nodes");
  read_name(top);
  read_fabric(top);
  if (!complaints_.first()) read_nodes(top);
  if (!complaints_.first()) check_rails(top);
  if (complaints_.first()) return *complaints_.first();
  return std::move(cluster_);
}

void ClusterReader::read_name(const Section& top) {
  top.text("name", cluster_.name);
  const auto is_control = [](char c) { return static_cast<unsigned char>(c) < ' ' || c == '\x7f'; };
  if (cluster_.name.size() > kMaxNameBytes || std::ranges::any_of(cluster_.name, is_control))
    top.complain("name", fmt::format("is not one line of at most {} bytes.", kMaxNameBytes));
}

// One group, or a list of them.
void ClusterReader::read_nodes(const Section& top) {
  const auto nodes = *top.value("nodes");
  if (!nodes.IsSequence()) return read_group(nodes);
  for (const auto& node : nodes) {
    read_group(node);
    if (complaints_.first()) return;
  }
  if (cluster_.groups.empty()) top.complain("nodes", "is empty: give at least one group of nodes.");
}

void ClusterReader::read_group(const YAML::Node& node) {
  const Section group(node, "nodes", kGroupKeys, complaints_);
  NodeGroup read;
  Source source;
  group.whole("count", {1, Cluster::kMaxNodes}, read.count);
  group.whole("nvlink_domain", {1, kMaxDomainHosts}, source.hosts);
  if (!group.has("topology") && !group.has("file"))
    group.complain("topology", "or file is needed.");
  group.text("file", source.file);
  group.text("topology", source.topology);
  if (complaints_.first()) return;
  if (!source.file.empty()) source.file = plain_path(source.file);
  if (read.count % source.hosts != 0)
    return group.complain(
        "count", fmt::format("is {} hosts, and not a multiple of nvlink_domain {}.", read.count,
                             source.hosts));
  read.count /= source.hosts;
  read.topology = name_of(source);
  read.system = system_of(group, source);
  if (cluster_.nnodes() + read.count > Cluster::kMaxNodes)
    group.complain("count", fmt::format("makes more than {} nodes in all.", Cluster::kMaxNodes));
  cluster_.groups.push_back(std::move(read));
}

std::string ClusterReader::name_of(const Source& source) {
  const auto& name = source.file.empty() ? source.topology : source.file;
  return source.hosts > 1 ? fmt::format("{} x {}", source.hosts, name) : name;
}

std::shared_ptr<const System> ClusterReader::system_of(const Section& group, const Source& source) {
  auto& system = systems_[source];
  if (system) return system;
  auto loaded = load(source);
  if (loaded && source.hosts > 1) loaded = in_one_domain(*loaded, source.hosts);
  if (loaded)
    system = std::make_shared<const System>(std::move(loaded).value());
  else
    group.complain(source.file.empty() ? "topology" : "file",
                   fmt::format("cannot be used. {}", loaded.sentence()));
  return system;
}

Result<System> ClusterReader::load(const Source& source) const {
  if (source.file.empty()) return load_topology(source.topology);
  auto file = sources_.load(source.file);
  if (!file || source.topology.empty()) return file;
  auto machine = load_topology(source.topology);
  if (!machine) return machine;
  return completed_as_platform(std::move(file).value(), std::move(machine).value());
}

Result<System> ClusterReader::load_topology(const std::string& topology) const {
  if (topology == kDetected) return sources_.detect();
  auto platform = built_in_platform(topology);
  if (platform) return platform;
  std::vector<std::string_view> names{kDetected};
  for (const auto& known : platforms()) names.push_back(known.name);
  const bool is_part = platform.sentence().starts_with("There is no part");
  return is_part ? platform : Failure{unknown_choice("topology", topology, names)};
}

void ClusterReader::read_fabric(const Section& top) {
  Fabric& fabric = cluster_.fabric;
  top.whole("rails", {1, Cluster::kMaxRails}, fabric.rails);
  if (const auto node = top.value("rack")) {
    const Section rack(*node, "rack", kRackLevelKeys, complaints_);
    rack.require("nodes");
    rack.whole("nodes", {1, Cluster::kMaxNodes}, fabric.nodes_per_rack);
    read_level(rack, fabric.rack);
  }
  if (const auto node = top.value("spine")) {
    read_level(Section(*node, "spine", kSpineKeys, complaints_), fabric.spine);
    if (!top.has("rack")) top.complain("spine", "connects racks: give rack too, or leave it out.");
  }
}

void ClusterReader::read_level(const Section& section, SwitchLevel& level) {
  section.number("oversubscription", kOversubscription, level.oversubscription);
  section.quantity("latency", yaml::kTimeUnits, kSwitchLatencyUs, level.latency_us);
}

// A rail without a NIC would never carry anything. Files without NICs say nothing of rails.
void ClusterReader::check_rails(const Section& top) {
  for (const auto& group : cluster_.groups)
    if (const int ports = ports_of_host(*group.system); ports > 0 && ports < cluster_.fabric.rails)
      top.complain("rails", fmt::format("is {}, and a host of {} has {} NIC ports: give at most as "
                                        "many rails.",
                                        cluster_.fabric.rails, group.topology, ports));
}

}  // namespace

Result<Cluster> parse_cluster(std::string_view text, const TopologySources& sources) {
  const auto document = yaml::load_document(text, kMaxClusterBytes);
  return document ? ClusterReader(sources).read(*document) : document.failure();
}

Result<Cluster> read_cluster(const std::string& path,
                             const std::function<Result<System>()>& detect) {
  const auto text = read_file_or_pipe(path, kMaxClusterBytes);
  if (!text) return Failure{fmt::format("Cluster file '{}': {}", path, text.sentence())};
  const auto folder = std::filesystem::path(path).parent_path();
  const auto load = [&](const std::string& file) {
    return load_nccl_xml((folder / file).string());
  };
  auto cluster = parse_cluster(*text, {.load = load, .detect = detect});
  if (!cluster) return Failure{fmt::format("Cluster file '{}'{}", path, cluster.sentence())};
  return cluster;
}

}  // namespace linerate::topo
