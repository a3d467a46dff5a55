// The rows of the table, one file each. A line of this list declares a row and puts it in the
// table; only table.cc and those files include this.
#pragma once

#include "collectives/collective.h"

#define LINERATE_COLLECTIVES(ROW) \
  ROW(kAllReduce)                 \
  ROW(kAllGather)                 \
  ROW(kReduceScatter)             \
  ROW(kBroadcast)                 \
  ROW(kReduce)                    \
  ROW(kAllToAll)                  \
  ROW(kAllToAllV)                 \
  ROW(kGather)                    \
  ROW(kScatter)                   \
  ROW(kSendrecv)                  \
  ROW(kHypercube)

namespace linerate {

#define DECLARE(row) extern const Collective row;
LINERATE_COLLECTIVES(DECLARE)
#undef DECLARE

}  // namespace linerate
