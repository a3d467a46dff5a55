// One poll over listeners and pending connections; each is read as far as it has come.
#include "base/acceptor.h"

#include "base/error.h"

#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cerrno>

namespace linerate {
namespace {

// Until the listeners are looked at again without a descriptor, and slow strangers are dropped.
constexpr int kTickMs = 250;
// So many at once that a flood does not keep the others waiting.
constexpr int kAtOnce = 64;

}  // namespace

bool out_of_descriptors(int code) {
  return code == EMFILE || code == ENFILE || code == ENOBUFS || code == ENOMEM;
}

Acceptor::Acceptor(std::vector<FileDescriptor> listeners, const Limits& limits, Greet greet)
    : listeners_(std::move(listeners)), limits_(limits), greet_(std::move(greet)) {
  std::erase_if(listeners_, [](const FileDescriptor& listener) { return !listener; });
}

void Acceptor::close() {
  listeners_.clear();
  pending_.clear();
}

bool Acceptor::serve(int wait_ms, int wake) {
  if (!poll(wait_ms, wake)) return false;
  const auto timeout_ns = static_cast<std::int64_t>(limits_.timeout_s * 1e9);
  std::erase_if(pending_, [&](Pending& connection) {
    if (hear(connection) == Next::drop) return true;
    return clock_.now_ns() - connection.since_ns > timeout_ns;
  });
  starved_ = false;
  for (std::size_t i = 0; i < listeners_.size(); ++i)
    if (ready_[i]) accept_from(listeners_[i].get());
  return true;
}

bool Acceptor::poll(int wait_ms, int wake) {
  std::vector<pollfd> items{{.fd = wake, .events = POLLIN, .revents = 0}};
  for (const auto& listener : listeners_)
    items.push_back({.fd = starved_ ? -1 : listener.get(), .events = POLLIN, .revents = 0});
  for (const auto& connection : pending_)
    items.push_back({.fd = connection.fd.get(), .events = POLLIN, .revents = 0});
  const bool ticks = starved_ || !pending_.empty();
  if (ticks) wait_ms = wait_ms < 0 ? kTickMs : std::min(wait_ms, kTickMs);
  if (::poll(items.data(), items.size(), wait_ms) < 0 && errno != EINTR)
    throw SystemError(errno, "poll");
  ready_.clear();
  for (std::size_t i = 0; i < listeners_.size(); ++i)
    ready_.push_back(starved_ || items[1 + i].revents != 0);
  return items[0].revents == 0;
}

void Acceptor::accept_from(int listener) {
  for (int i = 0; i < kAtOnce; ++i) {
    FileDescriptor fd(::accept4(listener, nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC));
    if (!fd) {
      starved_ = out_of_descriptors(errno);
      return;
    }
    if (pending_.size() >= limits_.max_pending) pending_.pop_front();
    // Heard before it can be the one that goes.
    pending_.push_back({.fd = std::move(fd), .since_ns = clock_.now_ns()});
    if (hear(pending_.back()) == Next::drop) pending_.pop_back();
  }
}

Acceptor::Next Acceptor::hear(Pending& connection) {
  std::array<std::byte, 1024> part;
  const auto room = std::min(part.size(), limits_.max_bytes - connection.bytes.size());
  const auto got = ::recv(connection.fd.get(), part.data(), room, MSG_DONTWAIT);
  if (got < 0 && (errno == EAGAIN || errno == EINTR)) return Next::wait;
  if (got <= 0) return Next::drop;
  connection.bytes.insert(connection.bytes.end(), part.begin(), part.begin() + got);
  const auto next = greet_(connection.fd, connection.bytes);
  return connection.bytes.size() >= limits_.max_bytes ? Next::drop : next;
}

}  // namespace linerate
