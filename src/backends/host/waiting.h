// How a rank waits for others: spin, then yield, then nap, and leave when the group is aborted.
#pragma once

#include "backends/host/control.h"
#include "base/clock.h"

#include <cstdint>

namespace linerate::host {

// How long waits stay awake; the same for all ranks of a host.
struct Patience {
  int spins = 20;       // looks at the flag before the core is offered to others
  bool crowded = true;  // more ranks than cores: a spinner keeps the one it waits for from running

  static Patience when(bool crowded);
};

// The waits of one rank in one group; used by one thread at a time. Flags and clock outlive it.
class Waiting {
 public:
  struct Watched {
    const Flag* aborted_world = nullptr;  // 0, or world rank + 1 of the rank that aborted
    const Flag* aborted_group = nullptr;
    int rank = 0;  // who waits, as the world knows it
  };

  Waiting(const Watched& watched, Patience patience, const Clock& clock)
      : watched_(watched),
        patience_(patience),
        clock_(&clock),
        most_spins_(patience.spins),
        spins_(patience.spins) {}

  // Returns when `signal` has `number`; what was written before it is then visible. Throws
  // PeerFailure soon after an abort.
  void until(const Signal& signal, std::uint64_t number) {
    if (!signal.has(number)) wait(signal, number);
  }

  // A wait for any of several things, by one who looks at them in turn: call after each look that
  // found nothing. Spins, then yields, then naps until `signal` has `number`, which is one of them.
  // Throws PeerFailure soon after an abort.
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
  void trust_again() { wary_waits_ = 0; }

  // Throws PeerFailure when the group or the world is aborted. Sequentially consistent: see
  // Team::start_touching.
  void check_aborted() const {
    if ((watched_.aborted_world->load() | watched_.aborted_group->load()) != 0) throw_aborted();
  }

 private:
  void wait(const Signal& signal, std::uint64_t number);
  void wait_patiently(const Signal& signal, std::uint64_t number);
  bool yield();
  [[noreturn]] void throw_aborted() const;

  Watched watched_;
  Patience patience_;
  const Clock* clock_;
  int most_spins_;
  int spins_;                // fewer where this rank's core turns out to be somebody else's too
  int stolen_in_a_row_ = 0;  // waits in which a yield went to a busy stranger
  int wary_waits_ = 0;       // waits left in which no core is offered to strangers
};

}  // namespace linerate::host
