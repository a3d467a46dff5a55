// One measurement between two ranks: what each of them sends and receives, and how long it took;
// and such measurements of many pairs, from which rules find what is slow (pair_search.cc).
#pragma once

#include "base/wire.h"
#include "bench/pairs.h"
#include "bench/session.h"
#include "bench/verify.h"
#include "record/record.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace linerate {

enum class PairKind : std::uint8_t { latency, unidirectional, bidirectional };
std::string_view name_of(PairKind kind);  // as the record's collective: p2p_latency, …

struct PairTest {
  PairKind kind = PairKind::latency;
  int source = 0;  // unidirectional: sends; otherwise the lower rank
  int dest = 0;
  std::size_t bytes = 0;
};

// How often, and what else is done.
struct PairRepeats {
  std::uint64_t iters = 20;
  std::uint64_t warmup_iters = 1;
  bool check = false;  // verify the data of the last one, or of one more where memory is short
};
// As the run does it.
PairRepeats repeats_of(const BenchConfig& config);

// What one rank of the pair saw.
struct PairTiming {
  std::int64_t elapsed_ns = 0;
  std::vector<double> iteration_us{};  // latency: of the round trip; a choice where there are many
  std::vector<RankCheck> checks{};     // of what each rank received
  std::optional<ModeledTime> modelled{};  // the iterations, by the backend: see Communicator
};

// Keeps of two ranks of a pair the longer window: the test ends when both have.
void merge(PairTiming& into, PairTiming&& other);

// For the thread that gathers timings.
void put_timing(WireWriter& out, const PairTiming& timing);
PairTiming get_timing(WireReader& in);

// Runs `test` on those of this thread's ranks that take part; yields nothing where none does.
// Buffers hold at least test.bytes.
std::vector<PairTiming> run_pair_test(Session& session, const PairTest& test,
                                      const PairRepeats& repeats);

// Runs tests of disjoint pairs at once; a thread of none of them sleeps. On rank 0 a timing of each
// test, else empty. Collective over all threads.
std::vector<PairTiming> time_at_once(Session& session, std::span<const PairTest> tests,
                                     const PairRepeats& repeats);

// Pairs that are measured at once, each way alone: `bytes` from the lower rank, then to it. Buffers
// hold at least so many. On rank 0 a rate of each pair, else empty. Collective over all threads.
std::vector<PairRate> rates_at_once(Session& session, const Round& round, std::size_t bytes,
                                    const PairRepeats& repeats);

// Messages between each two ranks in turn, in rounds for about a second: there and back, and one
// way of `bytes` (given on rank 0; up to half a megabyte). 0 bytes: nothing is timed. Empty for
// GPUs. Collective over all threads; the answer is on rank 0.
std::vector<PairTime> time_pairs(Session& session, std::size_t bytes);

}  // namespace linerate
