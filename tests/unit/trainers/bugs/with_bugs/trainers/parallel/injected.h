// The engine's own file of this name says that no bug is switched on; in the library that these
// tests link it is this one.
#pragma once

#include "trainers/parallel/bugs.h"

#include <optional>

namespace linerate::trainers {

// Set while no training runs.
inline std::optional<Bug> switched_on;

inline bool injected(Bug bug) { return switched_on == bug; }

}  // namespace linerate::trainers
