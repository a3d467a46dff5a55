// The connecting side says the secret first on each stream, and waits for an answer.
#include "bench/survey/link_streams.h"

#include "base/acceptor.h"
#include "base/error.h"
#include "launch/net/address.h"
#include "launch/net/frame.h"
#include "launch/net/socket.h"

#include <fmt/format.h>

#include <fcntl.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <iterator>
#include <random>
#include <span>
#include <string>
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
    std::byte ack{};
    sockets.back().recv_all({&ack, 1}, answered);
  }
  return sockets;
}

// Later pairs listen there too.
std::vector<FileDescriptor> same_listener(const Listener& listener) {
  std::vector<FileDescriptor> one;
  one.emplace_back(
      check_system(::fcntl(listener.fd(), F_DUPFD_CLOEXEC, 0), "fcntl(F_DUPFD_CLOEXEC)"));
  return one;
}

bool ack(Socket& socket, const Deadline& deadline) {
  try {
    const std::byte word{};
    socket.send_all({&word, 1}, deadline);
    return true;
  } catch (const Error&) {
    return false;
  }
}

bool is_v6(const std::string& numeric) { return numeric.find(':') != std::string::npos; }

}  // namespace

LinkSecret fresh_link_secret() {
  std::random_device random;
  LinkSecret secret;
  for (auto& byte : secret) byte = static_cast<std::byte>(random());
  return secret;
}

LinkStreams connect_link(const LinkEndpoint& to, const PairRendezvous& rendezvous,
                         const Clock& clock) {
  std::string reason = "it has no address for other hosts";
  Greeting greeting{
      .secret = to.secret, .rank = rendezvous.connecting_rank, .round = rendezvous.round};
  for (const auto& host : nearest_first(to.hosts, interface_addresses())) {
    if (rendezvous.deadline.passed()) break;
    try {
      return {.host = host,
              .sockets = connect_at({host, to.port}, greeting, rendezvous.deadline, clock)};
    } catch (const Error& error) {
      reason = error.what();
    }
    ++greeting.attempt;
  }
  throw Error(reason);
}

std::vector<Socket> accept_link(Listener& listener, const LinkSecret& own,
                                const PairRendezvous& rendezvous, const Clock& clock) {
  std::vector<Socket> sockets;
  int attempt = 0;
  const auto greet = [&](FileDescriptor& connection, std::span<const std::byte> bytes) {
    Greeting given;
    if (bytes.size() < sizeof given) return Acceptor::Next::wait;
    std::memcpy(&given, bytes.data(), sizeof given);
    const bool is_of_pair = same_token(own, given.secret) &&
                            given.rank == rendezvous.connecting_rank &&
                            given.round == rendezvous.round;
    if (!is_of_pair || given.attempt < attempt || sockets.size() >= kStreams)
      return Acceptor::Next::drop;
    if (given.attempt > attempt) sockets.clear();
    attempt = given.attempt;
    Socket socket(std::move(connection));
    if (ack(socket, within(kGreetingTimeoutS, rendezvous.deadline, clock)))
      sockets.push_back(std::move(socket));
    return Acceptor::Next::drop;
  };
  Acceptor acceptor(same_listener(listener), {.max_bytes = sizeof(Greeting) + 1}, greet);
  while (sockets.size() < kStreams) {
    if (rendezvous.deadline.passed())
      throw TimeoutError(
          fmt::format("timed out waiting for a connection to {}", text_of(listener.address())));
    (void)acceptor.serve(rendezvous.deadline.poll_ms());
  }
  return sockets;
}

std::vector<std::string> all_hosts() {
  std::vector<std::string> hosts;
  for (const auto& address : interface_addresses()) hosts.push_back(address.host);
  return hosts;
}

LinkListener open_link_listener(const std::vector<std::string>& hosts) {
  LinkListener opened{.secret = fresh_link_secret()};
  const bool v6 = !hosts.empty() && is_v6(hosts.front());
  std::ranges::copy_if(hosts, std::back_inserter(opened.hosts),
                       [&](const auto& host) { return is_v6(host) == v6; });
  const std::string any = v6 ? "::" : "0.0.0.0";
  opened.listener = Listener::open({opened.hosts.size() == 1 ? opened.hosts.front() : any, 0});
  return opened;
}

std::vector<LinkEndpoint> gather_endpoints(Bootstrap& leaders, const LinkListener& own,
                                           const Deadline& deadline) {
  const LinkEndpoint mine{
      .port = own.listener.address().port, .secret = own.secret, .hosts = own.hosts};
  return all_values(leaders, mine, deadline);
}

}  // namespace linerate
