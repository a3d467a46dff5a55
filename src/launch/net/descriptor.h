// Bare TCP descriptors: their options, one attempt to connect, and waiting.
#pragma once

#include "base/clock.h"

#include <sys/socket.h>

namespace linerate {

// The options that Socket promises: no delay, and dead peers found in less than 5 s.
void tune(int fd);

// False when the deadline passed; otherwise `fd` is ready for one of `events`, or broken.
bool wait_for(int fd, short events, const Deadline& deadline);

// One attempt of a non-blocking socket: 0, or the errno; ETIMEDOUT when the deadline passed.
int try_connect(int fd, const sockaddr* to, socklen_t length, const Deadline& deadline);

// After a failed accept: a connection waits that cannot be taken, so the listener stays readable.
// Leave it out of poll(2) for a while instead of spinning.
bool out_of_descriptors(int code);

}  // namespace linerate
