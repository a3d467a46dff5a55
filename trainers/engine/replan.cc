#include "trainers/engine/replan.h"

#include "trainers/engine/plan.h"

#include <fmt/format.h>

#include <tuple>
#include <utility>

namespace linerate::trainers {
namespace {

std::size_t model_ranks(const TrainConfig& config) { return config.tp * config.cp * config.pp; }

int batch_nranks(const Replan& plan) {
  return plan.nranks / static_cast<int>(model_ranks(plan.config));
}

// As many data-parallel ranks of the layout as there are ranks for. `nranks` is 0 where there is
// none, or where it is not legal.
Replan widest(TrainConfig config, int left) {
  const auto of_model = static_cast<int>(model_ranks(config));
  const int nranks = left / of_model * of_model;
  if (config.tp == 1) config.sequence_parallel = false;
  if (config.pp == 1) {
    config.virtual_stages = 1;
    config.pp_schedule = TrainConfig().pp_schedule;
  }
  if (config.order.given.places.size() != static_cast<std::size_t>(nranks)) config.order.given = {};
  const auto sharing = nranks / static_cast<int>(config.tp * config.pp);
  if (config.shard_size > 0 && sharing % config.shard_size != 0) config.shard_size = 0;
  const bool legal = nranks > 0 && !mesh_refusal(config, nranks);
  return {.config = std::move(config), .nranks = legal ? nranks : 0};
}

// What more of is better, the most important first.
auto merit(const Replan& plan) {
  const auto& config = plan.config;
  return std::tuple(plan.nranks, config.tp * config.pp, config.cp, config.tp);
}

Replan best_smaller(const TrainConfig& config, int left) {
  Replan best;
  auto tried = config;
  for (tried.tp = 1; tried.tp <= config.tp; ++tried.tp)
    for (tried.cp = 1; tried.cp <= config.cp; ++tried.cp)
      for (tried.pp = 1; tried.pp <= config.pp; ++tried.pp)
        if (auto plan = widest(tried, left); best.nranks == 0 || merit(best) < merit(plan))
          best = std::move(plan);
  return best;
}

}  // namespace

Replan replanned(const TrainConfig& config, int asked, int left) {
  auto same = config;
  same.micro_batch = micro_batches_of(config, batch_nranks({config, asked})).size;
  same.order.axes = text_of(*parse_order(config.order.axes));  // all of them
  auto plan = widest(same, left);
  if (plan.nranks == 0) plan = best_smaller(same, left);
  if (plan.config.slow_rank.rank >= plan.nranks) plan.config.slow_rank = {};
  return plan;
}

std::string layout_text(const Replan& plan) {
  const auto& config = plan.config;
  return fmt::format("tp {}, cp {}, pp {}, dp {}", config.tp, config.cp, config.pp,
                     batch_nranks(plan));
}

std::string accumulation_text(const Replan& plan) {
  const auto ranks = static_cast<std::uint64_t>(batch_nranks(plan));
  const auto all = micro_batches_of(plan.config, batch_nranks(plan));
  const auto each = all.count() / ranks, more = all.count() % ranks;
  const auto text = fmt::format("{} micro-batches of {} sequence{}", all.count(), all.size,
                                all.size == 1 ? "" : "s");
  if (more == 0) return fmt::format("{}, {} for each data-parallel rank", text, each);
  return fmt::format("{}, {} for {} of the {} data-parallel ranks and {} for the others", text,
                     each + 1, more, ranks, each);
}

}  // namespace linerate::trainers
