// The rows of algorithms/table.cc, each defined in the file of its name.
#pragma once

#include "backends/host/algorithms/algorithm.h"

namespace linerate::host {

extern const Algorithm kEager;
extern const Algorithm kFlat;
extern const Algorithm kPull;
extern const Algorithm kRecursiveDoubling;
extern const Algorithm kRing;
extern const Algorithm kTree;
extern const Algorithm kHierarchical;

}  // namespace linerate::host
