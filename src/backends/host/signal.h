// A number that only grows, in memory that several processes share, and that can be waited for.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>

namespace linerate::host {

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
static_assert(std::atomic<std::uint64_t>::is_always_lock_free, "signals cross processes");
static_assert(sizeof(Signal) == 16);

}  // namespace linerate::host
