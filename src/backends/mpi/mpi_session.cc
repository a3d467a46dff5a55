#include "backends/mpi/mpi_session.h"

#include "backends/mpi/mpi_api.h"
#include "base/error.h"
#include "base/log.h"

#include <fmt/format.h>

#include <dlfcn.h>

#include <exception>

namespace linerate::mpi {
namespace {

// Open MPI's own plugins take its symbols from the global scope, but this module and all that it
// needs were opened with RTLD_LOCAL: the library is raised to the global scope before it starts.
void make_symbols_global() {
  Dl_info info{};
  if (dladdr(reinterpret_cast<void*>(&MPI_Init_thread), &info) == 0) return;
  (void)dlopen(info.dli_fname, RTLD_NOW | RTLD_GLOBAL | RTLD_NOLOAD);
}

void start() {
  int over = 0;
  MPI_TRY(MPI_Finalized(&over));
  if (over != 0) throw Unavailable("MPI was finalised in this process and cannot start again.");
  int provided = MPI_THREAD_SINGLE;
  MPI_TRY(MPI_Init_thread(nullptr, nullptr, MPI_THREAD_MULTIPLE, &provided));
  MPI_TRY(MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN));
  MPI_TRY(MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN));
  if (provided < MPI_THREAD_SERIALIZED)
    say(
        fmt::format("this MPI was built without thread support (level {}): a lost rank is noticed, "
                    "but ending the job from the watching thread may fail.",
                    provided));
}

MpiBootstrap::Job job_of(const PluginInput& input) {
  start();
  return {.here = input.here, .place_within = input.place_within};
}

}  // namespace

MpiSession::MpiSession(const PluginInput& input)
    : job_((make_symbols_global(), job_of(input))),
      bootstrap_(std::make_unique<MpiBootstrap>(duplicate(MPI_COMM_WORLD), job_, input.deadline)) {}

MpiSession::~MpiSession() {
  // Finalising waits for all ranks, and after a failure some may never come. Left out, it makes the
  // launcher end them once this process is gone.
  if (job_.timed_out || std::uncaught_exceptions() > 0) {
    (void)bootstrap_.release();  // NOLINT(bugprone-unused-return-value): calls in flight still use
                                 // what it holds
    return;
  }
  bootstrap_.reset();
  (void)MPI_Finalize();
}

}  // namespace linerate::mpi
