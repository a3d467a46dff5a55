// The first failure of a thread is kept; the others are woken by it and end too.
#include "launch/threads/rank_threads.h"

#include "launch/threads/group.h"

#include <fmt/format.h>

#include <cassert>
#include <exception>
#include <thread>

namespace linerate {
namespace {

class RankThreads {
 public:
  RankThreads(Bootstrap& process, int nthreads, const ReportingBody& body,
              const std::function<void(const std::string&)>& on_failure)
      : job_(process),
        nthreads_(nthreads),
        whole_(ThreadGroup::whole(job_, nthreads)),
        body_(body),
        on_failure_(on_failure) {}

  void run();

 private:
  NodePlace place_of(int thread) const;
  void run_one(int thread) noexcept;
  void report(int thread) noexcept;
  void fail(int thread, const JobFailure& failure) noexcept;

  ThreadJob job_;
  int nthreads_;
  std::shared_ptr<ThreadGroup> whole_;
  const ReportingBody& body_;
  const std::function<void(const std::string&)>& on_failure_;
  std::exception_ptr first_;  // under job_.mutex: the cause, never a WokenByFailure
};

NodePlace RankThreads::place_of(int thread) const {
  auto place = job_.process.place();
  place.local_rank = place.local_rank * nthreads_ + thread;
  place.local_nranks *= nthreads_;
  return place;
}

void RankThreads::fail(int thread, const JobFailure& failure) noexcept {
  {
    const std::lock_guard lock(job_.mutex);
    if (first_) return;
    first_ = std::current_exception();
    const int rank = whole_->rank_of(thread);
    auto ranks = failure.ranks.empty() ? std::vector<int>{rank} : failure.ranks;
    job_.failure = JobFailure::lost(fmt::format("rank {} gave up: {}", rank, failure.sentence),
                                    std::move(ranks));
    job_.changed.notify_all();
  }
  if (on_failure_) on_failure_(failure.sentence);
}

// The exception that is being handled.
void RankThreads::report(int thread) noexcept {
  try {
    throw;
  } catch (const WokenByFailure&) {
    // Another thread failed first, and has reported it.
  } catch (...) {
    fail(thread, JobFailure::current());
  }
}

void RankThreads::run_one(int thread) noexcept {
  try {
    const auto member = thread_bootstrap(whole_, thread, place_of(thread));
    body_(*member, [this, thread] { report(thread); });
  } catch (...) {
    report(thread);
  }
}

void RankThreads::run() {
  std::vector<std::thread> threads;
  try {
    for (int t = 1; t < nthreads_; ++t) threads.emplace_back([this, t] { run_one(t); });
    run_one(0);
  } catch (const std::exception&) {
    fail(0, JobFailure::current());  // the system refused a thread: those that run must not wait
  }
  for (auto& thread : threads) thread.join();
  if (first_) std::rethrow_exception(first_);
}

}  // namespace

void run_rank_threads(Bootstrap& process, int nthreads, const ReportingBody& body,
                      const std::function<void(const std::string&)>& on_failure) {
  assert(nthreads > 0);
  RankThreads(process, nthreads, body, on_failure).run();
}

void run_rank_threads(Bootstrap& process, int nthreads, const std::function<void(Bootstrap&)>& body,
                      const std::function<void(const std::string&)>& on_failure) {
  const ReportingBody plain = [&](Bootstrap& member, const auto&) { body(member); };
  run_rank_threads(process, nthreads, plain, on_failure);
}

}  // namespace linerate
