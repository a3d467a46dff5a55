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

// Waits until the name is known: the name server may not answer yet (EAI_AGAIN). Throws Error with
// ExitCode::usage at once where there is no such name, TimeoutError where nobody ever answers.
void await_name(const std::string& host, const Deadline& deadline);

}  // namespace linerate
