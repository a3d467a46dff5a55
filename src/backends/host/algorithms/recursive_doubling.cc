// Recursive doubling: log2(n) rounds, in each of which a rank's knowledge doubles; for payloads
// whose time is latency. Thakur, Rabenseifner, Gropp 2005, sections 4.1 and 4.4.
#include "backends/host/algorithms/pieces.h"
#include "backends/host/algorithms/rows.h"

#include <algorithm>
#include <bit>

namespace linerate::host {
namespace {

bool defined(const Problem& problem) {
  return problem.nranks > 1 &&
         (problem.kind == OpKind::all_reduce || problem.kind == OpKind::all_gather);
}

int power_below(int n) { return static_cast<int>(std::bit_floor(static_cast<unsigned>(n))); }
int rounds_of(int power) { return std::countr_zero(static_cast<unsigned>(power)); }

// Of the ranks beyond the largest power of two: rank r - power works for them.
Schedule fetch_result(const Problem& problem, int rank, int power) {
  const auto steps = static_cast<std::uint32_t>(1 + rounds_of(power));
  return {.steps = {{.waits = {{rank - power, steps}},
                     .from = {{rank - power, BufferKind::recv, 0}},
                     .to = {{rank, BufferKind::recv, 0}},
                     .count = problem.count}}};
}

// Step 0 brings the own part, and that of a rank beyond the power of two, to a scratch half; each
// round k reads both partners' halves and writes the other half, once the partner of round k-1 has
// read what lies there. The last round writes the result.
Schedule all_reduce(const Problem& problem, int rank) {
  const int power = power_below(problem.nranks);
  if (rank >= power) return fetch_result(problem, rank, power);
  const int rounds = rounds_of(power);
  const auto half = [&](int r, int round) {
    return Place{r, BufferKind::scratch, static_cast<std::size_t>(round % 2) * problem.count};
  };
  Schedule schedule{.scratch_count = 2 * problem.count};
  Step& own = schedule.steps.emplace_back();
  own = {.from = {{rank, BufferKind::send, 0}}, .to = {half(rank, 0)}, .count = problem.count};
  if (rank + power < problem.nranks) own.from.push_back({rank + power, BufferKind::send, 0});
  for (int k = 0; k < rounds; ++k) {
    const int partner = rank ^ (1 << k);
    const bool last = k == rounds - 1;
    Step step{.waits = {{partner, static_cast<std::uint32_t>(k + 1)}},
              .from = {half(std::min(rank, partner), k), half(std::max(rank, partner), k)},
              .to = {last ? Place{rank, BufferKind::recv, 0} : half(rank, k + 1)},
              .count = problem.count,
              .completes = last};
    if (k > 0 && !last)
      step.waits.push_back({rank ^ (1 << (k - 1)), static_cast<std::uint32_t>(k + 1)});
    schedule.steps.push_back(std::move(step));
  }
  return schedule;
}

// Bruck 1997, without its rotation because blocks are read from where they belong: in round k a
// rank that has 2^k blocks from its own on fetches as many from the rank that begins after them.
Schedule all_gather(const Problem& problem, int rank) {
  const int n = problem.nranks;
  Schedule schedule;
  const auto fetch = [&](int peer, int first, int blocks) {
    const std::size_t offset = static_cast<std::size_t>(first) * problem.count;
    return Step{.from = {{peer, BufferKind::recv, offset}},
                .to = {{rank, BufferKind::recv, offset}},
                .count = static_cast<std::size_t>(blocks) * problem.count};
  };
  Step own = fetch(rank, rank, 1);
  own.from = {{rank, BufferKind::send, 0}};
  schedule.steps.push_back(std::move(own));
  std::uint32_t steps = 1;  // that hold a rank's first blocks; two a round, as blocks may wrap
  for (int have = 1; have < n; have *= 2, steps += 2) {
    const int peer = (rank + have) % n;
    const int blocks = std::min(have, n - have);
    const int straight = std::min(blocks, n - peer);
    Step before_wrap = fetch(peer, peer, straight);
    if (have == 1)
      before_wrap.from = {{peer, BufferKind::send, 0}};
    else
      before_wrap.waits = {{peer, steps}};
    schedule.steps.push_back(std::move(before_wrap));
    schedule.steps.push_back(fetch(peer, 0, blocks - straight));
  }
  return schedule;
}

Schedule schedule(const Problem& problem, int rank) {
  return problem.kind == OpKind::all_reduce ? all_reduce(problem, rank) : all_gather(problem, rank);
}

}  // namespace

const Algorithm kRecursiveDoubling{
    .name = "recursive_doubling",
    .words = "partners at distance 1, 2, 4, ... exchange all they have",
    .defined = defined,
    .schedule = schedule,
};

}  // namespace linerate::host
