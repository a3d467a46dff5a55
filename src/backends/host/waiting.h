// How a rank waits for others, in memory that several processes share: a number that only grows,
// and who waits for it spins, then yields, then sleeps, and leaves when the group is aborted.
#pragma once

#include "base/clock.h"

#include <atomic>
#include <chrono>
#include <cstdint>

namespace linerate::host {

using Flag = std::atomic<std::uint64_t>;
static_assert(Flag::is_always_lock_free, "flags are shared between processes");

// One rank writes it, any may wait. Waiters compare with >=, never with ==, because the writer may
// be ahead. All zero bytes are its initial state.
class Signal {
 public:
  // What was written before is visible to those who then read `number` or more.
  void set(std::uint64_t number) {
    number_.store(number, std::memory_order_release);
    if (sleepers_.load(std::memory_order_relaxed) != 0) wake();
  }
  // The same, and sequentially consistent.
  void set_for_all(std::uint64_t number) {
    number_.store(number);
    if (sleepers_.load() != 0) wake();
  }

  std::uint64_t value() const { return number_.load(std::memory_order_acquire); }
  std::uint64_t value_for_all() const { return number_.load(); }
  bool has(std::uint64_t number) const { return value() >= number; }

  // Gives the core away until the signal has `number`, at most for `longest`. The writer does not
  // stop to see whether somebody has just lain down, so that one may sleep on for that long.
  void sleep(std::uint64_t number, std::chrono::microseconds longest) const;

 private:
  void wake() const;

  std::atomic<std::uint64_t> number_{0};
  mutable std::atomic<std::uint32_t> sleepers_{0};  // in the line that the writer owns anyway
};
static_assert(sizeof(Signal) == 16);

// How long waits stay awake, by whether there are more ranks than cores: then a spinner keeps the
// one it waits for from running. The same for all ranks of a host.
struct SpinPolicy {
  int spins = 20;  // looks at the flag before the core is offered to others
  bool oversubscribed = true;

  static SpinPolicy when(bool oversubscribed);
};

// The waits of one rank in one group; used by one thread at a time. Flags and clock outlive it.
class Waiting {
 public:
  struct Watched {
    const Flag* aborted_world = nullptr;  // 0, or world rank + 1 of the rank that aborted
    const Flag* aborted_group = nullptr;
    int rank = 0;  // who waits, as the world knows it
  };

  Waiting(const Watched& watched, SpinPolicy spin_policy, const Clock& clock)
      : watched_(watched),
        spin_policy_(spin_policy),
        clock_(&clock),
        most_spins_(spin_policy.spins),
        spins_(spin_policy.spins) {}

  // Returns when `signal` has `number`; what was written before it is then visible. Throws
  // Aborted soon after an abort.
  void until(const Signal& signal, std::uint64_t number) {
    if (!signal.has(number)) wait(signal, number);
  }

  // A wait for any of several things, by one who looks at them in turn: call after each look that
  // found nothing. Spins, then yields, then sleeps until `signal` has `number`, which is one of
  // them. Throws Aborted soon after an abort.
  class Looks {
   public:
    explicit Looks(Waiting& waiting) : waiting_(waiting) {}
    void found_nothing(const Signal& signal, std::uint64_t number);
    void found_something() { nlooks_ = 0; }

   private:
    Waiting& waiting_;
    int nlooks_ = 0;
    std::int64_t start_ns_ = 0;  // of the yields
  };

  // Whether waits come from a stream's worker, beside the rank's own thread: then they spin as
  // where ranks share cores.
  void share_core(bool shared);

  // Offers the core to others again in the next wait, whatever it cost before.
  void allow_yields() { waits_without_yield_ = 0; }

  // Throws Aborted when the group or the world is aborted. Sequentially consistent: see
  // Team::start_touching.
  void check_aborted() const {
    if ((watched_.aborted_world->load() | watched_.aborted_group->load()) != 0) throw_aborted();
  }

 private:
  void wait(const Signal& signal, std::uint64_t number);
  void wait_long(const Signal& signal, std::uint64_t number);
  bool yield();
  [[noreturn]] void throw_aborted() const;

  Watched watched_;
  SpinPolicy spin_policy_;
  const Clock* clock_;
  int most_spins_;
  int spins_;                    // fewer where this rank's core turns out to be somebody else's too
  int stolen_in_a_row_ = 0;      // waits in which a yield went to a busy stranger
  int waits_without_yield_ = 0;  // waits left in which no core is offered to strangers
};

}  // namespace linerate::host
