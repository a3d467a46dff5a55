// The rows of the table, one file each; only table.cc and those files include this.
#pragma once

#include "collectives/collective.h"

namespace linerate {

extern const Collective kAllReduce;
extern const Collective kAllGather;
extern const Collective kReduceScatter;
extern const Collective kBroadcast;
extern const Collective kReduce;
extern const Collective kAllToAll;
extern const Collective kAllToAllV;
extern const Collective kGather;
extern const Collective kScatter;
extern const Collective kSendrecv;
extern const Collective kHypercube;

}  // namespace linerate
