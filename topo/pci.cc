// See pci.h.
#include "topo/pci.h"

#include <fstream>
#include <string>
#include <system_error>

namespace linerate {
namespace {

// The number in a one-line file such as "0x10de"; 0 where there is none.
unsigned long number_in(const std::filesystem::path& path) {
  std::ifstream file(path);
  unsigned long number = 0;
  file >> std::hex >> number;
  return file ? number : 0;
}

}  // namespace

int count_nvidia_gpus(const std::filesystem::path& devices) {
  constexpr unsigned long kNvidia = 0x10de;
  constexpr unsigned long kDisplay = 0x03;  // the first of the class's three bytes
  std::error_code unreadable;
  int count = 0;
  for (const auto& device : std::filesystem::directory_iterator(devices, unreadable))
    if (number_in(device.path() / "vendor") == kNvidia &&
        number_in(device.path() / "class") >> 16 == kDisplay)
      ++count;
  return count;
}

}  // namespace linerate
