// Which processes are linked for the watch: the tree for short ways, and a ring that holds the rest
// together when processes of the tree are gone or stopped.
#pragma once

#include <vector>

namespace linerate {

// At most five, ascending: parent and children in the tree, and the two beside it in the ring. Of
// two neighbours the higher one connects to the lower one.
std::vector<int> control_neighbours(int process, int nprocesses);

}  // namespace linerate
