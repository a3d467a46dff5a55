// Waiting for MPI with a deadline: which MPI itself does not know.
#pragma once

#include "base/clock.h"

#include <mpi.h>

#include <cstdint>
#include <span>

namespace linerate::mpi {

// How a rank passes the time between two looks: busy at first, then it leaves the core to others,
// then it naps. For out-of-band exchange only.
class Patience {
 public:
  void pause();

 private:
  std::int64_t nlooks_ = 0;
};

// True when all requests are done, false when the deadline passed first: they are then still
// active.
bool wait_all(std::span<MPI_Request> requests, const Deadline& deadline);

}  // namespace linerate::mpi
