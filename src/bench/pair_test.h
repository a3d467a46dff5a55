// One measurement between two ranks: what each of them sends and receives, and how long it took.
#pragma once

#include "bench/pairs.h"
#include "bench/session.h"

#include <cstddef>
#include <cstdint>
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

// What one rank of the pair saw.
struct PairTiming {
  std::int64_t elapsed_ns = 0;
  std::vector<double> iteration_us{};  // latency: of the round trip; a choice where there are many
  std::uint64_t wrong = 0;             // bytes received that differ
};

// Runs `test` on those of this lane's ranks that take part; yields nothing where none does.
// `iterations` after a warm-up; buffers hold at least test.bytes.
std::vector<PairTiming> run_pair_test(Session& session, const PairTest& test);

}  // namespace linerate
