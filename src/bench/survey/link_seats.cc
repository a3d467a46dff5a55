// See link_seats.h.
#include "bench/survey/link_seats.h"

#include "base/wire.h"
#include "launch/watch/address.h"

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

}  // namespace

std::vector<std::string> all_hosts() {
  std::vector<std::string> hosts;
  for (const auto& address : interface_addresses()) hosts.push_back(address.host);
  return hosts;
}

LinkSeats::LinkSeats(Bootstrap& members, const std::vector<std::string>& hosts,
                     const Deadline& deadline) {
  const bool only_v6 = !hosts.empty() && hosts.front().find(':') != std::string::npos;
  listener_ = Listener::open({only_v6 ? "::" : "0.0.0.0", 0});
  const LinkSeat mine{.port = listener_.address().port, .secret = own_secret_, .hosts = hosts};
  for (const auto& bytes : members.all_gather(wire_of(mine), deadline))
    seats_.push_back(seat_from(bytes));
}

}  // namespace linerate
