// Flags of Megatron-LM (megatron/training/arguments.py and the classes of configuration that it
// reads, of 2026). What has the same name here, such as --lr, is our own option.
#include "base/text.h"
#include "cli/dialect.h"
#include "cli/values.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <utility>

namespace linerate {
namespace {

constexpr auto kFlag = Operands::none;
constexpr std::string_view kOneSize = "the batch has one size in all steps",
                           kNoExperts = "there are no experts",
                           kEvenStages = "stages have as many layers each",
                           kNoEightBits = "no type has fewer than 16 bits";

constexpr auto kMegatronRows = std::to_array<DialectRow>({
    {.names = "tensor-model-parallel-size model-parallel-size", .option = "tp"},
    {.names = "pipeline-model-parallel-size", .option = "pp"},
    {.names = "context-parallel-size", .option = "cp"},
    {.names = "cp-comm-type",
     .option = "cp-method",
     .values = "p2p=ring a2a=ulysses",
     .operands = Operands::several},
    {.names = "num-layers-per-virtual-pipeline-stage",
     .option = kDerived,
     .lacks = "`--schedule interleaved`, and as many `--virtual-stages` as that makes"},
    {.names = "num-virtual-stages-per-pipeline-rank",
     .option = "virtual-stages schedule",
     .values = "*=*,interleaved"},
    {.names = "use-distributed-optimizer use-megatron-fsdp",
     .option = kDerived,
     .lacks =
         "`--zero 1`, and `--zero 0` unless `--data-parallel-sharding-strategy` says otherwise",
     .operands = kFlag},
    {.names = "data-parallel-sharding-strategy",
     .option = kDerived,
     .lacks = "with `--use-megatron-fsdp`: `no_shard` is `--zero 0`, `optim` 1, `optim_grads` 2, "
              "`optim_grads_params` 3"},
    {.names = "use-torch-fsdp2", .option = "zero", .values = "true=3", .operands = kFlag},
    {.names = "torch-fsdp2-no-reshard-after-forward",
     .option = "reshard-after-forward",
     .values = "true=0",
     .operands = kFlag},
    {.names = "use-tp-pp-dp-mapping",
     .option = "order",
     .values = "true=tp-cp-pp-dp",
     .operands = kFlag},
    {.names = "overlap-grad-reduce",
     .option = "overlap",
     .values = "true=on",
     .absent = "off",
     .operands = kFlag},
    {.names = "ddp-bucket-size",
     .option = kDerived,
     .lacks = "`--bucket-cap-mb`, of so many float32"},
    {.names = "deterministic-mode",
     .option = "deterministic",
     .values = "true=true",
     .operands = kFlag},
    {.names = "micro-batch-size", .option = "micro-batch"},
    {.names = "global-batch-size", .option = "batch"},
    {.names = "train-iters", .option = "steps"},
    {.names = "train-samples lr-decay-samples lr-warmup-samples",
     .option = kDerived,
     .lacks = "`--steps`, `--lr-decay-steps` and `--warmup-steps` of the global batch"},
    {.names = "lr-warmup-fraction",
     .option = kDerived,
     .lacks = "`--warmup-steps`, a share of the steps in which the rate decays"},
    {.names = "kv-channels",
     .option = kDerived,
     .lacks = "refused unless it is the hidden size by the heads"},
    {.names = "lr-decay-style",
     .option = "lr-decay",
     .values = "linear=linear cosine=cosine constant=constant",
     .absent = "linear"},
    {.names = "lr-decay-iters", .option = "lr-decay-steps"},
    {.names = "lr-warmup-iters", .option = "warmup-steps", .absent = "0"},
    {.names = "lr-warmup-init", .values = "0=", .lacks = "warm-up begins at 0"},
    {.names = "weight-decay", .option = "weight-decay", .absent = "0.01"},
    {.names = "weight-decay-incr-style",
     .values = "constant=",
     .lacks = "weight decay stays the same"},
    {.names = "adam-beta1", .option = "beta1", .absent = "0.9"},
    {.names = "adam-beta2", .option = "beta2", .absent = "0.999"},
    {.names = "clip-grad", .option = "clip", .absent = "1"},
    {.names = "optimizer", .values = "adam=", .lacks = "AdamW is the only optimizer"},
    {.names = "bf16", .option = "precision", .values = "true=bfloat16", .operands = kFlag},
    {.names = "fp16", .option = "precision", .values = "true=half", .operands = kFlag},
    {.names = "loss-scale", .lacks = "the loss scale is dynamic"},
    {.names = "fp8-format fp8-recipe fp4-format", .lacks = kNoEightBits},
    {.names = "fp8-param-gather", .lacks = kNoEightBits, .operands = kFlag},
    {.names = "recompute-activations",
     .option = "recompute",
     .values = "true=selective",
     .operands = kFlag},
    {.names = "checkpoint-activations",
     .option = "recompute",
     .values = "true=full",
     .operands = kFlag},
    {.names = "recompute-granularity",
     .option = "recompute",
     .values = "full=full selective=selective"},
    {.names = "num-layers encoder-num-layers decoder-num-layers", .option = "layers"},
    {.names = "hidden-size", .option = "hidden"},
    {.names = "num-attention-heads", .option = "heads"},
    {.names = "num-query-groups", .option = "kv-heads"},
    {.names = "ffn-hidden-size", .option = "mlp"},
    {.names = "seq-length encoder-seq-length", .option = "seq"},
    {.names = "vocab-size padded-vocab-size", .option = "vocabulary"},
    {.names = "tokenizer-type", .option = "vocabulary", .values = "GPT2BPETokenizer=50257 *="},
    {.names = "normalization", .option = "style", .values = "LayerNorm=gpt2 RMSNorm=llama"},
    {.names = "position-embedding-type",
     .option = "style",
     .values = "learned_absolute=gpt2 rope=llama"},
    {.names = "swiglu disable-bias-linear use-rotary-position-embeddings",
     .option = "style",
     .values = "true=llama",
     .operands = kFlag},
    {.names = "untie-embeddings-and-output-weights",
     .lacks = "the head is the table of embeddings",
     .operands = kFlag},
    {.names = "hidden-dropout", .option = "dropout", .absent = "0.1"},
    {.names = "save", .option = "checkpoint"},
    {.names = "load", .option = "checkpoint resume", .values = "*=*,auto"},
    {.names = "save-interval persistent-save-interval", .option = "checkpoint-every"},
    {.names = "num-experts", .lacks = kNoExperts},
    {.names = "moe-*", .lacks = kNoExperts, .operands = Operands::several},
    {.names = "mtp-* multi-latent-attention q-lora-rank kv-lora-rank linear-* dsa-* "
              "experimental-attention-variant window-size qk-layernorm add-qkv-bias squared-relu "
              "quick-geglu use-mup hierarchical-context-parallel-sizes",
     .lacks = "models are GPT-2's or Llama's",
     .operands = Operands::several},
    {.names = "rl-* grpo-* inference-* perform-rl-step",
     .lacks = "models are trained on sequences alone",
     .operands = Operands::several},
    {.names = "expert-model-parallel-size expert-tensor-parallel-size",
     .values = "1=",
     .lacks = kNoExperts},
    {.names = "decoder-first-pipeline-num-layers decoder-last-pipeline-num-layers "
              "pipeline-model-parallel-layout",
     .lacks = kEvenStages},
    {.names = "account-for-embedding-in-pipeline-split account-for-loss-in-pipeline-split",
     .lacks = kEvenStages,
     .operands = kFlag},
    {.names = "num-distributed-optimizer-instances",
     .values = "1=",
     .lacks = "--shard-size says it here"},
    {.names = "rampup-batch-size", .lacks = kOneSize, .operands = Operands::several},
    {.names = "step-batch-size-schedule", .lacks = kOneSize},
    {.names = "decoupled-lr decoupled-min-lr", .lacks = "all parameters have one learning rate"},
    // Without effect.
    {.names =
         "overlap-param-gather overlap-param-gather-with-optimizer-step no-align-param-gather "
         "no-overlap-p2p-communication no-align-grad-reduce group-query-attention "
         "use-flash-attn use-mcore-models use-legacy-models use-cpu-initialization mock-data "
         "accumulate-allreduce-grads-in-fp32 grad-reduce-in-bf16 attention-softmax-in-fp32 "
         "no-masked-softmax-fusion no-bias-gelu-fusion no-bias-swiglu-fusion "
         "no-bias-dropout-fusion no-rope-fusion no-gradient-accumulation-fusion "
         "no-persist-layer-norm apply-layernorm-1p cross-entropy-loss-fusion "
         "calculate-per-token-loss tp-comm-overlap delay-wgrad-compute ddp-average-in-collective "
         "ddp-pad-buckets-for-high-nccl-busbw distribute-saved-activations "
         "apply-query-key-layer-scaling no-query-key-layer-scaling transformer-engine-cuda-graph "
         "enable-cuda-graph manual-gc exit-signal-handler log-throughput log-params-norm "
         "log-num-zeros-in-grad log-timers-to-tensorboard log-validation-ppl-to-tensorboard "
         "log-memory-to-tensorboard log-world-size-to-tensorboard log-progress "
         "no-log-loss-scale-to-tensorboard profile use-pytorch-profiler record-memory-history "
         "no-save-optim no-save-rng no-load-optim no-load-rng finetune use-dist-ckpt async-save "
         "use-checkpoint-args ckpt-fully-parallel-save ckpt-fully-parallel-load "
         "override-opt_param-scheduler override-opt-param-scheduler "
         "use-checkpoint-opt_param-scheduler use-checkpoint-opt-param-scheduler "
         "no-mmap-bin-files no-create-attention-mask-in-dataloader eod-mask-loss "
         "reset-position-ids reset-attention-mask no-check-for-nan-in-loss-and-grad "
         "disable-gloo-process-groups lazy-mpu-init deepspeed auto-detect-ckpt-format "
         "ckpt-assume-constant-structure no-ckpt-fully-parallel-save use-persistent-ckpt-worker "
         "dist-ckpt-optim-fully-reshardable defer-embedding-wgrad-compute fsdp-double-buffer "
         "fsdp-manual-registration use-nccl-ub no-gradient-reduce-div-fusion "
         "init-model-with-meta-device te-rng-tracker test-mode rotary-interleaved "
         "use-rope-scaling use-sharp",
     .operands = kFlag},
    {.names =
         "max-position-embeddings make-vocab-size-divisible-by vocab-file merge-file "
         "tokenizer-model tiktoken-pattern split data-cache-path num-workers dataloader-type "
         "num-dataset-builder-threads attention-dropout attention-backend transformer-impl "
         "init-method-std layernorm-epsilon norm-epsilon adam-eps rotary-base rotary-percent "
         "recompute-method recompute-num-layers initial-loss-scale min-loss-scale "
         "loss-scale-window hysteresis start-weight-decay end-weight-decay log-interval "
         "eval-interval eval-iters save-retain-interval exit-interval exit-duration-in-mins "
         "tensorboard-dir tensorboard-log-interval tensorboard-queue-size wandb-project "
         "wandb-exp-name wandb-save-dir timing-log-level timing-log-option profile-step-start "
         "profile-step-end ckpt-format dist-ckpt-format dist-ckpt-strictness "
         "distributed-backend distributed-timeout-minutes local-rank local_rank "
         "empty-unused-memory-level manual-gc-interval ddp-num-buckets fp8-amax-history-len "
         "fp8-amax-compute-algo fp8-margin fp8-interval async-strategy logging-level "
         "cross-entropy-fusion-impl cuda-graph-impl eval-global-batch-size megatron-fsdp-version "
         "megatron-fsdp-grad-comm-dtype megatron-fsdp-main-grads-dtype "
         "megatron-fsdp-main-params-dtype microbatch-group-size-per-virtual-pipeline-stage "
         "rope-scaling-factor rotary-scaling-factor rotary-seq-len-interpolation-factor "
         "tp-comm-overlap-cfg wandb-entity wgrad-deferral-limit rerun-mode error-injection-rate "
         "error-injection-type check-weight-hash-across-dp-replicas-interval"},
    {.names = "data-path train-data-path valid-data-path test-data-path recompute-modules "
              "profile-ranks high-priority-stream-groups cuda-graph-scope",
     .operands = Operands::several},
});

// What a flag gives an option, where it is a number.
std::optional<double> number_of(const UnderstoodKeys& keys, std::string_view option) {
  const auto* given = find_option_given(keys, option);
  if (given == nullptr) return std::nullopt;
  const auto number = parse_number("value", given->text);
  return number ? std::optional(*number) : std::nullopt;
}

// Adds `number`, rounded down, as the option that the flag comes to.
void add_whole(const DialectKey& key, std::string_view option, double number,
               UnderstoodKeys& into) {
  into.options.push_back({.name = fmt::format("--{}", key.name),
                          .said = key.text,
                          .option = std::string(option),
                          .text = fmt::format("{:.0f}", std::floor(number))});
}

Refusal derive_sharding(std::span<const DialectKey> keys, UnderstoodKeys& into) {
  constexpr auto kStrategies =
      std::to_array<std::string_view>({"no_shard", "optim", "optim_grads", "optim_grads_params"});
  const auto *fsdp = find_key(keys, "use-megatron-fsdp"),
             *strategy = find_key(keys, "data-parallel-sharding-strategy");
  if (strategy && !fsdp) return "--data-parallel-sharding-strategy needs --use-megatron-fsdp.";
  const auto* key = fsdp ? fsdp : find_key(keys, "use-distributed-optimizer");
  if (key == nullptr) return {};
  double stage = fsdp ? 0 : 1;
  if (strategy) {
    const auto found = std::ranges::find(kStrategies, strategy->text);
    if (found == kStrategies.end())
      return unknown_choice("value of --data-parallel-sharding-strategy", strategy->text,
                            kStrategies);
    stage = static_cast<double>(found - kStrategies.begin());
    key = strategy;
  }
  add_whole(*key, "zero", stage, into);
  return {};
}

// Numbers of samples and shares of steps become steps.
Refusal derive_steps(std::span<const DialectKey> keys, UnderstoodKeys& into) {
  constexpr auto kSamples = std::to_array<std::pair<std::string_view, std::string_view>>(
      {{"train-samples", "steps"},
       {"lr-decay-samples", "lr-decay-steps"},
       {"lr-warmup-samples", "warmup-steps"}});
  constexpr NumberRange kAnyNumber{0, 1e15};
  for (const auto& [name, option] : kSamples) {
    const auto* key = find_key(keys, name);
    if (key == nullptr) continue;
    const auto batch = number_of(into, "batch");
    if (!batch || *batch < 1) return fmt::format("--{} needs --global-batch-size.", name);
    const auto samples = number_within({fmt::format("--{}", name), key->text}, kAnyNumber);
    if (!samples) return samples.sentence();
    add_whole(*key, option, *samples / *batch, into);
  }
  const auto* key = find_key(keys, "lr-warmup-fraction");
  if (key == nullptr) return {};
  auto steps = number_of(into, "lr-decay-steps");
  if (!steps) steps = number_of(into, "steps");
  if (!steps) return "--lr-warmup-fraction needs --lr-decay-iters or --train-iters.";
  const auto share = number_within({"--lr-warmup-fraction", key->text}, {0, 1});
  if (!share) return share.sentence();
  add_whole(*key, "warmup-steps", *share * *steps, into);
  return {};
}

Refusal derive_chunks(std::span<const DialectKey> keys, UnderstoodKeys& into) {
  const auto* key = find_key(keys, "num-layers-per-virtual-pipeline-stage");
  if (key == nullptr) return {};
  const auto layers = number_of(into, "layers"), stages = number_of(into, "pp");
  if (!layers || !stages || *stages < 1)
    return "--num-layers-per-virtual-pipeline-stage needs --num-layers and "
           "--pipeline-model-parallel-size.";
  const auto each = parse_number("value", key->text);
  const double chunks = each && *each >= 1 ? *layers / *stages / *each : 0;
  if (chunks < 1 || chunks != std::floor(chunks))
    return fmt::format(
        "--num-layers-per-virtual-pipeline-stage {} does not divide the {} layers of each of {} "
        "stages.",
        key->text, *layers / *stages, *stages);
  add_whole(*key, "virtual-stages", chunks, into);
  into.options.push_back(
      {.name = "--" + key->name, .said = key->text, .option = "schedule", .text = "interleaved"});
  return {};
}

// A model is of one style or the other in all of these.
Refusal check_style(std::span<const DialectKey> keys, bool whole, const UnderstoodKeys& into) {
  const auto* style = find_option_given(into, "style");
  if (style == nullptr || style->text != "llama") return {};
  const bool rope = find_key(keys, "use-rotary-position-embeddings") != nullptr;
  for (const std::string_view name :
       {"normalization", "position-embedding-type", "swiglu", "disable-bias-linear"})
    if (whole && find_key(keys, name) == nullptr && !(rope && name == "position-embedding-type"))
      return fmt::format(
          "{} makes a model like Llama, which also has --normalization RMSNorm, "
          "--position-embedding-type rope, --swiglu and --disable-bias-linear: --{} is missing.",
          style->name, name);
  return {};
}

Refusal check_head_size(std::span<const DialectKey> keys, const UnderstoodKeys& into) {
  const auto* key = find_key(keys, "kv-channels");
  const auto hidden = number_of(into, "hidden"), heads = number_of(into, "heads");
  if (key == nullptr || (hidden && heads && key->text == fmt::format("{}", *hidden / *heads)))
    return {};
  return fmt::format("--kv-channels {}: the heads make up --hidden-size here; leave it out.",
                     key->text);
}

Refusal derive_megatron(std::span<const DialectKey> keys, bool whole, UnderstoodKeys& into) {
  if (const auto* micro = find_option_given(into, "micro-batch")) {
    const bool both = find_option_given(into, "batch") != nullptr;
    if (both || whole)
      into.options.push_back({.name = micro->name,
                              .option = "gradient-accumulation-steps",
                              .text = both ? "even" : "1",
                              .implied = true});
  }
  if (auto refusal = derive_sharding(keys, into)) return refusal;
  if (auto refusal = derive_steps(keys, into)) return refusal;
  if (auto refusal = derive_chunks(keys, into)) return refusal;
  if (auto refusal = check_style(keys, whole, into)) return refusal;
  if (auto refusal = check_head_size(keys, into)) return refusal;
  return derive_bucket(keys, "ddp-bucket-size", into);
}

}  // namespace

const Dialect& megatron_dialect() {
  static const Dialect kMegatron{.title = "Megatron-LM and the trainers",
                                 .dashes = "--",
                                 .has_ours = true,
                                 .rows = kMegatronRows,
                                 .derive = derive_megatron};
  return kMegatron;
}

}  // namespace linerate
