// MPI as a backend: one rank per process, over host memory.
#pragma once

#include "base/clock.h"
#include "comm/backend.h"

#include <climits>

#include <cstddef>
#include <memory>

namespace linerate::mpi {

// REQUIRES: MPI is initialised and outlives the backend, which outlives its communicators, as
// `clock` does. Counts above `limit` are split: tests choose a small one.
std::unique_ptr<Backend> make_mpi_backend(const Clock& clock, std::size_t limit = INT_MAX);

}  // namespace linerate::mpi
