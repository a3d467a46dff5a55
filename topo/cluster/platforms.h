// Nodes that are known without looking at one: what a cluster file or --platform names.
#pragma once

#include "base/result.h"
#include "topo/cluster/node_shape.h"

#include <span>
#include <string_view>

namespace linerate::topo {

struct Platform {
  std::string_view name;   // "dgx-h100"
  std::string_view about;  // "8x H100, 18 NVLinks each over 4 NVSwitches, 8x 400 Gb/s InfiniBand"
  NodeShape shape;
};

// All of them, in the order in which they are listed to people.
std::span<const Platform> platforms();

// The system of one, with the platform as its name and its source; a sentence with the choices
// where there is no such platform.
Result<System> built_in_platform(std::string_view name);

}  // namespace linerate::topo
