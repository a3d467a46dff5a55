#include "topo/lint/lint.h"

#include "topo/lint/rules.h"
#include "topo/system/links.h"
#include "topo/system/system.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

namespace linerate::topo {
namespace {

constexpr auto kRules = std::to_array<LintRule>({
    {"missing-gpu", rules::missing_gpu, Severity::warning,
     "a board that shows fewer GPUs than it is built with",
     "if a board with NVSwitches has 3, 5, 6 or 7 GPUs",
     "Jobs that take all GPUs of a node do not start there.",
     "if the job that wrote the file used no more, all is well; else nvidia-smi, and the kernel's "
     "log for a GPU that has fallen off the bus (Xid 79); restart the node"},
    {"degraded-link", rules::degraded_link, Severity::warning,
     "PCI links that trained below what both ends can do", "",
     "Everything that crosses the link is that much slower, and NCCL plans with bandwidth that is "
     "not there.",
     "reseat the card or its riser, look for PCIe errors in the kernel's log, and check the slot's "
     "setting in the firmware; look at GPUs while they work, as idle ones slow the link down"},
    {"slow-gpu-link", rules::slow_gpu_link, Severity::warning,
     "a GPU whose PCI link is slower than that of its like",
     "if a file says less than half of their bandwidth, or the first generation",
     "Its copies, and its way to the NIC, are as slow.",
     "lspci -vv says what the link is while the GPU works; if it stays, reseat the card or module"},
    {"narrow-nic", rules::narrow_nic, Severity::warning,
     "a NIC whose PCI link is slower than its ports",
     "if the link passes less than 45 % of what the ports could do",
     "The ports never reach their speed.",
     "reseat the card, see that its slot has all lanes, and check the slot's setting in the "
     "firmware"},
    {"unknown-link-speed", rules::unknown_link_speed, Severity::warning,
     "PCI speeds in a wording that NCCL does not know",
     "as a note where no speed is told, as in virtual machines",
     "NCCL counts PCIe 3.0, and may choose other ways.",
     "write the speed in the topology file as sysfs does: \"32.0 GT/s PCIe\" for Gen5"},
    {"slow-uplink", rules::slow_uplink, Severity::warning,
     "PCI switches that are much slower upwards than a device below them",
     "if the link upwards has less than half of what one device could use; as a note where "
     "all switches of the level are so",
     "Data for the processor, and for devices below other switches, waits there.",
     "lspci -vv says what the link is trained to; if it is faster, correct the topology file, else "
     "check the slot and its setting in the firmware"},
    {"no-nvlink", rules::no_nvlink, Severity::warning,
     "a GPU without NVLinks among others that have some", "also if none has any, and the model has",
     "Data between such GPUs goes over PCI.",
     "nvidia-smi nvlink --status, and the log of the fabric manager; reset the GPU, or take the "
     "node out of service"},
    {"fewer-nvlinks", rules::fewer_nvlinks, Severity::warning,
     "a GPU with fewer active NVLinks than its model or others have",
     "also if all lack the links of one NVSwitch", "A ring is as fast as its slowest GPU.",
     "nvidia-smi nvlink --status, and the log of the fabric manager; reset the GPU, or take the "
     "node out of service"},
    {"gpudirect-off", rules::gpudirect_off, Severity::warning,
     "NICs or GPUs without GPUDirect RDMA, as NCCL found out (gdr=\"0\")",
     "as a note where RCCL says so of the GPUs alone: older ROCm turns it off with "
     "fine-grained memory",
     "All traffic between nodes is copied through the host's memory.",
     "modprobe nvidia_peermem, or use NVIDIA's open kernel modules, whose DMA-BUF needs none; in a "
     "virtual machine, see that ACS and ATS are set for it"},
    {"far-nic", rules::far_nic, Severity::warning,
     "a GPU whose nearest NIC is farther away than that of other GPUs",
     "as a note where it is not the only one, as with 4 NICs for 8 GPUs: NVLinks lead to a "
     "GPU beside a NIC (PXN)",
     "What it sends to other nodes crosses the link between the processors.",
     "see with lspci whether a NIC is missing there; else move one to a slot near the GPU"},
    {"hidden-bus", rules::hidden_bus, Severity::warning, "a virtual machine that hides its PCI bus",
     "as a note where no NIC is on the bus, or RCCL runs there",
     "NCCL sees every GPU as far from every NIC, and leaves GPUDirect out.",
     "give NCCL the provider's topology file of this machine type by NCCL_TOPO_FILE"},
    {"unknown-memory-node", rules::unknown_memory_node, Severity::warning,
     "devices whose memory node is unknown", "as a note where there is no GPU among them",
     "NCCL puts them at a processor of their own, and binds no thread near them.",
     "set the memory nodes in the virtual machine's definition, or give a topology file with the "
     "right numaid by NCCL_TOPO_FILE"},
    {"inactive-port", rules::inactive_port, Severity::warning,
     "InfiniBand and RoCE ports beside a GPU that are not up",
     "as a note where the port is switched off, or stands apart from the GPUs",
     "NCCL uses the others, with less bandwidth, or the job fails.",
     "look at the cable and at the switch's port; leave a port that shall stay down out with "
     "NCCL_IB_HCA"},
    {"slower-port", rules::slower_port, Severity::warning,
     "ports beside GPUs that are slower than most others of their model",
     "as a note where they stand apart from the GPUs, or most are as slow",
     "A ring is as fast as its slowest port.",
     "look at the cable and its plugs, and at the speed that the switch's port is set to"},
    {"unknown-port-speed", rules::unknown_port_speed, Severity::info,
     "ports of unknown speed, or of one that no port has", "", "NCCL counts 10 Gb/s for them.",
     "for jobs on several nodes, measure what it reaches, and give a topology file with its speed "
     "by NCCL_TOPO_FILE"},
    {"slow-network", rules::slow_network, Severity::warning,
     "GPUs without a port of 25 Gb/s or more",
     "as a warning in a cluster, as a note on a machine that is looked at alone",
     "Jobs on several nodes wait for the network.",
     "see why no faster NIC is taken: whether its driver is loaded, its ports are up and "
     "NCCL_IB_HCA allows it"},
});

}  // namespace

std::span<const LintRule> lint_rules() { return kRules; }

std::vector<RuleText> lint_texts() {
  auto texts = texts_of(kRules, &LintRule::name);
  for (std::size_t i = 0; i < texts.size(); ++i) texts[i].example = rules::example_of(kRules[i]);
  texts.push_back({.id = "unlike-node",
                   .about = "a node that differs from most others with the same GPUs",
                   .speaks =
                       "of several files or a cluster, in GPUs, links, PCI, ports, GPUDirect, "
                       "processors or driver; as a note where nodes have different GPUs",
                   .why = "A job is as fast as its slowest node.",
                   .remedy = "bring it in line, or leave it out"});
  return texts;
}

bool LintReport::has_warning() const {
  return std::ranges::any_of(
      lines, [](const Line& line) { return line.finding.severity == Severity::warning; });
}

LintReport lint_nodes(std::span<const LintedNode> nodes) {
  const bool alone = nodes.size() == 1 && nodes.front().count == 1;
  LintReport report;
  for (const auto& node : nodes) {
    for (auto& finding : lint(*node.system)) {
      if (!alone && finding.rule == "slow-network") finding.severity = Severity::warning;
      report.lines.push_back({nodes.size() == 1 ? "" : node.name, std::move(finding)});
    }
    for (const auto& sentence : node.system->unseen)
      if (std::ranges::count(report.unseen, sentence) == 0) report.unseen.push_back(sentence);
  }
  for (auto& finding : unlike_nodes(nodes)) report.lines.push_back({"", std::move(finding)});
  return report;
}

std::vector<Finding> lint(const System& system) {
  std::vector<Finding> all;
  for (const auto& rule : kRules)
    for (auto& finding : rule.findings(system)) {
      finding.rule = rule.name;
      all.push_back(std::move(finding));
    }
  return all;
}

}  // namespace linerate::topo

namespace linerate::topo::rules {

std::vector<GpuAt> gpus_of(const System& system) {
  std::vector<GpuAt> gpus;
  for (const auto& cpu : system.cpus)
    for (const auto& top : cpu.devices)
      walk(top, [&](const PciDevice& device, int) {
        if (device.gpu) gpus.push_back({.cpu = &cpu, .top = &top, .device = &device});
      });
  return gpus;
}

std::vector<PortAt> ports_of(const System& system) {
  std::vector<PortAt> ports;
  for (const auto& cpu : system.cpus) {
    for (const auto& top : cpu.devices)
      walk(top, [&](const PciDevice& device, int) {
        for (const auto& net : device.nets)
          ports.push_back({.cpu = &cpu, .top = &top, .device = &device, .net = &net});
      });
    for (const auto& net : cpu.nets) ports.push_back({.cpu = &cpu, .net = &net});
  }
  return ports;
}

std::vector<PortAt> used_ports_of(const System& system) {
  const PortUse use(system);
  auto ports = ports_of(system);
  std::erase_if(ports, [&](const PortAt& port) { return !use.takes(*port.net); });
  return ports;
}

bool are_alike(const GpuAt& a, const GpuAt& b) {
  return a.device->vendor == b.device->vendor && a.device->device == b.device->device &&
         a.device->gpu->sm == b.device->gpu->sm && a.device->gpu->gcn == b.device->gpu->gcn;
}

bool are_alike(const PortAt& a, const PortAt& b) {
  return a.device != nullptr && b.device != nullptr && a.device->vendor == b.device->vendor &&
         a.device->device == b.device->device && a.device->device != 0 &&
         a.net->link_layer == b.net->link_layer;
}

bool is_beside_gpu(const PortAt& port, const std::vector<GpuAt>& gpus) {
  return port.top != nullptr &&
         std::ranges::any_of(gpus, [&](const GpuAt& gpu) { return gpu.top == port.top; });
}

bool is_made_by_hand(const System& system) { return system.has_nccl_ports && !has_ranks(system); }

std::string name_of(const PciDevice& device) {
  const auto at = text_of(device.bus_id);
  if (device.gpu)
    return device.gpu->dev < 0 ? fmt::format("the GPU at {}", at)
                               : fmt::format("GPU {} at {}", device.gpu->dev, at);
  if (!device.nets.empty()) return fmt::format("{} at {}", device.nets.front().name, at);
  return fmt::format("the PCI switch at {}", at);
}

std::string one_of(std::size_t devices, const PciDevice& first) {
  return devices > 1 ? fmt::format("{} and {} more", name_of(first), devices - 1) : name_of(first);
}

std::string name_of(const Net& net) {
  return net.port == 1 ? net.name : fmt::format("{} port {}", net.name, net.port);
}

std::string link_text(const PciLink& link) {
  return fmt::format("{} x{}", link.speed.empty() ? "unknown speed" : link.speed, link.width);
}

}  // namespace linerate::topo::rules
