// See signal.h.
#include "backends/host/signal.h"

#include <climits>

#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <bit>
#include <ctime>

namespace linerate::host {
namespace {

// The half of the number that changes with every call: futexes have 32 bits.
const std::uint32_t* low_word(const std::atomic<std::uint64_t>& number) {
  constexpr int kLow = std::endian::native == std::endian::little ? 0 : 1;
  return reinterpret_cast<const std::uint32_t*>(&number) + kLow;
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

}  // namespace linerate::host
