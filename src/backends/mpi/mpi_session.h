// MPI_Init to MPI_Finalize.
#pragma once

#include "backends/mpi/mpi_bootstrap.h"
#include "comm/plugin.h"

#include <memory>

namespace linerate::mpi {

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

}  // namespace linerate::mpi
