// ds_config.json: keys of objects in objects have dots between them. Names and defaults are those
// of DeepSpeed 0.18 (deepspeed/runtime/config.py, runtime/zero/config.py, runtime/lr_schedules.py).
#include "cli/dialect.h"

#include <fmt/format.h>

#include <array>

namespace linerate {
namespace {

constexpr std::string_view kTrainBatch = "train_batch_size",
                           kMicroBatch = "train_micro_batch_size_per_gpu",
                           kAccumulation = "gradient_accumulation_steps",
                           kScheduler = "scheduler.type",
                           kWarmupSteps = "scheduler.params.warmup_num_steps",
                           kWarmupType = "scheduler.params.warmup_type",
                           kBucket = "zero_optimization.reduce_bucket_size",
                           kOffloadDevice = "zero_optimization.offload_optimizer.device",
                           kOffloadPath = "zero_optimization.offload_optimizer.nvme_path";
constexpr std::string_view kNoValue = "auto";  // of Hugging Face: the trainer's own
constexpr std::string_view kUsualWarmup = "1000";

constexpr auto kDeepSpeedRows = std::to_array<DialectRow>({
    {.names = kTrainBatch, .option = "batch"},
    {.names = kMicroBatch, .option = "micro-batch"},
    {.names = kAccumulation, .option = "gradient-accumulation-steps"},
    {.names = "gradient_clipping", .option = "clip", .absent = "0"},
    {.names = "bf16.enabled bfloat16.enabled",
     .option = "precision",
     .values = "true=bfloat16 false="},
    {.names = "fp16.enabled", .option = "precision", .values = "true=half false="},
    {.names = "fp16.loss_scale", .values = "0=", .lacks = "the loss scale is dynamic"},
    {.names = "optimizer.type",
     .values = "Adam= AdamW= adam= adamw=",
     .lacks = "AdamW is the only optimizer"},
    {.names = "optimizer.params.lr", .option = "lr"},
    {.names = "optimizer.params.betas", .option = "beta1 beta2", .absent = "0.9,0.999"},
    {.names = "optimizer.params.weight_decay", .option = "weight-decay", .absent = "0"},
    {.names = "optimizer.params.adam_w_mode",
     .values = "true=",
     .lacks = "weight decay is decoupled"},
    {.names = kScheduler,
     .option = "lr-decay",
     .values = "WarmupLR=constant WarmupDecayLR=linear WarmupCosineLR=cosine",
     .absent = "constant"},
    {.names = "scheduler.params.warmup_max_lr", .option = "lr"},
    {.names = "scheduler.params.warmup_min_lr", .values = "0=", .lacks = "warm-up begins at 0"},
    {.names = kWarmupSteps, .option = "warmup-steps"},
    {.names = kWarmupType, .values = "linear=", .lacks = "warm-up is linear"},
    {.names = "scheduler.params.total_num_steps", .option = "lr-decay-steps"},
    {.names = "zero_optimization.stage", .option = "zero", .absent = "0"},
    {.names = kBucket, .option = kDerived, .lacks = "`--bucket-cap-mb`, of so many float32"},
    {.names = "zero_optimization.overlap_comm", .option = "overlap", .values = "true=on false=off"},
    {.names = "zero_optimization.stage3_max_live_parameters zero_optimization.max_live_parameters",
     .option = "max-live-parameters"},
    {.names = "zero_optimization.mics_shard_size", .option = "shard-size", .values = "-1= *=*"},
    {.names = kOffloadDevice,
     .values = "none= cpu= nvme=",
     .lacks = "state is in memory, or in a file"},
    {.names = kOffloadPath,
     .option = kDerived,
     .lacks = "`--offload-optimizer`, where the device is `nvme`"},
    {.names = "zero_optimization.offload_param.device",
     .values = "none= cpu=",
     .lacks = "parameters are in memory"},
    {.names = "zero_optimization.zero_hpz_partition_size",
     .values = "1=",
     .lacks = "there is no second partition"},
    {.names = "zero_optimization.zero_quantized_weights "
              "zero_optimization.zero_quantized_gradients "
              "zero_optimization.zero_quantized_nontrainable_weights",
     .values = "false=",
     .lacks = "nothing is quantized"},
    {.names = "communication_data_type", .option = "hook", .values = "fp32= fp16=fp16 bf16=bf16"},
    {.names = "tensor_parallel.autotp_size", .option = "tp", .values = "0= *=*"},
    {.names = "amp.enabled torch_autocast.enabled elasticity.enabled "
              "progressive_layer_drop.enabled curriculum_learning.enabled data_efficiency.enabled "
              "quantize_training.enabled eigenvalue.enabled expert_parallel.enabled",
     .values = "false=",
     .lacks = "there is none of it here"},
    {.names = "sparse_gradients", .values = "false=", .lacks = "gradients are dense"},
    {.names =
         "steps_per_print wall_clock_breakdown dump_state memory_breakdown prescale_gradients "
         "gradient_predivide_factor gradient_allreduce_op managed_gradient_accumulation "
         "zero_allow_untested_optimizer zero_force_ds_cpu_optimizer disable_allgather "
         "seq_parallel_communication_data_type dataloader_drop_last graph_harvesting log_level "
         "use_data_before_expert_parallelism vocabulary_size optimizer.legacy_fusion "
         "optimizer.params.eps optimizer.params.torch_adam optimizer.params.bias_correction "
         "optimizer.params.amsgrad scheduler.params.warmup_min_ratio "
         "scheduler.params.cos_min_ratio scheduler.params.last_batch_iteration fp16.auto_cast "
         "fp16.initial_scale_power fp16.loss_scale_window fp16.hysteresis "
         "fp16.consecutive_hysteresis fp16.min_loss_scale fp16.fp16_master_weights_and_grads "
         "bf16.check_overflow bf16.immediate_grad_update bf16.bf16_master_weights_and_grads "
         "bf16.bf16_optimizer_states zero_optimization.contiguous_gradients "
         "zero_optimization.reduce_scatter zero_optimization.allgather_partitions "
         "zero_optimization.allgather_bucket_size zero_optimization.sub_group_size "
         "zero_optimization.load_from_fp32_weights zero_optimization.round_robin_gradients "
         "zero_optimization.stage3_prefetch_bucket_size zero_optimization.prefetch_bucket_size "
         "zero_optimization.stage3_param_persistence_threshold "
         "zero_optimization.param_persistence_threshold "
         "zero_optimization.stage3_model_persistence_threshold "
         "zero_optimization.model_persistence_threshold "
         "zero_optimization.stage3_max_reuse_distance zero_optimization.max_reuse_distance "
         "zero_optimization.stage3_gather_16bit_weights_on_model_save "
         "zero_optimization.gather_16bit_weights_on_model_save "
         "zero_optimization.stage3_gather_fp16_weights_on_model_save "
         "zero_optimization.stage3_module_granularity_threshold "
         "zero_optimization.ignore_unused_parameters zero_optimization.memory_efficient_linear "
         "zero_optimization.mics_hierarchical_params_gather zero_optimization.elastic_checkpoint "
         "zero_optimization.log_trace_cache_warnings zero_optimization.override_module_apply "
         "zero_optimization.use_multi_rank_bucket_allreduce zero_optimization.cpu_offload "
         "zero_optimization.grad_hooks zero_optimization.offload_optimizer.* "
         "zero_optimization.offload_param.* activation_checkpointing.* flops_profiler.* "
         "comms_logger.* tensorboard.* wandb.* csv_monitor.* comet.* aio.* autotuning.* "
         "checkpoint.* data_types.* pipeline.* elasticity.* amp.* torch_autocast.* "
         "progressive_layer_drop.* curriculum_learning.* data_efficiency.* eigenvalue.* "
         "hybrid_engine.* nebula.* compile.*"},
});

void imply(std::string_view name, std::string_view option, std::string_view text,
           UnderstoodKeys& into) {
  into.options.push_back({.name = std::string(name),
                          .option = std::string(option),
                          .text = std::string(text),
                          .implied = true});
}

// State is in a file where the device says so, and not because a path stands there.
Refusal derive_offload(std::span<const DialectKey> keys, UnderstoodKeys& into) {
  const auto *device = find_key(keys, kOffloadDevice), *path = find_key(keys, kOffloadPath);
  const bool has_path = path != nullptr && path->text != kNoValue;
  if (device == nullptr || device->text != "nvme") {
    if (has_path) into.without_effect.emplace_back(kOffloadPath);
    return {};
  }
  if (!has_path) return fmt::format("{} nvme needs {}.", kOffloadDevice, kOffloadPath);
  into.options.push_back(
      {.name = path->name, .said = path->text, .option = "offload-optimizer", .text = path->text});
  return {};
}

// DeepSpeed's own default is another one, which changes the rate while it warms up.
void derive_warmup(std::span<const DialectKey> keys, UnderstoodKeys& into) {
  const bool scheduled = find_key(keys, kScheduler) != nullptr;
  if (find_key(keys, kWarmupSteps) == nullptr)
    imply(kWarmupSteps, "warmup-steps", scheduled ? kUsualWarmup : "0", into);
  if (scheduled && find_key(keys, kWarmupType) == nullptr)
    into.without_effect.push_back(fmt::format("{} (log by default, linear here)", kWarmupType));
}

// train_batch_size is train_micro_batch_size_per_gpu x gradient_accumulation_steps x data-parallel
// ranks; of what is not given, the steps are 1 at first.
Refusal derive_deepspeed(std::span<const DialectKey> keys, bool, UnderstoodKeys& into) {
  const bool batch = find_key(keys, kTrainBatch) != nullptr,
             micro_batch = find_key(keys, kMicroBatch) != nullptr;
  if (!batch && !micro_batch)
    return "Either train_batch_size or train_micro_batch_size_per_gpu must be given.";
  const int given = (find_option_given(into, "batch") != nullptr ? 1 : 0) +
                    (find_option_given(into, "micro-batch") != nullptr ? 1 : 0);
  if (given > 0 && find_option_given(into, "gradient-accumulation-steps") == nullptr)
    imply(kAccumulation, "gradient-accumulation-steps", given == 2 ? "even" : "1", into);
  for (const auto* option : {"micro-batch", "gradient-accumulation-steps"})
    if (const auto* number = find_option_given(into, option); number && number->text == "0")
      return fmt::format("{} is 1 at least.", number->name);
  derive_warmup(keys, into);
  if (auto refusal = derive_offload(keys, into)) return refusal;
  return derive_bucket(keys, kBucket, into);
}

}  // namespace

const Dialect& deepspeed_dialect() {
  static const Dialect kDeepSpeed{.title = "DeepSpeed",
                                  .no_value = kNoValue,
                                  .rows = kDeepSpeedRows,
                                  .derive = derive_deepspeed};
  return kDeepSpeed;
}

}  // namespace linerate
