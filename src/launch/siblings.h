// The other processes that this process' launcher started on this host, found by /proc alone: also
// before they can be talked to.
#pragma once

#include <string>

namespace linerate {

// "rank 1 (pid 4711), rank 3 (pid 4713)": those that a signal has stopped. Empty: none is, or they
// cannot be seen.
std::string stopped_siblings();

}  // namespace linerate
