#include "backends/host/waiting.h"

#include "base/error.h"

#include <climits>
#include <fmt/format.h>

#include <linux/futex.h>
#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <chrono>
#include <ctime>

namespace linerate::host {
namespace {

// The half of the number that changes with every call: futexes have 32 bits.
const std::uint32_t* low_word(const std::atomic<std::uint64_t>& number) {
  constexpr int kLow = std::endian::native == std::endian::little ? 0 : 1;
  return reinterpret_cast<const std::uint32_t*>(&number) + kLow;
}

constexpr int kSpinsWithOwnCore = 8000;       // about 0.1 ms, longer than waking a sleeper takes
constexpr int kSpinsWhenOversubscribed = 20;  // more lose against an early sched_yield (measured)
// A yield that takes longer has let somebody else run: perhaps the rank that is waited for.
constexpr std::int64_t kSwitchedNs = 3000;
constexpr std::int64_t kYieldNs = 1'000'000;  // then nobody is near: leave the core to others
// Where strangers keep the cores busy, a yield costs a time slice of each of them, and since
// Linux 6.18 one of the yielding thread besides: 10 ms and more a call. A thread that sleeps is
// served at once.
constexpr std::int64_t kStolenNs = 400'000;
constexpr int kStolenInARow = 3;
constexpr int kWaitsWithoutYield = 100;
constexpr std::chrono::microseconds kFirstSleep{50};  // the kernel's timer slack is as long
constexpr std::chrono::microseconds kLongestSleep{1000};

void pause() {
#if defined(__x86_64__) || defined(__i386__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("isb" ::: "memory");  // longer than yield, which most cores treat as nothing
#endif
}

}  // namespace

void Signal::sleep(std::uint64_t number, std::chrono::microseconds longest) const {
  sleepers_.fetch_add(1);
  const std::uint64_t seen = number_.load();
  if (seen < number) {
    const timespec limit{.tv_sec = longest.count() / 1'000'000,
                         .tv_nsec = longest.count() % 1'000'000 * 1000};
    (void)syscall(SYS_futex, low_word(number_), FUTEX_WAIT, static_cast<std::uint32_t>(seen),
                  &limit, nullptr, 0);
  }
  sleepers_.fetch_sub(1);
}

void Signal::wake() const {
  (void)syscall(SYS_futex, low_word(number_), FUTEX_WAKE, INT_MAX, nullptr, nullptr, 0);
}

SpinPolicy SpinPolicy::when(bool oversubscribed) {
  return {.spins = oversubscribed ? kSpinsWhenOversubscribed : kSpinsWithOwnCore,
          .oversubscribed = oversubscribed};
}

void Waiting::wait(const Signal& signal, std::uint64_t number) {
  for (int i = 0; i < spins_; ++i) {
    if (signal.has(number)) {
      spins_ = std::min(spins_ + 1 + i / 2, most_spins_);
      return;
    }
    pause();
  }
  wait_long(signal, number);
}

void Waiting::wait_long(const Signal& signal, std::uint64_t number) {
  const std::int64_t start_ns = clock_->now_ns();
  auto longest = kFirstSleep;
  bool yields = waits_without_yield_ == 0;
  if (!yields) --waits_without_yield_;
  while (!signal.has(number)) {
    check_aborted();
    if (yields) {
      yields = yield() && clock_->now_ns() - start_ns < kYieldNs;
      continue;
    }
    signal.sleep(number, longest);
    longest = std::min(2 * longest, kLongestSleep);
  }
}

// False when the core was away for so long that it must have gone to a stranger. A peer with much
// work to do looks the same, so it takes several such waits before the next ones go without yields.
bool Waiting::yield() {
  const std::int64_t before_ns = clock_->now_ns();
  sched_yield();
  const std::int64_t away_ns = clock_->now_ns() - before_ns;
  if (away_ns > kSwitchedNs)
    spins_ = std::max(spins_ / 4, std::min(kSpinsWhenOversubscribed, spins_));
  const bool stolen = away_ns > kStolenNs;
  stolen_in_a_row_ = stolen ? stolen_in_a_row_ + 1 : 0;
  if (stolen_in_a_row_ < kStolenInARow) return !stolen;
  stolen_in_a_row_ = kStolenInARow - 1;  // after the waits without yields, one more is enough
  waits_without_yield_ = kWaitsWithoutYield;
  return false;
}

void Waiting::share_core(bool shared) {
  most_spins_ =
      shared ? std::min(kSpinsWhenOversubscribed, spin_policy_.spins) : spin_policy_.spins;
  spins_ = most_spins_;
}

void Waiting::Looks::found_nothing(const Signal& signal, std::uint64_t number) {
  if (nlooks_++ < waiting_.most_spins_) return pause();
  waiting_.check_aborted();
  const std::int64_t now_ns = waiting_.clock_->now_ns();
  if (nlooks_ == waiting_.most_spins_ + 1) start_ns_ = now_ns;
  if (now_ns - start_ns_ < kYieldNs)
    sched_yield();
  else
    signal.sleep(number, kFirstSleep);
}

void Waiting::throw_aborted() const {
  const auto by_world = watched_.aborted_world->load(std::memory_order_acquire);
  const auto by =
      by_world != 0 ? by_world : watched_.aborted_group->load(std::memory_order_acquire);
  throw Aborted(fmt::format("Rank {} cannot go on: its communicator was aborted by rank {}.",
                            watched_.rank, by - 1));
}

}  // namespace linerate::host
