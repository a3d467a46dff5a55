#include "bench/survey/link_seats.h"

#include "base/wire.h"
#include "launch/net/address.h"

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <utility>

namespace linerate {
namespace {

Bytes wire_of(const LinkSeat& seat) {
  WireWriter out;
  out.put(seat.port).put(seat.secret).put(seat.hosts.size());
  for (const auto& host : seat.hosts) out.put_text(host);
  return out.take();
}

LinkSeat seat_from(const Bytes& bytes) {
  WireReader in(bytes);
  LinkSeat seat{.port = in.get<std::uint16_t>(), .secret = in.get<LinkSecret>()};
  for (auto left = in.get<std::size_t>(); left > 0; --left) seat.hosts.push_back(in.get_text());
  return seat;
}

bool is_v6(const std::string& numeric) { return numeric.find(':') != std::string::npos; }

}  // namespace

std::vector<std::string> all_hosts() {
  std::vector<std::string> hosts;
  for (const auto& address : interface_addresses()) hosts.push_back(address.host);
  return hosts;
}

OpenSeat open_seat(const std::vector<std::string>& hosts) {
  OpenSeat seat{.secret = fresh_link_secret()};
  const bool v6 = !hosts.empty() && is_v6(hosts.front());
  std::ranges::copy_if(hosts, std::back_inserter(seat.hosts),
                       [&](const auto& host) { return is_v6(host) == v6; });
  const std::string any = v6 ? "::" : "0.0.0.0";
  seat.listener = Listener::open({seat.hosts.size() == 1 ? seat.hosts.front() : any, 0});
  return seat;
}

LinkSeats::LinkSeats(Bootstrap& members, OpenSeat own, const Deadline& deadline)
    : own_(std::move(own)) {
  const LinkSeat mine{
      .port = own_.listener.address().port, .secret = own_.secret, .hosts = own_.hosts};
  for (const auto& bytes : members.all_gather(wire_of(mine), deadline))
    seats_.push_back(seat_from(bytes));
}

}  // namespace linerate
