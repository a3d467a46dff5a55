// Of ports and links as their drivers tell them: which ones count.
#pragma once

#include "topo/system/system.h"

#include <string_view>

namespace linerate::topo {

// Ports of InfiniBand and RoCE devices: where there are any, NCCL uses these alone.
bool is_verbs(const Net& net);

// Whether the port is up; also where its state is not known.
bool is_up(const Net& net);

// GT/s of a link speed as sysfs words it: 16 of "16.0 GT/s PCIe". 0: it says something else.
double gigatransfers_of(std::string_view speed);

// Whether a GPU has slowed its link to idle: to the first generation, at its full width. It is
// fast again with the first work.
bool is_idle(const PciDevice& device);

}  // namespace linerate::topo
