// A worker sleeps on a condition variable between pieces of work: unlike a rank that waits for its
// peers, it must leave its core to the thread that feeds it.
#include "devices/cpu/host_stream.h"

#include "base/error.h"

#include <chrono>
#include <condition_variable>
#include <deque>
#include <exception>
#include <mutex>
#include <thread>

namespace linerate {
namespace {

// How often a blocked wait looks whether its stream is being destroyed.
constexpr std::chrono::milliseconds kLook{20};

class HostEvent final : public Event::State {
 public:
  // Reached at `at`, or never, by `failure`.
  void end(const ModeledTime& at, std::exception_ptr failure = nullptr) {
    {
      const std::lock_guard lock(mutex_);
      at_ = at;
      failure_ = std::move(failure);
      ended_ = true;
    }
    changed_.notify_all();
  }

  bool done() override {
    const std::lock_guard lock(mutex_);
    if (failure_) std::rethrow_exception(failure_);
    return ended_;
  }
  void wait(const Deadline& deadline) override {
    wait_while([&] {
      if (deadline.passed()) throw TimeoutError("The event of a host stream did not come in time.");
    });
  }
  // `look` is called now and then, and ends the wait by what it throws.
  template <typename Look>
  void wait_while(Look look) {
    std::unique_lock lock(mutex_);
    while (!changed_.wait_for(lock, kLook, [&] { return ended_; })) look();
    if (failure_) std::rethrow_exception(failure_);
  }
  double us_since(State& start) override {
    const auto& from = static_cast<HostEvent&>(start);
    return static_cast<double>(at_.real_ns - from.at_.real_ns) / kNsPerUs;
  }
  const ModeledTime& at() const { return at_; }  // once it is done

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  bool ended_ = false;
  std::exception_ptr failure_;
  ModeledTime at_{};
};

// Moves the time of a stream that has waited for `event`. Those of GPUs have a clock of their own.
void start_after(StreamTime& time, const Event& event) {
  if (const auto* host = dynamic_cast<const HostEvent*>(event.state().get()))
    time.start_after(host->at());
}

class InlineStream final : public HostStream {
 public:
  explicit InlineStream(std::unique_ptr<StreamTime> time) : HostStream(nullptr, std::move(time)) {}

  void synchronize(const Deadline&) override {}
  bool idle() override { return true; }
  Event record() override {
    auto state = std::make_shared<HostEvent>();
    state->end(time().now());
    return Event(std::move(state));
  }
  void wait(const Event& event) override {
    event.wait(Deadline::never());
    start_after(time(), event);
  }
};

class WorkerStream final : public HostStream, public HostQueue {
 public:
  explicit WorkerStream(std::unique_ptr<StreamTime> time)
      : HostStream(this, std::move(time)), worker_([this] { work(); }) {}

  ~WorkerStream() override {
    {
      const std::lock_guard lock(mutex_);
      ending_ = true;
      if (!failure_)
        failure_ = std::make_exception_ptr(
            PeerFailure("The stream of this work was destroyed before it began."));
    }
    pushed_.notify_all();
    worker_.join();
  }

  void synchronize(const Deadline& deadline) override {
    std::unique_lock lock(mutex_);
    const auto empty = [&] { return queue_.empty(); };
    while (!empty()) {
      if (!deadline.bounded())
        emptied_.wait(lock, empty);
      else if (!emptied_.wait_for(lock, kLook, empty) && deadline.passed())
        throw TimeoutError("The work of a host stream was not done in time.");
    }
    if (failure_) std::rethrow_exception(failure_);
    lock.unlock();
    time().waited();
  }

  bool idle() override {
    const std::lock_guard lock(mutex_);
    return queue_.empty();
  }

  void check() override {
    const std::lock_guard lock(mutex_);
    if (failure_) std::rethrow_exception(failure_);
  }

  Event record() override {
    auto state = std::make_shared<HostEvent>();
    push({.run = [this, state] { state->end(time().now()); },
          .cancel = [state](std::exception_ptr failure) { state->end({}, std::move(failure)); }});
    return Event(std::move(state));
  }

  void wait(const Event& event) override {
    if (!event.state()) return;
    push({.run = [this, event] { await(event); }});
  }

  void push(HostWork work) override {
    {
      const ModeledTime enqueued = time().enqueued();
      const std::lock_guard lock(mutex_);
      queue_.push_back({std::move(work), enqueued});
    }
    pushed_.notify_one();
  }

 private:
  void work() {
    std::unique_lock lock(mutex_);
    for (;;) {
      pushed_.wait(lock, [&] { return !queue_.empty() || ending_; });
      if (queue_.empty()) return;
      const Entry& next = queue_.front();  // stays there meanwhile: only this thread takes
      const auto failed = failure_;
      lock.unlock();
      const auto failure = outcome(next, failed);
      lock.lock();
      queue_.pop_front();
      if (!failure_) failure_ = failure;
      if (queue_.empty()) emptied_.notify_all();
    }
  }

  struct Entry {
    HostWork work;
    ModeledTime enqueued;
  };

  // What work yields to the stream, which has `failed` before or not: the failure that ends it, or
  // null.
  std::exception_ptr outcome(const Entry& entry, const std::exception_ptr& failed) {
    if (failed) {
      if (entry.work.cancel) entry.work.cancel(failed);
      return failed;
    }
    try {
      time().start_after(entry.enqueued);
      entry.work.run();
      return nullptr;
    } catch (...) {
      return std::current_exception();
    }
  }

  // On the worker. A stream that is being destroyed does not wait for another one's work.
  void await(const Event& event) {
    if (auto* const host = dynamic_cast<HostEvent*>(event.state().get()))
      host->wait_while([this] {
        const std::lock_guard lock(mutex_);
        if (ending_) std::rethrow_exception(failure_);
      });
    else
      event.wait(Deadline::never());
    start_after(time(), event);
  }

  std::mutex mutex_;
  std::condition_variable pushed_;
  std::condition_variable emptied_;
  std::deque<Entry> queue_;  // its front is the one under way
  std::exception_ptr failure_;
  bool ending_ = false;
  std::thread worker_;
};

}  // namespace

std::unique_ptr<HostStream> make_host_stream(StreamKind kind, std::unique_ptr<StreamTime> time) {
  if (kind == StreamKind::async) return std::make_unique<WorkerStream>(std::move(time));
  return std::make_unique<InlineStream>(std::move(time));
}

}  // namespace linerate
