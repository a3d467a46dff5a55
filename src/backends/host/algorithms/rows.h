// The algorithms, one file each. A line of this list declares a row and puts it in the table.
#pragma once

#include "backends/host/algorithms/algorithm.h"

#define LINERATE_HOST_ALGORITHMS(ROW) \
  ROW(kEager)                         \
  ROW(kPull)                          \
  ROW(kFlat)                          \
  ROW(kRecursiveDoubling)             \
  ROW(kRing)                          \
  ROW(kTree)                          \
  ROW(kHierarchical)

namespace linerate::host {

#define DECLARE(row) extern const Algorithm row;
LINERATE_HOST_ALGORITHMS(DECLARE)
#undef DECLARE

}  // namespace linerate::host
