// What the ranks of one group share: flags, what each publishes for a call, and small payloads.
#pragma once

#include "backends/host/arena.h"
#include "backends/host/waiting.h"
#include "base/clock.h"
#include "base/pages.h"
#include "comm/op.h"

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>

namespace linerate::host {

inline constexpr std::size_t kLinePair = 128;  // adjacent-line prefetchers fetch two lines at once
// Of a call's payload that travels with its flag. With it, a cell has an odd number of line pairs,
// so that the first lines of a rank's cells fall into different sets of a cache.
inline constexpr std::size_t kEagerBytes = 16728;
inline constexpr std::size_t kInlineBytes = 2048;  // the same of a message between two ranks
// Of a longer message that its sender leaves in its outbox instead of waiting for the receiver.
inline constexpr std::size_t kOutboxBytes = std::size_t{32} << 10;

// Where the buffers of a rank are that its peers touch in this call.
struct ExposedBuffers {
  Location send{};
  Location recv{};
  Location scratch{};
  double premul = 1.0;
};

// What a rank says about the call that it has entered. Written by its rank, then `entered`, which
// publishes it. Short payloads share the flag's line, and `exposed` always does.
struct alignas(kLinePair) Cell {
  Signal entered;               // the number of the call that this cell describes
  std::uint64_t signature = 0;  // of kind, type, operator, root and algorithm: equal on all ranks
  std::uint64_t count = 0;
  union {
    ExposedBuffers exposed;                           // of a call that touches buffers
    std::byte payload[sizeof(double) + kEagerBytes];  // of an eager one, after its factor if any
  };
};
static_assert(offsetof(Cell, exposed) + sizeof(ExposedBuffers) <= kLineBytes);
static_assert(sizeof(Cell) / kLinePair % 2 == 1);

// How far a rank may be ahead of others that still read: so many cells and messages are used in
// turn. A root whose calls nobody answers runs ahead; that hides its way to them, and where ranks
// share cores, many calls share a switch (64 against 32, broadcast of 8 B: 1.2 times as fast with 2
// ranks, 1.3 with 4 on 2 cores; all other calls of up to 8 KiB take within 8 % of the time with
// 32).
inline constexpr std::uint64_t kCells = 64;
inline constexpr std::uint64_t kMessages = 8;

// One rank's part.
struct alignas(kLinePair) Slot {
  Cell cells[kCells];
  alignas(kLinePair) Signal progress;  // see progress_at()
  Flag stopped;                        // not 0: this rank has left the group by an error
  std::atomic<int> core;               // at its last barrier: CoreMark in cores.h

  Cell& cell_for(std::uint64_t call) { return cells[call % kCells]; }
};

// The value of Slot::progress once a rank has done `steps` steps of a call, or all of it: then it
// touches no peer's memory in this call any more.
inline constexpr unsigned kStepBits = 20;
constexpr std::uint64_t progress_at(std::uint64_t call, std::uint64_t steps) {
  return call << kStepBits | steps;
}
constexpr std::uint64_t progress_at_end(std::uint64_t call) { return progress_at(call + 1, 0) - 1; }

// Written by the sender, then `posted`.
struct alignas(kLinePair) Message {
  Signal posted;  // the number of this message between the two ranks
  // Private memory only: this message's number until the receiver takes (0) or the sender, when it
  // is aborted, revokes it (also 0): whoever sets 0 may go on.
  Flag offered;
  std::uint64_t bytes = 0;
  Location data;
  std::byte payload[kInlineBytes];
  // On an emulated network: when the sender posted it, and when the receiver had it (emulation/).
  ModeledTime posted_at{};
  ModeledTime arrived_at{};
};

// From one rank to one other, in order.
struct alignas(kLinePair) Mailbox {
  Message messages[kMessages];
  alignas(kLinePair) Signal taken;  // the last message that the receiver is through with
};

// Copies of what a rank has sent, to any other: so many are used in turn.
struct alignas(kLinePair) Outbox {
  std::byte messages[kMessages][kOutboxBytes];
};

// What all_to_all_v tells one peer about the bytes that it may fetch.
struct Offer {
  std::uint64_t offset = 0;
  std::uint64_t bytes = 0;
};

struct alignas(kLinePair) GroupHeader {
  Flag attached;                       // ranks that still use the block
  alignas(kLinePair) Flag aborted_by;  // world rank + 1; 0: nobody. Read often, written once
};

// The block at one offset of the arena: header, slots [nranks], mailboxes [nranks][nranks],
// outboxes [nranks], offers [nranks][nranks]. A page that is never touched takes no memory: of 4
// KiB, but of 2 MiB where ranks are threads and get huge pages. All zero bytes are its initial
// state, but for the attached count.
class ControlBlock {
 public:
  static std::size_t bytes(int nranks) {
    const auto n = static_cast<std::size_t>(nranks);
    return bytes_of_calls(nranks) + n * n * (sizeof(Mailbox) + sizeof(Offer)) + n * sizeof(Outbox);
  }
  // The part that collectives use: header and slots, at the front.
  static std::size_t bytes_of_calls(int nranks) {
    return sizeof(GroupHeader) + static_cast<std::size_t>(nranks) * sizeof(Slot);
  }

  ControlBlock(std::byte* memory, int nranks)
      : memory_(memory), nranks_(static_cast<std::size_t>(nranks)) {}

  GroupHeader& header() const { return *reinterpret_cast<GroupHeader*>(memory_); }
  Slot& slot(int rank) const { return slots()[rank]; }
  Mailbox& mailbox(int from, int to) const { return mailboxes()[pair(from, to)]; }
  Outbox& outbox(int rank) const { return outboxes()[rank]; }
  // What `from` tells `to`.
  Offer& offer(int from, int to) const { return offers()[pair(from, to)]; }

 private:
  std::size_t pair(int from, int to) const {
    return static_cast<std::size_t>(from) * nranks_ + static_cast<std::size_t>(to);
  }
  Slot* slots() const { return reinterpret_cast<Slot*>(memory_ + sizeof(GroupHeader)); }
  Mailbox* mailboxes() const { return reinterpret_cast<Mailbox*>(slots() + nranks_); }
  Outbox* outboxes() const { return reinterpret_cast<Outbox*>(mailboxes() + nranks_ * nranks_); }
  Offer* offers() const { return reinterpret_cast<Offer*>(outboxes() + nranks_); }

  std::byte* memory_;
  std::size_t nranks_;
};

// A hint for every line that [memory, memory + bytes) touches: returns at once, and changes nothing
// but the time that later stores take.
inline void prefetch_for_writing(const std::byte* memory, std::size_t bytes) {
  const std::byte* const end = memory + bytes;
  for (memory -= reinterpret_cast<std::uintptr_t>(memory) % kLineBytes; memory < end;
       memory += kLineBytes) {
#if defined(__x86_64__)
    // What __builtin_prefetch(p, 1) becomes only where the compiler is told of this instruction.
    asm volatile("prefetchw %0" : : "m"(*memory));
#else
    __builtin_prefetch(memory, 1);
#endif
  }
}

// The same for a message of `bytes` that begins with its flag: the lines behind the flag's, which
// goes to the peers that look at it again whatever is done here (measured: no difference), and of a
// short one nothing, because there is nothing to save.
inline void prefetch_message(const std::byte* flag, std::size_t bytes) {
  if (bytes > 2 * kLineBytes) prefetch_for_writing(flag + kLineBytes, bytes - kLineBytes);
}

// The same for what a short call will write, unless the last one wrote there: lines that no cache
// has come while the peer is waited for (2 ranks, cold buffers: sendrecv of 32 B and all_gather of
// 128 B take three quarters of the time). Of one rank; used by one thread.
class ResultPrefetch {
 public:
  void expect(ConstView result) {
    if (result.data() == last_) return;
    last_ = result.data();
    fetch(result);
  }

 private:
  // Apart: inlined, it makes longer calls, which never come here, 5 % slower.
  [[gnu::noinline]] static void fetch(ConstView result) {
    constexpr std::size_t kMaxBytes = 2048, kMaxLines = 8;  // from 8 KiB on it would cost
    if (result.size() <= kMaxBytes)
      prefetch_for_writing(result.data(), std::min(result.size(), kMaxLines * kLineBytes));
  }

  const std::byte* last_ = nullptr;
};

}  // namespace linerate::host
