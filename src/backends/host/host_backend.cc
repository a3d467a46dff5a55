// See host_backend.h.
#include "backends/host/host_backend.h"

#include "backends/host/host_communicator.h"
#include "backends/host/rendezvous.h"
#include "backends/host/tuning.h"
#include "base/error.h"
#include "devices/cpu/cpu_device.h"

#include <fmt/format.h>

#include <numeric>
#include <utility>

namespace linerate {
namespace host {
namespace {

class HostBackend final : public Backend {
 public:
  HostBackend(const Clock& clock, const HostOptions& options)
      : clock_(clock), rendezvous_(options), tuning_(options) {}

  std::string_view name() const override { return "host"; }
  std::string version() const override { return {}; }
  Capabilities capabilities() const override { return {}; }
  std::string tuning() const override { return tuning_.text(); }

  std::unique_ptr<Device> open_device(int local_index) override {
    return make_cpu_device(local_index, clock_);
  }

  std::vector<std::unique_ptr<Communicator>> connect(Bootstrap& members,
                                                     std::span<Device* const> local,
                                                     const ConnectOptions& options) override;

 private:
  const Clock& clock_;
  Rendezvous rendezvous_;
  TuningSource tuning_;
};

std::vector<std::unique_ptr<Communicator>> HostBackend::connect(Bootstrap& members,
                                                                std::span<Device* const> local,
                                                                const ConnectOptions& options) {
  if (local.size() != 1)
    throw Error(fmt::format(
        "The host backend runs one rank on each thread, but was given {} devices for one: start as "
        "many threads as ranks.",
        local.size()));
  Party party = rendezvous_.meet(members, options.deadline);
  Tuning tuning = tuning_.agree(members, options.deadline);
  auto region = std::make_shared<Region>(party.arena, members.rank());
  std::vector<int> world_ranks(static_cast<std::size_t>(members.nranks()));
  std::iota(world_ranks.begin(), world_ranks.end(), 0);
  std::vector<std::unique_ptr<Communicator>> communicators;
  communicators.push_back(
      std::make_unique<HostCommunicator>(*local.front(), std::move(region),
                                         Team::Setup{.arena = std::move(party.arena),
                                                     .control_offset = 0,
                                                     .rank = members.rank(),
                                                     .world_ranks = std::move(world_ranks),
                                                     .processes = std::move(party.processes),
                                                     .patience = party.patience,
                                                     .clock = &clock_},
                                         std::move(tuning)));
  return communicators;
}

}  // namespace
}  // namespace host

std::unique_ptr<Backend> make_host_backend(const Clock& clock) {
  return make_host_backend(clock, {});
}

std::unique_ptr<Backend> make_host_backend(const Clock& clock, const HostOptions& options) {
  return std::make_unique<host::HostBackend>(clock, options);
}

}  // namespace linerate
