// Network ports as a tree of sysfs shows them: InfiniBand and RoCE devices, and interfaces.
#pragma once

#include "topo/system/system.h"

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace linerate::topo {

// A port, and where it sits on the bus; no place: nobody tells.
struct FoundNet {
  Net net{};
  std::optional<BusId> place{};
};

// Ports below root/sys/class/infiniband, then interfaces below root/sys/class/net that have a
// device of their own and belong to none of these ports. What is missing goes to `unseen`.
std::vector<FoundNet> nets_of_tree(const std::filesystem::path& root,
                                   std::vector<std::string>& unseen);

}  // namespace linerate::topo
