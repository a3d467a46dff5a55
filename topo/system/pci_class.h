// What a PCI device is, by the first bytes of its class.
#pragma once

#include <cstdint>

namespace linerate::topo {

// Display controllers, and the processing accelerators that AMD's newer GPUs are.
constexpr bool is_gpu_class(std::uint32_t class_code) {
  return class_code >> 16 == 0x03 || class_code >> 16 == 0x12;
}

// Network controllers: Ethernet 0x0200, InfiniBand 0x0207.
constexpr bool is_nic_class(std::uint32_t class_code) { return class_code >> 16 == 0x02; }

}  // namespace linerate::topo
