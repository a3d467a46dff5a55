// See host_backend.h.
#include "backends/host/host_backend.h"

#include "backends/host/host_communicator.h"
#include "backends/host/rendezvous.h"
#include "base/error.h"
#include "devices/cpu/cpu_device.h"
#include "topo/machine.h"

#include <fmt/format.h>

#include <algorithm>
#include <mutex>
#include <numeric>
#include <utility>

namespace linerate {
namespace host {
namespace {

class HostBackend final : public Backend {
 public:
  HostBackend(const Clock& clock, const HostOptions& options)
      : clock_(clock),
        options_(options),
        rendezvous_(options),
        rules_(std::make_shared<const std::vector<Rule>>(built_in_rules().begin(),
                                                         built_in_rules().end())) {}

  std::string_view name() const override { return "host"; }
  std::string version() const override { return {}; }
  Capabilities capabilities() const override { return {}; }

  std::unique_ptr<Device> open_device(int local_index) override {
    return make_cpu_device(local_index, clock_);
  }

  std::vector<std::unique_ptr<Communicator>> connect(Bootstrap& members,
                                                     std::span<Device* const> local,
                                                     const ConnectOptions& options) override;

 private:
  std::size_t cache_bytes();
  std::vector<int> marks(std::size_t nranks) const;

  const Clock& clock_;
  const HostOptions options_;
  Rendezvous rendezvous_;
  std::shared_ptr<const std::vector<Rule>> rules_;
  std::once_flag asked_;
  std::size_t cache_bytes_ = 0;
};

// What this process may count on of the last-level cache: on a shared machine much of it is
// others'.
std::size_t HostBackend::cache_bytes() {
  constexpr std::size_t kMostOfACore = std::size_t{32} << 20;  // no processor has more of it a core
  std::call_once(asked_, [this] {
    const Machine machine = describe_machine();
    cache_bytes_ =
        std::min(machine.l3_bytes, static_cast<std::size_t>(machine.cores) * kMostOfACore);
  });
  return cache_bytes_;
}

std::vector<int> HostBackend::marks(std::size_t nranks) const {
  std::vector<int> marks(nranks);
  if (options_.ranks_per_group > 0)
    for (std::size_t rank = 0; rank < nranks; ++rank)
      marks[rank] = static_cast<int>(rank) / options_.ranks_per_group;
  return marks;
}

std::vector<std::unique_ptr<Communicator>> HostBackend::connect(Bootstrap& members,
                                                                std::span<Device* const> local,
                                                                const ConnectOptions& options) {
  if (local.size() != 1)
    throw Error(fmt::format(
        "The host backend runs one rank on each thread, but was given {} devices for one: start as "
        "many threads as ranks.",
        local.size()));
  Party party = rendezvous_.meet(members, options.deadline);
  const auto nranks = static_cast<std::size_t>(members.nranks());
  Tuning tuning{.rules = rules_, .cache_bytes = cache_bytes(), .marks = marks(nranks)};
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
