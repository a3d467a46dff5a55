// Settings are compared by a digest; only where one differs are they sent.
#include "job/processes.h"

#include "backends/table.h"
#include "base/error.h"
#include "base/text.h"
#include "base/wire.h"
#include "launch/connect.h"
#include "launch/local_fork.h"
#include "launch/place.h"
#include "launch/start_guard.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace linerate {
namespace {

std::unique_ptr<JobSession> join_mpi_job(const Environment& environment, const Start& start) {
  if (start.waiting_for != nullptr)
    start.waiting_for->set([] {
      const std::string whom = "all ranks of the MPI job to come to MPI_Init";
      const auto stopped = stopped_siblings();
      return stopped.empty() ? whom : fmt::format("{}; {} stopped", whom, stopped);
    });
  const auto host = this_host();
  const PluginInput input{.clock = start.clock,
                          .here = {.hostname = host.hostname, .identity = host.identity},
                          .place_within = place_within,
                          .deadline = start.deadline};
  auto session = open_session(*find_backend("mpi").value(), input, environment);
  if (start.waiting_for != nullptr) start.waiting_for->set({});
  return session;
}

std::uint64_t digest_of(std::span<const Setting> settings) {
  std::string all;
  for (const auto& [name, json] : settings)
    all.append(name).append(1, '\xff').append(json).append(1, '\xff');  // no byte of UTF-8
  return fnv1a(all);
}

using Settings = std::vector<Setting>;

std::string value_of(const Settings& settings, std::string_view name) {
  const auto found = std::ranges::find(settings, name, &Setting::name);
  return found == settings.end() ? "not given" : found->json;
}

// The name of the first setting that only one of them has, or has otherwise.
std::optional<std::string> first_difference(const Settings& one, const Settings& other) {
  for (const auto* settings : {&one, &other})
    for (const auto& setting : *settings)
      if (value_of(one, setting.name) != value_of(other, setting.name)) return setting.name;
  return std::nullopt;
}

}  // namespace

Result<Identity> identify(const JobConfig& config, const Environment& environment) {
  auto detected = detect_identity(environment, config.nprocs);
  if (!detected) return detected;
  Identity identity = std::move(detected).value();
  identity.ranks_per_process = config.ranks_per_process();
  return identity;
}

ExitCode in_each_process(const Identity& identity, const JobConfig& config,
                         const std::function<ExitCode(const Identity&)>& process) {
  if (identity.launcher != Launcher::nprocs) return process(identity);
  return fork_processes(
      config.nprocs, process,
      {.ranks_per_process = config.ranks_per_process(), .timeout_s = config.timeout_s});
}

JoinedProcesses join_processes(const Identity& identity, const Environment& environment,
                               const Start& start) {
  if (identity.launcher == Launcher::mpi)
    return {.mpi = join_mpi_job(environment, start), .own = nullptr};
  return {.mpi = nullptr, .own = connect_processes(identity, start.deadline, start.waiting_for)};
}

Error with_stopped_ranks(const Error& error, const Identity& identity) {
  const bool asks = identity.launcher == Launcher::mpi && error.exit_code() == ExitCode::lost;
  const auto stopped = asks ? stopped_siblings() : std::string();
  if (stopped.empty()) return error;
  return Error(fmt::format("{}; {} stopped", error.what(), stopped), error.exit_code());
}

// Without its own backend a process ends. The others are told why.
void agree_that_all_opened(Bootstrap& processes, const Identity& identity,
                           const std::optional<Error>& failure, const Deadline& deadline) {
  WireWriter mine;
  if (failure) mine.put(failure->exit_code()).put_text(failure->what());
  const auto all = processes.all_gather(mine.bytes(), deadline);
  if (failure) throw Error(*failure);
  for (std::size_t rank = 0; rank < all.size(); ++rank) {
    if (all[rank].empty()) continue;
    WireReader theirs(all[rank]);
    const auto code = theirs.get<ExitCode>();
    throw Error(
        fmt::format("{}: {}", ranks_text(static_cast<int>(rank), identity.ranks_per_process),
                    theirs.get_text()),
        code);
  }
}

// A digest of each is compared; only where some differ the settings themselves are sent.
void compare_settings(Bootstrap& processes, std::span<const Setting> mine,
                      const Deadline& deadline) {
  if (processes.nranks() == 1) return;
  const auto digests = all_values(processes, digest_of(mine), deadline);
  const auto differs =
      std::ranges::find_if(digests, [&](std::uint64_t digest) { return digest != digests[0]; });
  if (differs == digests.end()) return;
  const auto all = all_values(processes, Settings(mine.begin(), mine.end()), deadline);
  const auto process = static_cast<std::size_t>(differs - digests.begin());
  const auto &first = all[0], &other = all[process];
  const auto name = first_difference(first, other).value_or("their order");
  throw Error(fmt::format("The processes were started with different options: {} is {} in process "
                          "0 and {} in process {}. Start all of them with the same.",
                          name, value_of(first, name), value_of(other, name), process),
              ExitCode::usage);
}

}  // namespace linerate
