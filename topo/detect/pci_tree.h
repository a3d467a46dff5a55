// The PCI tree: devices below the bridges that they hang from, as sysfs shows them.
#pragma once

#include "topo/system/system.h"

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace linerate::topo {

// A device or bridge as its source tells it.
struct FoundPci {
  PciDevice device{};          // without children
  std::vector<BusId> above{};  // bridges on the way to the processor, the nearest first
  int numa = -1;               // memory node; -1: not known
};

// Whether the class and vendor are those of a GPU that computes; a server's display chip is none.
bool is_gpu(const PciDevice& device);

// The device at that place on the bus; null: none.
FoundPci* find_device(std::vector<FoundPci>& devices, const BusId& id);

// Puts GPUs and NICs (devices with `gpu` or `nets`), and the switches above them, below their
// processors, in the order of bus ids. As NCCL does (src/graph/xml.cc), every second bridge stands
// for a switch: its upstream port; root ports and downstream ports are left out. Devices of no
// memory node come below the only one, or below one of their own, number -1, where there are
// several.
void attach_devices(std::vector<FoundPci> found, System& system);

// All devices and bridges below root/sys/bus/pci/devices. `link` is as trained, `max_link` what
// could be; each the narrower of the device's and the port's above it. What is missing goes to
// `unseen`.
std::vector<FoundPci> pci_of_tree(const std::filesystem::path& root,
                                  std::vector<std::string>& unseen);

// The bus id that a file name is, and nothing else.
std::optional<BusId> bus_id_of(const std::filesystem::path& name);

}  // namespace linerate::topo
