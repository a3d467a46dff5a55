#include "commands/gather_nodes.h"

#include "base/child_output.h"
#include "base/log.h"
#include "job/processes.h"
#include "launch/place.h"
#include "launch/start_guard.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <set>

namespace linerate {
namespace {

constexpr double kReadS = 100;  // for a node
constexpr double kMeetS = 180;  // for the processes to meet, reading included
constexpr double kClocksS = 1;  // that clocks of nodes may differ by

// Ranks that differ in one of these hang, or take paths that do not fit together.
constexpr std::array<std::string_view, 18> kShared{
    "NCCL_ALGO",           "NCCL_PROTO",       "NCCL_BUFFSIZE",      "NCCL_LL_BUFFSIZE",
    "NCCL_LL128_BUFFSIZE", "NCCL_NTHREADS",    "NCCL_MIN_NCHANNELS", "NCCL_MAX_NCHANNELS",
    "NCCL_MIN_CTAS",       "NCCL_MAX_CTAS",    "NCCL_NET",           "NCCL_IB_DISABLE",
    "NCCL_CROSS_NIC",      "NCCL_P2P_DISABLE", "NCCL_SHM_DISABLE",   "NCCL_NVLS_ENABLE",
    "NCCL_COLLNET_ENABLE", "NCCL_CUMEM_ENABLE"};

std::string shared_settings(const Environment& environment) {
  std::string lines;
  for (const auto name : kShared)
    if (const auto value = environment.get(name))
      lines += fmt::format("{}{}={}", lines.empty() ? "" : "\n", name, *value);
  return lines;
}

NodeReport read_node(const Environment& environment, const std::string& hostname) {
  NodeReport report{.hostname = hostname, .settings = shared_settings(environment)};
  auto told = output_of_copy([] { return node::snapshot_text(node::take_snapshot()); },
                             {.seconds = kReadS, .bytes = node::kMostSnapshotBytes});
  (told ? report.snapshot : report.unread) = told ? *told : told.sentence();
  return report;
}

double wall_clock_s() {
  return std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch()).count();
}

Finding unread_node(const std::string& name, const std::string& why) {
  return {.rule = "unread-node",
          .severity = Severity::problem,
          .subject = name,
          .evidence = fmt::format("Reading it {}. One of its drivers or file systems does not "
                                  "answer, and a job would wait for it as well.",
                                  why),
          .advice =
              "look there for 'blocked for more than' in the kernel's log (dmesg), run "
              "nvidia-smi; restart the node, or leave it out"};
}

double median_clock(std::span<const NodeReport> reports) {
  std::vector<double> clocks;
  for (const auto& report : reports) clocks.push_back(report.clock_s);
  const auto middle = clocks.begin() + (std::ssize(clocks) - 1) / 2;
  std::ranges::nth_element(clocks, middle);
  return *middle;
}

}  // namespace

GatheredNodes gathered(std::span<const NodeReport> reports) {
  GatheredNodes nodes;
  std::set<std::string> names;
  const bool several = reports.size() > 1;
  const double clock = several ? median_clock(reports) : 0;
  for (const auto& report : reports) {
    auto name = report.hostname;
    for (int n = 2; !names.insert(name).second; ++n)
      name = fmt::format("{} ({})", report.hostname, n);
    auto parsed = node::parse_snapshot(report.snapshot);
    if (!parsed) {
      const auto why = report.unread.empty() ? "gave no snapshot" : report.unread;
      nodes.unread.push_back(unread_node(name, why));
      continue;
    }
    auto& snapshot = nodes.snapshots.emplace_back(*std::move(parsed));
    snapshot.node = name;
    if (!several) continue;
    const double ahead_s = report.clock_s - clock;
    snapshot.facts["clock when all were read"] =
        fmt::format("{:+.0f} s", std::abs(ahead_s) > kClocksS ? ahead_s : 0);
    if (!report.settings.empty()) snapshot.facts["settings of NCCL"] = report.settings;
  }
  return nodes;
}

namespace {

// Collective. Those of all nodes, on rank 0.
std::vector<NodeReport> reports_of_nodes(Bootstrap& processes, const Environment& environment,
                                         const Deadline& deadline) {
  const bool speaks = processes.place().local_rank == 0;
  NodeReport mine;
  if (speaks) mine = read_node(environment, processes.place().hostname);
  processes.barrier(deadline);
  mine.clock_s = wall_clock_s();
  WireWriter message;
  if (speaks) message.put(mine);
  std::vector<NodeReport> reports;
  for (const auto& bytes : processes.gather(message.bytes(), deadline))
    if (!bytes.empty()) reports.push_back(read_whole<NodeReport>(bytes));
  return reports;
}

ExitCode with_nodes_of_job(const CommandInput& input, const Identity& identity,
                           const std::function<ExitCode(const GatheredNodes&)>& use) {
  const SteadyClock clock;
  need_descriptors(identity.nranks);
  StartGuard guard({.clock = clock,
                    .name = fmt::format("rank {} ({})", identity.rank, this_host().hostname),
                    .timeout_s = kMeetS,
                    .notes = identity.launcher != Launcher::mpi || identity.rank == 0});
  const auto deadline = Deadline::after(guard.clock(), kMeetS);
  const auto joined =
      join_processes(identity, input.environment, {clock, deadline, &guard.waiting_for()});
  const auto reports = reports_of_nodes(joined.all(), input.environment, deadline);
  auto code = ExitCode::ok;
  if (joined.all().rank() == 0) {
    auto nodes = gathered(reports);
    nodes.of_job = true;
    code = use(nodes);
  }
  code = value_of_rank_0(joined.all(), code, deadline);
  guard.finish();
  return code;
}

}  // namespace

ExitCode with_this_node(const CommandInput& input,
                        const std::function<ExitCode(const GatheredNodes&)>& use) {
  return use(gathered(std::array{read_node(input.environment, this_host().hostname)}));
}

ExitCode with_nodes(const CommandInput& input,
                    const std::function<ExitCode(const GatheredNodes&)>& use) {
  const auto identity = detect_identity(input.environment, 0);
  if (!identity) return refuse(identity.sentence());
  if (identity->launcher == Launcher::none) return with_this_node(input, use);
  if (identity->rank == 0)
    for (const auto& note : identity->notes) say(note);
  try {
    return with_nodes_of_job(input, *identity, use);
  } catch (const Error& error) {
    throw Error(with_stopped_ranks(error, *identity));
  }
}

}  // namespace linerate
