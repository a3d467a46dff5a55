// See handover.h.
#include "backends/host/handover.h"

#include "base/error.h"

#include <fmt/format.h>

#include <poll.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <array>
#include <cassert>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstring>

namespace linerate::host {
namespace {

struct Address {
  sockaddr_un socket{};
  socklen_t bytes = 0;

  const sockaddr* get() const { return reinterpret_cast<const sockaddr*>(&socket); }
};

Address abstract_address(const std::string& name) {
  Address address;
  assert(name.size() + 1 <= sizeof(address.socket.sun_path));
  address.socket.sun_family = AF_UNIX;
  std::memcpy(address.socket.sun_path + 1, name.data(), name.size());  // the leading 0: abstract
  address.bytes = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + 1 + name.size());
  return address;
}

FileDescriptor unix_socket() {
  return FileDescriptor(
      check_system(socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0), "socket(AF_UNIX)"));
}

void wait_readable(int fd, const Deadline& deadline, const char* what) {
  pollfd entry{.fd = fd, .events = POLLIN, .revents = 0};
  for (;;) {
    const int ready = poll(&entry, 1, deadline.poll_ms());
    if (ready < 0 && errno != EINTR) throw SystemError(errno, "poll");
    if (ready == 0 || deadline.passed())
      throw TimeoutError(fmt::format("Shared memory: {} in time.", what));
    if (ready > 0) return;
  }
}

bool same_user(int fd) {
  ucred peer{};
  socklen_t bytes = sizeof(peer);
  return getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &bytes) == 0 && peer.uid == geteuid();
}

// A message of one byte with room for one descriptor.
struct Envelope {
  char byte = 'f';
  iovec body{.iov_base = &byte, .iov_len = 1};
  alignas(cmsghdr) std::array<char, CMSG_SPACE(sizeof(int))> control{};
  msghdr header{};

  Envelope() {
    header.msg_iov = &body;
    header.msg_iovlen = 1;
    header.msg_control = control.data();
    header.msg_controllen = control.size();
  }
  Envelope(const Envelope&) = delete;
  Envelope& operator=(const Envelope&) = delete;
};

}  // namespace

std::string unique_name() {
  std::array<std::uint64_t, 2> words{};
  if (getrandom(words.data(), sizeof(words), 0) != static_cast<ssize_t>(sizeof(words)))
    throw SystemError(errno, "getrandom");
  return fmt::format("linerate-{:016x}{:016x}", words[0], words[1]);
}

FileServer::FileServer(const std::string& name) : listener_(unix_socket()) {
  const Address address = abstract_address(name);
  check_system(bind(listener_.get(), address.get(), address.bytes), "bind of an abstract socket");
  check_system(listen(listener_.get(), SOMAXCONN), "listen");
}

void FileServer::serve(int file, int nclients, const Deadline& deadline) {
  for (int served = 0; served < nclients;) {
    wait_readable(listener_.get(), deadline, "not all processes fetched it");
    if (serve_one(file)) ++served;
  }
}

bool FileServer::serve_one(int file) {
  const FileDescriptor client(accept4(listener_.get(), nullptr, nullptr, SOCK_CLOEXEC));
  if (!client && errno != EINTR && errno != ECONNABORTED && errno != EAGAIN)
    throw SystemError(errno, "accept4");
  if (!client || !same_user(client.get())) return false;
  Envelope envelope;
  cmsghdr* const attached = CMSG_FIRSTHDR(&envelope.header);
  attached->cmsg_level = SOL_SOCKET;
  attached->cmsg_type = SCM_RIGHTS;
  attached->cmsg_len = CMSG_LEN(sizeof(int));
  std::memcpy(CMSG_DATA(attached), &file, sizeof(file));
  return sendmsg(client.get(), &envelope.header, MSG_NOSIGNAL) == 1;
}

FileDescriptor fetch_file(const std::string& name, const Deadline& deadline) {
  const FileDescriptor server = unix_socket();
  const Address address = abstract_address(name);
  check_system(connect(server.get(), address.get(), address.bytes),
               "connect to the process that made the shared memory");
  wait_readable(server.get(), deadline, "the process that made it did not answer");
  Envelope envelope;
  const ssize_t received = recvmsg(server.get(), &envelope.header, MSG_CMSG_CLOEXEC);
  const cmsghdr* const attached = received == 1 ? CMSG_FIRSTHDR(&envelope.header) : nullptr;
  if (attached == nullptr || attached->cmsg_type != SCM_RIGHTS)
    throw Error("Shared memory: the process that made it ended, or it runs as another user.");
  int file = -1;
  std::memcpy(&file, CMSG_DATA(attached), sizeof(file));
  return FileDescriptor(file);
}

}  // namespace linerate::host
