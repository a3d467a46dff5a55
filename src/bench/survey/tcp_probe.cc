// Blocks flow for a fixed time in each direction; the receiver counts what arrives.
#include "bench/survey/tcp_probe.h"

#include "bench/probe/cores.h"
#include "stats/summary.h"

#include <algorithm>
#include <cstddef>
#include <functional>
#include <future>
#include <vector>

namespace linerate {
namespace {

// The first byte of a block says whether another one follows.
constexpr std::byte kMore{1}, kLast{0};

// One side of a probe.
class Side {
 public:
  Side(const TcpStreams& streams, const TcpProbeRules& rules) : streams_(streams), rules_(rules) {}

  double ask_round_trips_us();
  void answer_round_trips();
  // Over the first `nstreams`; the side that sends first measures.
  TcpSpeed measure(std::size_t nstreams) const;
  void answer(std::size_t nstreams) const;

 private:
  std::int64_t stream_ns() const;
  void send(std::span<Socket> sockets) const;
  double receive_gbps(std::span<Socket> sockets) const;
  void send_blocks(Socket& socket, std::int64_t until_ns) const;
  void receive_blocks(Socket& socket, Arrivals& arrivals) const;

  const TcpStreams& streams_;
  const TcpProbeRules& rules_;
  double round_trip_us_ = 0;  // both sides know it
};

void Side::send_blocks(Socket& socket, std::int64_t until_ns) const {
  std::vector<std::byte> block(rules_.block_bytes, kMore);
  while (block.front() == kMore) {
    if (streams_.clock.now_ns() >= until_ns) block.front() = kLast;
    socket.send_all(block, streams_.deadline);
  }
  std::byte seen{};  // the other side has it all
  socket.recv_all({&seen, 1}, streams_.deadline);
}

void Side::receive_blocks(Socket& socket, Arrivals& arrivals) const {
  std::vector<std::byte> block(rules_.block_bytes);
  do {
    for (std::span<std::byte> rest(block); !rest.empty();) {
      const auto received = socket.recv_part(rest, streams_.deadline);
      arrivals.note(streams_.clock.now_ns(), received);
      rest = rest.subspan(received);
    }
  } while (block.front() == kMore);
  socket.send_all({&kLast, 1}, streams_.deadline);
}

// `work` on each of the streams at once; all but the first on `cores`, if any.
void on_each(std::span<Socket> sockets, std::span<const int> cores,
             const std::function<void(Socket&)>& work) {
  std::vector<std::future<void>> others;
  for (auto& socket : sockets.subspan(1))
    others.push_back(std::async(std::launch::async, [&] {
      (void)probe::move_to_any(cores);  // else it shares the caller's
      work(socket);
    }));
  work(sockets.front());
  for (auto& other : others) other.get();
}

std::int64_t Side::stream_ns() const { return static_cast<std::int64_t>(rules_.stream_s * 1e9); }

void Side::send(std::span<Socket> sockets) const {
  const auto until_ns = streams_.clock.now_ns() + stream_ns();
  on_each(sockets, rules_.cores, [&](Socket& socket) { send_blocks(socket, until_ns); });
}

double Side::receive_gbps(std::span<Socket> sockets) const {
  const auto round_trip_ns = static_cast<std::int64_t>(round_trip_us_ * kNsPerUs);
  Arrivals arrivals(streams_.clock.now_ns() + round_trip_ns, stream_ns());
  on_each(sockets, rules_.cores, [&](Socket& socket) { receive_blocks(socket, arrivals); });
  return arrivals.gbps();
}

// Both directions, one after the other; the receiver of each tells how fast it was.
TcpSpeed Side::measure(std::size_t nstreams) const {
  const auto sockets = streams_.sockets.first(nstreams);
  send(sockets);
  TcpSpeed speed;
  sockets.front().recv_all(std::as_writable_bytes(std::span(&speed.out_gbps, 1)),
                           streams_.deadline);
  speed.in_gbps = receive_gbps(sockets);
  return speed;
}

void Side::answer(std::size_t nstreams) const {
  const auto sockets = streams_.sockets.first(nstreams);
  const double gbps = receive_gbps(sockets);
  sockets.front().send_all(std::as_bytes(std::span(&gbps, 1)), streams_.deadline);
  send(sockets);
}

double Side::ask_round_trips_us() {
  Socket& first = streams_.sockets.front();
  std::vector<double> trips_us;
  std::byte ping{};
  for (int trip = 0; trip < rules_.round_trips; ++trip) {
    const auto start_ns = streams_.clock.now_ns();
    first.send_all({&ping, 1}, streams_.deadline);
    first.recv_all({&ping, 1}, streams_.deadline);
    trips_us.push_back(static_cast<double>(streams_.clock.now_ns() - start_ns) / kNsPerUs);
  }
  round_trip_us_ = stats::summarize(trips_us).median;
  first.send_all(std::as_bytes(std::span(&round_trip_us_, 1)), streams_.deadline);
  return round_trip_us_;
}

void Side::answer_round_trips() {
  Socket& first = streams_.sockets.front();
  std::byte ping{};
  for (int trip = 0; trip < rules_.round_trips; ++trip) {
    first.recv_all({&ping, 1}, streams_.deadline);
    first.send_all({&ping, 1}, streams_.deadline);
  }
  first.recv_all(std::as_writable_bytes(std::span(&round_trip_us_, 1)), streams_.deadline);
}

}  // namespace

void Arrivals::note(std::int64_t now_ns, std::size_t bytes) {
  const std::lock_guard lock(mutex_);
  begin_ns_ = std::min(begin_ns_, now_ns);
  for (auto* sum : {&all_, &within_}) {
    if (sum == &within_ && now_ns > begin_ns_ + window_ns_) continue;
    sum->bytes += bytes;
    sum->last_ns = std::max(sum->last_ns, now_ns);
  }
}

double Arrivals::gbps_of(const Sum& sum) const {
  const auto elapsed_ns = std::max<std::int64_t>(sum.last_ns - begin_ns_, 1);
  return static_cast<double>(sum.bytes) / static_cast<double>(elapsed_ns);
}

double Arrivals::gbps() const {
  const std::lock_guard lock(mutex_);
  const bool any_within = within_.last_ns > begin_ns_;
  return gbps_of(any_within ? within_ : all_);
}

TcpSpeed measure_tcp(const TcpStreams& streams, const TcpProbeRules& rules) {
  Side side(streams, rules);
  const double round_trip_us = side.ask_round_trips_us();
  const double one_gbps = rules.one_stream_first ? side.measure(1).all_gbps() : 0;
  auto speed = side.measure(streams.sockets.size());
  speed.round_trip_us = round_trip_us;
  speed.one_gbps = one_gbps;
  return speed;
}

void answer_tcp(const TcpStreams& streams, const TcpProbeRules& rules) {
  Side side(streams, rules);
  side.answer_round_trips();
  if (rules.one_stream_first) side.answer(1);
  side.answer(streams.sockets.size());
}

}  // namespace linerate
