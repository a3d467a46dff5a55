// Non-blocking underneath: poll(2) waits until the deadline, and calls are tried again.
#include "launch/net/socket.h"

#include "base/acceptor.h"
#include "base/error.h"
#include "launch/net/address.h"

#include <fmt/format.h>

#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>

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

namespace {

// Of one attempt: a host that is switched off does not answer at all.
constexpr double kConnectAttemptS = 5;
constexpr int kFirstPauseMs = 10;
constexpr int kLongestPauseMs = 500;
constexpr int kBacklog = 1024;

SocketAddress numeric(const sockaddr_storage& storage, socklen_t length) {
  std::array<char, NI_MAXHOST> host{};
  std::array<char, NI_MAXSERV> port{};
  const int code =
      ::getnameinfo(reinterpret_cast<const sockaddr*>(&storage), length, host.data(), host.size(),
                    port.data(), port.size(), NI_NUMERICHOST | NI_NUMERICSERV);
  if (code != 0) return {};
  return {host.data(), static_cast<std::uint16_t>(std::stoi(port.data()))};
}

template <typename Call>
SocketAddress address_from(Call call, int fd) {
  sockaddr_storage storage{};
  socklen_t length = sizeof storage;
  if (call(fd, reinterpret_cast<sockaddr*>(&storage), &length) != 0) return {};
  return numeric(storage, length);
}

bool would_block(int code) { return code == EAGAIN || code == EWOULDBLOCK || code == EINTR; }

void pause_before_retry(int& pause_ms, const Deadline& deadline) {
  const int left_ms = deadline.bounded() ? deadline.poll_ms() : pause_ms;
  (void)::poll(nullptr, 0, std::min(pause_ms, left_ms));
  pause_ms = std::min(2 * pause_ms, kLongestPauseMs);
}

Deadline sooner(const Deadline& one, const Deadline& bounded) {
  return one.bounded() && one.poll_ms() < bounded.poll_ms() ? one : bounded;
}

// A connection to the first address that answers; otherwise nothing, and `reason` says why.
std::optional<Socket> connect_once(const SocketAddress& to, const Deadline& deadline,
                                   std::string& reason) {
  const auto addresses = resolve(to, 0);
  if (!addresses) {
    reason = addresses.sentence();
    return std::nullopt;
  }
  const SteadyClock clock;
  for (const addrinfo* item = addresses->get(); item != nullptr; item = item->ai_next) {
    FileDescriptor fd(::socket(item->ai_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
    const int code = fd ? try_connect(fd.get(), item->ai_addr, item->ai_addrlen,
                                      sooner(deadline, Deadline::after(clock, kConnectAttemptS)))
                        : errno;
    if (code == 0) return Socket(std::move(fd));
    reason = std::strerror(code);
  }
  return std::nullopt;
}

}  // namespace

std::string text_of(const SocketAddress& address) {
  const bool colons = address.host.find(':') != std::string::npos;
  return fmt::format(fmt::runtime(colons ? "[{}]:{}" : "{}:{}"), address.host, address.port);
}

bool is_loopback(const SocketAddress& numeric) {
  return numeric.host.starts_with("127.") || numeric.host == "::1";
}

Socket::Socket(FileDescriptor fd) : fd_(std::move(fd)) {
  tune(fd_.get());
  peer_name_ = text_of(remote());
}

SocketAddress Socket::local() const { return address_from(::getsockname, fd()); }
SocketAddress Socket::remote() const { return address_from(::getpeername, fd()); }

void Socket::name_peer(std::string name, int rank) {
  peer_name_ = std::move(name);
  peer_rank_ = rank;
}

void Socket::throw_lost(std::string_view reason) const {
  throw PeerFailure(fmt::format("lost the connection to {}: {}", peer_name_, reason),
                    peer_rank_ >= 0 ? std::vector<int>{peer_rank_} : std::vector<int>{});
}

std::size_t Socket::send_some(std::span<const std::byte> data) {
  const auto sent = ::send(fd(), data.data(), data.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
  if (sent >= 0) return static_cast<std::size_t>(sent);
  if (would_block(errno)) return 0;
  throw_lost(std::strerror(errno));
}

std::size_t Socket::recv_some(std::span<std::byte> data) {
  if (data.empty()) return 0;
  const auto received = ::recv(fd(), data.data(), data.size(), MSG_DONTWAIT);
  if (received > 0) return static_cast<std::size_t>(received);
  if (received == 0) throw_lost("it was closed by the other side");
  if (would_block(errno)) return 0;
  throw_lost(std::strerror(errno));
}

void Socket::send_all(std::span<const std::byte> data, const Deadline& deadline) {
  while (!data.empty()) {
    const auto sent = send_some(data);
    data = data.subspan(sent);
    if (sent == 0 && !wait_for(fd(), POLLOUT, deadline))
      throw TimeoutError(fmt::format("timed out sending to {}", peer_name_));
  }
}

std::size_t Socket::recv_part(std::span<std::byte> data, const Deadline& deadline) {
  for (;;) {
    if (const auto received = recv_some(data); received > 0) return received;
    if (!wait_for(fd(), POLLIN, deadline))
      throw TimeoutError(fmt::format("timed out waiting for {}", peer_name_));
  }
}

void Socket::recv_all(std::span<std::byte> data, const Deadline& deadline) {
  while (!data.empty()) data = data.subspan(recv_part(data, deadline));
}

void Socket::shutdown() const noexcept {
  if (fd_) (void)::shutdown(fd_.get(), SHUT_RDWR);
}

Listener::Listener(FileDescriptor fd) : fd_(std::move(fd)) {}

SocketAddress Listener::address() const { return address_from(::getsockname, fd()); }

Listener Listener::open(const SocketAddress& at) {
  const auto addresses = resolve(at, AI_PASSIVE);
  if (!addresses) throw Error(addresses.sentence());
  int code = 0;
  for (const addrinfo* item = addresses->get(); item != nullptr; item = item->ai_next) {
    FileDescriptor fd(::socket(item->ai_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
    // A port whose last run has just ended may be taken again.
    const int yes = 1;
    if (fd) (void)::setsockopt(fd.get(), SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
    if (fd && ::bind(fd.get(), item->ai_addr, item->ai_addrlen) == 0 &&
        ::listen(fd.get(), kBacklog) == 0)
      return Listener(std::move(fd));
    code = errno;
  }
  std::string_view advice;
  if (code == EADDRINUSE) advice = "; another program, or another job, uses this port";
  if (code == EADDRNOTAVAIL) advice = "; it is not an address of this host";
  throw Error(fmt::format("cannot listen on {}: {}{}", text_of(at), std::strerror(code), advice));
}

std::optional<Socket> Listener::try_accept() {
  FileDescriptor accepted(::accept4(fd(), nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC));
  if (!accepted) return std::nullopt;
  return Socket(std::move(accepted));
}

Socket Listener::accept(const Deadline& deadline) {
  for (;;) {
    if (auto socket = try_accept()) return std::move(*socket);
    if (out_of_descriptors(errno)) (void)::poll(nullptr, 0, kFirstPauseMs);
    if (!wait_for(fd(), POLLIN, deadline) || deadline.passed())
      throw TimeoutError(
          fmt::format("timed out waiting for a connection to {}", text_of(address())));
  }
}

Socket connect_to(const SocketAddress& to, const Deadline& deadline) {
  std::string reason = "no attempt was made";
  for (int pause_ms = kFirstPauseMs;; pause_before_retry(pause_ms, deadline)) {
    if (auto socket = connect_once(to, deadline, reason)) return std::move(*socket);
    if (deadline.passed())
      throw TimeoutError(fmt::format("cannot connect to {}: {}", text_of(to), reason));
  }
}

}  // namespace linerate
