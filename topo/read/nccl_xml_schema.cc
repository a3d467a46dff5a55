#include "topo/read/nccl_xml_schema.h"

#include "topo/system/pci_ids.h"
#include "topo/system/system.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <set>

namespace linerate::topo {
namespace {

constexpr std::size_t kMaxSentences = 20;

// Space-separated names, with a space around each.
struct ElementKind {
  std::string_view name, attributes, children;
};

// As of NCCL 2.30.7 (src/graph/xml.cc, topo.cc) and RCCL. `keep`, `gin`, `rma` and `mlopart` steer
// NCCL at run time; `arch` of a GPU is RCCL's, and `sm` there the number of its processors.
constexpr ElementKind kElements[] = {
    {"system", " version name ", " cpu "},
    {"cpu", " numaid affinity arch vendor familyid modelid host_hash ", " pci nic "},
    {"pci", " busid class vendor device subsystem_vendor subsystem_device link_speed link_width ",
     " pci gpu nic pcilink "},
    {"gpu", " dev sm rank gdr gcn arch mlopart keep ", " nvlink xgmi c2c "},
    {"nic", "", " net "},
    {"net", " name dev speed port latency guid maxconn gdr coll net gin rma keep ", ""},
    {"nvlink", " target count tclass ", ""},
    {"xgmi", " target count tclass ", ""},
    {"c2c", " bw count ", ""},
    {"pcilink", " target ", ""},
};

bool lists(std::string_view names, std::string_view name) {
  return name.find(' ') == std::string_view::npos &&
         names.find(fmt::format(" {} ", name)) != std::string_view::npos;
}

// One walk through the elements; each unknown name is noted once.
class Unread {
 public:
  explicit Unread(const XmlFile& file) : file_(file) {}

  void visit(const pugi::xml_node& node) {
    const auto* kind =
        std::ranges::find(kElements, std::string_view(node.name()), &ElementKind::name);
    if (kind == std::end(kElements)) return;
    for (const auto& attribute : node.attributes())
      if (!lists(kind->attributes, attribute.name()))
        note(node, fmt::format("Attribute {} of <{}>", shown_text(attribute.name()), kind->name));
    for (const auto& child : node.children()) {
      if (lists(kind->children, child.name()))
        visit(child);
      else
        note(child, fmt::format("Element <{}> in <{}>", shown_text(child.name()), kind->name));
    }
  }
  std::vector<std::string> take() { return std::move(sentences_); }

 private:
  void note(const pugi::xml_node& node, const std::string& what) {
    if (noted_.size() >= kMaxSentences || !noted_.insert(what).second) return;
    sentences_.push_back(
        fmt::format("{} is not read (first on line {}).", what, file_.line_of(node)));
  }

  const XmlFile& file_;
  std::set<std::string> noted_;
  std::vector<std::string> sentences_;
};

}  // namespace

std::vector<std::string> unread_parts(const XmlFile& file, pugi::xml_node root) {
  Unread unread(file);
  unread.visit(root);
  return unread.take();
}

namespace {

bool is_bare(const PciDevice& device) {
  return !device.gpu && device.nets.empty() && device.children.empty();
}

// Screens of server boards are display controllers too.
bool is_bare_gpu(const PciDevice& device) {
  const bool may_compute =
      device.vendor == 0 || device.vendor == kNvidiaVendor || device.vendor == kAmdVendor;
  return is_bare(device) && is_gpu_class(device.class_code) && may_compute;
}

bool is_bare_nic(const PciDevice& device) {
  return is_bare(device) && is_nic_class(device.class_code);
}

// The devices of one host, and the numbers that it has given out.
struct HostDevices {
  std::vector<PciDevice*> gpus, nics;
  int next_gpu = 0, next_net = 0;
};

std::map<std::uint64_t, HostDevices> bare_devices(System& system, const DevicesOfHosts& listed) {
  std::map<std::uint64_t, HostDevices> hosts;
  walk_devices(system, [&](const Cpu& cpu, PciDevice& device, int) {
    HostDevices& host = hosts[cpu.host_hash];
    if (is_bare_gpu(device)) host.gpus.push_back(&device);
    if (is_bare_nic(device) && !listed.contains({cpu.host_hash, device.bus_id}))
      host.nics.push_back(&device);
    if (device.gpu) host.next_gpu = std::max(host.next_gpu, device.gpu->dev + 1);
    for (const auto& net : device.nets) host.next_net = std::max(host.next_net, net.dev + 1);
  });
  for (const auto& cpu : system.cpus)
    for (const auto& net : cpu.nets)
      hosts[cpu.host_hash].next_net = std::max(hosts[cpu.host_hash].next_net, net.dev + 1);
  return hosts;
}

std::size_t count_classless(const System& system) {
  std::size_t count = 0;
  walk_devices(system, [&](const Cpu&, const PciDevice& device, int) {
    if (is_bare(device) && device.class_code == 0) ++count;
  });
  return count;
}

void complete(HostDevices& host) {
  std::ranges::sort(host.gpus, {}, &PciDevice::bus_id);
  std::ranges::sort(host.nics, {}, &PciDevice::bus_id);
  for (PciDevice* device : host.gpus)
    device->gpu = Gpu{
        .dev = host.next_gpu++, .sm = gpu_model_of(device->vendor, device->device).sm, .gdr = true};
  for (PciDevice* device : host.nics) {
    const int dev = host.next_net++;
    device->nets.push_back({.name = fmt::format("net{}", dev), .dev = dev, .gdr = true});
  }
}

}  // namespace

void complete_hand_made(System& system, const DevicesOfHosts& listed) {
  auto hosts = bare_devices(system, listed);
  std::size_t gpus = 0, nics = 0;
  for (auto& [hash, host] : hosts) {
    complete(host);
    gpus += host.gpus.size();
    nics += host.nics.size();
  }
  if (const auto count = count_classless(system); count > 0)
    system.unseen.push_back(fmt::format(
        "The file gives {} PCI device{} without class: NCCL asks the machine what they are.", count,
        count == 1 ? "" : "s"));
  if (gpus > 0)
    system.unseen.push_back(
        fmt::format("The file gives {} GPU{}{}without NVLinks: --platform beside it tells them.",
                    gpus, gpus == 1 ? "" : "s", kByClassOnly));
  if (nics > 0)
    system.unseen.push_back(fmt::format(
        "The file gives {} NIC{}{}without name and speed: --platform beside it tells them.", nics,
        nics == 1 ? "" : "s", kByClassOnly));
}

}  // namespace linerate::topo
