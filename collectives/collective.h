// What a collective is, in one row: sizes, bus factor, launch, and the result it must give.
//
// Each row is a file of its own; table.cc lists them and has the arithmetic that all share. The
// row's expect() describes the result to an Oracle: verification and the closed forms of src/model
// start from it. traffic.h holds the blocks of all_to_all_v. A new collective:
// docs/add-a-collective.md.
#pragma once

#include "comm/communicator.h"
#include "comm/content.h"
#include "comm/data_type.h"

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace linerate {

// Elements that rank `src` sends to rank `dst` in all_to_all_v, row by row; null for all others.
class TrafficMatrix;

// The question asked of a collective's shape. `count` is the row's count column: elements as the
// API of the collective counts them.
struct Sizing {
  std::size_t count = 0;
  int rank = 0;
  int nranks = 1;
  const TrafficMatrix* traffic = nullptr;  // all_to_all_v only
  DataType type = DataType::float32;       // all_to_all_v with a matrix of bytes only
};

// Elements of one rank's buffers. In place both live in one buffer of max(sendcount + send_offset,
// recvcount + recv_offset) elements, at these offsets; out of place at offset 0 of their own.
struct Shape {
  std::size_t sendcount = 0;
  std::size_t recvcount = 0;
  std::size_t in_place_send_offset = 0;
  std::size_t in_place_recv_offset = 0;
};

// One launch on one rank.
struct Call {
  Buffers buffers{};
  Reduction reduction{};
  int root = 0;
  std::span<const Range> send_ranges{};  // all_to_all_v, prepared before the timing
  std::span<const Range> recv_ranges{};
  Stream* stream = nullptr;
  int step = 0;  // of Collective::steps
};

// Collects what one rank's receive buffer must hold, in terms of the ranks' known inputs.
class Oracle {
 public:
  struct Situation {
    int rank = 0;
    int root = 0;
  };
  // Elements [offset, offset + count) of recv equal elements [source_index, …) of `source_rank`'s
  // input, or of the reduction over all ranks when source_rank is kReduction.
  struct Segment {
    std::size_t offset = 0;
    std::size_t count = 0;
    int source_rank = 0;
    std::size_t source_index = 0;
  };
  static constexpr int kReduction = -1;

  explicit Oracle(Situation situation) : situation_(situation) {}

  int root() const { return situation_.root; }
  bool is_root() const { return situation_.rank == root(); }

  void copy(const Segment& segment) {
    if (segment.count > 0) segments_.push_back(segment);
  }
  void reduce(std::size_t offset, std::size_t count, std::size_t source_index) {
    copy({offset, count, kReduction, source_index});
  }
  // Ascending by offset, without overlap. What no segment covers must be untouched.
  const std::vector<Segment>& segments() const& { return segments_; }
  void segments() const&& = delete;  // they would outlive their oracle

 private:
  Situation situation_;
  std::vector<Segment> segments_;
};

// One row of collectives/table.cc.
struct Collective {
  std::string_view name;     // all_to_all
  std::string_view binary;   // alltoall_perf
  std::string_view summary;  // for --list and the docs: one line
  bool rooted = false;
  bool reduces = false;
  bool in_place = true;           // false: in place is timed but undefined, so it prints N/A
  std::string_view redop = "";    // the redop column where nothing is reduced: "none", or "sum"
  bool divides_by_ranks = false;  // count = (bytes / element / nranks) rounded down to 16 bytes

  bool chooses = true;  // false: made of calls between two ranks, which no algorithm is chosen for

  bool varies = false;  // ranks differ in what they send and receive: it needs a TrafficMatrix

  Shape (*shape)(const Sizing&) = nullptr;
  // Elements that algbw is computed from, where they are not those of the size column; null: they
  // are. See algbw_count().
  std::size_t (*counted)(const Sizing&) = nullptr;
  // busbw = algbw * bus_factor; derived in docs/performance.md.
  double (*bus_factor)(int nranks) = nullptr;
  // A sentence when `nranks` ranks cannot run it; null function: any number can.
  std::optional<std::string> (*refusal)(int nranks) = nullptr;
  // Steps that must not run at once, because each needs what the one before has brought; null
  // function: one. What a Group fuses runs at once, so no group holds more than one step.
  int (*steps)(int nranks) = nullptr;
  void (*launch)(Communicator&, const Call&) = nullptr;  // step call.step
  // `sizing.count` as above; describes recv of sizing.rank.
  void (*expect)(Oracle&, const Sizing& sizing) = nullptr;
};

// The steps of a launch on `nranks` ranks.
inline int steps_of(const Collective& collective, int nranks) {
  return collective.steps == nullptr ? 1 : collective.steps(nranks);
}

// Every collective, in the order of the docs.
std::span<const Collective* const> all_collectives();

// The row with this name, or its binary's, in anyone's spelling: all_reduce, allreduce, AllReduce,
// all-reduce, all_reduce_perf. Null when there is none.
const Collective* find_collective(std::string_view name);

inline constexpr std::size_t kGrainBytes = 16;  // nccl-tests rounds a rank's share down to this

// The count column for a requested size; rounded down to kGrainBytes per rank.
std::size_t count_of(const Collective& collective, std::size_t bytes, DataType type, int nranks);

// Elements that algbw is computed from (nccl_tests' "algbw bytes" / element size).
std::size_t algbw_count(const Collective& collective, const Sizing& sizing);

// The size column: the larger of send and recv bytes, maximum over ranks.
std::size_t row_bytes(const Collective& collective, const Sizing& sizing, DataType type);

}  // namespace linerate
