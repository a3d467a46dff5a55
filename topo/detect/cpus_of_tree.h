// Processors as a tree of sysfs shows them: memory nodes, sockets, cores, caches.
#pragma once

#include "topo/system/system.h"

#include <filesystem>
#include <string>
#include <vector>

namespace linerate::topo {

// One for each memory node that has hardware threads, by number; the whole machine where nodes are
// not shown. Empty where not even /sys/devices/system/cpu is there. What is missing goes to
// `unseen`, a sentence each.
std::vector<Cpu> cpus_of_tree(const std::filesystem::path& root, std::vector<std::string>& unseen);

}  // namespace linerate::topo
