// See waiting.h.
#include "backends/mpi/waiting.h"

#include "backends/mpi/mpi_try.h"

#include <sched.h>
#include <time.h>

namespace linerate::mpi {

void Patience::pause() {
  constexpr std::int64_t kBusyLooks = 200;  // tens of microseconds: a ping-pong stays undisturbed
  constexpr std::int64_t kYields = 20'000;  // some milliseconds: ranks that share a core take turns
  constexpr timespec kNap{.tv_sec = 0, .tv_nsec = 100'000};
  if (++nlooks_ <= kBusyLooks) return;
  if (nlooks_ <= kBusyLooks + kYields) {
    sched_yield();
  } else {
    nanosleep(&kNap, nullptr);
  }
}

bool wait_all(std::span<MPI_Request> requests, const Deadline& deadline) {
  Patience patience;
  for (;;) {
    int done = 0;
    MPI_TRY(MPI_Testall(static_cast<int>(requests.size()), requests.data(), &done,
                        MPI_STATUSES_IGNORE));
    if (done != 0) return true;
    if (deadline.passed()) return false;
    patience.pause();
  }
}

}  // namespace linerate::mpi
