#include "backends/host/host_backend.h"

#include "backends/host/emulation/network.h"
#include "backends/host/host_communicator.h"
#include "backends/host/rendezvous.h"
#include "backends/host/tuning.h"
#include "base/error.h"
#include "devices/cpu/cpu_device.h"

#include <fmt/format.h>

#include <cassert>
#include <numeric>
#include <optional>
#include <utility>

namespace linerate {
namespace host {
namespace {

// Time that runs slower than the machine's. Any thread may read; all processes of a host share the
// time line, as they share that of `clock`, which outlives this.
class DilatedClock final : public Clock {
 public:
  DilatedClock(const Clock& clock, int dilation) : clock_(clock), dilation_(dilation) {}

  std::int64_t now_ns() const override { return clock_.now_ns() / dilation_; }

 private:
  const Clock& clock_;
  std::int64_t dilation_;
};

class HostBackend final : public Backend {
 public:
  HostBackend(const Clock& clock, const HostOptions& options)
      : clock_(clock),
        network_(options.network),
        device_clock_(clock, network_ ? network_->plan().dilation : 1),
        rendezvous_(options),
        tuning_(options),
        attach_bytes_(options.attach_bytes),
        ranks_stay_(options.ranks_stay) {}

  std::string_view name() const override { return "host"; }
  std::string version() const override { return {}; }
  Capabilities capabilities() const override { return {.direct = true}; }
  std::string tuning() const override { return tuning_.text(); }

  std::unique_ptr<Device> open_device(int local_index) override {
    tuning_.prepare();  // before anybody times how long connecting takes
    return make_cpu_device(local_index, network_ ? device_clock_ : clock_);
  }
  std::optional<NodeName> node_of(int rank) const override {
    if (!network_) return std::nullopt;
    return NodeName{network_->node_of(rank), network_->node_name(rank)};
  }

  std::vector<std::unique_ptr<Communicator>> connect(Bootstrap& bootstrap,
                                                     std::span<Device* const> local,
                                                     const ConnectOptions& options) override {
    assert(local.size() == 1);
    check_ranks(bootstrap.nranks());
    JobArena job = rendezvous_.meet(bootstrap, options.deadline);
    Tuning tuning = tuning_.agree(bootstrap, job.spin_policy.oversubscribed, options.deadline);
    auto region = std::make_shared<Region>(job.arena, bootstrap.rank());
    std::vector<int> world_ranks(static_cast<std::size_t>(bootstrap.nranks()));
    std::iota(world_ranks.begin(), world_ranks.end(), 0);
    std::vector<std::unique_ptr<Communicator>> communicators;
    communicators.push_back(
        std::make_unique<HostCommunicator>(*local.front(), std::move(region),
                                           Team::Setup{.arena = std::move(job.arena),
                                                       .control_offset = 0,
                                                       .rank = bootstrap.rank(),
                                                       .world_ranks = std::move(world_ranks),
                                                       .processes = std::move(job.processes),
                                                       .pids = std::move(job.pids),
                                                       .attach_bytes = attach_bytes_,
                                                       .spin_policy = job.spin_policy,
                                                       .ranks_stay = ranks_stay_,
                                                       .clock = &clock_},
                                           std::move(tuning), std::make_shared<ClockDebt>()));
    return communicators;
  }

 private:
  void check_ranks(int nranks) const {
    if (network_ && nranks > network_->nranks())
      throw Error(fmt::format("{} ranks do not fit on the emulated network of {}.", nranks,
                              network_->places()),
                  ExitCode::usage);
  }

  const Clock& clock_;
  const std::shared_ptr<const Network> network_;
  const DilatedClock device_clock_;
  Rendezvous rendezvous_;
  TuningSource tuning_;
  const std::size_t attach_bytes_;
  const bool ranks_stay_;
};

}  // namespace
}  // namespace host

std::unique_ptr<Backend> make_host_backend(const Clock& clock, const HostOptions& options) {
  return std::make_unique<host::HostBackend>(clock, options);
}

}  // namespace linerate
