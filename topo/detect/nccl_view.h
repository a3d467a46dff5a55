// What of a machine NCCL itself would make its topology of.
#pragma once

#include "topo/system/system.h"

namespace linerate::topo {

// Of a detected system: the ports that PortUse tells, and the links that NCCL counts. GPUs count by
// their link as trained, and by its full speed where they have slowed it to idle; all else by the
// most that it could be (NCCL 2.30, src/graph/xml.cc).
System nccl_view(System system);

}  // namespace linerate::topo
