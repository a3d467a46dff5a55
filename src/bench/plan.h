// From a configuration to the list of cases: pure.
#pragma once

#include "bench/config.h"
#include "collectives/traffic.h"
#include "comm/op.h"
#include "record/record.h"

#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace linerate {

// One size of one collective, in both placements.
struct Case {
  const Collective* collective = nullptr;
  std::size_t bytes = 0;  // asked for; the row's size may be rounded down
  DataType type = DataType::float32;
  RedOp op = RedOp::sum;
  int root = 0;
};

// Of a case among `nranks` ranks, whichever of them.
Sizing sizing_of(const Case& what, int nranks, const TrafficMatrix* traffic);

// The sizes of the sweep, ascending: times step_factor when it is above 1, else plus step_bytes.
// REQUIRES: 0 < min_bytes <= max_bytes, and a step that advances. Throws Error (exit 2) where the
// sizes are more than a million.
std::vector<std::size_t> sweep_sizes(const CaseConfig& config);

// All cases of one cycle in nccl-tests' order: type, operator, root, size. Collectives that reduce
// nothing have one operator, unrooted ones one root. `nranks` is that of the group.
std::vector<Case> plan_cases(const CaseConfig& config, int nranks);

// What each of `sharers` ranks may use of `free` bytes: 0.8 of its part, which leaves room for the
// backend's own memory and for others.
std::size_t rank_bytes_of(std::size_t free, std::size_t sharers);

// The largest -e that fits: two buffers of one rank within `rank_bytes`.
std::size_t max_bytes_within(std::size_t rank_bytes);

// The printed redop column: the operator, or the collective's own word.
std::string redop_text(const Case& what);

// Ranks of each group that NCCL_TESTS_SPLIT makes, by colour; one group of all where nothing is
// split.
std::map<int, int> group_sizes(const CaseConfig& config, int nranks);

// Ranks of the smallest and of the largest group. REQUIRES: nranks > 0.
int smallest_group(const CaseConfig& config, int nranks);
int largest_group(const CaseConfig& config, int nranks);

// all_to_all_v's block sizes (NCCL_TESTS_ALLTOALLV_*). Null for collectives that need none. Throws
// Error (exit 2) when the matrix file cannot be read, is malformed, or when -b and -e do not fit
// it: with a matrix they must be equal, and at least the busiest rank's bytes.
std::unique_ptr<TrafficMatrix> traffic_of(const CaseConfig& config, int nranks);

// The cases of a plan that the communicators have calls for.
struct RunnableCases {
  std::vector<Case> cases{};
  std::string note{};  // names the others, or where there are no cases says why; empty: all are
};

// Inspector::refusal() of this thread's ranks, the first that is not empty.
using CallRefusal = std::function<std::string(const Op&)>;
// Whether any thread of the job says so; collective.
using AnyThread = std::function<bool(bool says)>;

// Those that every rank's communicator has a call for: groups of other sizes may lack other ones.
// Where there is none the note is in the communicator's words.
RunnableCases runnable_cases(const std::vector<Case>& cases, const CallRefusal& refusal,
                             const AnyThread& any_thread);

}  // namespace linerate
