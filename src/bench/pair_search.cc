// See pair_search.h.
#include "bench/pair_search.h"

#include "base/clock.h"
#include "base/modeled_time.h"
#include "base/wire.h"
#include "bench/expect/suspects.h"
#include "bench/pair_test.h"

#include <algorithm>
#include <cstdint>
#include <limits>

namespace linerate {
namespace {

constexpr int kMaxForAllPairs = 16;
constexpr std::size_t kMaxBytes = std::size_t{512} << 10;
constexpr std::size_t kSmallBytes = 8;

constexpr int kRounds = 5, kMinRounds = 3;
constexpr double kLongestS = 1;  // after which no further round begins
// What the backend tells is exact in each message; elsewhere several give a time.
constexpr PairRepeats kExact{.iters = 1, .warmup_iters = 0, .check = false};
constexpr PairRepeats kMeasured{.iters = 8, .warmup_iters = 1, .check = false};
// Where times are measured, what takes longer than its like by this is slow, and no less than a
// rank's pairs with two others are believed.
constexpr double kSlowMeasured = 2;
constexpr std::uint64_t kMinMeasuredPairs = 3;

// One round of a test, of both ranks.
struct Meeting {
  std::int64_t elapsed_ns = 0;
  ModeledTime modelled{};
};

class Search {
 public:
  Search(Session& session, std::size_t low_bytes);

  std::vector<Suspect> run();

 private:
  bool goes_on(int round, double elapsed_s);
  void run_round();
  void gather();
  double slowdown(std::size_t test) const;
  double lost_share(std::size_t test) const;
  double healthy_like(std::size_t test) const;
  double median_ns(std::size_t test) const;
  bool crosses(std::size_t test) const;

  Session& session_;
  const bool exact_;  // the backend tells what is lost
  std::vector<PairTest> tests_;
  WireWriter mine_;  // number of the test and timing of each that this thread took part in
  std::vector<std::vector<Meeting>> rounds_;  // by test, on rank 0
};

std::size_t agreed_bytes(Session& session, std::size_t low_bytes) {
  std::size_t room = low_bytes;
  for (const auto& local : session.ranks()) room = std::min(room, local.send.bytes());
  WireWriter out;
  out.put(std::min(room, kMaxBytes));
  return WireReader(session.members().broadcast(out.bytes(), 0, Deadline::never()))
      .get<std::size_t>();
}

Search::Search(Session& session, std::size_t low_bytes)
    : session_(session), exact_(session.modeled_time().has_value()) {
  const auto bytes = agreed_bytes(session, low_bytes);
  for (const auto& [from, to] : pairs_to_ask(session.nranks())) {
    tests_.push_back({PairKind::unidirectional, from, to, bytes});
    if (from < to) tests_.push_back({PairKind::latency, from, to, std::min(bytes, kSmallBytes)});
  }
  rounds_.resize(tests_.size());
}

bool Search::goes_on(int round, double elapsed_s) {
  const bool late = round >= kMinRounds && elapsed_s > kLongestS;
  return round < kRounds && !session_.any_thread(late);
}

void Search::run_round() {
  for (std::size_t t = 0; t < tests_.size(); ++t) {
    session_.enter({.what = "search for what is slow"});
    session_.align();
    for (const auto& timing : run_pair_test(session_, tests_[t], exact_ ? kExact : kMeasured)) {
      mine_.put(t);
      put_timing(mine_, timing);
    }
  }
}

// Each of a test's two ranks has a timing of each round, in order.
void Search::gather() {
  for (const auto& bytes : session_.members().gather(mine_.bytes(), Deadline::never())) {
    std::vector<std::size_t> seen(tests_.size());
    for (WireReader in(bytes); !in.empty();) {
      const auto t = in.get_between<std::size_t>(0, tests_.size() - 1);
      const auto timing = get_timing(in);
      const auto round = seen[t]++;
      rounds_[t].resize(std::max(rounds_[t].size(), round + 1));
      auto& meeting = rounds_[t][round];
      meeting.elapsed_ns = std::max(meeting.elapsed_ns, timing.elapsed_ns);
      meeting.modelled = later(meeting.modelled, timing.modelled.value_or(ModeledTime{}));
    }
  }
}

bool Search::crosses(std::size_t test) const {
  const auto node = [&](int rank) { return session_.infos()[static_cast<std::size_t>(rank)].node; };
  return node(tests_[test].source) != node(tests_[test].dest);
}

double Search::median_ns(std::size_t test) const {
  auto rounds = rounds_[test];
  std::ranges::sort(rounds, {}, &Meeting::elapsed_ns);
  const auto middle = rounds.size() / 2;
  return rounds.empty() ? 0 : static_cast<double>(rounds[middle].elapsed_ns);
}

// The time that a quarter of the tests of its kind, within or between nodes, stay below.
double Search::healthy_like(std::size_t test) const {
  std::vector<double> like;
  for (std::size_t t = 0; t < tests_.size(); ++t)
    if (tests_[t].kind == tests_[test].kind && crosses(t) == crosses(test))
      like.push_back(median_ns(t));
  std::ranges::sort(like);
  return like[like.size() / 4];
}

// What is slow is so in every round; what a busy machine adds is not in all of them.
double Search::lost_share(std::size_t test) const {
  auto lost_ns = std::numeric_limits<double>::infinity(), healthy_ns = lost_ns;
  for (const auto& [elapsed_ns, modelled] : rounds_[test]) {
    lost_ns = std::min(lost_ns, static_cast<double>(modelled.lost_ns()));
    healthy_ns = std::min(healthy_ns, static_cast<double>(modelled.healthy_ns));
  }
  return healthy_ns > 0 && lost_ns > 0 ? lost_ns / healthy_ns : 0;
}

double Search::slowdown(std::size_t test) const {
  if (exact_) return 1 + lost_share(test);
  const double like_ns = healthy_like(test);
  return like_ns > 0 ? median_ns(test) / like_ns : 1;
}

std::vector<Suspect> Search::run() {
  const SteadyClock clock;
  const auto start_ns = clock.now_ns();
  const auto elapsed_s = [&] { return static_cast<double>(clock.now_ns() - start_ns) / 1e9; };
  for (int round = 0; goes_on(round, elapsed_s()); ++round) run_round();
  gather();
  if (!session_.is_first()) return {};
  std::vector<PairSlowness> slowness;
  for (std::size_t t = 0; t < tests_.size(); ++t)
    slowness.push_back({.pair = {tests_[t].source, tests_[t].dest},
                        .one_way = tests_[t].kind == PairKind::unidirectional,
                        .slowdown = slowdown(t)});
  const auto nodes = nodes_of(session_.infos());
  auto suspects = suspects_of(slowness, nodes, exact_ ? kSlowPair : kSlowMeasured);
  if (!exact_)
    std::erase_if(suspects, [](const Suspect& s) { return s.pairs < kMinMeasuredPairs; });
  return suspects;
}

bool on_gpus(const Session& session) {
  return session.ranks().front().device->kind() == DeviceKind::cuda;
}

}  // namespace

std::vector<Pair> pairs_to_ask(int nranks) {
  std::vector<Pair> pairs;
  for (int a = 0; a < nranks; ++a)
    for (int b = 0; b < nranks; ++b) {
      const bool neighbours = (a + 1) % nranks == b || (b + 1) % nranks == a;
      const bool in_star = a == 0 || b == 0;
      if (a != b && (nranks <= kMaxForAllPairs || neighbours || in_star)) pairs.emplace_back(a, b);
    }
  return pairs;
}

std::vector<Suspect> search_slow_pairs(Session& session, std::size_t low_bytes) {
  if (on_gpus(session) || !session.any_thread(session.is_first() && low_bytes > 0)) return {};
  return Search(session, low_bytes).run();
}

}  // namespace linerate
