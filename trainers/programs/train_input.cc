#include "trainers/programs/train_input.h"

#include "backends/host/emulation/network.h"
#include "base/file.h"
#include "base/log.h"
#include "base/text.h"
#include "cli/train_file.h"
#include "job/processes.h"
#include "plan/measured_machine.h"
#include "plan/plan.h"
#include "trainers/engine/plan.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace linerate {
namespace {

std::string model_text_of(const trainers::ModelConfig& model) {
  return fmt::format("{} {} {}x{} {}/{} {} {} {}", model.name, model.llama ? "llama" : "gpt2",
                     model.layers, model.hidden, model.heads, model.kv_heads, model.mlp,
                     model.length, model.vocabulary);
}

// Of places a number that tells them apart.
std::string order_text_of(const trainers::RankOrder& order) {
  if (order.given.places.empty()) return order.axes;
  return fmt::format("{:016x}", fnv1a(fmt::format("{}", fmt::join(order.given.places, " "))));
}

// The file of --rank-order, where one is named.
Refusal read_rank_order(TrainOptions& options) {
  const auto& name = options.rank_order_file;
  if (name.empty()) return {};
  const auto text = read_file_or_pipe(name, trainers::kMostPlacementBytes);
  if (!text) return fmt::format("--rank-order {}: {}", name, text.sentence());
  auto places = trainers::read_rank_places(*text);
  if (!places) return fmt::format("--rank-order {}{}", name, places.sentence());
  options.train.order.given = *std::move(places);
  return {};
}

}  // namespace

Result<TrainOptions> train_options_of(const std::vector<std::string>& words, TrainProgram program) {
  const auto names = config_files_of(words);
  if (!names) return names.failure();
  std::vector<TrainFile> files;
  for (const auto& name : *names) {
    auto text = read_file_or_pipe(name, kMostConfigBytes);
    if (!text) return Failure{fmt::format("--config {}: {}", plain_text(name), text.sentence())};
    files.push_back({name, std::move(text).value()});
  }
  auto parsed = parse_train(words, program, files);
  if (!parsed) return parsed;
  auto options = std::move(parsed).value();
  if (const auto refusal = read_rank_order(options)) return Failure{*refusal};
  return options;
}

void say_what_has_no_effect(const TrainOptions& options, const Environment& environment) {
  if (options.without_effect.empty()) return;
  const auto identity = identify(options, environment);
  if (identity && identity->rank > 0) return;
  say(fmt::format("note: without effect here: {}", fmt::join(options.without_effect, ", ")));
}

// Of --emulate's file; nothing where none is given, or it cannot be read, which the job says.
std::string network_text(const std::string& name) {
  if (name.empty()) return {};
  const auto text = read_regular_file(name, host::kMaxNetworkBytes);
  return text ? *text : std::string();
}

Refusal settle_layout(TrainOptions& options, int nranks) {
  const auto& name = options.plan_file;
  if (name.empty()) return {};
  const auto text = read_regular_file(name, plan::kMostMeasurementBytes);
  if (!text) return fmt::format("--plan {}: {}", plain_text(name), text.sentence());
  const auto measured = plan::read_measurements(*text);
  if (!measured) return fmt::format("--plan {}{}", plain_text(name), measured.sentence());
  if (measured->nranks != nranks)
    return fmt::format("--plan {}: it was measured with {} ranks, and {} train.", plain_text(name),
                       measured->nranks, nranks);
  if (measured->network.file != network_text(options.emulate_file))
    return fmt::format(
        "--plan {}: it was measured over another network than --emulate's, or over none.",
        plain_text(name));
  const auto best =
      plan::best_layout({.training = options.train}, plan::measured_machine(*measured));
  if (!best) return "--plan: " + best.sentence();
  plan::take_layout(*best, options.train);
  return {};
}

Refusal settle_for_job(TrainOptions& options, const Environment& environment) {
  if (!options.accumulation.asked() && options.plan_file.empty()) return {};
  const auto identity = identify(options, environment);
  if (!identity) return identity.sentence();
  const int nranks = identity->nranks * options.ranks_per_process();
  if (const auto refusal = settle_layout(options, nranks)) return refusal;
  if (!options.plan_file.empty() && identity->rank == 0)
    say(fmt::format("note: the plan is {}", plan::options_of(options.train)));
  if (!options.accumulation.asked()) return {};
  if (nranks > 0)
    if (const auto refusal = job_refusal(options.train, nranks)) return refusal;
  return settle_batch(options, nranks);
}

Refusal job_refusal(const trainers::TrainConfig& train, int nranks) {
  if (train.slow_rank.rank >= nranks)
    return fmt::format("--slow-rank names rank {}, but the ranks of this run are 0 to {}.",
                       train.slow_rank.rank, nranks - 1);
  return trainers::mesh_refusal(train, nranks);
}

Refusal refused_before_start(const TrainOptions& options, const Environment& environment) {
  const auto identity = identify(options, environment);
  if (!identity || options.elastic.on) return {};
  if (identity->launcher != Launcher::none && identity->launcher != Launcher::nprocs) return {};
  return job_refusal(options.train, identity->nranks * options.ranks_per_process());
}

std::vector<Setting> shared_settings(const TrainOptions& options) {
  const auto& train = options.train;
  return {{"--model", fmt::format("\"{}\"", model_text_of(train.model))},
          {"--data", fmt::format("\"{}\"", train.data.data)},
          {"--steps", fmt::to_string(train.steps)},
          {"--batch", fmt::to_string(train.batch)},
          {"--micro-batch", fmt::to_string(train.micro_batch)},
          {"--seed", fmt::to_string(train.seed)},
          {"--precision", fmt::format("\"{}\"", name_of(train.type))},
          {"--dropout", fmt::to_string(train.model.dropout)},
          {"--recompute", fmt::to_string(static_cast<int>(train.recompute))},
          {"--lr", fmt::to_string(train.schedule.peak)},
          {"--min-lr", fmt::to_string(train.schedule.floor)},
          {"--lr-decay-steps", fmt::to_string(train.schedule.steps)},
          {"--beta1", fmt::to_string(train.beta1)},
          {"--beta2", fmt::to_string(train.beta2)},
          {"--lr-decay", fmt::to_string(static_cast<int>(train.schedule.decay))},
          {"--warmup-steps", fmt::to_string(train.schedule.warmup_steps)},
          {"--weight-decay", fmt::to_string(train.weight_decay)},
          {"--clip", fmt::to_string(train.clip)},
          {"--tp", fmt::to_string(train.tp)},
          {"--sequence-parallel", fmt::to_string(train.sequence_parallel)},
          {"--cp", fmt::to_string(train.cp)},
          {"--cp-method", fmt::to_string(static_cast<int>(train.cp_method))},
          {"--pp", fmt::to_string(train.pp)},
          {"--schedule", fmt::format("\"{}\"", train.pp_schedule)},
          {"--virtual-stages", fmt::to_string(train.virtual_stages)},
          {"--order", fmt::format("\"{}\"", order_text_of(train.order))},
          {"--zero", fmt::to_string(static_cast<int>(train.stage))},
          {"--shard-size", fmt::to_string(train.shard_size)},
          {"--bucket-cap-mb", fmt::to_string(train.buckets.bytes >> 20)},
          {"--first-bucket-mb", fmt::to_string(train.buckets.first_bytes >> 20)},
          {"--sync", fmt::to_string(static_cast<int>(train.sync))},
          {"--hook", fmt::to_string(static_cast<int>(train.hook))},
          {"--topk-ratio", fmt::to_string(train.topk_ratio)},
          {"--overlap", fmt::to_string(static_cast<int>(train.overlap))},
          {"--prefetch", fmt::to_string(train.gather.prefetch)},
          {"--reshard-after-forward", fmt::to_string(train.gather.reshard_after_forward)},
          {"--max-live-parameters", fmt::to_string(train.gather.max_live_parameters)},
          {"--deterministic", fmt::to_string(train.deterministic)},
          {"--slow-rank", fmt::format("\"{}:{}\"", train.slow_rank.rank, train.slow_rank.extra_s)},
          {"--trace", fmt::format("\"{}\"", options.trace.file)},
          {"--trace-steps", fmt::format("\"{}:{}\"", options.trace.first, options.trace.last)},
          {"--trace-comm", fmt::format("\"{}\"", options.trace_comm_file)},
          {"--no-communication", fmt::to_string(options.no_communication)},
          {"--watch-health", fmt::to_string(options.watches_health)},
          {"--checkpoint", fmt::format("\"{}\"", options.checkpoints.folder)},
          {"--checkpoint-every", fmt::to_string(options.checkpoints.every)}};
}

}  // namespace linerate
