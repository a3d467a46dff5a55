// Whether the ranks of a job have a core each, and how each gets one: the kernel may start two
// on one core, and wake them there again and again.
#pragma once

#include <sched.h>

#include <bitset>
#include <optional>
#include <span>

namespace linerate::host {

// The core that the calling thread runs on; -1: unknown.
int current_core();

// Moves the calling thread to a core of its affinity mask that is not among `taken`, and leaves its
// mask as it was. Without such a core, or where the kernel refuses, nothing changes.
void move_from(std::span<const int> taken) noexcept;

// A core's number and whether its rank stays there, in one word.
struct CoreMark {
  int core = -1;
  bool stays = false;

  int word() const { return 2 * core + (stays ? 1 : 0); }
  static CoreMark of(int word) { return {word >> 1, (word & 1) != 0}; }
};

enum class CoreStep { none, leave, stay };

// What `rank` does when all ranks have said where they are: of two on one core the higher one
// leaves, unless it stays there already: then the lower one does.
CoreStep core_step(std::span<const CoreMark> marks, int rank);

// Keeps a thread on a core that its affinity mask has, from stay() to the end of this object.
// Threads that it starts meanwhile stay there too. Used by that thread.
class OwnCore {
 public:
  OwnCore() = default;
  ~OwnCore();
  OwnCore(const OwnCore&) = delete;
  OwnCore& operator=(const OwnCore&) = delete;

  bool stays() const { return before_.has_value(); }
  void stay(int core) noexcept;

 private:
  std::optional<cpu_set_t> before_;  // the mask to go back to
};

// Cores that a thread may run on, by number.
using CoreSet = std::bitset<1024>;

// Of the calling thread. All cores where the machine has more than the set can hold.
CoreSet usable_cores();

// True when the ranks, or those of one process, outnumber the cores that they may use between them.
// `cores` and `processes` hold one entry for each rank.
bool oversubscribed(std::span<const CoreSet> cores, std::span<const int> processes);

}  // namespace linerate::host
