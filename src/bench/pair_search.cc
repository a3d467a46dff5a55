// A few rounds over all tests, so that what a busy machine adds is not in all of them.
#include "base/clock.h"
#include "base/wire.h"
#include "bench/pair_test.h"

#include <algorithm>
#include <cstdint>
#include <limits>

namespace linerate {
namespace {

constexpr std::size_t kMaxBytes = std::size_t{512} << 10;
constexpr std::size_t kSmallBytes = 8;

constexpr int kRounds = 5, kMinRounds = 3;
constexpr double kMaxS = 1;  // after which no further round begins
// What the backend tells is exact in each message; elsewhere several give a time.
constexpr PairRepeats kExact{.iters = 1, .warmup_iters = 0, .check = false};
constexpr PairRepeats kMeasured{.iters = 8, .warmup_iters = 1, .check = false};
// One round of a test, of both ranks.
struct RoundTiming {
  std::int64_t elapsed_ns = 0;
  ModeledTime modelled{};
};

class Search {
 public:
  Search(Session& session, std::size_t low_bytes);

  std::vector<PairTime> run();

 private:
  bool goes_on(int round, double elapsed_s);
  void run_round();
  void gather();
  double median_us(std::size_t test) const;
  PairTime time_of(std::size_t test) const;

  Session& session_;
  const bool exact_;  // the backend tells what is lost
  std::vector<PairTest> tests_;
  WireWriter mine_;  // number of the test and timing of each that this thread took part in
  std::vector<std::vector<RoundTiming>> rounds_;  // by test, on rank 0
};

std::size_t agreed_bytes(Session& session, std::size_t low_bytes) {
  std::size_t room = low_bytes;
  for (const auto& local : session.ranks()) room = std::min(room, local.send.bytes());
  return value_of_rank_0(session.bootstrap(), std::min(room, kMaxBytes), Deadline::never());
}

Search::Search(Session& session, std::size_t low_bytes)
    : session_(session), exact_(session.modeled_time().has_value()) {
  const auto bytes = agreed_bytes(session, low_bytes);
  for (const auto& [from, to] : pairs_to_time(session.nranks())) {
    tests_.push_back({PairKind::unidirectional, from, to, bytes});
    if (from < to) tests_.push_back({PairKind::latency, from, to, std::min(bytes, kSmallBytes)});
  }
  rounds_.resize(tests_.size());
}

bool Search::goes_on(int round, double elapsed_s) {
  const bool late = round >= kMinRounds && elapsed_s > kMaxS;
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
  for (const auto& bytes : session_.bootstrap().gather(mine_.bytes(), Deadline::never())) {
    std::vector<std::size_t> seen(tests_.size());
    for (WireReader in(bytes); !in.empty();) {
      const auto t = in.get_between<std::size_t>(0, tests_.size() - 1);
      const auto timing = get_timing(in);
      const auto round = seen[t]++;
      rounds_[t].resize(std::max(rounds_[t].size(), round + 1));
      auto& slowest = rounds_[t][round];
      slowest.elapsed_ns = std::max(slowest.elapsed_ns, timing.elapsed_ns);
      slowest.modelled = later(slowest.modelled, timing.modelled.value_or(ModeledTime{}));
    }
  }
}

double Search::median_us(std::size_t test) const {
  auto rounds = rounds_[test];
  std::ranges::sort(rounds, {}, &RoundTiming::elapsed_ns);
  const auto middle = rounds.size() / 2;
  return rounds.empty() ? 0 : static_cast<double>(rounds[middle].elapsed_ns) / kNsPerUs;
}

// Where the backend knows what faults cost: what is slow is so in every round, so the best one
// counts.
PairTime Search::time_of(std::size_t test) const {
  PairTime time{.source = tests_[test].source,
                .dest = tests_[test].dest,
                .one_way = tests_[test].kind == PairKind::unidirectional,
                .time_us = median_us(test)};
  if (!exact_ || rounds_[test].empty()) return time;
  const auto us = [](std::int64_t ns) { return static_cast<double>(ns) / kNsPerUs; };
  double lost_us = std::numeric_limits<double>::infinity(), fault_free_us = lost_us;
  for (const auto& [elapsed_ns, modelled] : rounds_[test]) {
    lost_us = std::min(lost_us, us(modelled.lost_ns()));
    fault_free_us = std::min(fault_free_us, us(modelled.healthy_ns));
  }
  time.fault_free_us = fault_free_us;
  time.time_us = fault_free_us + std::max(0.0, lost_us);
  return time;
}

std::vector<PairTime> Search::run() {
  const SteadyClock clock;
  const auto start_ns = clock.now_ns();
  const auto elapsed_s = [&] { return static_cast<double>(clock.now_ns() - start_ns) / 1e9; };
  for (int round = 0; goes_on(round, elapsed_s()); ++round) run_round();
  gather();
  std::vector<PairTime> times;
  if (!session_.is_first()) return times;
  for (std::size_t t = 0; t < tests_.size(); ++t) times.push_back(time_of(t));
  return times;
}

bool on_gpus(const Session& session) {
  return session.ranks().front().device->kind() == DeviceKind::cuda;
}

}  // namespace

std::vector<PairTime> time_pairs(Session& session, std::size_t bytes) {
  if (on_gpus(session) || !session.any_thread(session.is_first() && bytes > 0)) return {};
  return Search(session, bytes).run();
}

}  // namespace linerate
