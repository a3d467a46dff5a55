// GPUs as NVIDIA's driver describes them, with their NVLinks and C2C links, merged into a system.
#pragma once

#include "topo/detect/nvml_library.h"
#include "topo/detect/pci_tree.h"
#include "topo/system/system.h"

#include <optional>
#include <string>
#include <vector>

namespace linerate::topo {

// Active links by target, in the order of the first link to each; `sm` is the compute capability.
// Every row's `capacity` is how many links this GPU has, up or down.
std::vector<NvLink> nvlinks_of(const nvml::Library& library, nvml::Device device, int sm);

// None where no link is up.
std::optional<C2c> c2c_of(const nvml::Library& library, nvml::Device device, int sm);

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

// Asks the library `file`, completes the GPUs among `devices` and adds those that the bus hides.
// Yields the driver's version; empty where there is none, and `unseen` tells why.
std::string merge_nvml(const std::string& file, std::vector<FoundPci>& devices,
                       std::vector<std::string>& unseen);

// What is missing where no driver is asked; nothing where there is no GPU of NVIDIA's.
void tell_without_nvml(const std::vector<FoundPci>& devices, std::vector<std::string>& unseen);

}  // namespace linerate::topo
