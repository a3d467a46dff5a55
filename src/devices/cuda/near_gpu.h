// Host memory next to a GPU, as nvbandwidth has it.
#pragma once

#include <sched.h>

#include <optional>
#include <string>

namespace linerate::cuda {

inline constexpr const char* kPciDevices = "/sys/bus/pci/devices";

// From here to the end of this object the calling thread runs on the cores of the GPU's NUMA node,
// so that host memory which it allocates lies there. Nothing changes where the kernel does not tell
// them (no entry of the PCI bus), or where the thread may use none of them.
class NearGpu {
 public:
  // `bus_id`: "0000:18:00". `pci_devices`: the folder of the kernel's entries, kPciDevices but in
  // tests.
  NearGpu(const std::string& bus_id, const std::string& pci_devices) noexcept;
  ~NearGpu();
  NearGpu(const NearGpu&) = delete;
  NearGpu& operator=(const NearGpu&) = delete;

 private:
  std::optional<cpu_set_t> before_;  // the mask to go back to
};

}  // namespace linerate::cuda
