// A group of threads of several processes: the threads of this process meet, one acts for all.
#pragma once

#include "base/error.h"
#include "comm/bootstrap.h"
#include "launch/job_failure.h"
#include "launch/threads/split.h"

#include <condition_variable>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace linerate {

// Thrown by a member that waits when another member's body has failed: never the cause itself.
class WokenByFailure final : public PeerFailure {
 public:
  using PeerFailure::PeerFailure;
};

// What the threads of one process share: the bootstrap of the processes, and the first failure.
struct ThreadJob {
  explicit ThreadJob(Bootstrap& whole) : process(whole) {}

  Bootstrap& process;  // over all processes of the job
  std::mutex mutex;
  std::condition_variable changed;
  std::optional<JobFailure> failure;  // under `mutex`: of the first body that threw

  // REQUIRES: `mutex` is held.
  void throw_if_failed() const;

  // Blocks until `ready()` or until the deadline passes (false). Throws WokenByFailure when a body
  // fails.
  template <typename Ready>
  bool wait(std::unique_lock<std::mutex>& lock, const Deadline& deadline, Ready ready) {
    for (;;) {
      if (ready()) return true;
      throw_if_failed();
      if (deadline.passed()) return false;
      sleep(lock, deadline);
    }
  }

 private:
  void sleep(std::unique_lock<std::mutex>& lock, const Deadline& deadline);
};

// The part of one process in a group. Members of this process are numbered 0..nlocal-1 in the order
// of their ranks; every call of a member names it by that number.
class ThreadGroup {
 public:
  // For each process p of `process` the ranks, ascending, that live in it; together they are
  // 0..nranks-1. Rank 0 lives in process 0.
  using Layout = std::vector<std::vector<int>>;

  // What a call yields to every member.
  struct Outcome {
    std::vector<Bytes> bytes;
    std::map<int, std::shared_ptr<ThreadGroup>> groups;  // by colour: those with members here
    std::vector<ThreadChoice> choices;                   // of all members: split only
  };

  // Over all processes; each holds `nthreads` consecutive ranks. `job` outlives the group.
  static std::shared_ptr<ThreadGroup> whole(ThreadJob& job, int nthreads);

  ThreadGroup(ThreadJob& job, std::unique_ptr<Bootstrap> process, Layout layout);

  ThreadJob& job() const { return job_; }
  int nranks() const { return static_cast<int>(process_of_rank_.size()); }
  int rank_of(int member) const { return local_ranks()[static_cast<std::size_t>(member)]; }
  int member_of(int rank) const;  // -1 when the rank lives elsewhere

  void barrier(int member, const Deadline& deadline);
  std::vector<Bytes> gather(int member, std::span<const std::byte> mine, const Deadline& deadline);
  std::vector<Bytes> all_gather(int member, std::span<const std::byte> mine,
                                const Deadline& deadline);
  Bytes broadcast(int member, std::span<const std::byte> mine, int root, const Deadline& deadline);
  // REQUIRES: every process has one member; throws Error otherwise.
  Bytes exchange(int peer, std::span<const std::byte> mine, const Deadline& deadline);
  // `choice` of this member; the outcome holds the new groups and everybody's choices.
  std::shared_ptr<const Outcome> split(int member, const ThreadChoice& choice,
                                       const Deadline& deadline);

 private:
  // Acts for all members of this process, with what each of them brought, in the order of ranks.
  using Act = std::function<Outcome(std::span<const Bytes> inputs)>;
  struct CollectiveCall {
    std::string_view what;
    const Deadline& deadline;
  };

  ThreadGroup(ThreadJob& job, Bootstrap& process, Layout layout);
  const std::vector<int>& local_ranks() const;
  std::shared_ptr<const Outcome> collective_call(int member, std::span<const std::byte> mine,
                                                 const CollectiveCall& call, const Act& act);
  std::shared_ptr<const Outcome> act_for_all(std::unique_lock<std::mutex>& lock, const Act& act);
  [[noreturn]] void give_up_waiting(std::string_view what);
  void throw_if_broken() const;
  JobFailure in_thread_ranks(JobFailure failure) const;

  Bytes pack_local(std::span<const Bytes> inputs) const;
  std::vector<Bytes> in_rank_order(std::span<const Bytes> packed) const;
  Outcome split_all(std::span<const Bytes> inputs, const Deadline& deadline);
  void connect_round(std::span<const ColorGroup> groups, std::span<const std::size_t> round,
                     const Deadline& deadline,
                     std::map<int, std::unique_ptr<Bootstrap>>& connected);
  std::shared_ptr<ThreadGroup> form(const ColorGroup& group, std::span<const ThreadChoice> choices,
                                    std::unique_ptr<Bootstrap> process) const;

  ThreadJob& job_;
  std::unique_ptr<Bootstrap> owned_;
  Bootstrap& process_;
  Layout ranks_of_process_;
  std::vector<int> process_of_rank_;

  // Under job_.mutex.
  std::vector<Bytes> inputs_;
  std::vector<bool> arrived_;
  std::size_t narrived_ = 0;
  bool acting_ = false;
  std::uint64_t generation_ = 0;
  std::shared_ptr<const Outcome> outcome_;
  std::size_t nreaders_ = 0;          // members that have not taken outcome_ yet
  std::optional<JobFailure> broken_;  // a call of this group failed: so do all later ones
};

}  // namespace linerate
