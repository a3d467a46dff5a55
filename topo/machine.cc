#include "topo/machine.h"

#include "base/error.h"
#include "base/handle.h"
#include "base/units.h"
#include "topo/detect/hwloc_system.h"
#include "topo/detect/sysfs.h"

#include <fmt/format.h>
#include <hwloc.h>

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <map>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

namespace linerate {
namespace {

using CpuSet = Handle<hwloc_bitmap_s, hwloc_bitmap_free>;

// Only what Machine tells is discovered: buses, storage and the like cost most of the time.
topo::HwlocTopology load_topology() {
  auto topology = topo::load_hwloc([](hwloc_topology_t raw) {
    hwloc_topology_set_all_types_filter(raw, HWLOC_TYPE_FILTER_KEEP_NONE);
    for (const auto type :
         {HWLOC_OBJ_PACKAGE, HWLOC_OBJ_L2CACHE, HWLOC_OBJ_L3CACHE, HWLOC_OBJ_CORE})
      hwloc_topology_set_type_filter(raw, type, HWLOC_TYPE_FILTER_KEEP_ALL);
    return true;
  });
  if (!topology) throw Error("hwloc cannot describe this machine.");
  return topology;
}

// The hardware threads that this process may run on.
CpuSet threads_of(hwloc_topology_t topology, ThreadScope scope) {
  CpuSet usable(hwloc_bitmap_dup(hwloc_topology_get_allowed_cpuset(topology)));
  const CpuSet bound(hwloc_bitmap_alloc());
  if (scope == ThreadScope::bound &&
      hwloc_get_cpubind(topology, bound.get(), HWLOC_CPUBIND_THREAD) == 0)
    hwloc_bitmap_and(usable.get(), usable.get(), bound.get());
  return usable;
}

std::string cpu_model(hwloc_topology_t topology) {
  for (const auto& object :
       {hwloc_get_obj_by_type(topology, HWLOC_OBJ_PACKAGE, 0), hwloc_get_root_obj(topology)})
    if (const auto model = topo::info_of(object, "CPUModel"); !model.empty())
      return std::string(model);
  return "unknown CPU";
}

// What divides the machine into domains.
hwloc_obj_type_t domain_type(hwloc_topology_t topology) {
  return hwloc_get_nbobjs_by_type(topology, HWLOC_OBJ_L3CACHE) > 0 ? HWLOC_OBJ_L3CACHE
                                                                   : HWLOC_OBJ_NUMANODE;
}

// The objects of `type` that hold some of the threads in `set`.
std::vector<hwloc_obj_t> objects_of(hwloc_topology_t topology, hwloc_obj_type_t type,
                                    hwloc_const_cpuset_t set) {
  std::vector<hwloc_obj_t> found;
  for (hwloc_obj_t object = nullptr;
       (object = hwloc_get_next_obj_by_type(topology, type, object)) != nullptr;)
    if (hwloc_bitmap_intersects(object->cpuset, set)) found.push_back(object);
  return found;
}

Machine describe(hwloc_topology_t topology, hwloc_const_cpuset_t usable) {
  const auto count = [&](hwloc_obj_type_t type) {
    return static_cast<int>(objects_of(topology, type, usable).size());
  };
  Machine machine{.cpu_model = cpu_model(topology)};
  machine.threads = std::max(1, hwloc_bitmap_weight(usable));
  const int cores = count(HWLOC_OBJ_CORE);
  machine.cores = cores > 0 ? cores : machine.threads;
  machine.domains = std::max(1, count(domain_type(topology)));
  for (const auto* cache : objects_of(topology, HWLOC_OBJ_L3CACHE, usable))
    machine.l3_bytes += cache->attr->cache.size;
  return machine;
}

std::size_t cache_bytes(hwloc_topology_t topology, hwloc_obj_type_t type) {
  const auto first = hwloc_get_obj_by_type(topology, type, 0);
  return first == nullptr ? 0 : first->attr->cache.size;
}

std::string list_text(hwloc_const_bitmap_t set) {
  char* raw = nullptr;
  if (hwloc_bitmap_list_asprintf(&raw, set) < 0) return "";
  const Handle<char, std::free> text(raw);
  return text.get();
}

// The next power of two of GiB: what firmware and kernel keep for themselves changes with updates.
std::size_t memory_gib(hwloc_topology_t topology) {
  constexpr int kGiBBits = 30;
  const auto total = static_cast<std::size_t>(hwloc_get_root_obj(topology)->total_memory);
  return std::bit_ceil((total >> kGiBBits) + 1);
}

int number_of(hwloc_topology_t topology, hwloc_obj_type_t type, hwloc_obj_t thread) {
  const auto* const above = hwloc_get_ancestor_obj_by_type(topology, type, thread);
  return above == nullptr ? -1 : static_cast<int>(above->logical_index);
}

// The first memory node whose cores hold the thread.
int numa_node_of(hwloc_topology_t topology, hwloc_obj_t thread) {
  const auto nodes = objects_of(topology, HWLOC_OBJ_NUMANODE, thread->cpuset);
  return nodes.empty() ? 0 : static_cast<int>(nodes.front()->logical_index);
}

}  // namespace

Machine describe_machine() {
  const auto topology = load_topology();
  return describe(topology.get(), threads_of(topology.get(), ThreadScope::bound).get());
}

Machine describe_whole_machine() {
  const auto topology = load_topology();
  return describe(topology.get(), hwloc_topology_get_allowed_cpuset(topology.get()));
}

std::string hardware_text() {
  const auto loaded = load_topology();
  auto* const topology = loaded.get();
  const auto count = [&](hwloc_obj_type_t type) {
    return hwloc_get_nbobjs_by_type(topology, type);
  };
  return fmt::format(
      "{}, packages {}, memory nodes {}, threads {}, L2 {}, L3 {} x {}, up to {} GiB",
      cpu_model(topology), count(HWLOC_OBJ_PACKAGE), count(HWLOC_OBJ_NUMANODE),
      list_text(hwloc_topology_get_allowed_cpuset(topology)),
      bytes_text(cache_bytes(topology, HWLOC_OBJ_L2CACHE)), count(HWLOC_OBJ_L3CACHE),
      bytes_text(cache_bytes(topology, HWLOC_OBJ_L3CACHE)), memory_gib(topology));
}

int domain_of_this_thread() {
  const auto topology = load_topology();
  const auto usable = threads_of(topology.get(), ThreadScope::bound);
  const auto found = objects_of(topology.get(), domain_type(topology.get()), usable.get());
  return found.size() == 1 ? static_cast<int>(found.front()->logical_index) : -1;
}

std::vector<HardwareThread> cores_first(std::vector<HardwareThread> threads) {
  std::map<int, int> seen;  // threads of each core so far
  std::vector<std::pair<int, HardwareThread>> ranked;
  std::ranges::sort(threads, {}, &HardwareThread::os_index);
  for (const auto& thread : threads)
    ranked.emplace_back(thread.core < 0 ? 0 : seen[thread.core]++, thread);
  std::ranges::stable_sort(ranked, {}, [](const auto& entry) {
    const auto& [turn, thread] = entry;
    return std::tuple(turn, thread.numa_node, thread.core);
  });
  std::vector<HardwareThread> ordered;
  for (const auto& [turn, thread] : ranked) ordered.push_back(thread);
  return ordered;
}

std::vector<HardwareThread> hardware_threads(ThreadScope scope) {
  const auto loaded = load_topology();
  auto* const topology = loaded.get();
  const auto usable = threads_of(topology, scope);
  std::vector<HardwareThread> threads;
  for (auto* const thread : objects_of(topology, HWLOC_OBJ_PU, usable.get()))
    threads.push_back({.os_index = static_cast<int>(thread->os_index),
                       .core = number_of(topology, HWLOC_OBJ_CORE, thread),
                       .l3 = number_of(topology, HWLOC_OBJ_L3CACHE, thread),
                       .numa_node = numa_node_of(topology, thread),
                       .package = number_of(topology, HWLOC_OBJ_PACKAGE, thread)});
  return cores_first(std::move(threads));
}

int count_nvidia_gpus(const std::filesystem::path& sysfs) {
  const auto devices = sysfs / "bus/pci/devices";
  return static_cast<int>(std::ranges::count_if(topo::names_in(devices), [&](const auto& name) {
    return topo::number_in(devices / name / "vendor") == topo::kNvidiaVendor &&
           topo::is_display_class(
               static_cast<std::uint32_t>(topo::number_in(devices / name / "class").value_or(0)));
  }));
}

}  // namespace linerate
