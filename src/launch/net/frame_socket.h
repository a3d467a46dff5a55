// Whole frames over a socket, blocking until a deadline: for handshakes and the store's client.
#pragma once

#include "launch/net/frame.h"
#include "launch/net/socket.h"

namespace linerate {

void send_frame(Socket& socket, const Frame& frame, const Deadline& deadline);

// Throws Error when the peer does not speak our protocol, and what Socket::recv_all throws.
Frame recv_frame(Socket& socket, std::size_t max_payload, const Deadline& deadline);

}  // namespace linerate
