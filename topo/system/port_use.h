// Which NIC ports count: of all that a machine has, NCCL takes those of one network plugin.
#pragma once

#include "topo/system/system.h"

#include <string>
#include <string_view>

namespace linerate::topo {

// Said of a port that NCCL does not take, wherever one is shown.
inline constexpr std::string_view kLeftOut = "NCCL leaves it out";

// Where there are InfiniBand or RoCE ports, NCCL takes those of them that are up and no other;
// otherwise the interfaces that are up, IP over InfiniBand before all others (NCCL 2.30,
// src/transport/net_ib/init.cc, src/misc/socket.cc). Of NCCL's own files it takes all that are up.
// NCCL_IB_HCA, NCCL_SOCKET_IFNAME and the like are not looked at.
class PortUse {
 public:
  explicit PortUse(const System& system);
  bool takes(const Net& net) const;
  // What keeps it out, in words behind a colon. REQUIRES: !takes(net).
  std::string why_not(const Net& net) const;

 private:
  bool all_ = false, verbs_ = false, over_infiniband_ = false;
};

}  // namespace linerate::topo
