// Numbers for the GPUs and NIC ports whose source gives none.
#pragma once

#include "topo/system/system.h"

#include <cstdint>
#include <vector>

namespace linerate::topo {

// The hosts of a system, by hash, in the order of its processors.
std::vector<std::uint64_t> hosts_of(const System& system);

// Gives every GPU without a number the lowest one that is free on its host, in the order of the
// bus, and every NIC port in the order of the system.
void fill_numbers(System& system);

}  // namespace linerate::topo
