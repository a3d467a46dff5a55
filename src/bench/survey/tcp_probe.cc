// See tcp_probe.h.
#include "bench/survey/tcp_probe.h"

#include "stats/summary.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstring>
#include <future>
#include <vector>

namespace linerate {
namespace {

constexpr std::size_t kBlockBytes = std::size_t{256} << 10;
// The first byte of a block says whether another one follows.
constexpr std::byte kMore{1}, kLast{0};

std::size_t send_blocks(const TcpStreams& streams, Socket& socket, std::int64_t until_ns) {
  std::vector<std::byte> block(kBlockBytes, kMore);
  std::size_t sent = 0;
  while (block.front() == kMore) {
    if (streams.clock.now_ns() >= until_ns) block.front() = kLast;
    socket.send_all(block, streams.deadline);
    sent += block.size();
  }
  std::byte seen{};  // the other side has it all
  socket.recv_all({&seen, 1}, streams.deadline);
  return sent;
}

void receive_blocks(const TcpStreams& streams, Socket& socket) {
  std::vector<std::byte> block(kBlockBytes);
  do socket.recv_all(block, streams.deadline);
  while (block.front() == kMore);
  socket.send_all({&kLast, 1}, streams.deadline);
}

// `work` on each of the streams at once; yields the sum of what it yields.
template <typename Work>
std::size_t on_each(std::span<Socket> sockets, const Work& work) {
  std::vector<std::future<std::size_t>> others;
  for (auto& socket : sockets.subspan(1))
    others.push_back(std::async(std::launch::async, [&] { return work(socket); }));
  std::size_t sum = work(sockets.front());
  for (auto& other : others) sum += other.get();
  return sum;
}

double send_gbps(const TcpStreams& streams, std::span<Socket> sockets, double seconds) {
  const auto start_ns = streams.clock.now_ns();
  const auto until_ns = start_ns + static_cast<std::int64_t>(seconds * 1e9);
  const auto bytes =
      on_each(sockets, [&](Socket& socket) { return send_blocks(streams, socket, until_ns); });
  const auto elapsed_ns = std::max<std::int64_t>(streams.clock.now_ns() - start_ns, 1);
  return static_cast<double>(bytes) / static_cast<double>(elapsed_ns);
}

void receive(const TcpStreams& streams, std::span<Socket> sockets) {
  on_each(sockets, [&](Socket& socket) {
    receive_blocks(streams, socket);
    return std::size_t{0};
  });
}

// Both directions, one after the other; the sender of each tells how fast it was.
double slower_gbps(const TcpStreams& streams, std::span<Socket> sockets, double seconds) {
  const double out_gbps = send_gbps(streams, sockets, seconds);
  receive(streams, sockets);
  std::array<std::byte, sizeof(double)> told{};
  sockets.front().recv_all(told, streams.deadline);
  double in_gbps = 0;
  std::memcpy(&in_gbps, told.data(), told.size());
  return std::min(out_gbps, in_gbps);
}

void answer_both(const TcpStreams& streams, std::span<Socket> sockets, double seconds) {
  receive(streams, sockets);
  const double gbps = send_gbps(streams, sockets, seconds);
  sockets.front().send_all(std::as_bytes(std::span(&gbps, 1)), streams.deadline);
}

}  // namespace

TcpSpeed measure_tcp(const TcpStreams& streams, const TcpProbeRules& rules) {
  Socket& first = streams.sockets.front();
  std::vector<double> trips_us;
  std::byte ping{};
  for (int trip = 0; trip < rules.round_trips; ++trip) {
    const auto start_ns = streams.clock.now_ns();
    first.send_all({&ping, 1}, streams.deadline);
    first.recv_all({&ping, 1}, streams.deadline);
    trips_us.push_back(static_cast<double>(streams.clock.now_ns() - start_ns) / kNsPerUs);
  }
  TcpSpeed speed{.round_trip_us = stats::summarize(trips_us).median};
  speed.one_gbps = slower_gbps(streams, streams.sockets.first(1), rules.stream_s);
  speed.all_gbps = slower_gbps(streams, streams.sockets, rules.stream_s);
  return speed;
}

void answer_tcp(const TcpStreams& streams, const TcpProbeRules& rules) {
  Socket& first = streams.sockets.front();
  std::byte ping{};
  for (int trip = 0; trip < rules.round_trips; ++trip) {
    first.recv_all({&ping, 1}, streams.deadline);
    first.send_all({&ping, 1}, streams.deadline);
  }
  answer_both(streams, streams.sockets.first(1), rules.stream_s);
  answer_both(streams, streams.sockets, rules.stream_s);
}

}  // namespace linerate
