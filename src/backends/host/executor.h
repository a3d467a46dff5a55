// Runs schedules: the one place in which collectives touch other ranks' buffers.
#pragma once

#include "backends/host/peer_memory.h"
#include "backends/host/region.h"
#include "backends/host/schedule/compiled.h"
#include "backends/host/streaming.h"
#include "backends/host/team.h"
#include "comm/op.h"
#include "devices/cpu/reduce.h"

#include <array>
#include <cstddef>
#include <memory>
#include <vector>

namespace linerate::host {

// Of one communicator; used by the thread that uses it. Schedules and scratch memory are kept, so
// that a call which was made before allocates nothing.
class Executor {
 public:
  // `team` and `streaming` outlive this.
  Executor(Team& team, std::shared_ptr<Region> region, Streaming& streaming);

  // What this rank does; kept until kKept others were asked for. REQUIRES: `algorithm` has a
  // schedule for the problem, and all ranks name the same one. nranks and groups are always alike.
  const CompiledSchedule& schedule_for(const Problem& problem, const Algorithm& algorithm);

  // REQUIRES: buffers that peers touch are in the arena, or the team shares one address space or
  // attaches.
  void run(const Op& op, const CompiledSchedule& schedule);

  // Steps with several results work on blocks of at most so many bytes.
  static constexpr std::size_t kBlockBytes = std::size_t{16} << 10;

 private:
  struct Key {
    const Algorithm* algorithm = nullptr;
    std::size_t count = 0;
    std::size_t element_bytes = 0;
    OpKind kind{};
    int root = 0;

    friend bool operator==(const Key&, const Key&) = default;
  };
  struct Kept {
    Key key;
    std::unique_ptr<const CompiledSchedule> schedule;
  };

  // Where a step's result goes, from the current block on.
  struct Dest {
    std::byte* address = nullptr;
    Stores stores = Stores::cached;
    void store(const std::byte* from, std::size_t bytes);
  };

  void perform(const Op& op, const CompiledSchedule::View& step, Stores stores);
  Dest dest_of(const Op& op, const CompiledSchedule::View& step, std::size_t i,
               Stores stores) const;
  void copy(const Op& op, const CompiledSchedule::View& step);
  void reduce(const Op& op, const CompiledSchedule::View& step);
  static bool copies_only(const Op& op, const CompiledSchedule::View& step);
  ReduceSpec spec_of(const Op& op, const CompiledSchedule::View& step);
  PeerBytes bytes_at(const Place& place, std::size_t element_bytes) const;
  bool is_far(const CompiledSchedule::View& step) const;
  void perform_far(const Op& op, const CompiledSchedule::View& step, Stores stores);
  void perform_far_block(const ReduceSpec* spec, const Range& range, Stores stores);

  static constexpr std::size_t kKept = 64;  // a sweep uses one at a time, a trainer dozens

  Team& team_;
  std::shared_ptr<Region> region_;
  Streaming& streaming_;
  std::vector<Kept> kept_;
  std::size_t recent_ = 0;  // of the latest call
  std::size_t oldest_ = 0;
  Buffer scratch_;
  std::vector<const std::byte*> sources_;
  std::vector<Dest> dests_;
  std::vector<double> factors_;
  alignas(64) std::array<std::byte, kBlockBytes> room_;  // a block on its way to streaming stores
  Buffer far_room_;  // blocks that come from and go to other processes' private memory
  std::vector<PeerBytes> far_from_, far_to_;
};

}  // namespace linerate::host
