// MPI as a job, from MPI_Init to MPI_Finalize, and as a backend: one rank per process, over host
// memory.
#pragma once

#include "backends/mpi/mpi_bootstrap.h"
#include "base/clock.h"
#include "comm/backend.h"
#include "comm/plugin.h"

#include <climits>

#include <cstddef>
#include <memory>
#include <string>

namespace linerate::mpi {

// From MPI_Init to MPI_Finalize.
class MpiSession final : public JobSession {
 public:
  // Throws Unavailable where MPI was finalised before in this process.
  explicit MpiSession(const PluginInput& input);
  ~MpiSession() override;

  Bootstrap& bootstrap() override { return *bootstrap_; }

 private:
  MpiBootstrap::Job job_;
  std::unique_ptr<MpiBootstrap> bootstrap_;
};

// "Open MPI v4.1.4". MPI need not be initialised.
std::string library_version();

// REQUIRES: MPI is initialised and outlives the backend, which outlives its communicators, as
// `clock` does. Counts above `limit` are split: tests choose a small one.
std::unique_ptr<Backend> make_mpi_backend(const Clock& clock, std::size_t limit = INT_MAX);

}  // namespace linerate::mpi
