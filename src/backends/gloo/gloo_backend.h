// Gloo as a backend: threads and processes on any number of hosts, over TCP, without a launcher's
// library.
#pragma once

#include "base/clock.h"
#include "base/environment.h"
#include "comm/backend.h"

#include <memory>

namespace linerate::gloo {

// REQUIRES: the process ignores SIGPIPE, which Gloo's writes to a lost peer raise. `clock` outlives
// the backend and all that it makes. GLOO_SOCKET_IFNAME names the interface to use
// instead of the one that find_address() chooses.
std::unique_ptr<Backend> make_gloo_backend(const Clock& clock, const Environment& environment);

}  // namespace linerate::gloo
