// One rank's view of its group: entering and leaving calls, and where the peers' buffers are.
#pragma once

#include "backends/host/arena.h"
#include "backends/host/control.h"
#include "backends/host/waiting.h"
#include "comm/op.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace linerate::host {

// The protocol of a call that touches peers' buffers: enter() publishes one's own; see() or
// see_all() wait for peers; start_touching() comes before the first access to a peer's buffer, and
// leave() or leave_at_once() after the last. A call whose data fit into payloads is enter_with(),
// see() and nothing else. Every rank makes the same calls in the same order.
//
// Slots need no acknowledgement: a cell is written again two calls later, and enter() first makes
// sure that all ranks have entered the call between, and so have ended the one that read the cell.
//
// Used by one thread at a time, but for abort().
class Team {
 public:
  struct Setup {
    std::shared_ptr<const Arena> arena;
    std::size_t control_offset = 0;
    int rank = 0;
    std::vector<int> world_ranks;  // of each rank of the group
    std::vector<int> processes;    // of each rank: equal numbers share an address space
    Patience patience;
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

  // Begins the next call; the buffers of `op` are open to all until leave().
  void enter(const Op& op) { begin(call_from(op), {}, true); }
  // Begins the next call with `payload` (at most kEagerBytes) for all to read.
  void enter_with(const Op& op, ConstView payload) { begin(call_from(op), payload, false); }

  // Waits until `peer` has entered this call. Throws Error when it has entered another one.
  const Call& see(int peer) {
    const Cell& cell = cell_of(peer);
    waiting_.until(cell.entered, call_);
    if (cell.call.signature != own_.signature || cell.call.count != own_.count)
      throw_mismatch(peer, cell.call);
    return cell.call;
  }
  void see_all() {
    for (int peer = 0; peer < nranks_; ++peer) see(peer);
    joined_ = call_;
  }

  // What a peer that has been seen gave.
  const std::byte* payload_of(int peer) const { return cell_of(peer).payload; }
  std::byte* send_of(int peer) const { return arena().address_of(cell_of(peer).call.send); }
  std::byte* recv_of(int peer) const { return arena().address_of(cell_of(peer).call.recv); }
  double premul_of(int peer) const { return cell_of(peer).call.premul; }

  // From here to leave() the buffers of `peer`, or of all, stay: their owners wait for this rank
  // even when the call is aborted. REQUIRES: they have been seen. Throws PeerFailure after an
  // abort.
  void start_touching(int peer);
  void start_touching();
  // Says that this rank touches no peer's buffer any more.
  void stop_touching() { own_slot().done.store(call_, std::memory_order_release); }
  // Waits until `peer`, or everybody, is through with this rank's buffers.
  void wait_for(int peer) { waiting_.until(control_.slot(peer).done, call_); }
  void leave() {
    stop_touching();
    for (int peer = 0; peer < nranks_; ++peer) wait_for(peer);
    exposed_ = false;
  }
  // The same for a rank whose buffers nobody touches in this call.
  void leave_at_once() {
    stop_touching();
    exposed_ = false;
  }

  // All ranks enter; on the return of each, all have.
  void barrier();

  // Any thread, any time: ends all calls of the group, or of the world for the first group.
  void abort() noexcept;

  // After an exception out of a call: aborts the group, and returns when no thread of this process
  // touches this rank's buffers any more, so that the caller may free them. It returns after 5 s
  // at the latest: of a peer that is in another call it never learns that.
  void give_up() noexcept;

  // Room for one pointer and one factor for each rank, so that calls allocate nothing.
  std::span<const std::byte*> pointers() { return pointers_; }
  std::span<double> factors() { return factors_; }

 private:
  const Cell& cell_of(int peer) const { return control_.slot(peer).cells[call_ & 1]; }
  Slot& own_slot() const { return control_.slot(setup_.rank); }
  Call call_from(const Op& op) const;
  void begin(const Call& call, ConstView payload, bool exposes);
  void join();
  bool has_private_buffers(int peer) const {
    const Call& call = cell_of(peer).call;
    return peer != rank() && (call.send.is_private() || call.recv.is_private());
  }
  void confirm_entry();
  bool through_with_us(int peer) const;
  [[noreturn]] void throw_mismatch(int peer, const Call& theirs) const;

  const Setup setup_;
  const int nranks_;
  const ControlBlock control_;
  Waiting waiting_;
  const bool spans_processes_;
  std::uint64_t call_ = 0;    // the number of the current or last call
  std::uint64_t joined_ = 0;  // the last call that all ranks are known to have entered
  bool exposed_ = false;      // peers may touch this rank's buffers
  Call own_;                  // of the current call
  std::vector<const std::byte*> pointers_;
  std::vector<double> factors_;
};

}  // namespace linerate::host
