// Ranks of the gloo backend in tests: each a thread, over TCP on loopback.
#pragma once

#include "backends/gloo/gloo_backend.h"
#include "base/clock.h"
#include "support/spawn.h"

#include <csignal>
#include <functional>
#include <memory>

namespace linerate::gloo {

struct Rank {
  Bootstrap& member;
  Communicator& comm;
  Stream& stream;
};

// Runs `body` on `nranks` threads, as ranks of one backend.
inline void run_ranks(int nranks, const std::function<void(Rank)>& body) {
  std::signal(SIGPIPE, SIG_IGN);  // as main does
  const SteadyClock clock;
  const auto backend = make_gloo_backend(clock, {});
  spawn(nranks, [&](Bootstrap& member) {
    const auto device = backend->open_device(member.rank());
    const auto stream = device->stream();
    Device* const local[] = {device.get()};
    const auto comms = backend->connect(member, local, {.deadline = Deadline::after(clock, 60)});
    body({member, *comms.front(), *stream});
  });
}

}  // namespace linerate::gloo
