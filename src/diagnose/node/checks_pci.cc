// GPUs, NICs and the bridges above them.
#include "base/text.h"
#include "diagnose/node/checks.h"
#include "topo/detect/sysfs.h"

#include <fmt/format.h>

#include <algorithm>

namespace linerate::node {
namespace {

constexpr std::string_view kNvidiaVendor = "0x10de", kAmdVendor = "0x1002",
                           kAmazonVendor = "0x1d0f";

// The number behind "NAME=" in a fact of pci_capabilities().
std::optional<std::int64_t> capability(const Snapshot& snapshot, const std::string& path,
                                       std::string_view name) {
  const auto* fact = snapshot.find("pcie " + path);
  if (fact == nullptr) return std::nullopt;
  for (const auto& word : split(*fact, ' '))
    if (word.starts_with(std::string(name) + '='))
      if (const auto number = parse_integer("", word.substr(name.size() + 1))) return *number;
  return std::nullopt;
}

// System Management BIOS, table of chassis types: portable, laptop, notebook and such, whose GPUs
// are of the same class as those of data centres.
bool is_portable(const Snapshot& snapshot) {
  const auto type = snapshot.number("/sys/class/dmi/id/chassis_type").value_or(0);
  return type == 8 || type == 9 || type == 10 || type == 14 || type == 31 || type == 32;
}

bool is_bare_metal(const Snapshot& snapshot) {
  const auto* is_virtual = snapshot.find("virtual machine");
  return is_virtual != nullptr && *is_virtual == "no";
}

}  // namespace

std::vector<PciFact> job_devices(const Snapshot& snapshot) {
  std::vector<PciFact> devices;
  if (is_portable(snapshot)) return devices;
  for (const auto& [key, pci_class] : snapshot.matching("/sys/bus/pci/devices/*/class")) {
    const auto path = std::string(key.substr(0, key.rfind('/')));
    const auto place = path.substr(kPci.size());
    const auto* vendor = snapshot.find(path + "/vendor");
    const bool maker = vendor != nullptr && (*vendor == kNvidiaVendor || *vendor == kAmdVendor);
    const bool compute = pci_class.starts_with("0x0302") || pci_class.starts_with("0x12");
    if (maker && compute)
      devices.push_back({path, "GPU " + place, true});
    else if (const auto* rdma = snapshot.find("rdma " + path))
      devices.push_back({path, fmt::format("{} at {}", *rdma, place), false});
  }
  return devices;
}

bool needs::job_devices(const Snapshot& snapshot) {
  return rdma(snapshot) || !node::job_devices(snapshot).empty();
}

bool needs::compute_gpu(const Snapshot& snapshot) {
  return std::ranges::any_of(node::job_devices(snapshot), &PciFact::is_gpu);
}

bool needs::gpudirect(const Snapshot& snapshot) {
  return nvidia(snapshot) && active_rdma(snapshot);
}

bool needs::several_job_devices(const Snapshot& snapshot) {
  return node::job_devices(snapshot).size() > 1;
}

bool needs::bare_metal_peers(const Snapshot& snapshot) {
  return several_job_devices(snapshot) && is_bare_metal(snapshot);
}

bool needs::several_numa_nodes(const Snapshot& snapshot) {
  const auto* online = snapshot.find("/sys/devices/system/node/online");
  return needs::job_devices(snapshot) && online != nullptr &&
         topo::threads_in_list(*online).size() > 1;
}

bool needs::nvidia(const Snapshot& snapshot) {
  return std::ranges::any_of(node::job_devices(snapshot), [&](const PciFact& device) {
    const auto* vendor = snapshot.find(device.path + "/vendor");
    return device.is_gpu && vendor != nullptr && *vendor == kNvidiaVendor;
  });
}

bool needs::efa(const Snapshot& snapshot) {
  return std::ranges::any_of(node::job_devices(snapshot), [&](const PciFact& device) {
    const auto* vendor = snapshot.find(device.path + "/vendor");
    return !device.is_gpu && vendor != nullptr && *vendor == kAmazonVendor;
  });
}

bool needs::pci_error_counts(const Snapshot& snapshot) {
  return needs::job_devices(snapshot) && snapshot.has("/sys/bus/pci/devices/*/aer_dev_fatal");
}

bool needs::ethernet_only(const Snapshot& snapshot) {
  return needs::job_devices(snapshot) && !active_rdma(snapshot);
}

// A switch's downward ports: what they redirect goes through the root complex instead of straight
// to its neighbour.
std::vector<Seen> looks::acs(const Snapshot& snapshot, const Limits&) {
  constexpr std::int64_t kRedirects = 0x04 | 0x08 | 0x10;  // request, completion, upstream
  constexpr std::int64_t kDownstreamPort = 6;
  std::size_t redirecting = 0, ports = 0;
  std::string first;
  for (const auto& [key, text] : snapshot.matching("pcie /sys/bus/pci/devices/*")) {
    const auto path = std::string(key.substr(5));
    if (capability(snapshot, path, "port") != kDownstreamPort) continue;
    ++ports;
    const auto control = capability(snapshot, path, "acs").value_or(0);
    if ((control & kRedirects) == 0) continue;
    if (redirecting++ == 0) first = fmt::format("{} has {:#x}", path.substr(kPci.size()), control);
  }
  if (redirecting == 0) return {};
  return {{.subject = fmt::format("{} of {} PCI switch ports", redirecting, ports),
           .evidence = fmt::format("Their access control redirects requests: {} (configuration "
                                   "space).",
                                   first)}};
}

std::vector<Seen> looks::iommu(const Snapshot& snapshot, const Limits&) {
  std::vector<Seen> seen;
  std::size_t translated = 0;
  for (const auto& device : job_devices(snapshot))
    if (const auto* type = snapshot.find(device.path + "/iommu_group/type");
        type != nullptr && type->starts_with("DMA") && translated++ == 0)
      seen.push_back({.subject = device.name,
                      .evidence = fmt::format("Its accesses are translated: {}/iommu_group/type "
                                              "is {}.",
                                              device.path, *type)});
  if (translated > 1) seen.front().subject += fmt::format(" and {} more", translated - 1);
  return seen;
}

std::vector<Seen> looks::small_bar(const Snapshot& snapshot, const Limits& limits) {
  std::vector<Seen> seen;
  for (const auto& device : job_devices(snapshot)) {
    const auto bytes = snapshot.number(device.path + "/resource").value_or(0);
    if (device.is_gpu && bytes > 0 && bytes <= limits.bar_bytes)
      seen.push_back({.subject = device.name,
                      .evidence = fmt::format("Its largest region has {:.0f} MiB ({}/resource).",
                                              bytes / (1 << 20), device.path)});
  }
  return seen;
}

std::vector<Seen> looks::read_request(const Snapshot& snapshot, const Limits& limits) {
  std::vector<Seen> seen;
  for (const auto& device : job_devices(snapshot)) {
    const auto bytes = capability(snapshot, device.path, "read_request");
    if (!device.is_gpu && bytes && static_cast<double>(*bytes) < limits.read_request_bytes)
      seen.push_back(
          {.subject = device.name,
           .evidence = fmt::format("It reads {} bytes at a time (configuration space).", *bytes)});
  }
  return seen;
}

std::vector<Seen> looks::relaxed_ordering(const Snapshot& snapshot, const Limits&) {
  std::vector<Seen> seen;
  for (const auto& device : job_devices(snapshot))
    if (!device.is_gpu && capability(snapshot, device.path, "relaxed") == 0)
      seen.push_back(
          {.subject = device.name, .evidence = "Relaxed ordering is off (configuration space)."});
  return seen;
}

// The driver says what it is; DMA-BUF came to Linux' RDMA with 5.12.
std::vector<Seen> looks::peer_memory(const Snapshot& snapshot, const Limits&) {
  const auto* driver = snapshot.find("/proc/driver/nvidia/version");
  const auto* kernel = snapshot.find("/proc/sys/kernel/osrelease");
  for (const auto& name : split(*snapshot.find("/proc/modules"), ' '))
    if (name == "nvidia_peermem" || name == "nv_peer_mem") return {};
  const auto release = split(kernel == nullptr ? "" : *kernel, '.');
  const auto major = parse_integer("", release.front());
  const auto minor = release.size() < 2 ? major : parse_integer("", release[1]);
  const bool has_dma_buf = major && minor && (*major > 5 || (*major == 5 && *minor >= 12));
  const bool is_open = driver != nullptr && driver->find("Open Kernel Module") != std::string::npos;
  if (is_open && has_dma_buf) return {};
  return {{.subject = "GPUDirect RDMA",
           .evidence = "nvidia_peermem is not loaded (/proc/modules), and the driver is not the "
                       "open one on Linux 5.12 or newer, which needs none."}};
}

std::vector<Seen> looks::pci_errors(const Snapshot& snapshot, const Limits& limits) {
  std::vector<Seen> seen;
  for (const auto& device : job_devices(snapshot)) {
    const auto count = [&](std::string_view kind) {
      return snapshot.number(fmt::format("{}/aer_dev_{}", device.path, kind)).value_or(0);
    };
    const auto fatal = count("fatal"), other = count("nonfatal"), mended = count("correctable");
    if (fatal == 0 && other == 0 && mended <= limits.correctable_errors) continue;
    seen.push_back({.subject = device.name,
                    .evidence = fmt::format("Since the system started: {:.0f} fatal, {:.0f} other "
                                            "and {:.0f} corrected errors ({}/aer_dev_*).",
                                            fatal, other, mended, device.path),
                    .severity = fatal > 0 ? Severity::warning : Severity::info});
  }
  return seen;
}

std::vector<Seen> looks::nvidia_devices(const Snapshot& snapshot, const Limits&) {
  if (snapshot.find("/proc/driver/nvidia/version") == nullptr)
    return {{.subject = "the NVIDIA driver",
             .evidence = "/proc/driver/nvidia/version is not there, and a GPU is.",
             .severity = Severity::warning}};
  std::vector<Seen> seen;
  for (const auto* name : {"/dev/nvidiactl", "/dev/nvidia-uvm"}) {
    const auto* access = snapshot.find(std::string("access ") + name);
    if (access == nullptr || *access == "read and write") continue;
    // The driver makes them when a program first asks; a container never gets them then.
    const auto absent = *access == "absent" ? std::optional(Severity::info) : std::nullopt;
    seen.push_back({.subject = name,
                    .evidence = fmt::format("Access to it: {}.", *access),
                    .severity = absent});
  }
  return seen;
}

}  // namespace linerate::node
