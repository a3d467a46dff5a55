// The calls of a communicator whose library blocks the thread that makes them, on any streams.
//
// On an inline stream a call is made at once. On an async one it goes to the stream's worker, with
// a ticket: calls are made in the order of their tickets, so that a communicator's calls keep their
// order over all streams, and one at a time, so that a backend need not be safe against itself.
#pragma once

#include "comm/communicator.h"

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <span>

namespace linerate {

// Of one communicator; used by the thread that uses it.
class CallOrder {
 public:
  using Calls = std::function<void(std::span<const Op>)>;

  CallOrder();

  // Whether no call was deferred since the last settle(): one look, which every inline call takes.
  bool settled() const { return !deferred_; }
  // Waits until they have.
  void settle();

  // Hands `ops` to the stream. `make` makes them there; where the stream has failed before, `drop`
  // is called instead. Neither is called after close(). REQUIRES: stream.queue().
  void defer(std::span<const Op> ops, Stream& stream, Calls make, std::function<void()> drop);

  // Before what `make` and `drop` use is destroyed: drops all calls that have not begun, and waits
  // for the one that has. `end_call` ends that one soon.
  void close(const std::function<void()>& end_call) noexcept;

 private:
  struct Shared {
    std::mutex mutex;
    std::condition_variable changed;
    std::atomic<std::uint64_t> ended = 0;
    bool running = false;
    bool closed = false;
  };
  static void take_turn(Shared& shared, std::uint64_t ticket, const std::function<void()>& call);

  std::shared_ptr<Shared> shared_;  // outlives the communicator in the queues of streams
  std::uint64_t issued_ = 0;
  bool deferred_ = false;
};

// Base of the communicators that make their calls so. `Self` has
//   void call(const Op&, Stream&);                     // makes it; blocks until it is complete
//   void call_batch(std::span<const Op>, Stream&);     // likewise
// and calls end_calls() first in its destructor. abort() must end a call under way.
template <typename Self>
class BlockingCommunicator : public Communicator, protected Inspector {
  friend Self;
  BlockingCommunicator() = default;  // of Self alone

 public:
  void enqueue(const Op& op, Stream& stream) final {
    if (stream.queue() != nullptr || !order_.settled()) return make({&op, 1}, stream, false);
    self().call(op, stream);
  }
  void enqueue_batch(std::span<const Op> ops, Stream& stream) final { make(ops, stream, true); }
  Inspector& inspector() final { return *this; }

 protected:
  // Waits for the calls on async streams.
  void settle() {
    if (!order_.settled()) order_.settle();
  }
  // From now on calls are made by the thread that enqueues them, on async streams too.
  void call_on_caller() { on_caller_ = true; }
  void end_calls() noexcept {
    if (!order_.settled()) order_.close([this] { this->abort(); });
  }

 private:
  Self& self() { return static_cast<Self&>(*this); }
  void call_all(std::span<const Op> ops, Stream& stream, bool batch) {
    if (batch) return self().call_batch(ops, stream);
    self().call(ops.front(), stream);
  }
  // Not inlined: every enqueue() would save its registers, of calls that take 90 ns.
  [[gnu::noinline]] void make(std::span<const Op> ops, Stream& stream, bool batch) {
    if (stream.queue() != nullptr && !on_caller_)
      return order_.defer(
          ops, stream,
          [this, &stream, batch](std::span<const Op> kept) { call_all(kept, stream, batch); },
          [this] { this->abort(); });
    if (stream.queue() != nullptr) stream.synchronize(Deadline::never());
    settle();
    call_all(ops, stream, batch);
  }

  CallOrder order_;
  bool on_caller_ = false;
};

}  // namespace linerate
