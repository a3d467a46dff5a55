// What named hardware should reach: the GPUs of as many nodes as the run had stand in for its own.
#include "collectives/collective.h"
#include "comm/data_type.h"
#include "diagnose/judge.h"
#include "diagnose/nccl_model.h"
#include "diagnose/results/results.h"
#include "record/verdict.h"
#include "topo/graph/graph.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <utility>

namespace linerate::results {
namespace {

// The band holds 80 % of healthy published runs, which were made on other machines than this one.
constexpr double kOfOtherMachines = 1.25;
constexpr double kFewResults = 0.2;  // of all that are judged: one or two may be disturbed

std::vector<std::string> gpus_of(const topo::System& system, const topo::NcclVersion& version) {
  std::vector<std::string> ids;
  const auto graph = topo::build_graph(system, version);
  for (const int gpu : graph.of(topo::NodeKind::gpu)) {
    const auto id = topo::text_of(graph.node(gpu).bus_id);
    ids.push_back(id.substr(0, id.rfind('.')));  // as CUDA writes it
  }
  return ids;
}

int nodes_of(const Run& run, const Hardware& hardware) {
  return hardware.nnodes > 0 ? hardware.nnodes
                             : static_cast<int>(std::max<std::size_t>(1, run.nhosts));
}

// Why the run cannot have been on this hardware; empty: it can.
std::string misfit(const Run& run, int nnodes, std::size_t gpus) {
  if (run.jobs > 1) return "several jobs printed into one table";
  if (!run.on_gpus) return "its ranks are on host memory";
  if (run.results.front().what.collective.empty())
    return "its table does not say which collective it is";
  if (gpus == 0) return "that node has no GPU";
  if (run.nranks > 0 &&
      (run.nranks % nnodes != 0 || static_cast<std::size_t>(run.nranks / nnodes) > gpus))
    return fmt::format("it has {} ranks, and {} of {} GPUs {} named: see --nodes", run.nranks,
                       nnodes == 1 ? "a node" : fmt::format("{} nodes", nnodes), gpus,
                       nnodes == 1 ? "is" : "are");
  return {};
}

RunInfo stand_in(const Run& run, int nnodes, std::span<const std::string> gpus) {
  RunInfo info{.environment = run.info.environment, .backend = "nccl", .nnodes = nnodes};
  const auto per_node = run.nranks > 0 ? run.nranks / nnodes : static_cast<int>(gpus.size());
  info.nranks = per_node * nnodes;
  for (int rank = 0; rank < info.nranks; ++rank)
    info.ranks.push_back({.rank = rank,
                          .node = rank / per_node,
                          .bus_id = gpus[static_cast<std::size_t>(rank % per_node)]});
  return info;
}

struct Judged {
  std::size_t low = 0, unsure = 0, above = 0, all = 0;
  const Record *lowest = nullptr, *highest = nullptr;
};

Judged judged(const Run& run) {
  Judged found;
  if (!run.judged) return found;
  for (const auto& r : run.results) {
    if (!r.expected) continue;
    ++found.all;
    const auto verdict = verdict_of(r);
    if (verdict == Verdict::low) ++found.low;
    if (verdict == Verdict::unsure) ++found.unsure;
    if (verdict == Verdict::above) ++found.above;
    if (found.lowest == nullptr || efficiency(r) < efficiency(*found.lowest)) found.lowest = &r;
    if (found.highest == nullptr || efficiency(r) > efficiency(*found.highest)) found.highest = &r;
  }
  return found;
}

}  // namespace

void add_expectations(Run& run, const Hardware& hardware) {
  if (run.results.empty()) return;
  topo::NcclVersion version = hardware.nccl.value_or(topo::NcclVersion{});
  const int nnodes = nodes_of(run, hardware);
  const auto gpus = gpus_of(hardware.system, version);
  if (run.not_judged = misfit(run, nnodes, gpus.size()); !run.not_judged.empty()) return;
  auto info = stand_in(run, nnodes, gpus);
  const bool own_version = !hardware.nccl && run.info.nccl_version > 0;
  info.nccl_version = own_version ? run.info.nccl_version : code_of(version);
  auto model = make_nccl_model(info, hardware.system);
  if (!model) {
    run.not_judged = model.sentence();
    return;
  }
  for (auto& r : run.results) {
    r.nranks = info.nranks;
    const auto* collective = find_collective(r.what.collective);
    const auto type = parse_data_type(r.what.type);
    if (collective != nullptr && type)
      r.what.count = count_of(*collective, r.what.bytes, *type, r.nranks);
  }
  Judge judge;
  judge.begin(info, *std::move(model), nullptr);
  judge.add_bounds(run.results);
  for (auto& r : run.results)
    if (r.expected) {
      r = widened(std::move(r), kOfOtherMachines);
      run.judged = true;
    }
  if (!run.judged) run.not_judged = "no bound of these calls and sizes is known";
}

std::vector<Seen> rules::below_expected(const Run& run) {
  const auto found = judged(run);
  if (found.low + found.unsure == 0) return {};
  const bool many =
      static_cast<double>(found.low) >= std::max(2.0, kFewResults * static_cast<double>(found.all));
  const auto below = found.low > 0 ? found.low : found.unsure;
  return {{.subject = fmt::format("{} of {} results", below, found.all),
           .evidence = fmt::format("Lowest {}.", reached_text(*found.lowest)),
           .severity = many ? Severity::warning : Severity::info}};
}

std::vector<Seen> rules::above_expected(const Run& run) {
  const auto found = judged(run);
  if (found.above == 0) return {};
  return {{.subject = fmt::format("{} of {} results", found.above, found.all),
           .evidence = fmt::format("Highest {}.", reached_text(*found.highest))}};
}

}  // namespace linerate::results
