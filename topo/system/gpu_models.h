// What the PCI device id of a GPU tells of it.
#pragma once

#include <cstdint>

namespace linerate::topo {

// The compute capability, 90 for 9.0, of NVIDIA's data centre GPUs; 0 where it is not known.
int compute_capability_of(std::uint32_t vendor, std::uint32_t device);

}  // namespace linerate::topo
