// Processors, from hwloc's objects: memory nodes with their cores, caches and info texts.
#include "base/text.h"
#include "topo/detect/hwloc_system.h"
#include "topo/detect/sysfs.h"

#include <hwloc.h>

#include <algorithm>

namespace linerate::topo {
namespace {

int number_info(hwloc_obj_t object, const char* name) {
  const auto number = parse_integer(name, info_of(object, name));
  return number ? static_cast<int>(*number) : 0;
}

ThreadSet threads_of(hwloc_const_bitmap_t set) {
  ThreadSet threads;
  for (int thread = hwloc_bitmap_first(set); thread >= 0; thread = hwloc_bitmap_next(set, thread))
    threads.insert(thread);
  return threads;
}

// hwloc before 2.0 did not keep the vendor; only x86 has one.
std::string_view vendor_of(hwloc_obj_t package, std::string_view model) {
  const auto vendor = info_of(package, "CPUVendor");
  if (!vendor.empty()) return vendor;
  if (model.find("Intel") != std::string_view::npos) return "GenuineIntel";
  return model.find("AMD") != std::string_view::npos ? "AuthenticAMD" : "";
}

// Where hwloc does not tell the architecture, vendor and model do.
CpuArch arch_of(std::string_view machine, const Cpu& cpu) {
  if (machine == "x86_64") return CpuArch::x86_64;
  if (machine == "aarch64") return CpuArch::arm64;
  if (machine.starts_with("ppc64") || cpu.name.starts_with("POWER")) return CpuArch::ppc64;
  return cpu.vendor.empty() ? CpuArch::unknown : CpuArch::x86_64;
}

// Who made the processor: the package tells, or the machine where all are alike.
void describe_model(hwloc_topology_t topology, hwloc_obj_t package, Cpu& cpu) {
  const auto root = hwloc_get_root_obj(topology);
  const auto teller = info_of(package, "CPUModel").empty() ? root : package;
  cpu.name = info_of(teller, "CPUModel");
  cpu.vendor = vendor_of(teller, cpu.name);
  cpu.arch = arch_of(info_of(root, "Architecture"), cpu);
  cpu.family = nccl_family(number_info(teller, "CPUFamilyNumber"));
  cpu.model = number_info(teller, "CPUModelNumber");
}

hwloc_obj_t package_of(hwloc_topology_t topology, hwloc_obj_t node) {
  const auto above = hwloc_get_ancestor_obj_by_type(topology, HWLOC_OBJ_PACKAGE, node);
  return above != nullptr ? above
                          : hwloc_get_next_obj_covering_cpuset_by_type(topology, node->cpuset,
                                                                       HWLOC_OBJ_PACKAGE, nullptr);
}

Cpu cpu_of_node(hwloc_topology_t topology, hwloc_obj_t node) {
  Cpu cpu{.numa = static_cast<int>(node->os_index),
          .affinity = mask_text(threads_of(node->cpuset))};
  const auto package = package_of(topology, node);
  if (package != nullptr) cpu.package = static_cast<int>(package->os_index);
  describe_model(topology, package, cpu);
  const auto count = [&](hwloc_obj_type_t type) {
    return std::max(0, hwloc_get_nbobjs_inside_cpuset_by_type(topology, node->cpuset, type));
  };
  cpu.cores = count(HWLOC_OBJ_CORE);
  cpu.threads = hwloc_bitmap_weight(node->cpuset);
  for (int n = 0; n < cpu.cores; ++n) {
    const auto* core = hwloc_get_obj_inside_cpuset_by_type(topology, node->cpuset, HWLOC_OBJ_CORE,
                                                           static_cast<unsigned>(n));
    const auto threads = threads_of(core->cpuset);
    cpu.core_threads.emplace_back(threads.begin(), threads.end());
  }
  for (int n = 0; n < count(HWLOC_OBJ_L3CACHE); ++n) {
    const auto* cache = hwloc_get_obj_inside_cpuset_by_type(
        topology, node->cpuset, HWLOC_OBJ_L3CACHE, static_cast<unsigned>(n));
    cpu.l3_bytes += cache->attr->cache.size;
  }
  return cpu;
}

HwlocTopology load_this_machine(unsigned long flags) {
  return load_hwloc(
      [&](hwloc_topology_t topology) { return hwloc_topology_set_flags(topology, flags) == 0; });
}

}  // namespace

HwlocTopology load_hwloc(const std::function<bool(hwloc_topology*)>& configure) {
  hwloc_topology_t raw = nullptr;
  if (hwloc_topology_init(&raw) != 0) raw = nullptr;
  HwlocTopology topology(raw, hwloc_topology_destroy);
  if (raw != nullptr && (!configure(raw) || hwloc_topology_load(raw) != 0)) topology.reset();
  return topology;
}

std::string_view info_of(hwloc_obj_t object, const char* name) {
  const char* const text = object != nullptr ? hwloc_obj_get_info_by_name(object, name) : nullptr;
  return text != nullptr ? text : "";
}

std::vector<Cpu> cpus_of_hwloc(hwloc_topology* topology, std::vector<std::string>& unseen) {
  std::vector<hwloc_obj_t> nodes;
  for (hwloc_obj_t node = nullptr;
       (node = hwloc_get_next_obj_by_type(topology, HWLOC_OBJ_NUMANODE, node)) != nullptr;)
    nodes.push_back(node);
  std::ranges::sort(nodes, {}, [](hwloc_obj_t node) { return node->os_index; });
  std::vector<Cpu> cpus;
  // Memory without processors, of GPUs for instance, stands beside others' threads.
  ThreadSet taken;
  for (auto* node : nodes) {
    const auto threads = threads_of(node->cpuset);
    if (threads.empty() || taken.contains(*threads.begin())) continue;
    taken.insert(threads.begin(), threads.end());
    cpus.push_back(cpu_of_node(topology, node));
  }
  if (std::ranges::any_of(cpus, [](const Cpu& cpu) { return cpu.arch == CpuArch::unknown; }))
    unseen.emplace_back("No model of the processors: hwloc does not tell the architecture.");
  return cpus;
}

std::vector<Cpu> cpus_of_this_machine(std::vector<std::string>& unseen) {
  const auto topology = load_this_machine(HWLOC_TOPOLOGY_FLAG_INCLUDE_DISALLOWED);
  return topology ? cpus_of_hwloc(topology.get(), unseen) : std::vector<Cpu>();
}

ThreadSet usable_threads() {
  const auto topology = load_this_machine(0);
  return topology ? threads_of(hwloc_topology_get_allowed_cpuset(topology.get())) : ThreadSet();
}

}  // namespace linerate::topo
