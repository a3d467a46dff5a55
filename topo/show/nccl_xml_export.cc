// Builds elements, checks them against the limits of NCCL's parser, and prints them.
#include "topo/show/device_text.h"
#include "topo/show/views.h"
#include "topo/system/links.h"
#include "topo/system/pci_ids.h"
#include "topo/system/system.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <vector>

namespace linerate::topo {
namespace {

// Limits of NCCL 2.30's parser (src/graph/xml.h and topo.h: MAX_STR_LEN 255,
// NCCL_TOPO_XML_MAX_NODES 256, MAX_SUBS 640), less what its loops need themselves: the closing
// quote and zero, and a node for the closing tag. No element below has more than the 16 attributes
// allowed.
constexpr std::size_t kMaxValueBytes = 253, kMaxNodes = 255, kMaxChildren = 640;

struct Attribute {
  std::string_view name;
  std::string value;
};

struct Element {
  std::string_view name;
  std::vector<Attribute> attributes{};
  std::vector<Element> children{};

  void add(std::string_view key, std::string value) {
    attributes.push_back({key, std::move(value)});
  }
  void add_known(std::string_view key, const std::string& value) {
    if (!value.empty()) add(key, value);
  }
  void add_number(std::string_view key, std::int64_t value) { add(key, fmt::format("{}", value)); }
  // Of numbers that are not known where they are 0.
  void add_known(std::string_view key, std::int64_t value) {
    if (value != 0) add_number(key, value);
  }
  void add_known_hex(std::string_view key, std::uint64_t value, int digits) {
    if (value != 0) add(key, fmt::format("0x{:0{}x}", value, digits));
  }
};

// Empty where NCCL would not understand it.
std::string speed_for_nccl(const std::string& speed) {
  if (knows_pci_speed(speed)) return speed;
  const int generation = pcie_generation(speed);
  if (generation == 0) return {};
  return std::string(kPcieGenerations.at(static_cast<std::size_t>(generation - 1)).text);
}

Element gpu_element(const Gpu& gpu) {
  const bool rccl = !gpu.gcn.empty();
  Element element{"gpu"};
  if (gpu.dev >= 0) element.add_number("dev", gpu.dev);
  element.add_known("sm", gpu.sm);
  element.add_known("gcn", gpu.gcn);
  if (gpu.rank >= 0) element.add_number("rank", gpu.rank);
  if (gpu.gdr) element.add("gdr", "1");
  for (const auto& link : gpu.nvlinks) {
    Element& nvlink = element.children.emplace_back(Element{rccl ? "xgmi" : "nvlink"});
    nvlink.add("target", link.target);
    nvlink.add_number("count", link.count);
    nvlink.add_known_hex("tclass", link.tclass, 6);
  }
  if (gpu.c2c) {
    Element& c2c = element.children.emplace_back(Element{"c2c"});
    c2c.add_number("bw", std::llround(gpu.c2c->link_mbps));
    c2c.add_number("count", gpu.c2c->count);
  }
  return element;
}

Element net_element(const Net& net) {
  Element element{"net"};
  element.add("name", net.name);
  if (net.dev >= 0) element.add_number("dev", net.dev);
  element.add_known("speed", std::llround(net.speed_mbps));
  element.add_number("port", net.port);
  if (net.latency_us > 0) element.add("latency", fmt::format("{}", net.latency_us));
  element.add_known_hex("guid", net.guid, 1);
  element.add_known("maxconn", net.maxconn);
  if (net.gdr) element.add("gdr", "1");
  if (net.coll) element.add("coll", "1");
  return element;
}

void add_nic(Element& to, const std::vector<Net>& nets) {
  Element& nic = to.children.emplace_back(Element{"nic"});
  for (const auto& net : nets) nic.children.push_back(net_element(net));
}

Element pci_element(const PciDevice& device) {
  Element element{"pci"};
  element.add("busid", text_of(device.bus_id));
  element.add_known_hex("class", device.class_code, 6);
  element.add_known_hex("vendor", device.vendor, 4);
  element.add_known_hex("device", device.device, 4);
  element.add_known_hex("subsystem_vendor", device.subsystem_vendor, 4);
  element.add_known_hex("subsystem_device", device.subsystem_device, 4);
  element.add_known("link_speed", speed_for_nccl(device.link.speed));
  element.add_known("link_width", device.link.width);
  for (const auto& peer : device.pci_peers)
    element.children.push_back({"pcilink", {{"target", text_of(peer)}}});
  if (device.gpu) element.children.push_back(gpu_element(*device.gpu));
  // An empty <nic> says that there are no ports; without it the class would say that there are.
  if (!device.nets.empty() || is_nic_class(device.class_code)) add_nic(element, device.nets);
  for (const auto& child : device.children) element.children.push_back(pci_element(child));
  return element;
}

Element cpu_element(const Cpu& cpu) {
  Element element{"cpu"};
  element.add_known_hex("host_hash", cpu.host_hash, 1);
  element.add_number("numaid", cpu.numa);
  element.add_known("affinity", cpu.affinity);
  element.add_known("arch", std::string(name_of(cpu.arch)));
  element.add_known("vendor", cpu.vendor);
  element.add_known("familyid", cpu.family);
  element.add_known("modelid", cpu.model);
  for (const auto& device : cpu.devices) element.children.push_back(pci_element(device));
  if (!cpu.nets.empty()) add_nic(element, cpu.nets);
  return element;
}

Element system_element(const System& system) {
  bool rccl = false;
  walk_devices(system, [&](const Cpu&, const PciDevice& device, int) {
    rccl |= device.gpu && !device.gpu->gcn.empty();
  });
  Element element{"system"};
  element.add("version", rccl ? "2" : "1");
  element.add_known("name", system.name);
  for (const auto& cpu : system.cpus) element.children.push_back(cpu_element(cpu));
  return element;
}

std::size_t nodes_in(const Element& element) {
  std::size_t nodes = 1;
  for (const auto& child : element.children) nodes += nodes_in(child);
  return nodes;
}

// NCCL's parser takes values as they stand: it knows no &quot;.
std::optional<Failure> unreadable_part(const Element& element) {
  const auto is_unreadable = [](char c) {
    return c == '"' || c == '<' || c == '&' || static_cast<unsigned char>(c) < ' ';
  };
  for (const auto& [name, value] : element.attributes) {
    if (value.size() > kMaxValueBytes)
      return Failure{fmt::format("{} of <{}> has {} characters: NCCL reads {} at most.", name,
                                 element.name, value.size(), kMaxValueBytes)};
    if (std::ranges::any_of(value, is_unreadable))
      return Failure{
          fmt::format("{} of <{}> has a character that NCCL does not read: a double "
                      "quote, <, & or a control character.",
                      name, element.name)};
  }
  if (element.children.size() > kMaxChildren)
    return Failure{fmt::format("<{}> has {} elements in it: NCCL reads {} at most.", element.name,
                               element.children.size(), kMaxChildren)};
  for (const auto& child : element.children)
    if (auto failure = unreadable_part(child)) return failure;
  return std::nullopt;
}

// One space between attributes, and nothing between elements but spaces and line feeds: NCCL's
// parser stops at anything else.
void print(const Element& element, std::size_t indent, std::string& text) {
  text += fmt::format("{:{}}<{}", "", indent, element.name);
  for (const auto& [name, value] : element.attributes)
    text += fmt::format(" {}=\"{}\"", name, value);
  if (element.children.empty()) {
    text += "/>\n";
    return;
  }
  text += ">\n";
  for (const auto& child : element.children) print(child, indent + 2, text);
  text += fmt::format("{:{}}</{}>\n", "", indent, element.name);
}

}  // namespace

Result<std::string> nccl_xml_of(const System& system) {
  if (system.cpus.empty()) return Failure{"A topology file of NCCL needs at least one processor."};
  const auto hash = system.cpus.front().host_hash;
  if (std::ranges::any_of(system.cpus, [&](const Cpu& cpu) { return cpu.host_hash != hash; }))
    return Failure{"A topology file of NCCL describes one host, and this system has several."};
  const Element root = system_element(system);
  if (auto failure = unreadable_part(root)) return *failure;
  if (const auto nodes = nodes_in(root); nodes > kMaxNodes)
    return Failure{
        fmt::format("The file would have {} elements: NCCL reads {} at most.", nodes, kMaxNodes)};
  std::string text;
  print(root, 0, text);
  return text;
}

}  // namespace linerate::topo
