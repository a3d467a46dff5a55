#include "topo/pci.h"

#include <algorithm>
#include <fstream>
#include <string>
#include <system_error>

namespace linerate {
namespace {

namespace fs = std::filesystem;

// The number in a one-line file such as "0x10de"; 0 where there is none.
unsigned long number_in(const fs::path& path) {
  std::ifstream file(path);
  unsigned long number = 0;
  file >> std::hex >> number;
  return file ? number : 0;
}

bool is_nvidia_gpu(const fs::path& device) {
  constexpr unsigned long kNvidia = 0x10de;
  constexpr unsigned long kDisplay = 0x03;  // the first of the class' three bytes
  return number_in(device / "vendor") == kNvidia && number_in(device / "class") >> 16 == kDisplay;
}

}  // namespace

int count_nvidia_gpus(const fs::path& sysfs) {
  std::error_code unreadable;
  const fs::directory_iterator devices(sysfs / "bus/pci/devices", unreadable);
  return static_cast<int>(std::count_if(begin(devices), end(devices), [](const auto& device) {
    return is_nvidia_gpu(device.path());
  }));
}

}  // namespace linerate
