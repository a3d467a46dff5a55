// The PCI bus as a tree of sysfs shows it.
#pragma once

#include "topo/detect/pci_tree.h"

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace linerate::topo {

// All devices and bridges below root/sys/bus/pci/devices. `link` is as trained, `max_link` what
// could be; each the narrower of the device's and the port's above it. What is missing goes to
// `unseen`.
std::vector<FoundPci> pci_of_tree(const std::filesystem::path& root,
                                  std::vector<std::string>& unseen);

// The bus id that a file name is, and nothing else.
std::optional<BusId> bus_id_of(const std::filesystem::path& name);

}  // namespace linerate::topo
