// Where each of several nodes can be reached for measurements of their links.
#pragma once

#include "bench/survey/link_streams.h"
#include "comm/bootstrap.h"

#include <string>
#include <vector>

namespace linerate {

// By which other hosts may reach this one: all of its interfaces.
std::vector<std::string> all_hosts();

// Where one member can be reached: a port of its own, open as long as this lives.
struct OpenSeat {
  std::vector<std::string> hosts{};  // numeric, of one family
  Listener listener{};
  LinkSecret secret{};
};

// At those of `hosts`, numeric and in any order, that are of the first one's family: on that
// address alone where there is one, else on all of this host's. Throws Error.
OpenSeat open_seat(const std::vector<std::string>& hosts);

// One member's listener, and the seats of all. Used by one thread.
class LinkSeats {
 public:
  // Collective over all.
  LinkSeats(Bootstrap& members, OpenSeat own, const Deadline& deadline);

  // See connect_link() and accept_link(): to a member's seat, and at one's own.
  LinkStreams connect(int member, const LinkMeeting& meeting, const Clock& clock) const {
    return connect_link(seats_[static_cast<std::size_t>(member)], meeting, clock);
  }
  std::vector<Socket> accept(const LinkMeeting& meeting, const Clock& clock) {
    return accept_link(own_.listener, own_.secret, meeting, clock);
  }

 private:
  OpenSeat own_;
  std::vector<LinkSeat> seats_;
};

}  // namespace linerate
