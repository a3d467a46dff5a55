// This machine, or another one's saved files, as a system.
//
// detect() reads processors with hwloc (hwloc_system.h), or without it from sysfs (sysfs.h), the
// PCI tree (pci_tree.h) and network ports from sysfs, and GPUs from NVIDIA's driver (nvml.h). What
// it could not see goes to System::unseen, a sentence each. nccl_merge.h then keeps what NCCL would
// take of it; hwloc_system.h also reads a file of lstopo.
#pragma once

#include "topo/system/system.h"

#include <filesystem>
#include <string>
#include <string_view>

namespace linerate::topo {

// What a person types on another machine, in bash, to save what detect() reads of it: the folder
// `machine`, to be packed with tar. (tar by itself takes files of /proc for empty.)
inline constexpr std::string_view kSaveCommand = R"(mkdir machine && cd / && find \
  sys/devices sys/bus/pci/devices sys/class/net sys/class/infiniband sys/kernel/pci_switch_link \
  proc/cpuinfo proc/sys/kernel/hostname proc/driver/nvidia/gpus -regextype egrep \
  \( -type l \( -path 'sys/[bc]*' -o -name device -o -name physfn \) -o -path 'sys/k*' -o \
  -type f -regex '.*/(class|vendor|device|subsystem_.*|numa_node|.*_link_.*|speed|operstate|type'\
'|dev_port|phys_port_name|node_guid|rate|state|phys_state|link_layer|cpumap|online|level|size'\
'|physical_package_id|thread_siblings_list|shared_cpu_list|hostname|cpuinfo|information)' \) \
  -print0 2>/dev/null | xargs -0 cp --parents -dr -t "$OLDPWD/machine" 2>/dev/null)";

// Where detect() looks.
struct DetectInput {
  std::filesystem::path root = "/";  // or another machine's folder, of kSaveCommand
  // NVIDIA's management library as dlopen takes it; empty: not asked. It speaks of this machine,
  // so it is not asked about another root either.
  std::string nvml = "libnvidia-ml.so.1";
};

// Never fails on what is absent or hidden, in containers for instance: what could not be seen is
// told in System::unseen. Processors of this machine come from hwloc, of another root from sysfs;
// all else from sysfs and NVML. Takes tens of milliseconds; any thread may call it.
System detect(const DetectInput& input = {});

}  // namespace linerate::topo
