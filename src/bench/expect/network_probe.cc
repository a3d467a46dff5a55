// See network_probe.h.
#include "bench/expect/network_probe.h"

#include "base/wire.h"
#include "bench/expect/node_cores.h"
#include "bench/expect/tcp_hosts.h"
#include "bench/survey/link_seats.h"
#include "launch/net/address.h"

#include <fmt/format.h>

#include <exception>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace linerate {
namespace {

constexpr double kStreamsS = 0.06;     // of all rounds and both directions together
constexpr double kPairTimeoutS = 3;    // to connect and to measure
constexpr double kFloorS = 5;          // of the time after which -T may call it hung
constexpr double kRoundTimeoutS = 30;  // until all have come
constexpr int kRoundTrips = 20;
constexpr std::size_t kBlockBytes = std::size_t{32} << 10;  // slow links are given little to carry

std::string what_went_wrong(const std::vector<Bytes>& told) {
  for (const auto& bytes : told)
    if (const auto text = WireReader(bytes).get_text(); !text.empty()) return text;
  return {};
}

// A leader's part.
class NetworkProber {
 public:
  // `cores` are the other ranks' of the node.
  NetworkProber(Session& session, std::vector<int> cores)
      : leaders_(*session.node_leaders()), hostname_(session.members().place().hostname) {
    rules_.cores = std::move(cores);
    attempt([&] { take_seat(session.ranks().front().world->inspector().transport()); });
  }

  ProbedNetwork run();

 private:
  // What goes wrong with one's own part is told to all: nobody is left alone in what comes next,
  // and the run goes on without a probe. Threads that cannot be had are no Error of ours.
  template <typename Part>
  void attempt(Part part) {
    try {
      part();
    } catch (const std::exception& error) {
      fail(error.what());
    }
  }
  void fail(std::string_view sentence) { failure_ = fmt::format("{}: {}", hostname_, sentence); }
  void take_seat(std::string_view transport);
  Deadline within(double seconds) const { return Deadline::after(clock_, seconds); }
  // The first leader's that has one; the same on all.
  std::string any_failure() {
    WireWriter out;
    out.put_text(failure_);
    return what_went_wrong(leaders_.all_gather(out.bytes(), within(kRoundTimeoutS)));
  }
  void meet(LinkSeats& seats, const Pair& pair, int round);
  ProbedNetwork gather();

  Bootstrap& leaders_;
  std::string hostname_;
  SteadyClock clock_;
  OpenSeat seat_;
  std::string failure_;
  TcpProbeRules rules_{.round_trips = kRoundTrips, .block_bytes = kBlockBytes};
  std::vector<NodePair> measured_;
};

void NetworkProber::take_seat(std::string_view transport) {
  const auto hosts = tcp_hosts(transport, interface_addresses());
  if (hosts)
    seat_ = open_seat(*hosts);
  else
    fail(hosts.sentence());
}

// The second one connects, and answers: so the lower rank measures.
void NetworkProber::meet(LinkSeats& seats, const Pair& pair, int round) {
  const LinkMeeting meeting{
      .connecting_rank = pair.second, .round = round, .deadline = within(kPairTimeoutS)};
  if (pair.second == leaders_.rank()) {
    auto streams = seats.connect(pair.first, meeting, clock_);
    answer_both_ways({streams.sockets, clock_, meeting.deadline}, rules_);
  } else if (pair.first == leaders_.rank()) {
    auto sockets = seats.accept(meeting, clock_);
    const auto speed = measure_both_ways({sockets, clock_, meeting.deadline}, rules_);
    measured_.push_back({.first = pair.first, .second = pair.second, .speed = speed});
  }
}

ProbedNetwork NetworkProber::gather() {
  WireWriter out;
  out.put_all(std::span<const NodePair>(measured_));
  ProbedNetwork network;
  for (const auto& bytes : leaders_.gather(out.bytes(), within(kRoundTimeoutS)))
    for (const auto& pair : WireReader(bytes).get_all<NodePair>()) network.pairs.push_back(pair);
  return network;
}

ProbedNetwork NetworkProber::run() {
  if (const auto failure = any_failure(); !failure.empty()) return {.failure = failure};
  LinkSeats seats(leaders_, std::move(seat_), within(kRoundTimeoutS));
  const auto rounds = probed_rounds(leaders_.nranks());
  rules_.stream_s = kStreamsS / static_cast<double>(2 * rounds.size());
  for (std::size_t round = 0; round < rounds.size(); ++round) {
    attempt([&] {
      for (const auto& pair : rounds[round]) meet(seats, pair, static_cast<int>(round));
    });
    if (const auto failure = any_failure(); !failure.empty()) return {.failure = failure};
  }
  return gather();
}

}  // namespace

ProbedNetwork probe_network(Session& session) {
  session.enter_probe("probe of the network", kFloorS);
  ProbedNetwork network;
  auto cores = cores_of_others(session);
  if (session.node_leaders() != nullptr) network = NetworkProber(session, std::move(cores)).run();
  const bool failed = session.any_thread(!network.failure.empty());
  if (failed && network.failure.empty()) network.failure = "Another rank could not probe it.";
  return network;
}

}  // namespace linerate
