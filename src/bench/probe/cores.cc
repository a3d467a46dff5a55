// Affinity masks of any size; two threads pass a counter to and fro.
#include "bench/probe/cores.h"

#include "base/error.h"

#include <sched.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <system_error>
#include <thread>
#include <vector>

namespace linerate::probe {
namespace {

constexpr int kMaxCores = 1 << 20;  // no kernel has more

// A set of hardware threads that may be larger than a cpu_set_t, which ends at 1024.
class CoreSet {
 public:
  explicit CoreSet(int ncores) : words_(CPU_ALLOC_SIZE(ncores) / sizeof(Word)) {}

  std::size_t bytes() const { return words_.size() * sizeof(Word); }
  cpu_set_t* data() { return reinterpret_cast<cpu_set_t*>(words_.data()); }
  void add(int core) { CPU_SET_S(core, bytes(), data()); }
  bool has(int core) { return CPU_ISSET_S(core, bytes(), data()); }
  int size() const { return static_cast<int>(bytes()) * 8; }

 private:
  using Word = unsigned long;  // of which the kernel's masks are made
  std::vector<Word> words_;
};

// The kernel refuses sets smaller than its own with EINVAL.
CoreSet allowed_set() {
  for (int ncores = CPU_SETSIZE;; ncores *= 2) {
    CoreSet set(ncores);
    const int failed = ::sched_getaffinity(0, set.bytes(), set.data());
    if (failed == 0) return set;
    if (errno != EINVAL || ncores >= kMaxCores) check_system(failed, "sched_getaffinity");
  }
}

// Yields 0, or -1 and errno.
int bind_to(std::span<const int> cores) {
  const auto [least, most] = std::ranges::minmax(cores);
  if (least < 0 || most >= kMaxCores) return errno = EINVAL, -1;
  CoreSet set(most + 1);
  for (const int core : cores) set.add(core);
  return ::sched_setaffinity(0, set.bytes(), set.data());
}
int bind_to(int core) { return bind_to({&core, 1}); }

constexpr std::uint32_t kRoundTrips = 2000;  // of a window: a fraction of a millisecond

struct alignas(128) Flag {  // adjacent lines are fetched in pairs
  std::atomic<std::uint32_t> value = 0;

  void wait_for(std::uint32_t expected) const {
    while (value.load(std::memory_order_acquire) != expected) {
    }
  }
};

// Keeps a thread from its loop until its partner could be started too.
class Gate {
 public:
  enum class State : std::uint8_t { closed, open, abandoned };

  bool passed() const {
    state_.wait(State::closed);
    return state_.load() == State::open;
  }
  void set(State state) {
    state_.store(state);
    state_.notify_all();
  }

 private:
  std::atomic<State> state_{State::closed};
};

}  // namespace

std::vector<int> allowed_cores() {
  auto set = allowed_set();
  std::vector<int> cores;
  for (int core = 0; core < set.size(); ++core)
    if (set.has(core)) cores.push_back(core);
  return cores;
}

bool pin_to(int os_index) { return bind_to(os_index) == 0; }

bool move_to_any(std::span<const int> cores) { return !cores.empty() && bind_to(cores) == 0; }

std::vector<double> flag_round_trips_ns(const Clock& clock, int windows, int first, int second) {
  std::atomic<bool> apart = true;
  const auto pin = [&](int core) {
    if (!pin_to(core)) apart = false;
  };
  Flag ping, pong;
  std::vector<double> times_ns;
  const auto last = static_cast<std::uint32_t>(windows) * kRoundTrips;
  Gate gate;
  std::jthread echo([&] {
    pin(second);
    if (!gate.passed()) return;
    for (std::uint32_t turn = 1; turn <= last; ++turn) {
      ping.wait_for(turn);
      pong.value.store(turn, std::memory_order_release);
    }
  });
  const auto call = [&] {
    pin(first);
    gate.set(Gate::State::open);
    for (std::uint32_t turn = 1; turn <= last;) {
      const auto start_ns = clock.now_ns();
      for (std::uint32_t i = 0; i < kRoundTrips; ++i, ++turn) {
        ping.value.store(turn, std::memory_order_release);
        pong.wait_for(turn);
      }
      times_ns.push_back(static_cast<double>(clock.now_ns() - start_ns) / kRoundTrips);
    }
  };
  try {
    std::jthread(call).join();
  } catch (const std::system_error&) {  // it could not be started
    gate.set(Gate::State::abandoned);
    throw;
  }
  echo.join();
  return apart ? times_ns : std::vector<double>();
}

}  // namespace linerate::probe
