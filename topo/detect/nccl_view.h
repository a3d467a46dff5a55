// What of a machine NCCL itself would make its topology of.
#pragma once

#include "topo/system/system.h"

namespace linerate::topo {

// Of a detected system: the ports of one network plugin, and the links that NCCL counts. Where
// there are InfiniBand or RoCE ports, those of them that are up, and no other; otherwise the
// interfaces that are up, IP over InfiniBand before all others. GPUs count by their link as
// trained, and by its full speed where they have slowed it to idle; all else by the most that it
// could be (NCCL 2.30, src/graph/xml.cc, src/transport/net_ib/init.cc, src/misc/socket.cc).
// NCCL_IB_HCA, NCCL_SOCKET_IFNAME and the like are not looked at.
System nccl_view(System system);

}  // namespace linerate::topo
