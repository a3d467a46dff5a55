#include "backends/host/waiting.h"

#include "base/error.h"

#include <fmt/format.h>

#include <sched.h>

#include <algorithm>
#include <chrono>

namespace linerate::host {
namespace {

constexpr int kSpinsWithOwnCore = 8000;  // about 0.1 ms, longer than waking a sleeper takes
constexpr int kSpinsWhenCrowded = 20;    // more lose against an early sched_yield (measured)
// A yield that takes longer has let somebody else run: perhaps the rank that is waited for.
constexpr std::int64_t kSwitchedNs = 3000;
constexpr std::int64_t kYieldNs = 1'000'000;  // then nobody is near: leave the core to others
// Where strangers keep the cores busy, a yield costs a time slice of each of them, and since
// Linux 6.18 one of the yielding thread besides: 10 ms and more a call. A thread that naps is
// served at once.
constexpr std::int64_t kStolenNs = 400'000;
constexpr int kStolenInARow = 3;
constexpr int kWaryWaits = 100;
constexpr std::chrono::microseconds kFirstNap{50};  // the kernel's timer slack is as long
constexpr std::chrono::microseconds kLongestNap{1000};

void pause() {
#if defined(__x86_64__) || defined(__i386__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("isb" ::: "memory");  // longer than yield, which most cores treat as nothing
#endif
}

}  // namespace

Patience Patience::when(bool crowded) {
  return {.spins = crowded ? kSpinsWhenCrowded : kSpinsWithOwnCore, .crowded = crowded};
}

void Waiting::wait(const Signal& signal, std::uint64_t number) {
  for (int i = 0; i < spins_; ++i) {
    if (signal.has(number)) {
      spins_ = std::min(spins_ + 1 + i / 2, most_spins_);
      return;
    }
    pause();
  }
  wait_patiently(signal, number);
}

void Waiting::wait_patiently(const Signal& signal, std::uint64_t number) {
  const std::int64_t start_ns = clock_->now_ns();
  auto nap = kFirstNap;
  bool yields = wary_waits_ == 0;
  if (!yields) --wary_waits_;
  while (!signal.has(number)) {
    check_aborted();
    if (yields) {
      yields = yield() && clock_->now_ns() - start_ns < kYieldNs;
      continue;
    }
    signal.sleep(number, nap);
    nap = std::min(2 * nap, kLongestNap);
  }
}

// False when the core was away for so long that it must have gone to a stranger. A peer with much
// work to do looks the same, so it takes several such waits before the next ones go without yields.
bool Waiting::yield() {
  const std::int64_t before_ns = clock_->now_ns();
  sched_yield();
  const std::int64_t away_ns = clock_->now_ns() - before_ns;
  if (away_ns > kSwitchedNs) spins_ = std::max(spins_ / 4, std::min(kSpinsWhenCrowded, spins_));
  const bool stolen = away_ns > kStolenNs;
  stolen_in_a_row_ = stolen ? stolen_in_a_row_ + 1 : 0;
  if (stolen_in_a_row_ < kStolenInARow) return !stolen;
  stolen_in_a_row_ = kStolenInARow - 1;  // after the wary waits, one more is enough
  wary_waits_ = kWaryWaits;
  return false;
}

void Waiting::share_core(bool shared) {
  most_spins_ = shared ? std::min(kSpinsWhenCrowded, patience_.spins) : patience_.spins;
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
    signal.sleep(number, kFirstNap);
}

void Waiting::throw_aborted() const {
  const auto by_world = watched_.aborted_world->load(std::memory_order_acquire);
  const auto by =
      by_world != 0 ? by_world : watched_.aborted_group->load(std::memory_order_acquire);
  throw PeerFailure(fmt::format("Rank {} cannot go on: its communicator was aborted by rank {}.",
                                watched_.rank, by - 1));
}

}  // namespace linerate::host
