// See descriptor.h.
#include "launch/net/descriptor.h"

#include "base/error.h"

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>

#include <cerrno>

namespace linerate {
namespace {

// Probes after 1 s of silence, each second, three times; data that stays unacknowledged for 4 s
// ends the connection too. Both are below the 5 s in which a dead host must be noticed.
constexpr int kProbeAfterS = 1;
constexpr int kProbeEveryS = 1;
constexpr int kProbes = 3;
constexpr unsigned kUnackedMs = 4'000;

void set_option(int fd, int level, int name, int value) {
  // A system without one of these options notices dead hosts later; nothing else depends on them.
  (void)::setsockopt(fd, level, name, &value, sizeof value);
}

}  // namespace

void tune(int fd) {
  set_option(fd, IPPROTO_TCP, TCP_NODELAY, 1);
  set_option(fd, SOL_SOCKET, SO_KEEPALIVE, 1);
  set_option(fd, IPPROTO_TCP, TCP_KEEPIDLE, kProbeAfterS);
  set_option(fd, IPPROTO_TCP, TCP_KEEPINTVL, kProbeEveryS);
  set_option(fd, IPPROTO_TCP, TCP_KEEPCNT, kProbes);
  set_option(fd, IPPROTO_TCP, TCP_USER_TIMEOUT, static_cast<int>(kUnackedMs));
}

bool wait_for(int fd, short events, const Deadline& deadline) {
  for (;;) {
    pollfd item{fd, events, 0};
    const int ready = ::poll(&item, 1, deadline.poll_ms());
    if (ready > 0) return true;
    if (ready < 0 && errno != EINTR) throw SystemError(errno, "poll");
    if (deadline.passed()) return false;
  }
}

int try_connect(int fd, const sockaddr* to, socklen_t length, const Deadline& deadline) {
  if (::connect(fd, to, length) == 0) return 0;
  if (errno != EINPROGRESS && errno != EINTR) return errno;
  if (!wait_for(fd, POLLOUT, deadline)) return ETIMEDOUT;
  int code = 0;
  socklen_t code_length = sizeof code;
  (void)::getsockopt(fd, SOL_SOCKET, SO_ERROR, &code, &code_length);
  return code;
}

bool out_of_descriptors(int code) {
  return code == EMFILE || code == ENFILE || code == ENOBUFS || code == ENOMEM;
}

}  // namespace linerate
