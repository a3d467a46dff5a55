// Where the ranks of one fake communicator meet: the last to come does the work for all.
#pragma once

#include "backends/fake/time_model.h"
#include "base/clock.h"
#include "comm/op.h"

#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace linerate::fake {

class Rendezvous;

// What one rank brings to a meeting of all ranks, and what it takes away.
struct Visit {
  enum class Kind { call, barrier, split };
  Kind kind = Kind::call;
  const Op* op = nullptr;  // of a call
  std::uint64_t call = 0;  // number of the call on this rank
  ModeledTime entry{};
  int color = 0, key = 0;  // of a split

  ModeledTime exit{};
  std::shared_ptr<Rendezvous> part{};  // of a split; null for colour < 0
  int part_rank = 0;
};

// One side of a message.
struct Message {
  int source = 0;
  int dest = 0;
  ConstView send{};  // of the sender
  View recv{};       // of the receiver
  std::size_t bytes = 0;
  std::uint64_t call = 0;
  ModeledTime entry{};

  ModeledTime exit{};
  bool done = false;
};

// How long a call takes one rank.
struct CallTime {
  double us = 0;
  double healthy_us = 0;
};

// Shared by the ranks' threads; all calls may be made at once. Calls throw Aborted once the
// rendezvous is aborted, and Error on all ranks when their calls do not belong together.
class Rendezvous {
 public:
  // `ranks[r]` is what rank r is called in the options; `stream` tells its random numbers from
  // those of other communicators.
  Rendezvous(const FakeOptions& options, std::vector<int> ranks, std::uint64_t stream);

  int nranks() const { return static_cast<int>(ranks_.size()); }
  const FakeOptions& options() const { return options_; }
  int name_of(int rank) const { return ranks_[static_cast<std::size_t>(rank)]; }

  // Returns when all ranks have come.
  void meet(int rank, Visit& visit);

  // Offers one side of a message; wait_for() returns when the other side has taken it. Messages
  // between two ranks match in order. `message` lives until then.
  void offer_send(Message& message);
  void offer_recv(Message& message);
  void wait_for(const Message& message);

  // Returns only by throwing Aborted, after abort().
  [[noreturn]] void hang(int rank);
  void abort() noexcept;

 private:
  // The messages from one rank to another that wait for their other side.
  struct Mailbox {
    std::deque<Message*> sends;
    std::deque<Message*> recvs;
    std::uint64_t delivered = 0;
  };

  void throw_if_over() const;
  void notify();  // REQUIRES: mutex_ is held
  template <typename Condition>
  void wait(std::unique_lock<std::mutex>& lock, Condition condition);
  void complete();
  void complete_calls();
  void complete_split();
  void offer(Message& message, std::deque<Message*> Mailbox::*side);
  void deliver(Message& send, Message& recv, std::uint64_t sequence);
  ModeledTime latest_entry() const;
  ModeledTime exit(const ModeledTime& start, const CallTime& time, int rank) const;

  const FakeOptions options_;
  const std::vector<int> ranks_;
  const std::uint64_t stream_;
  const TimeModel time_;
  const TimeModel healthy_time_;

  std::mutex mutex_;
  std::condition_variable changed_;
  std::atomic<std::uint64_t> nchanges_ = 0;  // under mutex_, but for looking at
  std::vector<std::byte> scratch_;
  std::vector<Visit*> visits_;  // of those who wait, by rank
  int nvisits_ = 0;
  std::uint64_t nmeetings_ = 0;
  std::map<std::pair<int, int>, Mailbox> mailboxes_;  // by source and destination
  bool aborted_ = false;
  std::optional<std::string> misuse_;
};

}  // namespace linerate::fake
