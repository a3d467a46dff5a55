// What the driver tells, brought together with what the bus shows.
#pragma once

#include "topo/detect/pci_tree.h"

#include <string>
#include <vector>

namespace linerate::topo {

// Asks the library `file`, completes the GPUs among `devices` and adds those that the bus hides.
// Yields the driver's version; empty where there is none, and `unseen` tells why.
std::string merge_nvml(const std::string& file, std::vector<FoundPci>& devices,
                       std::vector<std::string>& unseen);

// What is missing where no driver is asked; nothing where there is no GPU of NVIDIA's.
void tell_without_nvml(const std::vector<FoundPci>& devices, std::vector<std::string>& unseen);

}  // namespace linerate::topo
