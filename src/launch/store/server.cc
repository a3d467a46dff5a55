// One thread polls the listener and all connections.
#include "base/acceptor.h"
#include "base/error.h"
#include "launch/net/frame.h"
#include "launch/net/socket.h"
#include "launch/quiet_thread.h"
#include "launch/store/protocol.h"
#include "launch/store/store.h"

#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <cassert>
#include <cerrno>
#include <list>
#include <mutex>
#include <thread>

namespace linerate {
namespace {

// How often slow clients are looked for.
constexpr int kTickMs = 250;

}  // namespace

class StoreServer::Loop {
 public:
  Loop(Listener listener, std::string token)
      : listener_(std::move(listener)),
        token_(std::move(token)),
        wake_(check_system(::eventfd(0, EFD_CLOEXEC), "eventfd")),
        thread_(quiet_thread([this] { run(); })) {}

  ~Loop() {
    const std::uint64_t one = 1;
    (void)!::write(wake_.get(), &one, sizeof one);
    thread_.join();
  }

  SocketAddress address() const { return listener_.address(); }
  bool has(const std::string& key) const {
    const std::lock_guard lock(mutex_);
    return table_.find(key) != nullptr;
  }

 private:
  void run();
  bool wait();
  void accept_all();
  void serve(StoreConnection& connection, int events);
  void answer(StoreConnection& connection, const StoreRequest& request);
  void store(StoreConnection& connection, const StoreRequest& request);
  void answer_waiters(const std::string& key);
  void make_room();

  Listener listener_;
  std::string token_;
  FileDescriptor wake_;
  SteadyClock clock_;
  mutable std::mutex mutex_;  // of table_
  StoreTable table_;
  std::list<StoreConnection> connections_;  // oldest first
  bool out_of_descriptors_ = false;
  std::vector<pollfd> polled_;
  std::thread thread_;  // last: it uses all the others
};

// False when the server ends.
bool StoreServer::Loop::wait() {
  polled_.clear();
  polled_.push_back({wake_.get(), POLLIN, 0});
  polled_.push_back({out_of_descriptors_ ? -1 : listener_.fd(), POLLIN, 0});
  for (const auto& connection : connections_)
    polled_.push_back({connection.fd(), connection.wanted_events(), 0});
  const int ready = ::poll(polled_.data(), polled_.size(),
                           connections_.empty() && !out_of_descriptors_ ? -1 : kTickMs);
  out_of_descriptors_ = false;
  return ready < 0 || polled_[0].revents == 0;
}

void StoreServer::Loop::run() {
  while (wait()) {
    std::size_t i = 2;
    for (auto& connection : connections_) {
      const auto events = polled_[i++].revents;
      if (events != 0) serve(connection, events);
    }
    const auto now_ns = clock_.now_ns();
    connections_.remove_if([&](const auto& c) { return c.finished(now_ns); });
    if ((polled_[1].revents & POLLIN) != 0) accept_all();
  }
}

void StoreServer::Loop::accept_all() {
  // So many at once that a flood does not keep the others from being served.
  constexpr int kAtOnce = 64;
  for (int i = 0; i < kAtOnce; ++i) {
    auto socket = listener_.try_accept();
    if (!socket) {
      out_of_descriptors_ = out_of_descriptors(errno);
      if (out_of_descriptors_) make_room();
      return;
    }
    if (connections_.size() >= kMaxConnections) make_room();
    connections_.emplace_back(std::move(*socket), clock_.now_ns());
  }
}

// Strangers go first, then the client that has waited longest for a key.
void StoreServer::Loop::make_room() {
  if (connections_.empty()) return;
  const auto stranger =
      std::ranges::find_if(connections_, [](const auto& c) { return !c.authenticated(); });
  connections_.erase(stranger != connections_.end() ? stranger : connections_.begin());
}

void StoreServer::Loop::serve(StoreConnection& connection, int events) {
  connection.move_bytes(clock_.now_ns());
  while (const auto request = connection.next_request(clock_.now_ns()))
    answer(connection, *request);
  if ((events & (POLLHUP | POLLERR)) != 0) connection.close();
}

void StoreServer::Loop::answer(StoreConnection& connection, const StoreRequest& request) {
  const auto now_ns = clock_.now_ns();
  if (!connection.authenticated()) {
    if (request.type == FrameType::hello && same_token(token_, request.key))
      return connection.welcome(now_ns);
    return connection.refuse(
        "the token is not this run's. Where another run uses this port, choose one with "
        "LINERATE_STORE=HOST:PORT; else set the same LINERATE_TOKEN for all ranks",
        now_ns);
  }
  if (request.type == FrameType::hello) return connection.refuse("a second hello", now_ns);
  if (request.type == FrameType::set) return store(connection, request);
  assert(request.type == FrameType::get);
  connection.wait_for(request.key);
  answer_waiters(request.key);
}

void StoreServer::Loop::store(StoreConnection& connection, const StoreRequest& request) {
  const auto result = [&] {
    const std::lock_guard lock(mutex_);
    return table_.set(request.key, request.value);
  }();
  const auto now_ns = clock_.now_ns();
  switch (result) {
    case StoreTable::Result::full:
      return connection.refuse("the store is full", now_ns);
    case StoreTable::Result::taken:
      return connection.send({FrameType::taken, {}}, now_ns);
    case StoreTable::Result::stored:
      connection.send({FrameType::stored, {}}, now_ns);
      return answer_waiters(request.key);
  }
}

void StoreServer::Loop::answer_waiters(const std::string& key) {
  const std::string* value = table_.find(key);
  if (value == nullptr) return;
  for (auto& connection : connections_)
    if (connection.waits_for(key))
      connection.send({FrameType::value, payload_of(*value)}, clock_.now_ns());
}

StoreServer::StoreServer(Listener listener, std::string token)
    : loop_(std::make_unique<Loop>(std::move(listener), std::move(token))) {}
StoreServer::~StoreServer() = default;

SocketAddress StoreServer::address() const { return loop_->address(); }
bool StoreServer::has(const std::string& key) const { return loop_->has(key); }

}  // namespace linerate
