// See load_machine.h.
#include "commands/load_machine.h"

#include "topo/cluster/cluster.h"
#include "topo/cluster/platforms.h"
#include "topo/detect/detect.h"
#include "topo/detect/hwloc_xml.h"
#include "topo/detect/nccl_merge.h"
#include "topo/read/nccl_xml.h"

#include <fmt/format.h>

#include <cassert>
#include <filesystem>

namespace linerate {

using topo::System;

Result<System> load_machine(const MachineChoice& choice) {
  switch (choice.source) {
    case MachineSource::nccl_file:
      return topo::load_nccl_xml(choice.name);
    case MachineSource::platform:
      return topo::built_in_platform(choice.name);
    case MachineSource::this_machine:
      return topo::detect();
    case MachineSource::saved_root:
      if (!std::filesystem::is_directory(choice.name))
        return Failure{fmt::format("--root: there is no folder {}.", choice.name)};
      return topo::detect({.root = choice.name});
    case MachineSource::hwloc_file:
      return topo::load_hwloc_xml(choice.name);
    case MachineSource::cluster:
      break;
  }
  __builtin_unreachable();
}

Result<topo::Cluster> load_cluster(const MachineChoice& choice) {
  assert(choice.source == MachineSource::cluster);
  return topo::read_cluster(choice.name,
                            []() -> Result<System> { return topo::nccl_view(topo::detect()); });
}

System as_nccl_takes(const MachineChoice& choice, const System& system) {
  const bool detected = choice.source == MachineSource::this_machine ||
                        choice.source == MachineSource::saved_root ||
                        choice.source == MachineSource::hwloc_file;
  return detected ? topo::nccl_view(system) : system;
}

}  // namespace linerate
