// The client sends the key, and the answer carries the descriptor.
#include "backends/host/fd_passing.h"

#include "base/acceptor.h"
#include "base/error.h"
#include "base/unix_socket.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <sys/random.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstddef>
#include <string_view>

namespace linerate::host {
namespace {

constexpr std::string_view kPrefix = "linerate-";
constexpr std::size_t kNameBytes = 8, kKeyBytes = 24;
constexpr std::size_t kNameLength = kPrefix.size() + 2 * kNameBytes;

std::string name_of(const std::string& ticket) { return ticket.substr(0, kNameLength); }
std::string key_of(const std::string& ticket) { return ticket.substr(kNameLength); }

bool same_user(int fd) {
  ucred peer{};
  socklen_t bytes = sizeof(peer);
  return getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &bytes) == 0 && peer.uid == geteuid();
}

// In a time that does not depend on where they differ.
bool same_key(std::string_view key, std::span<const std::byte> given) {
  auto difference = std::byte{0};
  for (std::size_t i = 0; i < key.size(); ++i)
    difference |= static_cast<std::byte>(key[i]) ^ given[i];
  return difference == std::byte{0};
}

}  // namespace

std::string new_ticket() {
  std::array<unsigned char, kNameBytes + kKeyBytes> bytes{};
  if (getrandom(bytes.data(), bytes.size(), 0) != static_cast<ssize_t>(bytes.size()))
    throw SystemError(errno, "getrandom");
  return fmt::format("{}{:02x}", kPrefix, fmt::join(bytes, ""));
}

FdServer::FdServer(const std::string& ticket)
    : key_(key_of(ticket)), listener_(listen_unix(name_of(ticket))) {
  if (!listener_) throw SystemError(errno, "listen on an abstract socket");
}

void FdServer::serve(int file, int nclients, const Deadline& deadline) {
  int nserved = 0;
  const auto greet = [&](FileDescriptor& client, std::span<const std::byte> bytes) {
    if (bytes.size() < key_.size()) return Acceptor::Next::wait;
    const std::byte answer{};
    if (same_user(client.get()) && same_key(key_, bytes) &&
        send_whole(client.get(), {&answer, 1}, file))
      ++nserved;
    return Acceptor::Next::drop;
  };
  std::vector<FileDescriptor> listeners;
  listeners.push_back(std::move(listener_));
  Acceptor acceptor(std::move(listeners), {.max_bytes = key_.size() + 1}, greet);
  while (nserved < nclients) {
    if (deadline.passed())
      throw TimeoutError("Shared memory: not all processes fetched it in time.");
    (void)acceptor.serve(deadline.poll_ms());
    if (acceptor.starved()) throw SystemError(EMFILE, "accept4");
  }
}

FileDescriptor fetch_file(const std::string& ticket, const Deadline& deadline) {
  const auto server = connect_unix(name_of(ticket));
  if (!server) throw SystemError(errno, "connect to the process that made the shared memory");
  const auto key = key_of(ticket);
  std::byte answer{};
  FileDescriptor file;
  const bool answered = send_whole(server.get(), std::as_bytes(std::span(key))) &&
                        recv_whole(server.get(), {&answer, 1}, deadline, &file);
  if (!answered && deadline.passed())
    throw TimeoutError("Shared memory: the process that made it did not answer in time.");
  if (!file)
    throw Error("Shared memory: the process that made it ended, or it runs as another user.");
  return file;
}

}  // namespace linerate::host
