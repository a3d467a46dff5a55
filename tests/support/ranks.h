// Ranks of a backend in tests: each a thread. What a rank throws ends all, and is rethrown.
#pragma once

#include "comm/backend.h"
#include "comm/bootstrap.h"
#include "support/spawn.h"

#include <functional>
#include <memory>

namespace linerate {

// One rank of a backend, on its own thread.
struct RankOfBackend {
  Bootstrap& bootstrap;
  Communicator& comm;
  Device& device;
  Stream& stream;

  int number() const { return comm.rank(); }
  std::int64_t now_ns() const { return device.clock().now_ns(); }
};

// Connects `nranks` threads through `backend` and runs `body` on each.
inline void run_ranks(Backend& backend, int nranks,
                      const std::function<void(RankOfBackend&)>& body) {
  spawn(nranks, [&](Bootstrap& member) {
    const auto device = backend.open_device(member.rank());
    const auto stream = device->stream();
    Device* const local[] = {device.get()};
    const auto comms = backend.connect(member, local, {});
    RankOfBackend rank{member, *comms.front(), *device, *stream};
    try {
      body(rank);
    } catch (...) {
      comms.front()->abort();  // here, while there is one: peers may not have begun
      throw;
    }
  });
}

}  // namespace linerate
