// What NVIDIA's driver tells of the GPUs: number, model, NVLinks, the state of their PCI link.
#pragma once

#include "topo/detect/nvml_library.h"
#include "topo/system/system.h"

#include <string>
#include <vector>

namespace linerate::topo {

// What the driver does not tell is as in an empty Gpu or PciLink. Classes of NVLinks' targets are
// left to who knows the bus.
struct NvmlGpu {
  BusId bus_id{};
  Gpu gpu{};
  PciLink link{}, max_link{};
};

struct NvmlView {
  std::string driver{};  // "580.95.05"
  std::vector<NvmlGpu> gpus{};
};

// Asks for all GPUs; those that do not answer go to `unseen`, a sentence each. NVLinks are counted
// as NCCL counts them (src/graph/xml.cc): peer to peer, up, and with a known far end.
NvmlView nvml_view(const nvml::Library& library, std::vector<std::string>& unseen);

}  // namespace linerate::topo
