// A trace as each rank does it again: its calls in their order, and what each of them waits for.
//
// What a call waited for in the job is read off the clock of its own rank: of the calls that had
// ended when it began, the one that ended last. From there, or from the beginning of the call
// before it, which may be later, the rank computed: the gap. So calls that were under way at once
// are so again, and the others are not, on any machine. Where that cannot end, because the job's
// sends were buffered and the replay's need not be, nothing waits for a send.
#pragma once

#include "base/result.h"
#include "replay/trace.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <tuple>
#include <vector>

namespace linerate::replay {

// One call of a rank, or a batch of sends and receives that were under way at once.
struct Unit {
  std::vector<Call> calls{};
  std::int64_t after = -1;   // the unit of this rank whose end it waits for; -1: the beginning
  double gap_us = 0;         // from there on, or from the beginning of the unit before
  std::size_t row = 0;       // of Plan::rows
  std::size_t instance = 0;  // the same for all ranks' calls of one collective or message

  std::size_t group() const { return calls.front().group; }
  // From the beginning of its first call to the end of its last; NaN: the trace does not tell.
  double recorded_us() const;

  static auto members(auto& self) { return std::tie(self.calls, self.after, self.gap_us); }
};

// What is told of calls together: those of one purpose, kind and group size, and of like sizes.
struct Row {
  std::string purpose{}, name{};  // name of the call, or kMessage, kBatch
  int nranks = 0;
  std::size_t least_bytes = 0, most_bytes = 0;  // of the larger buffer of a call
  std::size_t instances = 0;                    // collectives, messages; of batches each rank's own
  std::size_t units = 0;                        // of all ranks
  std::uint64_t sent_bytes = 0;                 // by all ranks
};
inline constexpr std::string_view kMessage = "send/recv", kBatch = "batched send/recv";

struct Plan {
  std::vector<std::vector<Unit>> ranks{};
  std::vector<Group> groups{};
  std::vector<Row> rows{};
  std::size_t instances = 0;
};

// The request to a communicator: its views are empty, and its ranges those of `ranges`, in the
// order of the counts. REQUIRES: all of it outlives the request.
struct Ranges {
  std::vector<Range> send{}, recv{};
};
Op request_of(const Call& call, Ranges& ranges);

// Groups that have no rank in common may be made by one split. By split, the group of each rank;
// -1: of none.
std::vector<std::vector<std::int64_t>> splits_of(const std::vector<Group>& groups, int nranks);

// Refused: calls that their ranks disagree on, or that could not end, however fast the machine.
Result<Plan> plan_of(CommTrace trace);

}  // namespace linerate::replay
