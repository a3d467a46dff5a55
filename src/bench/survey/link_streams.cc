// See link_streams.h.
#include "bench/survey/link_streams.h"

#include "base/error.h"
#include "launch/net/descriptor.h"
#include "launch/net/token.h"
#include "launch/watch/address.h"

#include <fmt/format.h>

#include <poll.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <random>
#include <span>
#include <string>
#include <utility>

namespace linerate {
namespace {

constexpr std::size_t kStreams = 4;
constexpr double kAddressTimeoutS = 2, kGreetingTimeoutS = 2;
constexpr std::size_t kMaxCallers = 64;  // of whom the oldest has had the time to greet
constexpr int kPauseMs = 10;             // until the system may have a descriptor again

// What the connecting side says first on each stream.
struct Greeting {
  LinkSecret secret{};
  std::int32_t rank = 0, round = 0;
  std::int32_t attempt = 0;  // which address: streams of earlier ones are given up
};

// The sooner of the two. A deadline that has passed has no time left, and 0 would mean for ever.
Deadline within(double seconds, const Deadline& deadline, const Clock& clock) {
  constexpr double kMsPerS = 1e3, kMinS = 1e-3;
  if (!deadline.bounded()) return Deadline::after(clock, seconds);
  return Deadline::after(clock, std::clamp(deadline.poll_ms() / kMsPerS, kMinS, seconds));
}

std::vector<Socket> connect_at(const SocketAddress& address, const Greeting& greeting,
                               const Deadline& deadline, const Clock& clock) {
  std::vector<Socket> sockets;
  while (sockets.size() < kStreams) {
    sockets.push_back(connect_to(address, within(kAddressTimeoutS, deadline, clock)));
    const auto answered = within(kGreetingTimeoutS, deadline, clock);
    sockets.back().send_all(std::as_bytes(std::span(&greeting, 1)), answered);
    std::byte welcome{};
    sockets.back().recv_all({&welcome, 1}, answered);
  }
  return sockets;
}

// Who has connected, and has not said all of its greeting yet.
struct Caller {
  Socket socket;
  Greeting greeting{};
  std::size_t received = 0;

  // Takes what has come; false: nothing more will.
  bool listened() {
    try {
      const auto bytes = std::as_writable_bytes(std::span(&greeting, 1));
      received += socket.recv_some(bytes.subspan(received));
      return true;
    } catch (const Error&) {
      return false;
    }
  }
  bool has_greeted() const { return received == sizeof(Greeting); }
};

// Those who have connected: heard all at once, because one that says nothing must keep nobody else.
class Callers {
 public:
  explicit Callers(Listener& listener) : listener_(listener) {}

  // The next one that has greeted. Throws TimeoutError.
  Caller next(const Deadline& deadline);

 private:
  void wait(const Deadline& deadline) const;
  void admit();
  std::optional<Caller> greeted();

  Listener& listener_;
  std::vector<Caller> callers_;
};

void Callers::wait(const Deadline& deadline) const {
  std::vector<pollfd> polled{{.fd = listener_.fd(), .events = POLLIN, .revents = 0}};
  for (const auto& caller : callers_)
    polled.push_back({.fd = caller.socket.fd(), .events = POLLIN, .revents = 0});
  (void)::poll(polled.data(), polled.size(), deadline.poll_ms());
}

// At most one at a time, so that each is heard before it can be one too many.
void Callers::admit() {
  auto socket = listener_.try_accept();
  const bool none_left = !socket && out_of_descriptors(errno);
  if (!callers_.empty() && (none_left || callers_.size() >= kMaxCallers))
    callers_.erase(callers_.begin());
  else if (none_left)
    (void)::poll(nullptr, 0, kPauseMs);
  if (socket) callers_.push_back({.socket = std::move(*socket)});
}

std::optional<Caller> Callers::greeted() {
  std::erase_if(callers_, [](Caller& caller) { return !caller.listened(); });
  const auto found = std::ranges::find_if(callers_, &Caller::has_greeted);
  if (found == callers_.end()) return std::nullopt;
  auto caller = std::move(*found);
  callers_.erase(found);
  return caller;
}

Caller Callers::next(const Deadline& deadline) {
  for (;;) {
    admit();
    if (auto caller = greeted()) return std::move(*caller);
    if (deadline.passed())
      throw TimeoutError(
          fmt::format("timed out waiting for a connection to {}", text_of(listener_.address())));
    wait(deadline);
  }
}

bool welcome(Socket& socket, const Deadline& deadline) {
  try {
    const std::byte word{};
    socket.send_all({&word, 1}, deadline);
    return true;
  } catch (const Error&) {
    return false;
  }
}

}  // namespace

LinkSecret fresh_link_secret() {
  std::random_device random;
  LinkSecret secret;
  for (auto& byte : secret) byte = static_cast<std::byte>(random());
  return secret;
}

LinkStreams connect_link(const LinkSeat& to, const LinkMeeting& meeting, const Clock& clock) {
  std::string reason = "it has no address for other hosts";
  Greeting greeting{.secret = to.secret, .rank = meeting.connecting_rank, .round = meeting.round};
  for (const auto& host : nearest_first(to.hosts, interface_addresses())) {
    if (meeting.deadline.passed()) break;
    try {
      return {.host = host,
              .sockets = connect_at({host, to.port}, greeting, meeting.deadline, clock)};
    } catch (const Error& error) {
      reason = error.what();
    }
    ++greeting.attempt;
  }
  throw Error(reason);
}

std::vector<Socket> accept_link(Listener& listener, const LinkSecret& own,
                                const LinkMeeting& meeting, const Clock& clock) {
  std::vector<Socket> sockets;
  Callers callers(listener);
  int attempt = 0;
  while (sockets.size() < kStreams) {
    auto [socket, given, received] = callers.next(meeting.deadline);
    if (!same_token(own, given.secret)) continue;
    if (given.rank != meeting.connecting_rank || given.round != meeting.round) continue;
    if (given.attempt < attempt) continue;
    if (given.attempt > attempt) sockets.clear();
    attempt = given.attempt;
    if (welcome(socket, within(kGreetingTimeoutS, meeting.deadline, clock)))
      sockets.push_back(std::move(socket));
  }
  return sockets;
}

}  // namespace linerate
