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

namespace linerate::topo {

// Where detect() looks.
struct DetectInput {
  std::filesystem::path root = "/";  // or another machine's folder, as docs/topology.md saves it
  // NVIDIA's management library as dlopen takes it; empty: not asked. It speaks of this machine,
  // so it is not asked about another root either.
  std::string nvml = "libnvidia-ml.so.1";
};

// Never fails on what is absent or hidden, in containers for instance: what could not be seen is
// told in System::unseen. Processors of this machine come from hwloc, of another root from sysfs;
// all else from sysfs and NVML. Takes tens of milliseconds; any thread may call it.
System detect(const DetectInput& input = {});

}  // namespace linerate::topo
