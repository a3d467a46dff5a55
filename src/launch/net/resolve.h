// Names to socket addresses: getaddrinfo, wrapped.
#pragma once

#include "base/handle.h"
#include "base/result.h"
#include "launch/net/socket.h"

#include <netdb.h>

namespace linerate {

using AddressList = Handle<addrinfo, freeaddrinfo>;

// The addresses of a name or a numeric address, in the system's order; `flags` are getaddrinfo's.
Result<AddressList> resolve(const SocketAddress& address, int flags);

}  // namespace linerate
