// The calls of one case on this thread's ranks, prepared so that the timed loop only moves
// pointers.
#pragma once

#include "bench/layout.h"
#include "bench/session.h"
#include "comm/stream.h"

#include <cstddef>
#include <span>
#include <vector>

namespace linerate {

// Everything about one case and placement on this thread; the same order of ranks as the session's.
struct CaseOnThread {
  Case what{};
  Placement placement = Placement::out_of_place;
  std::vector<Sizing> sizings{};  // per local rank, within its group
  std::vector<Layout> layouts{};
  std::vector<std::vector<Range>> send_ranges{}, recv_ranges{};  // all_to_all_v only
  std::size_t sliding_slots = 1;  // that every rank of the thread has
  bool uses_spare = false;        // every rank of the run has a spare slot
};

// Issues the calls of the case on all ranks of the thread, on the slot it is given.
class CallIssuer {
 public:
  CallIssuer(Session& session, const CaseOnThread& on_thread);

  // One call.
  void once(std::size_t slot) {
    start_group();
    add(slot);
    end_group();
  }
  // Several calls fused, as far as the collective's steps allow: start_group(), add() for each,
  // end_group().
  void start_group();
  void add(std::size_t slot);
  void end_group();
  void synchronize();  // waits until all ranks' streams are done

 private:
  struct Prepared {
    Communicator* comm;
    Call call;
    const std::byte* send;  // of slot 0
    std::byte* recv;
    const std::byte* spare_send;  // of the spare slot, where there is one
    std::byte* spare_recv;
    std::size_t stride;
    int steps;
  };
  void add_steps();

  Group* const group_;  // null: every call stands alone
  const Collective& collective_;
  int steps_ = 1;  // the most of this thread's ranks
  std::vector<Stream*> streams_;
  std::vector<Prepared> prepared_;
};

// Waits until all streams of a thread are idle. Each is asked what went wrong in turn, idle or not:
// the call of one rank may wait for that of another, whose stream alone tells. Throws what the
// streams do.
void wait_for_all(std::span<Stream* const> streams);

}  // namespace linerate
