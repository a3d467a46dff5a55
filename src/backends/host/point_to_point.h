// send, recv and send_recv: a mailbox for each ordered pair of ranks.
#pragma once

#include "backends/host/streaming.h"
#include "backends/host/team.h"
#include "comm/op.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace linerate::host {

// Messages between two ranks keep their order. Small ones are left in the mailbox, and the sender
// goes on unless kMessages of them lie there already; of larger ones it leaves the address, from
// which the receiver copies, and waits. Where ranks share cores, that wait is a switch: the address
// may then be that of a copy, and the sender goes on. Used by the thread that uses the team.
class PointToPoint {
 public:
  // `team` and `streaming` outlive this.
  PointToPoint(Team& team, Streaming& streaming);

  // REQUIRES: op.kind is send, recv or send_recv; what is sent is in the arena, or the team shares
  // one address space; send and recv do not overlap. Where the two sides' sizes differ, the
  // receiver throws Error and aborts the group, and so a sender that still waits Aborted.
  void run(const Op& op);

  // The same of all of `ops` at once, none of which waits for another (point_to_point_batch.cc).
  void run_batch(std::span<const Op> ops);

  // Whether the receiver copies `bytes` from an address that the sender leaves.
  bool reads_sender(std::size_t bytes) const { return bytes > most_inline_; }
  // Whether run(), which unlike run_batch() may send a copy, gives away the address of `data`.
  bool exposes(ConstView data) const { return reads_sender(data.size()) && !leaves_copy(data); }

 private:
  // One message of the current call, by its number between the two ranks.
  struct Sent {
    int dest = 0;
    ConstView data{};
    std::uint64_t number = 0;
    bool copied = false;  // `data` is in the outbox
  };
  struct Received {
    int source = 0;
    View data{};
    std::uint64_t number = 0;
  };
  class Batch;
  // What lies at a place of the outbox: free again once `dest` has taken it.
  struct Left {
    int dest = 0;
    std::uint64_t number = 0;
  };

  void begin();
  bool leaves_copy(ConstView data) const;
  void copy_to_outbox(Sent& sent);
  Sent next_sent(int dest, ConstView data);
  Sent post(int dest, ConstView data);
  void put(Message& out, const Sent& sent);
  void prefetch_next(int dest, std::size_t bytes) const;
  void finish_send(const Sent& sent);
  void withdraw(const Sent& sent) noexcept;
  void receive(int source, View data, Stores stores);
  void fetch(Message& in, const Received& received, Stores stores);
  void take(Mailbox& box, const Received& received, Stores stores);
  [[noreturn]] void throw_other_size(const Received& received, std::size_t sent_bytes) const;

  Mailbox& mailbox_to(int dest) const { return team_.control().mailbox(team_.rank(), dest); }
  Mailbox& mailbox_from(int source) const { return team_.control().mailbox(source, team_.rank()); }
  Message& message(Mailbox& box, std::uint64_t number) const {
    return box.messages[number % kMessages];
  }

  Team& team_;
  Streaming& streaming_;
  ResultPrefetch result_;
  const std::size_t most_inline_;           // the same on both sides
  std::array<Left, kMessages> left_{};      // in the outbox
  std::size_t next_place_ = 0;              // there
  std::vector<std::uint64_t> sent_;         // number of the last message, for each rank
  std::vector<std::uint64_t> known_taken_;  // the last message that each is known to have taken
  std::vector<std::uint64_t> received_;
};

}  // namespace linerate::host
