// See machine.h.
#include "topo/machine.h"

#include "base/error.h"
#include "base/handle.h"

#include <hwloc.h>

#include <algorithm>
#include <vector>

namespace linerate {
namespace {

using Topology = Handle<hwloc_topology, hwloc_topology_destroy>;
using CpuSet = Handle<hwloc_bitmap_s, hwloc_bitmap_free>;

// Only what Machine tells is discovered: buses, storage and the like cost most of the time.
Topology load_topology() {
  hwloc_topology_t raw = nullptr;
  if (hwloc_topology_init(&raw) != 0) throw Error("hwloc cannot start describing this machine.");
  Topology topology(raw);
  hwloc_topology_set_all_types_filter(raw, HWLOC_TYPE_FILTER_KEEP_NONE);
  for (const auto type : {HWLOC_OBJ_PACKAGE, HWLOC_OBJ_L3CACHE, HWLOC_OBJ_CORE})
    hwloc_topology_set_type_filter(raw, type, HWLOC_TYPE_FILTER_KEEP_ALL);
  if (hwloc_topology_load(raw) != 0) throw Error("hwloc cannot describe this machine.");
  return topology;
}

// The hardware threads that this process may run on.
CpuSet usable_threads(hwloc_topology_t topology) {
  CpuSet usable(hwloc_bitmap_dup(hwloc_topology_get_allowed_cpuset(topology)));
  CpuSet bound(hwloc_bitmap_alloc());
  if (hwloc_get_cpubind(topology, bound.get(), HWLOC_CPUBIND_THREAD) == 0)
    hwloc_bitmap_and(usable.get(), usable.get(), bound.get());
  return usable;
}

std::string cpu_model(hwloc_topology_t topology) {
  for (const auto& object :
       {hwloc_get_obj_by_type(topology, HWLOC_OBJ_PACKAGE, 0), hwloc_get_root_obj(topology)}) {
    const char* model = object ? hwloc_obj_get_info_by_name(object, "CPUModel") : nullptr;
    if (model != nullptr && *model != '\0') return model;
  }
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

}  // namespace

Machine describe_machine() {
  const auto topology = load_topology();
  return describe(topology.get(), usable_threads(topology.get()).get());
}

Machine describe_whole_machine() {
  const auto topology = load_topology();
  return describe(topology.get(), hwloc_topology_get_allowed_cpuset(topology.get()));
}

int domain_of_this_thread() {
  const auto topology = load_topology();
  const auto usable = usable_threads(topology.get());
  const auto found = objects_of(topology.get(), domain_type(topology.get()), usable.get());
  return found.size() == 1 ? static_cast<int>(found.front()->logical_index) : -1;
}

}  // namespace linerate
