// Ranks of the host backend in tests: each a thread, with one address space or as if in processes.
#pragma once

#include "backends/host/host_backend.h"
#include "base/clock.h"
#include "comm/communicator.h"
#include "launch/solo_bootstrap.h"
#include "launch/threads/rank_threads.h"

#include <functional>
#include <memory>

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
  const auto run_one = [&](Bootstrap& member) {
    const auto own = make_host_backend(clock, ranks.options);
    Backend& backend = ranks.address_space == AddressSpace::shared ? *common : *own;
    const auto device = backend.open_device(member.rank());
    Device* const devices[] = {device.get()};
    const auto comms = backend.connect(member, devices, {.deadline = Deadline::after(clock, 60)});
    const auto stream = device->stream();
    try {
      body({*comms.front(), *device, *stream});
    } catch (...) {
      comms.front()->abort();  // here, while there is one: peers may not have begun
      throw;
    }
  };
  run_rank_threads(process, ranks.nranks, run_one, nullptr);
}

inline void run_ranks(const Ranks& ranks, const std::function<void(Rank)>& body) {
  run_ranks_of(*solo_bootstrap(), ranks, body);
}

}  // namespace linerate::host
