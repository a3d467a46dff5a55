// Sockets of the watch: abstract unix sockets within a node, TCP between nodes, small whole
// messages.
#pragma once

#include "base/clock.h"
#include "base/handle.h"
#include "launch/net/socket.h"

#include <cstddef>
#include <span>
#include <string_view>

namespace linerate {

// The same file under a number above 2: where stdin, stdout or stderr are closed, a descriptor of
// ours in their place would receive what is printed. Takes `fd` over.
FileDescriptor above_stdio(int fd);

// An abstract name: it has no file, and is known within the network namespace only. None on
// failure.
FileDescriptor listen_unix(std::string_view name);
FileDescriptor connect_unix(std::string_view name);

// Listens on every address of this host, on a free port. None on failure; errno says why.
FileDescriptor listen_tcp();
// One attempt at a numeric address. None on failure; errno says why. Dead hosts are found within 5
// s.
FileDescriptor connect_tcp(const SocketAddress& to, const Deadline& deadline);

// A connection that waits at the listener, non-blocking; none when there is none.
FileDescriptor accept_waiting(int listener);

// Sends a message that fits the socket's empty buffer, on a unix socket with a descriptor if >= 0.
bool send_whole(int fd, std::span<const std::byte> message, int passed = -1);
// Fills `message`, or yields false: closed, or too late. A passed descriptor is put into `passed`.
bool recv_whole(int fd, std::span<std::byte> message, const Deadline& deadline,
                FileDescriptor* passed = nullptr);

}  // namespace linerate
