// What a snapshot takes beside files: parts of take_snapshot().
#pragma once

#include "diagnose/node/node.h"

#include <filesystem>

namespace linerate::node {

// Sets the topology, or the fact "topology" that says why there is none: "took more than 30 s".
void add_topology(Snapshot& snapshot, const std::filesystem::path& root);

}  // namespace linerate::node
