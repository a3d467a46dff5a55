#include "topo/system/links.h"

#include "base/text.h"
#include "topo/system/system.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cassert>
#include <utility>

namespace linerate::topo {
namespace {

constexpr int kUnknownLane = 60;  // Gen3
constexpr int kUnknownWidth = 16;
constexpr double kLanesPerGbps = 80;  // 100 Mb/s in a GB/s

// NCCL takes a text by its beginning, so that "16 GT/s PCIe" is "16 GT/s".
const PcieGeneration* generation_of(std::string_view text) {
  const auto* found = std::ranges::find_if(kPcieGenerations, [&](const PcieGeneration& row) {
    return text.starts_with(row.text) || text.starts_with(row.older);
  });
  return found == kPcieGenerations.end() ? nullptr : found;
}

// GB/s of one link by compute capability: SM60_NVLINK_BW to SM100_NVLINK_BW in src/graph/topo.h.
double nvlink_of_sm(int sm, const NcclVersion& version) {
  if (sm >= 100 && version >= NcclVersion{2, 27, 5}) return 40.1;
  if (sm >= 100 && version >= NcclVersion{2, 25, 0}) return 40;
  if (sm >= 90) return version >= NcclVersion{2, 20, 0} ? 20.6 : 20;
  if (sm == 86) return 12;
  if (sm >= 60 && sm < 70) return 18;
  return 20;
}

// GB/s of one xGMI link: VEGA_, MI200_, GFX94X_ and GFX95X_XGMI_WIDTH in RCCL's src/graph/topo.h.
double xgmi_of_architecture(std::string_view gcn) {
  if (gcn.starts_with("gfx94") || gcn.starts_with("gfx95")) return 48;
  if (gcn.starts_with("gfx90a")) return 36;
  return 24;
}

// Family 6 by model: Broadwell, Skylake to Ice Lake, Sapphire Rapids, Emerald Rapids.
double intel_link(const Cpu& cpu, const NcclVersion& version) {
  constexpr int kFamily = 6, kSkylake = 0x55, kSapphireRapids = 0x8f, kEmeraldRapids = 0xcf;
  const bool knows_rapids = version >= NcclVersion{2, 26, 0};
  if (cpu.family != kFamily || cpu.model < kSkylake) return 6;
  if (knows_rapids && cpu.model >= kEmeraldRapids) return 40;
  if (knows_rapids && cpu.model >= kSapphireRapids) return 22;
  return 10;
}

double zhaoxin_link(const Cpu& cpu) {
  constexpr int kFamily = 7, kYongfeng = 0x5b;
  return cpu.family == kFamily && cpu.model == kYongfeng ? 9 : 6;
}

double x86_link(const Cpu& cpu, const NcclVersion& version) {
  constexpr double kAmd = 16;
  if (is_intel(cpu)) return intel_link(cpu, version);
  if (is_amd(cpu)) return version >= NcclVersion{2, 19, 0} ? kAmd : kLocalGbps;
  return is_zhaoxin(cpu) ? zhaoxin_link(cpu) : kLocalGbps;
}

bool is_over_infiniband(const Net& net) { return net.name.starts_with("ib"); }

}  // namespace

bool is_amd_gpu(const PciDevice& device) {
  return device.gpu && (device.vendor == kAmdVendor || !device.gpu->gcn.empty());
}

std::string_view library_of(const System& system) {
  bool amd = false;
  walk_devices(system,
               [&](const Cpu&, const PciDevice& device, int) { amd = amd || is_amd_gpu(device); });
  return amd ? "RCCL" : "NCCL";
}

// RCCL up to 2.18 wrote numbers (convertGcnArchToGcnArchName in its src/misc/archinfo.cc).
std::string_view architecture_of(const Gpu& gpu) {
  constexpr std::array<std::pair<std::string_view, std::string_view>, 6> kOlder{
      {{"906", "gfx906"},
       {"908", "gfx908"},
       {"910", "gfx90a"},
       {"940", "gfx940"},
       {"941", "gfx941"},
       {"942", "gfx942"}}};
  for (const auto& [number, name] : kOlder)
    if (gpu.gcn == number) return name;
  return gpu.gcn;
}

std::string_view nvlink_word(const Gpu& gpu) { return gpu.gcn.empty() ? "NVLink" : "xGMI link"; }

bool has_ranks(const System& system) {
  bool found = false;
  walk_devices(system, [&](const Cpu&, const PciDevice& device, int) {
    found = found || (device.gpu && device.gpu->rank >= 0);
  });
  return found;
}

bool knows_pci_speed(std::string_view text) { return generation_of(text) != nullptr; }

double pci_gbps(const PciLink& link) {
  const auto* generation = generation_of(link.speed);
  const int lane = generation == nullptr ? kUnknownLane : generation->lane;
  const int width = link.width > 0 ? link.width : kUnknownWidth;
  return width * lane / kLanesPerGbps;
}

double nvlink_gbps(const Gpu& gpu, const NcclVersion& version) {
  return gpu.gcn.empty() ? nvlink_of_sm(gpu.sm, version)
                         : xgmi_of_architecture(architecture_of(gpu));
}

double c2c_gbps(const C2c& c2c) {
  constexpr double kMbpsPerGbps = 1000;
  return c2c.link_mbps * c2c.count / kMbpsPerGbps;
}

double net_gbps(const Net& net) {
  constexpr double kUnknownMbps = 10000, kMbpsPerGbps = 8000;  // bits to bytes
  return (net.speed_mbps > 0 ? net.speed_mbps : kUnknownMbps) / kMbpsPerGbps;
}

// ncclTopoGetInterCpuBw in src/graph/topo.cc.
double cpu_link_gbps(const Cpu& cpu, const NcclVersion& version) {
  constexpr double kPower9 = 32, kArm = 6;
  switch (cpu.arch) {
    case CpuArch::ppc64:
      return kPower9;
    case CpuArch::arm64:
      return kArm;
    case CpuArch::x86_64:
      return x86_link(cpu, version);
    case CpuArch::unknown:
      return kLocalGbps;
  }
  return kLocalGbps;
}

bool is_intel(const Cpu& cpu) {
  return cpu.arch == CpuArch::x86_64 && cpu.vendor == "GenuineIntel";
}

bool is_amd(const Cpu& cpu) { return cpu.arch == CpuArch::x86_64 && cpu.vendor == "AuthenticAMD"; }

bool is_zhaoxin(const Cpu& cpu) {
  return cpu.arch == CpuArch::x86_64 &&
         (cpu.vendor == "CentaurHauls" || trim(cpu.vendor) == "Shanghai");
}

// NCCL gives sockets port 0, and their number as GUID (src/transport/net_socket.cc).
bool is_verbs(const Net& net) { return !net.link_layer.empty() || (net.guid != 0 && net.port > 0); }

bool has_speed(const Net& net) {
  constexpr double kMaxMbps = 10e6;  // twelve lanes of 800 Gb/s: no port has as many
  return net.speed_mbps > 0 && net.speed_mbps <= kMaxMbps;
}

bool is_up(const Net& net) { return net.state.empty() || net.state == "ACTIVE"; }

double gigatransfers_of(std::string_view speed) { return number_before(" GT/s", speed); }

int pcie_generation(std::string_view speed) {
  const auto* found =
      std::ranges::find(kPcieGenerations, number_before("", speed), &PcieGeneration::gigatransfers);
  return found == kPcieGenerations.end() ? 0
                                         : static_cast<int>(found - kPcieGenerations.begin()) + 1;
}

bool is_degraded(const PciDevice& device) {
  const auto rate = [](const PciLink& link) { return number_before("", link.speed) * link.width; };
  const double now = rate(device.link);
  return now > 0 && now < rate(device.max_link);
}

int active_nvlinks(const Gpu& gpu) {
  int active = 0;
  for (const auto& link : gpu.nvlinks) active += link.count;
  return active;
}

bool is_idle(const PciDevice& device) {
  constexpr double kFirstGeneration = 2.5;
  return device.gpu && device.link.width == device.max_link.width &&
         gigatransfers_of(device.link.speed) == kFirstGeneration;
}

PortUse::PortUse(const System& system) : all_(system.has_nccl_ports) {
  walk_ports(system, [&](const std::vector<Net>& nets) {
    for (const auto& net : nets) {
      verbs_ = verbs_ || (is_up(net) && is_verbs(net));
      over_infiniband_ = over_infiniband_ || (is_up(net) && is_over_infiniband(net));
    }
  });
}

bool PortUse::takes(const Net& net) const {
  if (!is_up(net)) return false;
  if (all_) return true;
  return verbs_ ? is_verbs(net) : !over_infiniband_ || is_over_infiniband(net);
}

std::string PortUse::why_not(const Net& net) const {
  assert(!takes(net));
  if (!is_up(net)) return fmt::format("the port is {}", net.state);
  return verbs_ ? "an InfiniBand or RoCE port is up, and it uses these alone"
                : "an interface over InfiniBand is up, and it prefers these";
}

}  // namespace linerate::topo
