// See node_links.h.
#include "bench/survey/node_links.h"

#include "base/wire.h"
#include "bench/pairs.h"
#include "bench/survey/link_seats.h"
#include "bench/survey/pair_history.h"

#include <fmt/format.h>

#include <algorithm>
#include <exception>
#include <string_view>
#include <utility>

namespace linerate {
namespace {

constexpr double kPairTimeoutS = 20;    // to connect and to measure
constexpr double kRoundTimeoutS = 120;  // until all have come that are busy with a pair
constexpr std::string_view kGivenUp =
    "not tried: of one of the two, the first two pairs had failed and none had worked";

// One member's part in all pairs.
class LinkProber {
 public:
  LinkProber(Bootstrap& leaders, const Clock& clock);

  void run(const SayProgress& progress);
  std::vector<NodeLink> gather();

 private:
  Deadline within(double seconds) const { return Deadline::after(clock_, seconds); }
  LinkMeeting meeting(const Pair& pair, std::size_t round) const;
  NodeLink measure(const Pair& pair, std::size_t round);
  void answer(const Pair& pair, std::size_t round);
  void tell_outcomes(const Round& pairs);

  Bootstrap& leaders_;
  const Clock& clock_;
  LinkSeats seats_;
  std::vector<NodeLink> links_;
  PairHistory history_;
};

LinkProber::LinkProber(Bootstrap& leaders, const Clock& clock)
    : leaders_(leaders),
      clock_(clock),
      seats_(leaders, open_seat(all_hosts()), within(kRoundTimeoutS)),
      history_(leaders.nranks()) {}

LinkMeeting LinkProber::meeting(const Pair& pair, std::size_t round) const {
  return {.connecting_rank = pair.second,
          .round = static_cast<int>(round),
          .deadline = within(kPairTimeoutS)};
}

NodeLink LinkProber::measure(const Pair& pair, std::size_t round) {
  NodeLink link{.first = pair.first, .second = pair.second};
  if (history_.gives_up(pair)) {
    link.failure = kGivenUp;
    return link;
  }
  try {
    const auto meets = meeting(pair, round);
    auto [host, sockets] = seats_.connect(pair.first, meets, clock_);
    link.address = std::move(host);
    link.speed = measure_tcp({sockets, clock_, meets.deadline}, {});
  } catch (const std::exception& error) {
    link.failure = error.what();
  }
  return link;
}

// What goes wrong here goes wrong there too, and is told there.
void LinkProber::answer(const Pair& pair, std::size_t round) {
  if (history_.gives_up(pair)) return;
  try {
    const auto meets = meeting(pair, round);
    auto sockets = seats_.accept(meets, clock_);
    answer_tcp({sockets, clock_, meets.deadline}, {});
  } catch (const std::exception&) {
    return;
  }
}

// The end of a round: each tells whether the pair that it measured worked.
void LinkProber::tell_outcomes(const Round& pairs) {
  WireWriter out;
  out.put(!links_.empty() && links_.back().failure.empty());
  const auto worked = leaders_.all_gather(out.bytes(), within(kRoundTimeoutS));
  for (const auto& pair : pairs)
    if (!history_.gives_up(pair))
      history_.note(pair, WireReader(worked[static_cast<std::size_t>(pair.second)]).get<bool>());
}

void LinkProber::run(const SayProgress& progress) {
  const auto rounds = pair_rounds(leaders_.nranks(), true);
  for (std::size_t i = 0; i < rounds.size(); ++i) {
    progress(fmt::format("TCP between nodes, round {} of {}", i + 1, rounds.size()));
    for (const auto& pair : rounds[i]) {
      if (pair.second == leaders_.rank()) links_.push_back(measure(pair, i));
      if (pair.first == leaders_.rank()) answer(pair, i);
    }
    tell_outcomes(rounds[i]);
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

double links_timeout_s(int nnodes) {
  const auto rounds = static_cast<double>(pair_rounds(nnodes, true).size());
  return 2 * kRoundTimeoutS + rounds * 2 * kPairTimeoutS;
}

std::vector<NodeLink> measure_links(Bootstrap& leaders, const Clock& clock,
                                    const SayProgress& progress) {
  if (leaders.nranks() < 2) return {};
  LinkProber prober(leaders, clock);
  prober.run(progress);
  return prober.gather();
}

}  // namespace linerate
