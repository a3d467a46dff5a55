// What the PCI bus shows without any driver's help.
#pragma once

#include <filesystem>

namespace linerate {

// NVIDIA's display and 3D controllers (vendor 0x10de, class 0x03) on the bus that `sysfs` shows, a
// folder as /sys is. 0 where it cannot be read.
int count_nvidia_gpus(const std::filesystem::path& sysfs = "/sys");

}  // namespace linerate
