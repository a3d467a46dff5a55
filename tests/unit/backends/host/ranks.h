// Ranks of the host backend in tests: each a thread, with one address space or as if in processes.
#pragma once

#include "backends/host/host_backend.h"
#include "base/clock.h"
#include "comm/communicator.h"
#include "launch/lanes/lanes.h"
#include "launch/solo_bootstrap.h"

#include <functional>
#include <memory>
#include <mutex>
#include <vector>

namespace linerate::host {

enum class AddressSpace { shared, separate };

struct Rank {
  Communicator& comm;
  Device& device;
  Stream& stream;
};

struct Ranks {
  int nranks = 2;
  // separate: every rank has its own mapping of the arena, at its own address, and reaches nothing
  // else.
  AddressSpace address_space = AddressSpace::shared;
  HostOptions options{};
  const Clock* clock = nullptr;  // null: the steady one
};

// Runs `body` on `ranks.nranks` threads of `process`, together with all other processes, as a fresh
// job. A rank that throws aborts all, so no test hangs; what it threw is rethrown.
inline void run_ranks_of(Bootstrap& process, const Ranks& ranks,
                         const std::function<void(Rank)>& body) {
  const SteadyClock steady;
  const Clock& clock = ranks.clock != nullptr ? *ranks.clock : steady;
  const auto common = make_host_backend(clock, ranks.options);
  std::mutex mutex;
  std::vector<Communicator*> alive;
  const auto abort_all = [&] {
    const std::lock_guard lock(mutex);
    for (Communicator* comm : alive) comm->abort();
  };
  const auto run_one = [&](Bootstrap& member) {
    const auto own = make_host_backend(clock, ranks.options);
    Backend& backend = ranks.address_space == AddressSpace::shared ? *common : *own;
    const auto device = backend.open_device(member.rank());
    Device* const devices[] = {device.get()};
    const auto comms = backend.connect(member, devices, {.deadline = Deadline::after(clock, 60)});
    {
      const std::lock_guard lock(mutex);
      alive.push_back(comms.front().get());
    }
    struct Forget {
      std::mutex& mutex;
      std::vector<Communicator*>& alive;
      Communicator* comm;
      ~Forget() {
        const std::lock_guard lock(mutex);
        std::erase(alive, comm);
      }
    } const forget{mutex, alive, comms.front().get()};
    const auto stream = device->stream();
    body({*comms.front(), *device, *stream});
  };
  run_lanes(process, ranks.nranks, run_one, [&](const std::string&) { abort_all(); });
}

inline void run_ranks(const Ranks& ranks, const std::function<void(Rank)>& body) {
  run_ranks_of(*solo_bootstrap(), ranks, body);
}

}  // namespace linerate::host
