// See node_links.h.
#include "bench/survey/node_links.h"

#include "base/error.h"
#include "base/wire.h"
#include "bench/pairs.h"
#include "launch/net/token.h"
#include "launch/watch/address.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <random>
#include <utility>

namespace linerate {
namespace {

constexpr int kStreams = 4;
constexpr double kPairTimeoutS = 20, kAddressTimeoutS = 2, kGreetingTimeoutS = 2;
constexpr double kRoundTimeoutS = 120;  // of pairs that try all their addresses in vain

using Secret = std::array<std::byte, 16>;

// Where a member can be reached.
struct Seat {
  std::uint16_t port = 0;
  Secret secret{};  // keeps strangers off
  std::vector<std::string> hosts{};
};

Secret fresh_secret() {
  std::random_device random;
  Secret secret;
  for (auto& byte : secret) byte = static_cast<std::byte>(random());
  return secret;
}

Bytes wire_of(const Seat& seat) {
  WireWriter out;
  out.put(seat.port).put(seat.secret).put(seat.hosts.size());
  for (const auto& host : seat.hosts) out.put_text(host);
  return out.bytes();
}

Seat seat_from(const Bytes& bytes) {
  WireReader in(bytes);
  Seat seat{.port = in.get<std::uint16_t>(), .secret = in.get<Secret>()};
  seat.hosts.resize(in.get<std::size_t>());
  for (auto& host : seat.hosts) host = in.get_text();
  return seat;
}

// One member's part in all pairs.
class LinkProber {
 public:
  LinkProber(Bootstrap& leaders, const Clock& clock);

  void run(const SayProgress& progress);
  std::vector<NodeLink> gather();

 private:
  Deadline within(double seconds) const { return Deadline::after(clock_, seconds); }
  NodeLink measure(int first);
  void answer();
  std::vector<Socket> connect(const Seat& to, std::string& host);
  Socket accept_friend();

  Bootstrap& leaders_;
  const Clock& clock_;
  Listener listener_;
  std::vector<Seat> seats_;
  std::vector<NodeLink> links_;
};

LinkProber::LinkProber(Bootstrap& leaders, const Clock& clock) : leaders_(leaders), clock_(clock) {
  Seat mine{.secret = fresh_secret()};
  for (const auto& address : interface_addresses()) mine.hosts.push_back(address.host);
  const bool only_v6 = !mine.hosts.empty() && mine.hosts.front().find(':') != std::string::npos;
  listener_ = Listener::open({only_v6 ? "::" : "0.0.0.0", 0});
  mine.port = listener_.address().port;
  for (const auto& bytes : leaders.all_gather(wire_of(mine), within(kRoundTimeoutS)))
    seats_.push_back(seat_from(bytes));
}

// One address after the other until one answers; all further streams take the same.
std::vector<Socket> LinkProber::connect(const Seat& to, std::string& host) {
  std::string reason = "it has no address for other hosts";
  for (const auto& candidate : nearest_first(to.hosts, interface_addresses())) try {
      std::vector<Socket> sockets;
      for (int stream = 0; stream < kStreams; ++stream) {
        sockets.push_back(connect_to({candidate, to.port}, within(kAddressTimeoutS)));
        sockets.back().send_all(to.secret, within(kGreetingTimeoutS));
        std::byte welcome{};
        sockets.back().recv_all({&welcome, 1}, within(kGreetingTimeoutS));
      }
      host = candidate;
      return sockets;
    } catch (const Error& error) {
      reason = error.what();
    }
  throw Error(reason);
}

// Strangers are dropped.
Socket LinkProber::accept_friend() {
  const auto& own = seats_[static_cast<std::size_t>(leaders_.rank())];
  const auto deadline = within(kPairTimeoutS);
  for (;;) {
    auto socket = listener_.accept(deadline);
    Secret given{};
    try {
      socket.recv_all(given, within(kGreetingTimeoutS));
      if (!same_token(own.secret, given)) continue;
      const std::byte welcome{};
      socket.send_all({&welcome, 1}, within(kGreetingTimeoutS));
      return socket;
    } catch (const Error&) {
      continue;
    }
  }
}

NodeLink LinkProber::measure(int first) {
  NodeLink link{.first = first, .second = leaders_.rank()};
  try {
    auto sockets = connect(seats_[static_cast<std::size_t>(first)], link.address);
    link.speed = measure_tcp({sockets, clock_, within(kPairTimeoutS)}, {});
  } catch (const Error& error) {
    link.failure = error.what();
  }
  return link;
}

// What goes wrong here goes wrong there too, and is told there.
void LinkProber::answer() {
  try {
    std::vector<Socket> sockets;
    for (int stream = 0; stream < kStreams; ++stream) sockets.push_back(accept_friend());
    answer_tcp({sockets, clock_, within(kPairTimeoutS)}, {});
  } catch (const Error&) {
    return;
  }
}

void LinkProber::run(const SayProgress& progress) {
  const auto rounds = pair_rounds(leaders_.nranks(), true);
  for (std::size_t i = 0; i < rounds.size(); ++i) {
    progress(fmt::format("TCP between nodes, round {} of {}", i + 1, rounds.size()));
    for (const auto& [first, second] : rounds[i]) {
      if (second == leaders_.rank()) links_.push_back(measure(first));
      if (first == leaders_.rank()) answer();
    }
    leaders_.barrier(within(kRoundTimeoutS));
  }
}

std::vector<NodeLink> LinkProber::gather() {
  WireWriter out;
  for (const auto& link : links_)
    out.put(link.first).put_text(link.address).put(link.speed).put_text(link.failure);
  std::vector<NodeLink> all;
  int second = 0;
  for (const auto& bytes : leaders_.gather(out.bytes(), within(kRoundTimeoutS))) {
    WireReader in(bytes);
    while (!in.empty()) {
      NodeLink link{.first = in.get<int>(), .second = second};
      link.address = in.get_text();
      link.speed = in.get<TcpSpeed>();
      link.failure = in.get_text();
      all.push_back(std::move(link));
    }
    ++second;
  }
  std::ranges::sort(all, {}, [](const auto& link) { return std::pair(link.first, link.second); });
  return all;
}

}  // namespace

std::vector<NodeLink> measure_links(Bootstrap& leaders, const Clock& clock,
                                    const SayProgress& progress) {
  if (leaders.nranks() < 2) return {};
  LinkProber prober(leaders, clock);
  prober.run(progress);
  return prober.gather();
}

}  // namespace linerate
