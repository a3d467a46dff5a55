// Two threads pass a counter to and fro.
#include "bench/probe/flag.h"

#include "bench/probe/cores.h"

#include <atomic>
#include <cstdint>
#include <functional>
#include <system_error>
#include <thread>

namespace linerate::probe {
namespace {

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

// `pin(0)` binds the caller's thread, `pin(1)` that which answers.
std::vector<double> round_trips_ns(const Clock& clock, int windows,
                                   const std::function<void(int)>& pin) {
  Flag ping, pong;
  std::vector<double> times_ns;
  const auto last = static_cast<std::uint32_t>(windows) * kRoundTrips;
  Gate gate;
  std::jthread echo([&] {
    pin(1);
    if (!gate.passed()) return;
    for (std::uint32_t turn = 1; turn <= last; ++turn) {
      ping.wait_for(turn);
      pong.value.store(turn, std::memory_order_release);
    }
  });
  const auto call = [&] {
    pin(0);
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
  return times_ns;
}

}  // namespace

std::vector<double> flag_round_trips_ns(const Clock& clock, int windows) {
  if (ncores() < 2) return {};
  return round_trips_ns(clock, windows, pin_this_thread);
}

std::vector<double> flag_round_trips_ns(const Clock& clock, int windows, int first, int second) {
  std::atomic<bool> apart = true;
  auto times_ns = round_trips_ns(clock, windows, [&](int which) {
    if (!pin_to(which == 0 ? first : second)) apart = false;
  });
  if (!apart) times_ns.clear();
  return times_ns;
}

}  // namespace linerate::probe
