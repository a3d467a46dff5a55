// How two nodes that want to measure their link find each other: several streams, and no stranger.
#pragma once

#include "base/clock.h"
#include "comm/bootstrap.h"
#include "launch/net/socket.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <tuple>
#include <vector>

namespace linerate {

using LinkSecret = std::array<std::byte, 16>;  // keeps strangers off
LinkSecret fresh_link_secret();

// Where a node can be reached.
struct LinkEndpoint {
  std::uint16_t port = 0;
  LinkSecret secret{};
  std::vector<std::string> hosts{};  // numeric, in any order

  static auto members(auto& of) { return std::tie(of.port, of.secret, of.hosts); }
};

// Of one pair: who connects, and in which round, so that nobody takes a connection that was meant
// for an earlier one, and until when both sides try.
struct PairRendezvous {
  int connecting_rank = 0;
  int round = 0;
  Deadline deadline{};
};

struct LinkStreams {
  std::string host{};  // at which `to` answered
  std::vector<Socket> sockets{};
};

// Tries one address after the other until one answers; all streams take the same. `clock` is the
// deadline's. Throws an Error with the last reason.
LinkStreams connect_link(const LinkEndpoint& to, const PairRendezvous& rendezvous,
                         const Clock& clock);

// The other side, which listens at its endpoint's port; drops all that are not of the rendezvous.
// Throws TimeoutError.
std::vector<Socket> accept_link(Listener& listener, const LinkSecret& own,
                                const PairRendezvous& rendezvous, const Clock& clock);

// By which other hosts may reach this one: all of its interfaces.
std::vector<std::string> all_hosts();

// Where one leader can be reached: a port of its own, open as long as this lives.
struct LinkListener {
  std::vector<std::string> hosts{};  // numeric, of one family
  Listener listener{};
  LinkSecret secret{};
};

// At those of `hosts`, numeric and in any order, that are of the first one's family: on that
// address alone where there is one, else on all of this host's. Throws Error.
LinkListener open_link_listener(const std::vector<std::string>& hosts);

// Where all leaders can be reached, by rank; `own` is where this one listens. Collective.
std::vector<LinkEndpoint> gather_endpoints(Bootstrap& leaders, const LinkListener& own,
                                           const Deadline& deadline);

}  // namespace linerate
