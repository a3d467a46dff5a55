// Neighbours are told from strangers by the job's secret, compared in constant time.
#include "base/error.h"
#include "base/unix_socket.h"
#include "launch/net/frame.h"
#include "launch/net/socket.h"
#include "launch/quiet_thread.h"
#include "launch/watch/setup.h"

#include <sys/eventfd.h>

#include <cstring>

namespace linerate {
namespace {

constexpr Acceptor::Limits kLimits{.max_pending = 256, .max_bytes = sizeof(ControlHello) + 1};

}  // namespace

ControlAcceptor::ControlAcceptor(std::vector<FileDescriptor> listeners, const Options& options)
    : options_(options),
      stop_(above_stdio(check_system(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK), "eventfd"))),
      acceptor_(std::move(listeners), kLimits,
                [this](auto& connection, auto bytes) { return greet(connection, bytes); }) {
  if (!acceptor_.listens()) return;
  thread_ = quiet_thread([this] {
    while (acceptor_.serve(-1, stop_.get())) {
    }
  });
}

ControlAcceptor::~ControlAcceptor() { (void)finish(); }

std::map<int, FileDescriptor> ControlAcceptor::finish() {
  (void)::eventfd_write(stop_.get(), 1);
  if (thread_.joinable()) thread_.join();
  acceptor_.close();
  return std::move(links_);
}

Acceptor::Next ControlAcceptor::greet(FileDescriptor& connection,
                                      std::span<const std::byte> bytes) {
  ControlHello hello;
  if (bytes.size() < sizeof hello) return Acceptor::Next::wait;
  std::memcpy(&hello, bytes.data(), sizeof hello);
  if (!same_token(options_.secret.key, hello.key) || hello.to != options_.self)
    return Acceptor::Next::drop;
  const auto ack = std::as_bytes(std::span(&kHelloAck, 1));
  if (hello.purpose == Purpose::link && send_whole(connection.get(), ack)) {
    tune(connection.get());
    links_[hello.from] = std::move(connection);
  } else if (hello.purpose == Purpose::memory && options_.memory >= 0) {
    (void)send_whole(connection.get(), ack, options_.memory);
  }
  return Acceptor::Next::drop;
}

}  // namespace linerate
