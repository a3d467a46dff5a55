#include "topo/read/nccl_xml.h"

#include "base/file.h"
#include "base/text.h"
#include "topo/read/nccl_xml_schema.h"
#include "topo/read/xml_file.h"
#include "topo/system/links.h"
#include "topo/system/system.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <map>
#include <utility>

namespace linerate::topo {
namespace {

constexpr double kMaxInt = std::numeric_limits<int>::max();
constexpr XmlBounds kDevices{-1, 65535};    // -1: not known
constexpr XmlBounds kNumbers{-1, kMaxInt};  // -1: not known
constexpr XmlBounds kLanes{0, 1024};        // NCCL adds up those of NICs that it merges
constexpr XmlBounds kLinks{0, 1024};        // of NVLink
constexpr XmlBounds kMegabits{-1, 1e9};     // "Some NICs define speed = -1" (topo.cc)
constexpr XmlBounds kLatencyOfNic{0, 1e9};  // us
constexpr XmlBounds kMegabytes{0, 1e9};     // of one C2C link, a second
constexpr int kNcclVersion = 1, kRcclVersion = 2;

// One document, element by element. Elements nest as deep as XmlLimits allow.
class NcclXmlReader {
 public:
  explicit NcclXmlReader(const XmlFile& file) : complaints_(file) {}

  Result<System> read() {
    const auto system = root();
    if (!system) return system.failure();
    if (const auto stray = complaints_.file().stray_text()) return *stray;
    const XmlAttributes at(*system, complaints_);
    at.copy("name", system_.name);
    for (const auto& cpu : system->children("cpu")) system_.cpus.push_back(read_cpu(cpu));
    read_version(*system);
    if (system_.cpus.empty()) complaints_.add(*system, "<system> has no <cpu>: give one at least.");
    if (complaints_.first()) return *complaints_.first();
    for (auto& sentence : unread_parts(complaints_.file(), *system))
      system_.unseen.push_back(std::move(sentence));
    complete_hand_made(system_, listed_nics_);
    return std::move(system_);
  }

 private:
  // The <system>; a sentence where the file is another one of those that lie beside it.
  Result<pugi::xml_node> root() {
    const XmlFile& file = complaints_.file();
    const auto system = file.document().child("system");
    if (system && !system.next_sibling("system")) return system;
    if (system)
      return file.failure(file.line_of(system.next_sibling("system")),
                          "There is a second <system>: one file describes one.");
    const auto first = file.document().first_child();
    const std::string_view name = first.name();
    auto why = fmt::format("<{}> is no topology of NCCL: <system> is needed.", shown_text(name));
    if (name == "topology") why += " This one is hwloc's: give it to --hwloc.";
    if (name == "graphs")
      why += " This one is NCCL's graph file (NCCL_GRAPH_FILE): give it to --graphs.";
    return file.failure(file.line_of(first), why);
  }

  void read_version(pugi::xml_node node) {
    const XmlAttributes at(node, complaints_);
    int version = kNcclVersion;
    at.require("version", "1");
    at.whole("version", kNumbers, version);
    bool rccl = false;
    walk_devices(system_, [&](const Cpu&, const PciDevice& device, int) {
      rccl |= device.gpu && !device.gpu->gcn.empty();
    });
    if (version != kNcclVersion && !(version == kRcclVersion && rccl))
      at.complain("version", "1, or 2 in RCCL's files, whose GPUs have gcn,");
  }

  Cpu read_cpu(pugi::xml_node node) {
    const XmlAttributes at(node, complaints_);
    Cpu cpu;
    at.require("numaid", "0");
    at.whole("numaid", kNumbers, cpu.numa);
    at.copy("affinity", cpu.affinity);
    if (cpu.affinity.find_first_not_of("0123456789abcdefABCDEF,") != std::string::npos)
      at.complain("affinity", "a mask in hexadecimal words, such as 00000000,0000ffff,");
    read_arch(at, cpu);
    at.copy("vendor", cpu.vendor);
    at.whole("familyid", kNumbers, cpu.family);
    at.whole("modelid", kNumbers, cpu.model);
    at.hex("host_hash", cpu.host_hash);
    for (const auto& child : node.children("pci"))
      cpu.devices.push_back(read_pci(child, cpu.host_hash));
    for (const auto& child : node.children("nic")) add_nets(child, cpu.nets);
    return cpu;
  }

  void read_arch(const XmlAttributes& at, Cpu& cpu) {
    const auto given = at.text("arch");
    const auto* found = std::ranges::find(kArchNames, given);
    if (found != kArchNames.end())
      cpu.arch = static_cast<CpuArch>(found - kArchNames.begin());
    else
      at.complain("arch", "x86_64, arm64 or ppc64");
  }

  PciDevice read_pci(pugi::xml_node node, std::uint64_t host_hash) {
    const XmlAttributes at(node, complaints_);
    PciDevice device;
    device.bus_id = read_bus_id(at, "busid");
    note_bus_id(node, device.bus_id, host_hash);
    read_identity(at, device);
    at.copy("link_speed", device.link.speed);
    at.whole("link_width", kLanes, device.link.width);
    for (const auto& child : node.children()) {
      const std::string_view name = child.name();
      if (name == "pci") device.children.push_back(read_pci(child, host_hash));
      if (name == "gpu") add_gpu(child, device);
      if (name == "nic") {
        add_nets(child, device.nets);
        listed_nics_.emplace(host_hash, device.bus_id);
      }
      if (name == "pcilink")
        device.pci_peers.push_back(read_bus_id(XmlAttributes(child, complaints_), "target"));
    }
    if (is_amd_gpu(device)) device.gpu->sm = 0;  // RCCL's is the number of processors
    return device;
  }

  void read_identity(const XmlAttributes& at, PciDevice& device) {
    device.class_code = read_class(at, "class");
    at.hex("vendor", device.vendor);
    at.hex("device", device.device);
    at.hex("subsystem_vendor", device.subsystem_vendor);
    at.hex("subsystem_device", device.subsystem_device);
  }

  BusId read_bus_id(const XmlAttributes& at, const char* name) {
    at.require(name, "0000:18:00.0");
    if (!at.has(name)) return {};
    const auto id = parse_bus_id(at.text(name));
    if (!id) at.complain(name, "a bus id in hexadecimal, such as 0000:18:00.0,");
    return id ? *id : BusId{};
  }

  // Files made by hand have had one id twice, where NCCL takes the first for all that asks for it.
  void note_bus_id(pugi::xml_node node, const BusId& id, std::uint64_t host_hash) {
    const std::size_t line = complaints_.file().line_of(node);
    const auto [known, is_new] = bus_lines_.emplace(std::pair(host_hash, id), line);
    if (is_new || known->second == 0 || system_.unseen.size() >= kMaxUnseen) return;
    system_.unseen.push_back(fmt::format(
        "Bus id {} stands on line {} and again on line {}: what links to it reaches the first.",
        text_of(id), std::exchange(known->second, 0), line));
  }

  // NCCL compares the text's beginning: "0x03" is every class of that kind.
  std::uint32_t read_class(const XmlAttributes& at, const char* name) {
    constexpr std::size_t kClassDigits = 6;
    std::uint32_t code = 0;
    at.hex(name, code);
    auto digits = trim(at.text(name));
    if (digits.starts_with("0x") || digits.starts_with("0X")) digits.remove_prefix(2);
    if (digits.size() > kClassDigits)
      at.complain(name, "a PCI class of up to six digits, such as 0x030200,");
    const bool is_prefix = digits.size() == 2 || digits.size() == 4;
    return is_prefix ? code << 4 * (kClassDigits - digits.size()) : code;
  }

  void add_gpu(pugi::xml_node node, PciDevice& device) {
    Gpu gpu = read_gpu(node);
    if (!device.gpu)
      device.gpu = std::move(gpu);
    else if (system_.unseen.size() < kMaxUnseen)
      system_.unseen.push_back(
          fmt::format("GPU {} is given to several ranks or partitions: only the first one is read.",
                      text_of(device.bus_id)));
  }

  Gpu read_gpu(pugi::xml_node node) {
    const XmlAttributes at(node, complaints_);
    Gpu gpu;
    at.whole("dev", kDevices, gpu.dev);
    at.whole("rank", kNumbers, gpu.rank);
    at.flag("gdr", gpu.gdr);
    at.copy("gcn", gpu.gcn);
    at.whole("sm", kNumbers, gpu.sm);
    for (const auto& child : node.children()) {
      const std::string_view name = child.name();
      if (name == "nvlink" || name == "xgmi") gpu.nvlinks.push_back(read_nvlink(child));
      if (name == "c2c") gpu.c2c = read_c2c(child);
    }
    return gpu;
  }

  NvLink read_nvlink(pugi::xml_node node) {
    const XmlAttributes at(node, complaints_);
    NvLink link;
    at.require("target", "0000:c3:00.0");
    at.copy("target", link.target);
    at.require("count", "4");
    at.whole("count", kLinks, link.count);
    link.tclass = read_class(at, "tclass");
    return link;
  }

  C2c read_c2c(pugi::xml_node node) {
    const XmlAttributes at(node, complaints_);
    C2c c2c;
    at.require("bw", "44712");
    at.number("bw", kMegabytes, c2c.link_mbps);
    at.require("count", "5");
    at.whole("count", kLinks, c2c.count);
    return c2c;
  }

  // Devices that NCCL uses for other than sending have net="0".
  void add_nets(pugi::xml_node nic, std::vector<Net>& nets) {
    for (const auto& node : nic.children("net")) {
      const XmlAttributes at(node, complaints_);
      Net net = read_net(at);
      bool sends = true;
      at.flag("net", sends);
      if (sends) nets.push_back(std::move(net));
    }
  }

  Net read_net(const XmlAttributes& at) {
    Net net;
    at.require("name", "mlx5_0");
    at.copy("name", net.name);
    at.whole("dev", kDevices, net.dev);
    at.number("speed", kMegabits, net.speed_mbps);
    net.speed_mbps = std::max(net.speed_mbps, 0.0);
    at.whole("port", kNumbers, net.port);
    at.number("latency", kLatencyOfNic, net.latency_us);
    at.hex("guid", net.guid);
    at.whole("maxconn", kNumbers, net.maxconn);
    at.flag("gdr", net.gdr);
    at.flag("coll", net.coll);
    return net;
  }

  XmlComplaints complaints_;
  System system_;
  std::map<std::pair<std::uint64_t, BusId>, std::size_t> bus_lines_;  // 0: told to be there twice
  DevicesOfHosts listed_nics_;
};

}  // namespace

Result<System> read_nccl_xml(std::string_view text, std::string_view name) {
  const auto file = XmlFile::parse(text, name);
  if (!file) return file.failure();
  auto system = NcclXmlReader(*file).read();
  if (!system) return system;
  System read = std::move(system).value();
  read.source = fmt::format("file {}", name);
  read.has_nccl_ports = true;
  return read;
}

Result<System> load_nccl_xml(const std::string& path) {
  const auto text = read_file_or_pipe(path, XmlLimits{}.bytes);
  if (!text) return Failure{fmt::format("{}: {}", path, text.sentence())};
  return read_nccl_xml(*text, path);
}

}  // namespace linerate::topo
