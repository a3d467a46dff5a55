// See link_streams.h.
#include "bench/survey/link_streams.h"

#include "base/error.h"
#include "launch/net/token.h"
#include "launch/watch/address.h"

#include <algorithm>
#include <optional>
#include <random>
#include <span>
#include <utility>

namespace linerate {
namespace {

constexpr std::size_t kStreams = 4;
constexpr double kAddressTimeoutS = 2, kGreetingTimeoutS = 2;

// What the connecting side says first on each stream.
struct Greeting {
  LinkSecret secret{};
  std::int32_t rank = 0, round = 0;
  std::int32_t attempt = 0;  // which address: streams of earlier ones are given up
};

// The sooner of the two. A deadline that has passed has no time left, and 0 would mean for ever.
Deadline within(double seconds, const Deadline& deadline, const Clock& clock) {
  constexpr double kMsPerS = 1e3, kLeastS = 1e-3;
  if (!deadline.bounded()) return Deadline::after(clock, seconds);
  return Deadline::after(clock, std::clamp(deadline.poll_ms() / kMsPerS, kLeastS, seconds));
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

// Nothing of those who say nothing.
std::optional<Greeting> greeting_of(Socket& socket, const Deadline& deadline) {
  Greeting given;
  try {
    socket.recv_all(std::as_writable_bytes(std::span(&given, 1)), deadline);
  } catch (const Error&) {
    return std::nullopt;
  }
  return given;
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
  int attempt = 0;
  while (sockets.size() < kStreams) {
    auto socket = listener.accept(meeting.deadline);
    const auto answered = within(kGreetingTimeoutS, meeting.deadline, clock);
    const auto given = greeting_of(socket, answered);
    if (!given || !same_token(own, given->secret)) continue;
    if (given->rank != meeting.connecting_rank || given->round != meeting.round) continue;
    if (given->attempt < attempt) continue;
    if (given->attempt > attempt) sockets.clear();
    attempt = given->attempt;
    if (welcome(socket, answered)) sockets.push_back(std::move(socket));
  }
  return sockets;
}

}  // namespace linerate
