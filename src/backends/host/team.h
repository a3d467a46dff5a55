// One rank's view of its group: entering and leaving calls, and where the peers' buffers are.
#pragma once

#include "backends/host/arena.h"
#include "backends/host/control.h"
#include "backends/host/cores.h"
#include "backends/host/emulation/network_cost.h"
#include "backends/host/host_backend.h"
#include "backends/host/peer_memory.h"
#include "backends/host/schedule/schedule.h"
#include "backends/host/waiting.h"
#include "comm/op.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace linerate::host {

// The protocol of a call that touches peers' buffers: enter() publishes one's own; see() waits for
// peers; start_touching() comes before the first access to a peer's buffer, and leave() after the
// last. Between them, announce() and await() order the ranks' steps. A call whose data fit into
// payloads is enter_with(), see() and nothing else. Every rank makes the same calls in the same
// order.
//
// Cells need no acknowledgement: a cell is written again kCells calls later, and begin() first
// makes sure that all ranks have entered the call after the one that it told of, and so have ended
// that one.
//
// Used by one thread at a time, but for abort().
class Team {
 public:
  // What makes one rank's team, and those of its splits.
  struct Setup {
    std::shared_ptr<const Arena> arena;
    std::size_t control_offset = 0;  // of the group's control block; 0: the world's
    int rank = 0;                    // in the group
    std::vector<int> world_ranks;    // of each rank of the group
    std::vector<int> processes;      // of each rank: equal numbers share an address space
    std::vector<pid_t> pids{};       // of each rank: reachable_processes()
    std::size_t attach_bytes = HostOptions::kNever;  // as HostOptions has it
    SpinPolicy spin_policy;
    bool ranks_stay = false;       // each on the core that it has at its first barriers
    const Clock* clock = nullptr;  // outlives the team
  };

  explicit Team(Setup setup);
  ~Team();
  Team(const Team&) = delete;
  Team& operator=(const Team&) = delete;

  int rank() const { return setup_.rank; }
  int nranks() const { return nranks_; }
  const Setup& setup() const { return setup_; }
  const Arena& arena() const { return *setup_.arena; }
  const ControlBlock& control() const { return control_; }
  Waiting& waiting() { return waiting_; }
  bool spans_processes() const { return spans_processes_; }
  // Whether other processes cannot address `data`: it is not in the arena.
  bool is_private(const std::byte* data) const {
    return spans_processes_ && data != nullptr && !arena().contains(data);
  }
  // Whether ranks reach private memory of other processes, and not the arena alone.
  bool attaches() const { return !setup_.pids.empty(); }

  // What calls cost on the emulated network; null: none is emulated. It outlives the team's calls.
  NetworkCost* network() const { return network_; }
  void set_network(NetworkCost* network) { network_ = network; }

  // Begins the next call; the buffers of `op` and `scratch` are open to all until leave().
  // `variant` tells apart ways of doing the same, on which the ranks must agree.
  void enter(const Op& op, const std::byte* scratch = nullptr, int variant = 0);
  // Begins the next call with the payload, `first` and `second`, for all to read. REQUIRES: they
  // fit into a cell.
  void enter_with(const Op& op, ConstView first, ConstView second = {});
  // While there is something to wait for: the cell of the next call, which peers have read, becomes
  // this core's own again, `bytes` of its payload. Programs repeat calls.
  void prefetch_next_cell(std::size_t bytes) const;

  // Waits until `peer` has entered this call. Throws Error when it has entered another one.
  void see(int peer) {
    const Cell& cell = cell_of(peer);
    waiting_.until(cell.entered, call_);
    if (cell.signature != signature_ || cell.count != count_) throw_mismatch(peer);
  }
  void see(std::span<const int> peers) {
    for (const int peer : peers) see(peer);
    if (peers.size() == peers_.size()) joined_ = call_;
  }
  // Every rank but this one.
  std::span<const int> peers() const { return peers_; }

  // What a peer that has been seen gave.
  const std::byte* payload_of(int peer) const { return cell_of(peer).payload; }
  const ExposedBuffers& buffers_of(int peer) const { return cell_of(peer).exposed; }
  // Where a buffer of `peer` is.
  PeerBytes bytes_at(int peer, Location where) const {
    if (!where.is_private() || !attaches()) return {arena().address_of(where)};
    const int world_rank = setup_.world_ranks[static_cast<std::size_t>(peer)];
    return {where.address(), pid_of(peer), world_rank};
  }
  double premul_of(int peer) const { return cell_of(peer).exposed.premul; }

  // From here to leave() the buffers of `peers` stay: their owners wait for this rank even when the
  // call is aborted. REQUIRES: they have been seen. Throws Aborted after an abort. Yields whether
  // some of their buffers are private to another process.
  bool start_touching(std::span<const int> peers);

  // Says that this rank has done so many steps of the call; what it wrote in them is visible to
  // those who await them.
  void announce(std::uint32_t steps) { own_slot().progress.set(progress_at(call_, steps)); }
  void await(std::span<const Wait> waits) {
    for (const Wait& wait : waits)
      waiting_.until(control_.slot(wait.rank).progress, progress_at(call_, wait.steps));
  }
  // This rank touches no peer's buffer any more; waits until its own buffers are its own again.
  void leave(std::span<const Wait> last) {
    own_slot().progress.set(progress_at_end(call_));
    await(last);
    exposed_ = false;
    if (network_ != nullptr) network_->end_call(last);
  }
  // The same where every peer may touch them.
  void leave();

  // All ranks enter; on the return of each, all have, and where there are enough cores none was
  // put onto another's.
  void barrier();

  // Any thread, any time: ends all calls of the group, or of the world for the first group.
  void abort() noexcept;

  // After an exception out of a call: aborts the group, and returns when no thread of this process,
  // nor another process, touches this rank's own memory any more, so that the caller may free it.
  // It returns after 5 s at the latest: of a peer that is in another call it never learns that.
  void give_up() noexcept;

  // Whether `peer` was of another process, which is no more.
  bool has_lost(int peer) const {
    return attaches() && pid_of(peer) != 0 && has_ended(pid_of(peer));
  }

 private:
  pid_t pid_of(int peer) const { return setup_.pids[static_cast<std::size_t>(peer)]; }
  const Cell& cell_of(int peer) const { return control_.slot(peer).cell_for(call_); }
  Slot& own_slot() const { return control_.slot(setup_.rank); }
  Cell& begin(std::uint64_t signature, std::uint64_t count, bool exposes);
  void publish(Cell& cell) { cell.entered.set(call_); }
  void join(std::uint64_t call);
  bool has_private_buffers(int peer) const {
    const ExposedBuffers& exposed = cell_of(peer).exposed;
    return exposed.send.is_private() || exposed.recv.is_private();
  }
  void confirm_entry();
  void keep_apart(const CoreMark& own);
  bool through_with_us(int peer) const;
  [[noreturn]] void throw_mismatch(int peer) const;

  const Setup setup_;
  const int nranks_;
  const ControlBlock control_;
  Waiting waiting_;
  const bool spans_processes_;
  std::vector<int> peers_;
  std::vector<CoreMark> marks_;  // of all ranks at the last barrier
  std::vector<int> cores_;       // of the peers
  OwnCore own_core_;
  NetworkCost* network_ = nullptr;
  std::uint64_t call_ = 0;       // the number of the current or last call
  std::uint64_t joined_ = 0;     // the last call that all ranks are known to have entered
  bool exposed_ = false;         // peers may touch this rank's buffers
  bool is_private_ = false;      // some of these are outside of the arena
  std::uint64_t signature_ = 0;  // of the current call
  std::uint64_t count_ = 0;
};

}  // namespace linerate::host
