// Windows of all algorithms alternate; of each the slowest rank's time counts.
#include "bench/race.h"

#include "base/wire.h"

#include <algorithm>
#include <cassert>

namespace linerate {
namespace {

constexpr std::size_t kElementBytes = 4;

// Calls in which the larger buffer holds a block for each rank.
bool has_blocks(OpKind kind) { return sends_blocks(kind) || receives_blocks(kind); }

}  // namespace

const Candidate* RaceResult::find(std::string_view algorithm) const {
  const auto found = std::ranges::find(candidates, algorithm, &Candidate::algorithm);
  return found == candidates.end() ? nullptr : &*found;
}

const Candidate& RaceResult::best() const {
  return *std::ranges::min_element(candidates, {}, [](const Candidate& r) { return r.us.median; });
}

double RaceResult::chosen_over_best() const {
  const Candidate* const own = find(chosen);
  return own == nullptr ? 1.0 : own->us.median / best().us.median;
}

Race::Race(Bootstrap& member, Communicator& comm, const Clock& clock, std::size_t max_bytes)
    : bootstrap_(member),
      comm_(comm),
      clock_(clock),
      stream_(comm.device().stream()),
      send_(comm.allocate(max_bytes, MemoryKind::device)),
      recv_(comm.allocate(max_bytes, MemoryKind::device)) {
  const Content inputs{.rank = comm.rank(), .nranks = comm.nranks()};
  comm.device().fill(send_.view(), inputs);
  comm.device().fill(recv_.view(), inputs);
}

bool Race::runs(OpKind kind, std::size_t bytes, int nranks) {
  return bytes >= kElementBytes * (has_blocks(kind) ? static_cast<std::size_t>(nranks) : 1);
}

Op Race::op_of(OpKind kind, std::size_t bytes) {
  const auto n = static_cast<std::size_t>(comm_.nranks());
  return {.kind = kind,
          .send = send_.view(),
          .recv = recv_.view(),
          .count = bytes / kElementBytes / (has_blocks(kind) ? n : 1)};
}

RaceResult Race::run(OpKind kind, std::size_t bytes, const Limits& limits) {
  assert(runs(kind, bytes, comm_.nranks()) && bytes <= send_.bytes());
  const Op op = op_of(kind, bytes);
  RaceResult result{.kind = kind, .nranks = comm_.nranks(), .bytes = bytes};
  (void)window(op, {}, 1);
  result.chosen = comm_.inspector().last_call().algorithm;
  const std::uint64_t calls = calls_for(window(op, {}, 1), limits);
  const auto names = defined_for(op);
  const int rounds = calls == 1 ? limits.rounds_of_long : limits.rounds;
  const auto times = slowest(windows(op, names, {calls, rounds}));
  comm_.inspector().use_algorithm({});
  const std::size_t n = names.size();
  for (std::size_t i = 0; i < n; ++i) {
    std::vector<double> own;
    for (std::size_t round = 0; round * n < times.size(); ++round)
      own.push_back(times[round * n + i]);
    result.candidates.push_back({std::string(names[i]), stats::summarize(own)});
  }
  return result;
}

// Those that take this size too: others leave the call to the backend's choice.
std::vector<std::string_view> Race::defined_for(const Op& op) {
  std::vector<std::string_view> names;
  for (const auto name : comm_.inspector().algorithms(op.kind)) {
    (void)window(op, name, 1);
    if (comm_.inspector().last_call().algorithm == name) names.push_back(name);
  }
  return names;
}

// Mean time of a call in each window on this rank: [round][algorithm].
std::vector<double> Race::windows(const Op& op, const std::vector<std::string_view>& names,
                                  const Plan& plan) {
  const std::size_t n = names.size();
  std::vector<double> times;
  for (int round = 0; round < plan.rounds; ++round) {
    const std::size_t first = times.size();
    times.resize(first + n);
    for (std::size_t i = 0; i < n; ++i) {
      const std::size_t turn = (i + static_cast<std::size_t>(round)) % n;
      times[first + turn] = window(op, names[turn], plan.calls);
    }
  }
  return times;
}

// One call before the clock starts: buffers and flags are where this algorithm leaves them.
double Race::window(const Op& op, std::string_view algorithm, std::uint64_t calls) {
  comm_.inspector().use_algorithm(algorithm);
  comm_.enqueue(op, *stream_);
  comm_.barrier();
  const auto start_ns = clock_.now_ns();
  for (std::uint64_t i = 0; i < calls; ++i) comm_.enqueue(op, *stream_);
  return static_cast<double>(clock_.now_ns() - start_ns) / kNsPerUs / static_cast<double>(calls);
}

// Thread 0 decides, all follow.
std::uint64_t Race::calls_for(double call_us, const Limits& limits) {
  constexpr std::uint64_t kMax = 10'000;
  const double fitting = limits.window_us / std::max(call_us, 1e-3);
  const auto calls = std::clamp(static_cast<std::uint64_t>(fitting), std::uint64_t{1}, kMax);
  return value_of_rank_0(bootstrap_, calls, Deadline::never());
}

// A call ends when its last rank does.
std::vector<double> Race::slowest(const std::vector<double>& own) {
  std::vector<double> most(own.size());
  WireWriter mine;
  mine.put_all(std::span<const double>(own));
  for (const Bytes& bytes : bootstrap_.gather(mine.bytes(), Deadline::never())) {
    const auto theirs = WireReader(bytes).get_all<double>();
    for (std::size_t i = 0; i < theirs.size(); ++i) most[i] = std::max(most[i], theirs[i]);
  }
  return most;
}

}  // namespace linerate
