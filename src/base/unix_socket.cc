// A descriptor travels as ancillary data (SCM_RIGHTS) of the message's first byte.
#include "base/unix_socket.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

namespace linerate {
namespace {

constexpr int kStream = SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC;

struct UnixAddress {
  sockaddr_un address{};
  socklen_t length = 0;
};

UnixAddress unix_address(std::string_view name) {
  UnixAddress result;
  result.address.sun_family = AF_UNIX;
  name = name.substr(0, sizeof result.address.sun_path - 1);
  std::memcpy(result.address.sun_path + 1, name.data(), name.size());  // [0] = 0: abstract
  result.length = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + 1 + name.size());
  return result;
}

const sockaddr* generic(const UnixAddress& address) {
  return reinterpret_cast<const sockaddr*>(&address.address);
}

// Room for one descriptor beside a message.
union PassedDescriptor {
  cmsghdr header;
  char bytes[CMSG_SPACE(sizeof(int))];
};

void take_passed(msghdr& message, FileDescriptor& passed) {
  for (auto* item = CMSG_FIRSTHDR(&message); item != nullptr; item = CMSG_NXTHDR(&message, item)) {
    if (item->cmsg_level != SOL_SOCKET || item->cmsg_type != SCM_RIGHTS) continue;
    int fd = -1;
    std::memcpy(&fd, CMSG_DATA(item), sizeof fd);
    passed = above_stdio(fd);
  }
}

ssize_t receive(int fd, std::span<std::byte> into, FileDescriptor* passed) {
  iovec part{.iov_base = into.data(), .iov_len = into.size()};
  PassedDescriptor room{};
  msghdr message{};
  message.msg_iov = &part;
  message.msg_iovlen = 1;
  if (passed != nullptr) {
    message.msg_control = room.bytes;
    message.msg_controllen = sizeof room.bytes;
  }
  const auto got = ::recvmsg(fd, &message, MSG_CMSG_CLOEXEC);
  if (got > 0 && passed != nullptr) take_passed(message, *passed);
  return got;
}

}  // namespace

FileDescriptor above_stdio(int fd) {
  FileDescriptor low(fd);
  if (fd < 0 || fd > STDERR_FILENO) return low;
  return FileDescriptor(::fcntl(fd, F_DUPFD_CLOEXEC, STDERR_FILENO + 1));
}

FileDescriptor listen_unix(std::string_view name) {
  auto fd = above_stdio(::socket(AF_UNIX, kStream, 0));
  const auto address = unix_address(name);
  if (!fd || ::bind(fd.get(), generic(address), address.length) != 0) return {};
  if (::listen(fd.get(), SOMAXCONN) != 0) return {};
  return fd;
}

FileDescriptor connect_unix(std::string_view name) {
  auto fd = above_stdio(::socket(AF_UNIX, kStream, 0));
  const auto address = unix_address(name);
  if (!fd || ::connect(fd.get(), generic(address), address.length) != 0) return {};
  return fd;
}

bool send_whole(int fd, std::span<const std::byte> data, int passed) {
  iovec part{.iov_base = const_cast<std::byte*>(data.data()), .iov_len = data.size()};
  PassedDescriptor room{};
  msghdr message{};
  message.msg_iov = &part;
  message.msg_iovlen = 1;
  if (passed >= 0) {
    message.msg_control = room.bytes;
    message.msg_controllen = sizeof room.bytes;
    room.header = {
        .cmsg_len = CMSG_LEN(sizeof(int)), .cmsg_level = SOL_SOCKET, .cmsg_type = SCM_RIGHTS};
    std::memcpy(CMSG_DATA(&room.header), &passed, sizeof passed);
  }
  return ::sendmsg(fd, &message, MSG_NOSIGNAL) == static_cast<ssize_t>(data.size());
}

bool recv_whole(int fd, std::span<std::byte> message, const Deadline& deadline,
                FileDescriptor* passed) {
  while (!message.empty()) {
    const auto got = receive(fd, message, passed);
    if (got > 0) {
      message = message.subspan(static_cast<std::size_t>(got));
      continue;
    }
    const bool later = got < 0 && (errno == EAGAIN || errno == EINTR);
    pollfd item{.fd = fd, .events = POLLIN, .revents = 0};
    if (!later || deadline.passed()) return false;
    (void)::poll(&item, 1, deadline.poll_ms());
  }
  return true;
}

}  // namespace linerate
