// The rows of the table, one file each; only table.cc and those files include this.
#pragma once

#include "collectives/collective.h"

namespace linerate {

extern const Collective kAllReduce;

}  // namespace linerate
