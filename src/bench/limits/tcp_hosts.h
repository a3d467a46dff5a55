// Where a rank's messages to other hosts leave this one, by what its transport says of itself:
// pure.
#pragma once

#include "base/result.h"
#include "launch/net/address.h"

#include <string>
#include <string_view>
#include <vector>

namespace linerate {

// The addresses, of `own`, of the one interface that a TCP transport uses; a sentence where it may
// be any of several, or none is here. REQUIRES: is_tcp(transport), see model/network_bound.h.
Result<std::vector<std::string>> tcp_hosts(std::string_view transport,
                                           const std::vector<InterfaceAddress>& own);

}  // namespace linerate
