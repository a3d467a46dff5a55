// After each round all leaders hear what became of its pairs, so that all go on alike.
#include "bench/survey/link_prober.h"

#include "base/wire.h"

#include <fmt/format.h>

#include <algorithm>
#include <exception>
#include <string_view>
#include <utility>

namespace linerate {
namespace {

constexpr std::string_view kGivenUp =
    "not tried: of one of the two, the first two pairs had failed and none had worked";

void put_link(WireWriter& out, const NodeLink& link) {
  out.put(link.first).put(link.second).put_text(link.address).put(link.speed);
  out.put_text(link.failure);
}

NodeLink get_link(WireReader& in) {
  NodeLink link{.first = in.get<int>(), .second = in.get<int>()};
  link.address = in.get_text();
  link.speed = in.get<TcpSpeed>();
  link.failure = in.get_text();
  return link;
}

}  // namespace

LinkProber::LinkProber(Bootstrap& leaders, const Clock& clock, LinkListener listener,
                       LinkRules rules)
    : leaders_(leaders),
      clock_(clock),
      rules_(std::move(rules)),
      own_(std::move(listener)),
      endpoints_(gather_endpoints(leaders, own_, within(rules_.round_timeout_s))),
      history_(leaders.nranks()) {}

NodeLink LinkProber::measure(const Pair& pair, const PairRendezvous& rendezvous) {
  NodeLink link{.first = pair.first, .second = pair.second};
  try {
    auto [host, sockets] =
        connect_link(endpoints_[static_cast<std::size_t>(pair.first)], rendezvous, clock_);
    link.address = std::move(host);
    link.speed = measure_tcp({sockets, clock_, rendezvous.deadline}, rules_.tcp);
    std::swap(link.speed.out_gbps, link.speed.in_gbps);  // as the first one sees it
  } catch (const std::exception& error) {  // threads that cannot be had are no Error of ours
    link.failure = error.what();
  }
  return link;
}

void LinkProber::answer(const PairRendezvous& rendezvous) {
  try {
    auto sockets = accept_link(own_.listener, own_.secret, rendezvous, clock_);
    answer_tcp({sockets, clock_, rendezvous.deadline}, rules_.tcp);
  } catch (const std::exception& error) {
    failure_ = error.what();
  }
}

void LinkProber::probe_pair(const Pair& pair, int round) {
  const bool given_up = history_.gives_up(pair);
  const PairRendezvous rendezvous{
      .connecting_rank = pair.second, .round = round, .deadline = within(rules_.pair_timeout_s)};
  if (pair.second == leaders_.rank()) {
    links_.push_back(
        given_up
            ? NodeLink{.first = pair.first, .second = pair.second, .failure = std::string(kGivenUp)}
            : measure(pair, rendezvous));
    failure_ = links_.back().failure;
  } else if (pair.first == leaders_.rank() && !given_up) {
    answer(rendezvous);
  }
}

// What goes wrong on one side goes wrong on the other too; for the history the one that measured
// counts.
std::string LinkProber::end_round(const Round& pairs) {
  const auto mine = std::exchange(failure_, {});
  if (rules_.ends_at_failure) return first_failure(leaders_, mine, within(rules_.round_timeout_s));
  const auto worked = all_values(leaders_, mine.empty(), within(rules_.round_timeout_s));
  for (const auto& pair : pairs)
    if (!history_.gives_up(pair))
      history_.note(pair, worked[static_cast<std::size_t>(pair.second)]);
  return {};
}

std::string LinkProber::run(const std::vector<Round>& rounds, const SayProgress& progress) {
  for (std::size_t i = 0; i < rounds.size(); ++i) {
    progress(fmt::format("TCP between nodes, round {} of {}", i + 1, rounds.size()));
    for (const auto& pair : rounds[i]) probe_pair(pair, static_cast<int>(i));
    if (auto failure = end_round(rounds[i]); !failure.empty()) return failure;
  }
  return {};
}

std::vector<NodeLink> LinkProber::gather() {
  WireWriter out;
  for (const auto& link : links_) put_link(out, link);
  std::vector<NodeLink> all;
  for (const auto& bytes : leaders_.gather(out.bytes(), within(rules_.round_timeout_s)))
    for (WireReader in(bytes); !in.empty();) all.push_back(get_link(in));
  std::ranges::stable_sort(all, {},
                           [](const auto& link) { return std::pair(link.first, link.second); });
  return all;
}

std::string first_failure(Bootstrap& leaders, const std::string& mine, const Deadline& deadline) {
  const auto said = mine.empty() ? mine : fmt::format("{}: {}", leaders.place().hostname, mine);
  for (auto& text : all_values(leaders, said, deadline))
    if (!text.empty()) return std::move(text);
  return {};
}

double links_timeout_s(int nnodes) {
  const LinkRules rules;
  const auto rounds = static_cast<double>(pair_rounds(nnodes, true).size());
  return 2 * rules.round_timeout_s + rounds * 2 * rules.pair_timeout_s;
}

std::vector<NodeLink> measure_links(Bootstrap& leaders, const Clock& clock,
                                    const SayProgress& progress) {
  if (leaders.nranks() < 2) return {};
  LinkProber prober(leaders, clock, open_link_listener(all_hosts()),
                    {.tcp = {.one_stream_first = true}});
  (void)prober.run(pair_rounds(leaders.nranks(), true), progress);  // failures are the links' own
  return prober.gather();
}

}  // namespace linerate
