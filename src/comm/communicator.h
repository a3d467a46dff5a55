// One rank's endpoint of a group of ranks: enqueues collectives and point-to-point calls.
//
// The interfaces between benchmarks and what moves the data:
//   communicator, op       a call, and what it works on (buffer, data_type, content)
//   inspector              what a communicator tells of itself, and how it is steered
//   device, stream         where memory is, and the queue in which work is done
//   backend, plugin        what makes communicators, built in or in a shared library
//   bootstrap              out-of-band exchange between ranks
//   call_order, split, comm_decorator   for implementers: calls in order, ranks of a split, and
//                          communicators around others
#pragma once

#include "base/error.h"
#include "comm/buffer.h"
#include "comm/device.h"
#include "comm/inspector.h"
#include "comm/op.h"
#include "comm/stream.h"

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>

namespace linerate {

// The buffers of a call and what is in them; the meaning of `count` is Op's.
struct Buffers {
  ConstView send{};
  View recv{};
  std::size_t count = 0;
  DataType type = DataType::float32;
  Tag tag{};
};

struct Reduction {
  RedOp op = RedOp::sum;
  double premul = 1.0;
};

// A buffer that a communicator's library knows, until this ends. REQUIRES: it ends before the
// buffer and the communicator do.
class Registration {
 public:
  virtual ~Registration() = default;

  // False where the library took the call and did nothing. Within a Group known at its end.
  virtual bool effective() const { return true; }
};

enum class RegistrationKind {
  local,      // each rank for itself
  symmetric,  // all ranks together: a window at the same place of each
};

// What every backend must do for a rank. Used by one thread at a time, but for stop_calls(),
// abort() and calls_begun(), which any thread may call at any moment.
// Calls on one communicator keep their order over all streams; calls on different communicators of
// one rank may run at once, on different streams. A call throws Aborted where a rank aborted the
// communicator (PeerFailure where the library cannot tell: Gloo), PeerFailure where a peer is lost:
// from the function where the stream is inline, else from the stream.
class Communicator {
 public:
  Communicator() = default;
  virtual ~Communicator() = default;
  Communicator(const Communicator&) = delete;
  Communicator& operator=(const Communicator&) = delete;

  virtual int rank() const = 0;
  virtual int nranks() const = 0;
  virtual Device& device() = 0;

  // Starts `op`; on an inline stream it is complete on return. Send and recv views must stay valid
  // until then. REQUIRES: the views hold extent_of(op, rank(), nranks()); peer and source are
  // ranks.
  virtual void enqueue(const Op& op, Stream& stream) = 0;

  // Starts all of `ops`, which are sends and receives, at once: none waits for another, so that any
  // pattern of messages goes without deadlock, at any size. Messages from one rank to another match
  // in their order, in batches and in calls alike. One call of this communicator. REQUIRES: as
  // enqueue(); no op's recv overlaps another view of the batch.
  virtual void enqueue_batch(std::span<const Op> ops, Stream& stream) = 0;

  // Memory that this communicator's backend moves fastest; usable with every other one too.
  // First touched by the calling thread. The buffer may outlive the communicator.
  virtual Buffer allocate(std::size_t bytes, MemoryKind kind) = 0;

  // Collective over all ranks where it is symmetric; between start and end of a Group where a
  // thread drives several ranks. REQUIRES: `buffer` is of allocate(). Throws Unavailable where the
  // backend or its library cannot.
  virtual std::unique_ptr<Registration> register_buffer(const Buffer& buffer,
                                                        RegistrationKind kind);

  // Ranks of one colour form a new communicator, ordered by (key, rank); null for colour < 0.
  // Collective over all ranks.
  virtual std::unique_ptr<Communicator> split(int color, int key) = 0;

  // Returns on all ranks once all have entered and this rank's own calls are complete: the tightest
  // alignment that the backend has.
  virtual void barrier() = 0;

  // An error of earlier calls that has not been thrown yet.
  virtual std::optional<Error> async_error() { return std::nullopt; }

  // Some time before abort(): from now on each new call throws Aborted. True where abort()
  // frees what a call uses that has begun and not returned yet, so that who aborts waits a moment
  // for it.
  virtual bool stop_calls() noexcept { return false; }

  // Ends this rank's pending calls with Aborted, and with them those of all ranks that wait for
  // it. A backend that cannot (MPI) leaves the calls and relies on Bootstrap::abort.
  virtual void abort() noexcept = 0;

  // How many calls this rank has begun, barriers included: tells who is behind.
  virtual std::uint64_t calls_begun() const noexcept {
    return calls_begun_.load(std::memory_order_relaxed);
  }

  // What describes and steers it; lives as long.
  virtual Inspector& inspector() = 0;

  // The backend's own, below all decorators.
  virtual Communicator& innermost() { return *this; }

  void all_reduce(const Buffers& b, const Reduction& r, Stream& stream) {
    enqueue(reducing(OpKind::all_reduce, b, r, 0), stream);
  }
  void reduce_scatter(const Buffers& b, const Reduction& r, Stream& stream) {
    enqueue(reducing(OpKind::reduce_scatter, b, r, 0), stream);
  }
  void reduce(const Buffers& b, const Reduction& r, int root, Stream& stream) {
    enqueue(reducing(OpKind::reduce, b, r, root), stream);
  }
  void all_gather(const Buffers& b, Stream& stream) {
    enqueue(moving(OpKind::all_gather, b, 0), stream);
  }
  void all_to_all(const Buffers& b, Stream& stream) {
    enqueue(moving(OpKind::all_to_all, b, 0), stream);
  }
  void broadcast(const Buffers& b, int root, Stream& stream) {
    enqueue(moving(OpKind::broadcast, b, root), stream);
  }
  void gather(const Buffers& b, int root, Stream& stream) {
    enqueue(moving(OpKind::gather, b, root), stream);
  }
  void scatter(const Buffers& b, int root, Stream& stream) {
    enqueue(moving(OpKind::scatter, b, root), stream);
  }
  void send(const Buffers& b, int peer, Stream& stream) {
    enqueue(moving(OpKind::send, b, peer), stream);
  }
  void recv(const Buffers& b, int peer, Stream& stream) {
    enqueue(moving(OpKind::recv, b, peer), stream);
  }
  // Parts of a batch.
  static Op send_op(const Buffers& b, int peer) { return moving(OpKind::send, b, peer); }
  static Op recv_op(const Buffers& b, int peer) { return moving(OpKind::recv, b, peer); }
  // Sends `count` elements to `dest` and receives as many from `source`, both at once.
  void send_recv(const Buffers& b, int dest, int source, Stream& stream) {
    Op op = moving(OpKind::send_recv, b, dest);
    op.source = source;
    enqueue(op, stream);
  }
  void all_to_all_v(const Buffers& b, std::span<const Range> send_ranges,
                    std::span<const Range> recv_ranges, Stream& stream) {
    Op op = moving(OpKind::all_to_all_v, b, 0);
    op.send_ranges = send_ranges;
    op.recv_ranges = recv_ranges;
    enqueue(op, stream);
  }

 protected:
  // Every call says so first. One thread at a time.
  void begin_call() noexcept {
    const auto begun = calls_begun_.load(std::memory_order_relaxed);
    calls_begun_.store(begun + 1, std::memory_order_relaxed);
  }

 private:
  static Op moving(OpKind kind, const Buffers& b, int peer) {
    return {.kind = kind,
            .send = b.send,
            .recv = b.recv,
            .count = b.count,
            .type = b.type,
            .peer = peer,
            .tag = b.tag};
  }
  static Op reducing(OpKind kind, const Buffers& b, const Reduction& r, int root) {
    return {.kind = kind,
            .send = b.send,
            .recv = b.recv,
            .count = b.count,
            .type = b.type,
            .op = r.op,
            .premul = r.premul,
            .peer = root,
            .tag = b.tag};
  }

  std::atomic<std::uint64_t> calls_begun_ = 0;  // one writer
};

inline std::unique_ptr<Registration> Communicator::register_buffer(const Buffer&,
                                                                   RegistrationKind) {
  throw Unavailable("This backend has no registration of buffers.");
}

}  // namespace linerate
