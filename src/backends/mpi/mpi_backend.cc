#include "backends/mpi/mpi_backend.h"

#include "backends/mpi/library.h"
#include "backends/mpi/mpi_api.h"
#include "backends/mpi/mpi_communicator.h"
#include "base/error.h"
#include "base/log.h"
#include "base/wire.h"
#include "devices/cpu/cpu_device.h"

#include <fmt/format.h>

#include <dlfcn.h>

#include <algorithm>
#include <array>
#include <exception>
#include <string>
#include <vector>

namespace linerate::mpi {
namespace {

constexpr int kGroupTag = 1;

// Open MPI's own plugins take its symbols from the global scope, but this module and all that it
// needs were opened with RTLD_LOCAL: the library is raised to the global scope before it starts.
void make_symbols_global() {
  Dl_info info{};
  if (dladdr(reinterpret_cast<void*>(&MPI_Init_thread), &info) == 0) return;
  (void)dlopen(info.dli_fname, RTLD_NOW | RTLD_GLOBAL | RTLD_NOLOAD);
}

void start_mpi() {
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
  start_mpi();
  return {.here = input.here, .place_within = input.place_within};
}

// Members in order, as ranks of MPI_COMM_WORLD.
std::vector<int> world_ranks(Bootstrap& bootstrap, const Deadline& deadline) {
  int mine = 0;
  MPI_TRY(MPI_Comm_rank(MPI_COMM_WORLD, &mine));
  return all_values(bootstrap, mine, deadline);
}

bool all_different(std::vector<int> ranks) {
  std::ranges::sort(ranks);
  return std::ranges::adjacent_find(ranks) == ranks.end();
}

OwnedComm communicator_of(const std::vector<int>& ranks) {
  MPI_Group world = MPI_GROUP_NULL;
  MPI_TRY(MPI_Comm_group(MPI_COMM_WORLD, &world));
  const OwnedGroup owned_world(world);
  MPI_Group group = MPI_GROUP_NULL;
  MPI_TRY(MPI_Group_incl(world, static_cast<int>(ranks.size()), ranks.data(), &group));
  const OwnedGroup owned_group(group);
  MPI_Comm comm = MPI_COMM_NULL;
  MPI_TRY(MPI_Comm_create_group(MPI_COMM_WORLD, group, kGroupTag, &comm));
  return OwnedComm(comm);
}

bool gives_thread_multiple() {
  int level = MPI_THREAD_SINGLE;
  MPI_TRY(MPI_Query_thread(&level));
  return level >= MPI_THREAD_MULTIPLE;
}

class MpiBackend final : public Backend {
 public:
  MpiBackend(const Clock& clock, std::size_t limit) : clock_(clock), limit_(limit) {}

  std::string_view name() const override { return "mpi"; }

  std::string version() const override { return library_version(); }

  std::string tuning() const override {
    const auto components = coll_components(several_hosts_);
    return components.empty() ? std::string() : "coll " + components;
  }

  Capabilities capabilities() const override {
    return {.abortable = false, .async = gives_thread_multiple()};
  }
  std::unique_ptr<Device> open_device(int local_index) override {
    return make_cpu_device(local_index, clock_);
  }

  std::vector<std::unique_ptr<Communicator>> connect(Bootstrap& bootstrap,
                                                     std::span<Device* const> local,
                                                     const ConnectOptions& options) override {
    if (local.size() != 1)
      throw Unavailable(
          fmt::format("The mpi backend has one rank per process, and {} were asked for: use -t 1 "
                      "-g 1 and start more processes, or choose --backend host or --backend nccl.",
                      local.size()));
    const auto ranks = world_ranks(bootstrap, options.deadline);
    if (!all_different(ranks))
      throw Unavailable(
          "The mpi backend has one rank per process of one MPI job, but several ranks share a "
          "process or their processes were not started by one mpirun: use -t 1 -g 1 under mpirun "
          "or srun, or choose --backend host or --backend nccl.");
    several_hosts_ = bootstrap.place().nnodes > 1;
    bootstrap.barrier(options.deadline);  // MPI knows no deadline: it begins when all are here
    std::vector<std::unique_ptr<Communicator>> made;
    made.push_back(std::make_unique<MpiCommunicator>(
        communicator_of(ranks),
        MpiCommunicator::Setup{.device = *local[0],
                               .table = table_,
                               .limit = limit_,
                               .several_hosts = several_hosts_,
                               .thread_multiple = gives_thread_multiple()}));
    return made;
  }

 private:
  const Clock& clock_;
  const std::size_t limit_;
  const TypeTable table_;
  bool several_hosts_ = false;  // of the ranks that connected last
};

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

std::string library_version() {
  std::array<char, MPI_MAX_LIBRARY_VERSION_STRING> text{};
  int length = 0;
  MPI_TRY(MPI_Get_library_version(text.data(), &length));
  return short_version({text.data(), static_cast<std::size_t>(length)});
}

std::unique_ptr<Backend> make_mpi_backend(const Clock& clock, std::size_t limit) {
  return std::make_unique<MpiBackend>(clock, limit);
}

}  // namespace linerate::mpi
