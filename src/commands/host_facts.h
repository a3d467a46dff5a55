// What of a host changes results and is not in its topology: kernel, governor, huge pages, load.
#pragma once

#include "record/record.h"

#include <filesystem>

namespace linerate {

// Of the tree below `root`, a folder as / is. What it does not show is empty.
HostFacts host_facts(const std::filesystem::path& root = "/");

}  // namespace linerate
