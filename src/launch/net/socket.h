// TCP sockets whose every wait has a deadline: listen, connect, accept, whole messages.
//
// The folder: sockets; names and addresses, and which of them lead to other hosts (address.h);
// frames, the messages of store and tree, and the job's token (frame.h). Nothing here waits without
// a deadline, and nothing trusts a peer before it has shown the job's secret.
#pragma once

#include "base/clock.h"
#include "base/handle.h"

#include <sys/socket.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <tuple>

namespace linerate {

// The options that Socket promises: no delay, and dead peers found in less than 5 s.
void tune(int fd);

// False when the deadline passed; otherwise `fd` is ready for one of `events`, or broken.
bool wait_for(int fd, short events, const Deadline& deadline);

// One attempt of a non-blocking socket: 0, or the errno; ETIMEDOUT when the deadline passed.
int try_connect(int fd, const sockaddr* to, socklen_t length, const Deadline& deadline);

// A host name or a numeric IPv4 or IPv6 address, and a port.
struct SocketAddress {
  std::string host;
  std::uint16_t port = 0;

  static auto members(auto& address) { return std::tie(address.host, address.port); }
};
std::string text_of(const SocketAddress& address);  // "10.0.0.1:29500", "[::1]:29500", "node07:80"
bool is_loopback(const SocketAddress& numeric);     // false for names

// A connected stream, non-blocking underneath, without Nagle's delay, with keep-alive probes that
// find a dead host in less than 5 s. A peer whose buffer stays full for 4 s counts as dead as well,
// so do not send more than about 32 KiB that the peer may leave unread. One thread at a time;
// shutdown() may come from any thread.
class Socket {
 public:
  Socket() = default;
  // `fd` is a connected TCP socket.
  explicit Socket(FileDescriptor fd);

  int fd() const { return fd_.get(); }
  explicit operator bool() const { return static_cast<bool>(fd_); }
  SocketAddress local() const;   // numeric
  SocketAddress remote() const;  // numeric

  // For messages, and for PeerFailure::ranks where `rank` >= 0. Without a call: the remote address.
  void name_peer(std::string name, int rank = -1);
  const std::string& peer_name() const { return peer_name_; }
  int peer_rank() const { return peer_rank_; }

  // All of `data`, or TimeoutError, or PeerFailure when the peer has closed or cannot be reached.
  void send_all(std::span<const std::byte> data, const Deadline& deadline);
  void recv_all(std::span<std::byte> data, const Deadline& deadline);
  // The same for as much as has come, one byte at least; yields how many. REQUIRES: data is not
  // empty.
  std::size_t recv_part(std::span<std::byte> data, const Deadline& deadline);

  // As many bytes as can be moved without waiting: 0 when none. PeerFailure as above; a closed peer
  // makes recv_some throw once everything that was received before has been read.
  std::size_t send_some(std::span<const std::byte> data);
  std::size_t recv_some(std::span<std::byte> data);

  // Both directions end; a thread that waits on this socket wakes up.
  void shutdown() const noexcept;
  void close() noexcept { fd_.close(); }

 private:
  [[noreturn]] void throw_lost(std::string_view reason) const;

  FileDescriptor fd_;
  std::string peer_name_;
  int peer_rank_ = -1;
};

// A socket that accepts connections on one address.
class Listener {
 public:
  Listener() = default;
  // Takes over a descriptor that already listens.
  explicit Listener(FileDescriptor fd);

  // Listens on the first address that `at.host` resolves to and that can be bound; port 0 takes a
  // free one. Throws Error with a sentence that names the address and the remedy.
  static Listener open(const SocketAddress& at);

  int fd() const { return fd_.get(); }
  FileDescriptor take() && { return std::move(fd_); }
  explicit operator bool() const { return static_cast<bool>(fd_); }
  SocketAddress address() const;  // numeric, with the actual port

  Socket accept(const Deadline& deadline);
  // Nothing when no connection waits, or when the system has no descriptor left for it: errno.
  std::optional<Socket> try_accept();

 private:
  FileDescriptor fd_;
};

// Connects, and tries again until the deadline: the other side may start later, and its name may
// become known later. Throws TimeoutError with the address and the last reason.
Socket connect_to(const SocketAddress& to, const Deadline& deadline);

}  // namespace linerate
