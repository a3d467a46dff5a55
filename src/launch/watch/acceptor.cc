// See acceptor.h.
#include "launch/watch/acceptor.h"

#include "base/error.h"
#include "launch/net/descriptor.h"
#include "launch/net/token.h"
#include "launch/quiet_thread.h"
#include "launch/watch/socket.h"

#include <poll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

namespace linerate {
namespace {

// Strangers that connect and say nothing must not use up the descriptors.
constexpr std::size_t kMaxVisitors = 256;
constexpr int kNoDescriptorMs = 250;  // until the listeners are looked at again

}  // namespace

ControlAcceptor::ControlAcceptor(std::vector<FileDescriptor> listeners, const Options& options)
    : options_(options),
      stop_(above_stdio(check_system(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK), "eventfd"))) {
  for (auto& listener : listeners)
    if (listener) listeners_.push_back(std::move(listener));
  if (!listeners_.empty()) thread_ = quiet_thread([this] { run(); });
}

ControlAcceptor::~ControlAcceptor() { (void)finish(); }

std::map<int, FileDescriptor> ControlAcceptor::finish() {
  (void)::eventfd_write(stop_.get(), 1);
  if (thread_.joinable()) thread_.join();
  listeners_.clear();
  visitors_.clear();
  return std::move(links_);
}

void ControlAcceptor::run() {
  for (bool listens = true;;) {
    std::vector<pollfd> items{{stop_.get(), POLLIN, 0}};
    for (const auto& listener : listeners_)
      items.push_back({listens ? listener.get() : -1, POLLIN, 0});
    for (const auto& visitor : visitors_) items.push_back({visitor.fd.get(), POLLIN, 0});
    if (::poll(items.data(), items.size(), listens ? -1 : kNoDescriptorMs) < 0 && errno != EINTR)
      return;
    if (items[0].revents != 0) return;

    std::erase_if(visitors_, [&](Visitor& visitor) { return !hear(visitor); });
    listens = true;
    for (std::size_t i = 0; i < listeners_.size(); ++i)
      if (items[1 + i].revents != 0) listens &= accept_from(listeners_[i].get());
  }
}

bool ControlAcceptor::accept_from(int listener) {
  auto fd = accept_waiting(listener);
  if (!fd) return !out_of_descriptors(errno);
  if (visitors_.size() >= kMaxVisitors) visitors_.erase(visitors_.begin());
  visitors_.push_back({.fd = std::move(fd)});
  return true;
}

bool ControlAcceptor::hear(Visitor& visitor) {
  const auto got = ::recv(visitor.fd.get(), visitor.bytes.data() + visitor.got,
                          visitor.bytes.size() - visitor.got, MSG_DONTWAIT);
  if (got < 0 && (errno == EAGAIN || errno == EINTR)) return true;
  if (got <= 0) return false;
  visitor.got += static_cast<std::size_t>(got);
  if (visitor.got < visitor.bytes.size()) return true;
  Hello hello;
  std::memcpy(&hello, visitor.bytes.data(), sizeof hello);
  if (same_token(options_.secret.key, hello.key) && hello.to == options_.self)
    welcome(visitor, hello);
  return false;
}

void ControlAcceptor::welcome(Visitor& visitor, const Hello& hello) {
  const auto answer = std::as_bytes(std::span(&kWelcome, 1));
  if (hello.purpose == Purpose::link && send_whole(visitor.fd.get(), answer))
    links_[hello.from] = std::move(visitor.fd);
  else if (hello.purpose == Purpose::memory && options_.memory >= 0)
    (void)send_whole(visitor.fd.get(), answer, options_.memory);
}

}  // namespace linerate
