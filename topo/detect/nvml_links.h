// The NVLinks and C2C links of a GPU, as its driver tells them.
#pragma once

#include "topo/detect/nvml_library.h"
#include "topo/system/system.h"

#include <optional>
#include <vector>

namespace linerate::topo {

// Active links by target, in the order of the first link to each; `sm` is the compute capability.
// Every row's `capacity` is how many links this GPU has, up or down.
std::vector<NvLink> nvlinks_of(const nvml::Library& library, nvml::Device device, int sm);

// None where no link is up.
std::optional<C2c> c2c_of(const nvml::Library& library, nvml::Device device, int sm);

}  // namespace linerate::topo
