// What a job's ranks communicated: which calls, of what size, in which group, when. And to do it
// again without the job: linerate replay.
//
//   trace        the calls of all ranks; the lines of `train_* --trace-comm`, written and read
//   pytorch      the same from a rank's file of PyTorch: profiler (Kineto), execution trace;
//                recorded.h: the calls that its words mean
//   files        files of either kind, also compressed, put together: one trace, or one sentence
//   plan         a trace in the order in which each rank makes its calls: what waits for what,
//                which calls of several ranks are one. Proves that it ends
//   outcome      recorded and replayed times by collective: table, sentences, JSON Lines
//
// All of it is pure; commands/replay.cc makes the calls.
#pragma once

#include "base/result.h"
#include "comm/op.h"

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

namespace linerate::replay {

// When something began and how long it took, on its rank's clock. A trace of several hosts need not
// have one clock.
struct TimeSpan {
  double start_us = 0;
  double time_us = 0;
};

// A call as a rank made it. Counts and ranks mean what they mean in Op; ranks are of the group.
struct Call {
  OpKind kind = OpKind::all_reduce;
  DataType type = DataType::float32;
  RedOp op = RedOp::sum;
  std::size_t group = 0;  // of CommTrace::groups
  std::uint64_t count = 0;
  int peer = 0, source = 0;
  std::vector<std::uint64_t> send_counts{}, recv_counts{};  // all_to_all_v, by rank
  double start_us = 0;
  std::optional<double> time_us{};  // nothing: the trace does not tell
  std::string purpose{};            // whose it is: "data gradients", a process group's name

  double end_us() const { return start_us + time_us.value_or(0); }

  // What a rank must know to make it.
  static auto members(auto& self) {
    return std::tie(self.kind, self.type, self.op, self.group, self.count, self.peer, self.source,
                    self.send_counts, self.recv_counts);
  }
};

// A group of ranks with a communicator of its own.
struct Group {
  std::vector<int> ranks{};

  int nranks() const { return static_cast<int>(ranks.size()); }
  static auto members(auto& self) { return std::tie(self.ranks); }
};

struct RankTrace {
  std::vector<Call> calls{};
  std::vector<TimeSpan> steps{};
};

struct CommTrace {
  std::vector<RankTrace> ranks{};
  std::vector<Group> groups{};
  std::string origin{};                           // "train_ddp, host backend"
  std::map<std::string, std::size_t> left_out{};  // what cannot be replayed, and how often it was
  std::map<std::string, std::size_t> assumed{};   // what is not told, and is replayed as rank 0
};

// Beyond these a file is refused.
inline constexpr std::size_t kMostTraceBytes = std::size_t{4} << 30;  // uncompressed
inline constexpr std::size_t kMostTraceRanks = 65'536;
inline constexpr std::uint64_t kMostElements = std::uint64_t{1} << 40;  // of a call

// Lines of a trace, each with its end. Groups have numbers of the writer's choice.
struct TraceHead {
  int nranks = 0;
  std::string program{}, backend{};
};
std::string line_of(const TraceHead& head);
std::string group_line(std::int64_t number, const std::vector<int>& ranks);
std::string step_line(int rank, const TimeSpan& step);
// `tag`: what Call::purpose is made of. Call::group counts for nothing.
std::string call_line(int rank, std::int64_t group, const Call& call, const Tag& tag);

// Whether a text begins with the line comm_trace, whoever wrote it.
bool is_comm_trace(std::string_view text);
// Refused, with the number of the line: what is cut, or makes no sense.
Result<CommTrace> read_comm_trace(std::string_view text);

}  // namespace linerate::replay
