// Unix sockets with abstract names between the processes of a host, which pass descriptors along.
//
// An abstract name has no file, is known within the network namespace only and vanishes with its
// owner. Everybody on the host can read it in /proc/net/unix and connect, so who listens asks for a
// secret.
#pragma once

#include "base/clock.h"
#include "base/handle.h"

#include <cstddef>
#include <span>
#include <string_view>

namespace linerate {

// The same file under a number above 2: where stdin, stdout or stderr are closed, a descriptor of
// ours in their place would receive what is printed. Takes `fd` over.
FileDescriptor above_stdio(int fd);

// Close-on-exec and non-blocking. None on failure; errno says why.
FileDescriptor listen_unix(std::string_view name);
FileDescriptor connect_unix(std::string_view name);

// Sends a message that fits the socket's empty buffer, on a unix socket with a descriptor if >= 0.
bool send_whole(int fd, std::span<const std::byte> message, int passed = -1);
// Fills `message`, or yields false: closed, or too late. A passed descriptor is put into `passed`.
bool recv_whole(int fd, std::span<std::byte> message, const Deadline& deadline,
                FileDescriptor* passed = nullptr);

}  // namespace linerate
