#include "comm/call_order.h"

#include <utility>
#include <vector>

namespace linerate {
namespace {

// Calls that outlive the caller's: with ranges of their own.
class KeptOps {
 public:
  explicit KeptOps(std::span<const Op> ops) : ops_(ops.begin(), ops.end()) {
    ranges_.reserve(2 * ops_.size());
    for (Op& op : ops_)
      for (auto* ranges : {&op.send_ranges, &op.recv_ranges})
        *ranges = ranges_.emplace_back(ranges->begin(), ranges->end());
  }

  std::span<const Op> ops() const { return ops_; }

 private:
  std::vector<Op> ops_;
  std::vector<std::vector<Range>> ranges_;
};

}  // namespace

CallOrder::CallOrder() : shared_(std::make_shared<Shared>()) {}

void CallOrder::settle() {
  std::unique_lock lock(shared_->mutex);
  shared_->changed.wait(lock, [&] { return shared_->ended == issued_; });
  deferred_ = false;
}

// Calls `call` when it is the ticket's turn; passes the turn on, also by what it throws.
void CallOrder::take_turn(Shared& shared, std::uint64_t ticket, const std::function<void()>& call) {
  std::unique_lock lock(shared.mutex);
  shared.changed.wait(lock, [&] { return shared.ended == ticket || shared.closed; });
  if (shared.closed) return;
  shared.running = true;
  struct PassOn {
    Shared& shared;
    std::unique_lock<std::mutex>& lock;
    ~PassOn() {
      lock.lock();
      shared.running = false;
      ++shared.ended;
      shared.changed.notify_all();
    }
  } const pass_on{shared, lock};
  lock.unlock();
  call();
}

void CallOrder::defer(std::span<const Op> ops, Stream& stream, Calls make,
                      std::function<void()> drop) {
  const auto kept = std::make_shared<const KeptOps>(ops);
  const auto ticket = issued_;
  deferred_ = true;
  stream.queue()->push(
      {.run = [shared = shared_, ticket, kept,
               make = std::move(make)] { take_turn(*shared, ticket, [&] { make(kept->ops()); }); },
       .cancel = [shared = shared_, ticket, drop = std::move(drop)](
                     const std::exception_ptr&) { take_turn(*shared, ticket, drop); }});
  ++issued_;  // a call that could not be handed over has no turn
}

void CallOrder::close(const std::function<void()>& end_call) noexcept {
  {
    const std::lock_guard lock(shared_->mutex);
    if (shared_->ended == issued_) return;  // peers may still be at work on what is done here
    shared_->closed = true;
  }
  shared_->changed.notify_all();
  end_call();
  std::unique_lock lock(shared_->mutex);
  shared_->changed.wait(lock, [&] { return !shared_->running; });
}

}  // namespace linerate
