// See pair_expecter.h.
#include "bench/expect/pair_expecter.h"

#include "bench/expect/node_probe.h"
#include "bench/expect/probe_plan.h"
#include "bench/expect/suspects.h"

#include <utility>

namespace linerate {
namespace {

constexpr double kBudgetUs = 100e3;  // of all ranks at once, and as much of those asked alone

bool in_one_memory(const Session& session) {
  return session.nranks() > 1 && on_host_memory(session) && on_one_node(nodes_of(session.infos()));
}

std::vector<MemoryPoint> joined(const MemoryCurve& all, const MemoryCurve& lone) {
  auto points = all.points();
  points.insert(points.end(), lone.points().begin(), lone.points().end());
  return points;
}

}  // namespace

// Latency is measured with other messages than bandwidth, one at a time as those of one way.
PairExpecter::Sizes PairExpecter::sizes_of(const BenchConfig& config, int nranks,
                                           std::size_t cache_bytes) {
  const auto npairs = config.at_once ? static_cast<std::size_t>(nranks) / 2 : 1;
  const auto footprints = footprints_between(config.min_bytes, config.max_bytes, npairs);
  const auto held = 2 * config.max_bytes;
  return {
      .all = probe_sizes(footprints.round, {.buffer_bytes = held * static_cast<std::size_t>(nranks),
                                            .cache_bytes = cache_bytes}),
      .lone = probe_sizes(footprints.lone, {.buffer_bytes = held, .cache_bytes = cache_bytes})};
}

std::unique_ptr<PairExpecter> PairExpecter::measure(Session& session, const Run& run) {
  if (!in_one_memory(session) || run.config.max_bytes < kMinJudgedBytes) return nullptr;
  auto expecter = std::make_unique<PairExpecter>();
  auto& limits = expecter->limits_;
  limits.nranks = session.nranks();
  limits.all = limits_before_probes(session, run.memory);
  const auto sizes = sizes_of(run.config, session.nranks(), run.memory.cache_bytes);
  expecter->sizes_ = {.all = agreed_sizes(session, sizes.all),
                      .lone = agreed_sizes(session, sizes.lone)};
  expecter->probe(session);
  if (session.is_first())
    for (const auto* left_out : {&limits.all_left_out, &limits.lone_left_out})
      if (!left_out->empty()) tell_left_out(*left_out, kBudgetUs);
  return expecter;
}

void PairExpecter::probe(Session& session) {
  auto all = probe_memory(session, sizes_.all, {.budget_us = kBudgetUs, .stops_when_alike = false});
  auto lone = probe_lone_memory(session, sizes_.lone, kBudgetUs);
  limits_.all.memory = std::move(all.curve);
  limits_.all_left_out = std::move(all.left_out);
  limits_.lone = std::move(lone.curve);
  limits_.lone_left_out = std::move(lone.left_out);
}

std::vector<std::optional<Expectation>> PairExpecter::of(std::span<const PairRun> round) const {
  return pair_bounds(round, limits_);
}

std::vector<MemoryPoint> PairExpecter::points() const {
  return joined(limits_.all.memory, limits_.lone);
}

std::vector<MemoryPoint> PairExpecter::measure_again(Session& session) const {
  PairExpecter later = *this;
  later.probe(session);
  return later.points();
}

}  // namespace linerate
