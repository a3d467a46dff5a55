// Walks the system for `cpus`, then the graph for nodes, links and paths.
#include "record/json_io.h"
#include "topo/show/device_text.h"
#include "topo/show/facts.h"
#include "topo/show/views.h"
#include "topo/system/links.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <vector>

namespace linerate::topo {
namespace {

using Json = nlohmann::ordered_json;

void add_known(Json& to, const char* key, const std::string& text) {
  if (!text.empty()) to[key] = text;
}

template <typename Number>
void add_positive(Json& to, const char* key, Number number) {
  if (number > 0) to[key] = number;
}

void add_number(Json& to, const char* key, int number) {
  if (number >= 0) to[key] = number;
}

void add_hex(Json& to, const char* key, std::uint64_t number, int digits) {
  if (number != 0) to[key] = fmt::format("0x{:0{}x}", number, digits);
}

Json json_of(const PciLink& link) {
  Json json = Json::object();
  add_known(json, "speed", link.speed);
  if (link.width > 0) json["width"] = link.width;
  json["gbps"] = pci_gbps(link);
  return json;
}

bool is_known(const PciLink& link) { return !link.speed.empty() || link.width > 0; }

class JsonWriter {
 public:
  JsonWriter(const Graph& graph, const Paths& paths)
      : graph_(graph), paths_(paths), facts_(graph) {}

  Json document() const {
    const System& system = graph_.system();
    Json json{{"kind", "topology"}, {"schema", kTopologySchema}};
    add_known(json, "name", system.name);
    add_known(json, "source", system.source);
    json["nccl_version"] = text_of(graph_.version());
    json["cpus"] = Json::array();
    for (const auto& processor : system.cpus) json["cpus"].push_back(cpu(processor));
    json["nodes"] = nodes();
    json["links"] = links();
    json["paths"] = paths();
    json["unseen"] = system.unseen;
    return json;
  }

 private:
  // "node": what the graph calls a part of the system; absent where it leaves it out.
  void add_node(Json& to, const void* part) const {
    if (const int n = node_of(graph_, part); n >= 0) to["node"] = graph_.node(n).name;
  }

  Json cpu(const Cpu& cpu) const {
    Json json = Json::object();
    add_node(json, &cpu);
    json["numa"] = cpu.numa;
    add_number(json, "package", cpu.package);
    add_known(json, "model", cpu.name);
    add_known(json, "arch", std::string(name_of(cpu.arch)));
    add_known(json, "vendor", cpu.vendor);
    add_positive(json, "family", cpu.family);
    add_positive(json, "model_number", cpu.model);
    add_hex(json, "host_hash", cpu.host_hash, 1);
    add_known(json, "affinity", cpu.affinity);
    if (!cpu.affinity.empty()) json["cores"] = cores_text(cpu.affinity);
    json["devices"] = Json::array();
    for (const auto& device_below : cpu.devices) json["devices"].push_back(device(device_below));
    if (!cpu.nets.empty()) json["ports"] = ports(cpu.nets);
    return json;
  }

  Json device(const PciDevice& device) const {
    Json json{{"bus_id", text_of(device.bus_id)}};
    add_hex(json, "class", device.class_code, 6);
    add_hex(json, "vendor", device.vendor, 4);
    add_hex(json, "device", device.device, 4);
    add_hex(json, "subsystem_vendor", device.subsystem_vendor, 4);
    add_hex(json, "subsystem_device", device.subsystem_device, 4);
    add_known(json, "model", device.name);
    json["link"] = json_of(device.link);
    if (is_known(device.max_link)) json["max_link"] = json_of(device.max_link);
    json["degraded"] = is_degraded(device);
    for (const auto& peer : device.pci_peers) json["pci_peers"].push_back(text_of(peer));
    if (device.gpu) json["gpu"] = gpu(*device.gpu);
    if (!device.nets.empty()) json["ports"] = ports(device.nets);
    for (const auto& child : device.children) json["children"].push_back(this->device(child));
    return json;
  }

  Json gpu(const Gpu& gpu) const {
    Json json = Json::object();
    add_node(json, &gpu);
    add_number(json, "dev", gpu.dev);
    add_number(json, "rank", gpu.rank);
    add_positive(json, "sm", gpu.sm);
    add_known(json, "gcn", gpu.gcn);
    add_known(json, "model", gpu.model);
    json["gdr"] = gpu.gdr;
    for (const auto& link : gpu.nvlinks) {
      Json& to = json["nvlinks"].emplace_back(Json{{"target", link.target}, {"count", link.count}});
      add_hex(to, "target_class", link.tclass, 6);
      add_positive(to, "capacity", link.capacity);
    }
    if (gpu.c2c)
      json["c2c"] = {{"link_mbps", gpu.c2c->link_mbps},
                     {"count", gpu.c2c->count},
                     {"gbps", c2c_gbps(*gpu.c2c)}};
    return json;
  }

  Json port(const Net& net) const {
    constexpr double kPerGigabit = 1000;
    Json json = Json::object();
    add_node(json, &net);
    add_known(json, "name", net.name);
    add_number(json, "dev", net.dev);
    json["port"] = net.port;
    add_positive(json, "speed_gbit_s", net.speed_mbps / kPerGigabit);
    json["gbps"] = net_gbps(net);
    add_positive(json, "latency_us", net.latency_us);
    add_hex(json, "guid", net.guid, 16);
    add_positive(json, "maxconn", net.maxconn);
    json["gdr"] = net.gdr;
    json["collectives"] = net.coll;
    json["nccl_takes"] = facts_.nccl_takes(net);
    add_known(json, "link_layer", net.link_layer);
    add_known(json, "state", net.state);
    add_known(json, "netdev", net.netdev);
    return json;
  }

  Json ports(const std::vector<Net>& nets) const {
    Json json = Json::array();
    for (const auto& net : nets) json.push_back(port(net));
    return json;
  }

  Json nodes() const {
    Json json = Json::array();
    for (const auto& node : graph_.nodes()) {
      Json& at = json.emplace_back(Json{{"name", node.name}, {"kind", name_of(node.kind)}});
      if (node.kind == NodeKind::nvs) continue;  // of no host
      at["host"] = node.host;
      add_number(at, "numa", node.numa);
      if (node.device != nullptr) at["bus_id"] = text_of(node.bus_id);
    }
    return json;
  }

  Json links() const {
    Json json = Json::array();
    for (const auto& node : graph_.nodes())
      for (const auto& link : node.links)
        json.push_back({{"from", node.name},
                        {"to", graph_.node(link.to).name},
                        {"kind", name_of(link.kind)},
                        {"gbps", link.gbps}});
    return json;
  }

  Json paths() const {
    const auto ends = facts_.devices();
    Json json = Json::array();
    for (const int from : ends)
      for (const int to : ends)
        if (from != to) json.push_back(path(from, to));
    return json;
  }

  Json path(int from, int to) const {
    const Path& path = paths_.between(from, to);
    Json json{{"from", graph_.node(from).name},
              {"to", graph_.node(to).name},
              {"type", name_of(path.type)}};
    add_positive(json, "gbps", path.gbps);
    if (path.type == PathType::nvl) {
      const bool gpus =
          graph_.node(from).kind == NodeKind::gpu && graph_.node(to).kind == NodeKind::gpu;
      if (gpus) add_positive(json, "nvlinks", facts_.nvlinks_between(from, to));
    }
    return json;
  }

  const Graph& graph_;
  const Paths& paths_;
  Facts facts_;
};

}  // namespace

// Bytes that are no UTF-8 become U+FFFD.
std::string json_text(const Graph& graph, const Paths& paths) {
  return json::document(JsonWriter(graph, paths).document());
}

}  // namespace linerate::topo
