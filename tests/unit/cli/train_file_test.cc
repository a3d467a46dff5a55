// A trainer's configuration in files, its own and those of DeepSpeed and Megatron-LM.
#include "cli/train_file.h"

#include "base/text.h"
#include "cli/dialect.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

namespace linerate {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

using TrainArgs = std::vector<std::string>;

Result<TrainOptions> parsed(const std::string& file, TrainArgs words = {},
                            TrainProgram program = TrainProgram::three_d) {
  words.insert(words.begin(), {"--config", "file"});
  return parse_train(words, program, {{.name = "file", .text = file}});
}

TrainOptions read_file(const std::string& file, const TrainArgs& words = {}) {
  auto options = parsed(file, words);
  EXPECT_TRUE(options) << options.sentence();
  return options ? std::move(options).value() : TrainOptions();
}

std::string refused(const std::string& file, const TrainArgs& words = {}) {
  const auto options = parsed(file, words);
  EXPECT_FALSE(options) << file;
  return options ? std::string() : options.sentence();
}

// The lines of the options that are given.
std::set<std::string> understood(const TrainOptions& options) {
  std::set<std::string> lines;
  for (const auto& line : split(options.understood, '\n'))
    if (!line.empty() && line.front() != '#') lines.insert(line);
  return lines;
}

constexpr auto* kDeepSpeedFile = R"({
  "train_batch_size": 32, "train_micro_batch_size_per_gpu": 4, "gradient_accumulation_steps": 2,
  "optimizer": {"type": "AdamW", "params": {"lr": 3e-4, "betas": [0.8, 0.99], "eps": 1e-8}},
  "scheduler": {"type": "WarmupDecayLR",
                "params": {"warmup_type": "linear",
                           "warmup_max_lr": 0.0003, "warmup_num_steps": 5, "total_num_steps": 1e3}},
  "bf16": {"enabled": true}, "fp16": {"enabled": false}, "gradient_clipping": 0.5,
  "zero_optimization": {"stage": 2, "overlap_comm": false, "reduce_bucket_size": 5e8,
                        "offload_optimizer": {"device": "nvme", "nvme_path": "/local",
                                              "pin_memory": true}},
  "steps_per_print": 10
})";

constexpr auto* kMegatronFile = R"(# a model of Llama's kind
--tensor-model-parallel-size 2 --pipeline-model-parallel-size=2 --sequence-parallel \
--num-layers 8 --hidden-size 192 --num-attention-heads 6 --num-query-groups 2
--num-layers-per-virtual-pipeline-stage 2 --seq-length 64 --max-position-embeddings 64
--swiglu --normalization RMSNorm --position-embedding-type rope --disable-bias-linear
--micro-batch-size 1 --global-batch-size 16 --train-samples 1600 --lr-decay-samples 800
--lr-warmup-fraction 0.1 --lr 6.0e-4 --min-lr 6e-5 --lr-decay-style cosine --bf16
--use-distributed-optimizer --data-path 0.5 "a b" 0.5 c --split 949,50,1 --load 'a run'
)";

TEST(YamlFile, GivesOptionsByTheirNames) {
  const auto options = read_file(
      "model: micro\nsteps: 20\nmicro_batch: 2\ndeterministic: true\nassert-accounting: false\n"
      "reshard_after_forward: false\nnthreads: 4\ndistributed_strategy: zero2\n");

  EXPECT_EQ(options.train.model.name, "micro");
  EXPECT_EQ(options.train.steps, 20);
  EXPECT_EQ(options.train.micro_batch, 2u);
  EXPECT_TRUE(options.train.deterministic);
  EXPECT_FALSE(options.train.assert_accounting);
  EXPECT_FALSE(options.train.gather.reshard_after_forward);
  EXPECT_EQ(options.nthreads, 4);
  EXPECT_EQ(options.train.stage, trainers::Stage::gradients);
}

TEST(YamlFile, HasAKeyForEveryOptionWithAValue) {
  for (const auto* row : option_rows(Audience::train)) {
    if (row->default_text.empty() || !row->belongs_to.empty()) continue;
    if (row->long_name == "trace-steps") continue;  // needs either of two others
    SCOPED_TRACE(row->long_name);
    EXPECT_TRUE(parsed(fmt::format("{}: {}\n", row->long_name, row->default_text)));
  }
}

TEST(YamlFile, SaysAStrategyInOneWord) {
  const std::pair<const char*, int> strategies[] = {{"ddp", 0},   {"fsdp", 3},  {"zero1", 1},
                                                    {"zero2", 2}, {"zero3", 3}, {"3d", 0}};
  for (const auto& [name, zero] : strategies)
    EXPECT_EQ(
        static_cast<int>(read_file(fmt::format("distributed_strategy: {}", name)).train.stage),
        zero)
        << name;
  EXPECT_EQ(
      refused("distributed_strategy: auto"),
      "file: distributed_strategy auto goes by a machine: give plan: FILE too, which linerate "
      "plan --measured FILE makes.");
  const auto planned = read_file("distributed_strategy: auto\nplan: m.json");
  EXPECT_EQ(planned.plan_file, "m.json");
  EXPECT_EQ(read_file(planned.understood).plan_file, "m.json");
  EXPECT_EQ(refused("distributed_strategy: auto\nplan: m.json\ntp: 2"),
            "--plan chooses --tp: leave either out.");
  EXPECT_EQ(refused("distributed_strategy: ddp\ntp: 2"),
            "distributed_strategy ddp and tp 2 contradict each other: --tp would be 1 and 2.");
  EXPECT_EQ(refused("distributed_strategy: fsdp\nzero: 1"),
            "distributed_strategy fsdp and zero 1 contradict each other: --zero would be 3 and 1.");
  EXPECT_EQ(parsed("distributed_strategy: auto\nplan: m.json", {}, TrainProgram::fsdp).sentence(),
            "file: distributed_strategy auto is of train_3d, not of train_fsdp.");
  EXPECT_EQ(parsed("distributed_strategy: 3d", {}, TrainProgram::ddp).sentence(),
            "file: distributed_strategy 3d is of train_3d, not of train_ddp.");
}

TEST(YamlFile, IsRefusedInASentenceThatNamesTheKey) {
  const std::pair<const char*, const char*> cases[] = {
      {"stpes: 3", "file: stpes is unknown to a trainer's configuration: did you mean steps?"},
      {"num_layers: 4",
       "file: num_layers is unknown to a trainer's configuration: did you mean "
       "layers?"},
      {"train_batch_size: 4",
       "train_batch_size is unknown to a trainer's configuration: did you "
       "mean batch?"},
      {"steps: 3\nsteps: 4", "file, line 2: steps stands there twice."},
      {"steps: many", "file: steps 'many' is not a whole number"},
      {"deterministic: 7", "file: deterministic is '7': give true or false."},
      {"config: other", "file: config is an option of the command line alone."},
      {"steps:", "file: steps has no value."},
      {"- steps", "file: it is no map of options"},
      {"a: {b: [", "file, line 1: it is not YAML"},
      {R"({"steps": [)", "file, line 1: it is not JSON"}};
  for (const auto& [text, sentence] : cases)
    EXPECT_THAT(refused(text), HasSubstr(sentence)) << text;
}

TEST(YamlFile, HasLimits) {
  EXPECT_THAT(refused(std::string(kMostConfigBytes + 1, '#')), HasSubstr("are read"));
  EXPECT_THAT(refused("a: &a [*a]"), HasSubstr("or nests deeper than 8."));
  std::string bomb = "a0: &a0 [x, y, {z: 1}]\n";
  for (int i = 1; i < 30; ++i)
    bomb += fmt::format("a{}: &a{} [*a{}, *a{}, *a{}]\n", i, i, i - 1, i - 1, i - 1);
  EXPECT_THAT(refused(bomb), HasSubstr("file: it has more than 2048 keys"));
}

TEST(CommandLine, WinsOverFiles) {
  const auto options =
      read_file("steps: 20\nlr: 0.1\ndistributed_strategy: fsdp", {"--steps", "5", "--zero=1"});

  EXPECT_EQ(options.train.steps, 5);
  EXPECT_EQ(options.train.schedule.peak, 0.1);
  EXPECT_EQ(options.train.stage, trainers::Stage::optimizer);
}

// A file that sets what another takes back, in YAML and in flags.
TEST(SeveralFiles, AreRefusedWhereTheyContradictEachOther) {
  const auto both = [](const char* one, const char* other) {
    const auto options = parse_train({"--config", "a", "--config", "b"}, TrainProgram::three_d,
                                     {{.name = "a", .text = one}, {.name = "b", .text = other}});
    return options ? std::string() : options.sentence();
  };
  EXPECT_EQ(both("steps: 2", "steps: 3"),
            "steps 2 and steps 3 contradict each other: --steps would be 2 and 3.");
  EXPECT_EQ(both("deterministic: true", "deterministic: false"),
            "deterministic and deterministic false contradict each other: --deterministic would be "
            "true and false.");
  EXPECT_EQ(both("--bf16 --train-iters 7", "steps: 8"),
            "--train-iters 7 and steps 8 contradict each other: --steps would be 7 and 8.");
  EXPECT_EQ(both("--lr 1 --lr 2", "lr: 2.0\ndeterministic: false"), "");
}

TEST(DumpedConfig, ReadsBackToTheSame) {
  int dumped = 0;
  for (const auto& words :
       {TrainArgs{}, TrainArgs{"--tp", "2", "--sequence-parallel", "--zero=3"},
        TrainArgs{"--data", "a: b # \"c\"\n", "--trace", "-x", "--keep", "1", "--checkpoint", "c"},
        TrainArgs{"--data", "null", "--checkpoint", "True"},
        TrainArgs{"--data", "~", "--checkpoint", "NULL"},
        TrainArgs{"--micro-batch-size", "2", "--global-batch-size", "8"}})
    for (const auto* file :
         {"{}", "steps: 7\ntopk_ratio: 0.5\nhook: topk", kDeepSpeedFile, kMegatronFile}) {
      const auto options = parsed(std::string_view(file) == "{}" ? "steps: 3" : file, words);
      if (!options) {
        EXPECT_THAT(options.sentence(), HasSubstr("--hook topk is of train_ddp"));
        continue;
      }
      ++dumped;
      const auto again = read_file(options->understood);
      EXPECT_EQ(again.understood, options->understood);
      EXPECT_EQ(again.train.batch, options->train.batch);
      EXPECT_EQ(again.train.data.data, options->train.data.data);
      EXPECT_EQ(again.train.stage, options->train.stage);
      EXPECT_EQ(again.train.model.name, options->train.model.name);
      EXPECT_EQ(again.checkpoints.folder, options->checkpoints.folder);
    }
  EXPECT_EQ(dumped, 23);  // of 24: --tp 2 has no hook
  EXPECT_THAT(read_file("data: 'true'\nsteps: 3").understood, HasSubstr("\ndata: \"true\"\n"));
}

TEST(DeepSpeedFile, IsUnderstood) {
  const auto options = read_file(kDeepSpeedFile);

  EXPECT_THAT(
      understood(options),
      ElementsAre("batch: 32", "beta1: 0.8", "beta2: 0.99", "bucket-cap-mb: 1908", "clip: 0.5",
                  "gradient-accumulation-steps: 2", "lr-decay-steps: 1000", "lr-decay: linear",
                  "lr: 0.0003", "micro-batch: 4", "offload-optimizer: /local", "overlap: off",
                  "precision: bfloat16", "warmup-steps: 5", "weight-decay: 0", "zero: 2"));
  EXPECT_THAT(options.without_effect,
              ElementsAre("optimizer.params.eps", "zero_optimization.offload_optimizer.pin_memory",
                          "steps_per_print"));
}

// As DeepSpeed's _set_batch_related_parameters and _batch_assertion.
TEST(DeepSpeedFile, HasABatchThatIsConsistent) {
  struct Batch {
    const char* keys;
    int ranks;
    std::uint64_t batch, micro_batch;  // 0: refused
  };
  for (const auto& [keys, ranks, batch, micro_batch] : std::initializer_list<Batch>{
           {R"("train_batch_size": 32)", 4, 32, 8},
           {R"("train_batch_size": 30)", 4, 0, 0},
           {R"("train_batch_size": 32, "gradient_accumulation_steps": 2)", 4, 32, 4},
           {R"("train_micro_batch_size_per_gpu": 3)", 4, 12, 3},
           {R"("train_micro_batch_size_per_gpu": 3, "gradient_accumulation_steps": 2)", 4, 24, 3},
           {R"("train_batch_size": 32, "train_micro_batch_size_per_gpu": 4)", 4, 32, 4},
           {R"("train_batch_size": 32, "train_micro_batch_size_per_gpu": 3)", 4, 0, 0},
           {R"("train_batch_size": 32, "train_micro_batch_size_per_gpu": 4,
               "gradient_accumulation_steps": 2)",
            4, 32, 4},
           {R"("train_batch_size": 32, "train_micro_batch_size_per_gpu": 4,
               "gradient_accumulation_steps": 1)",
            4, 0, 0}}) {
    SCOPED_TRACE(keys);
    auto options = read_file(fmt::format("{{{}}}", keys));
    const auto refusal = settle_batch(options, ranks);
    ASSERT_EQ(refusal.has_value(), batch == 0) << refusal.value_or("");
    if (refusal) continue;
    EXPECT_EQ(options.train.batch, batch);
    EXPECT_EQ(options.train.micro_batch, micro_batch);
  }
  EXPECT_EQ(refused(R"({"bf16": {"enabled": true}})"),
            "file: Either train_batch_size or train_micro_batch_size_per_gpu must be given.");
}

TEST(DeepSpeedFile, CountsDataParallelRanksAlone) {
  auto options = read_file(R"({"train_micro_batch_size_per_gpu": 2})", {"--tp", "2", "--pp", "2"});

  EXPECT_EQ(settle_batch(options, 8), std::nullopt);
  EXPECT_EQ(options.train.batch, 4u);
  EXPECT_THAT(*settle_batch(options, 0), HasSubstr("needs the number of ranks"));
}

TEST(DeepSpeedFile, LeavesAutoToUs) {
  const auto options = read_file(
      R"({"train_batch_size": "auto", "train_micro_batch_size_per_gpu": "auto",
          "gradient_accumulation_steps": "auto",
          "zero_optimization": {"reduce_bucket_size": "auto"},
          "optimizer": {"type": "AdamW", "params": {"lr": "auto", "betas": "auto"}}})");

  EXPECT_EQ(options.train.batch, 8u);
  EXPECT_EQ(options.accumulation.steps, 0u);
  EXPECT_EQ(options.train.beta2, 0.95);
}

TEST(DeepSpeedFile, LeavesOutWhatDeepSpeedLeavesOut) {
  const auto with = [](const char* keys) {
    return read_file(fmt::format(R"({{"train_batch_size": 8{}}})", keys));
  };
  EXPECT_EQ(with("").train.clip, 0);
  EXPECT_EQ(with(R"(, "gradient_clipping": 2)").train.clip, 2);
  EXPECT_THAT(with(R"(, "scheduler": {"type": "WarmupLR"})").without_effect,
              ElementsAre("scheduler.params.warmup_type (log by default, linear here)"));
  for (const char* device : {R"("device": "none", )", R"("device": "cpu", )", ""}) {
    const auto options = with(fmt::format(R"(, "zero_optimization": {{"stage": 1,
        "offload_optimizer": {{{}"nvme_path": "/x"}}}})",
                                          device)
                                  .c_str());
    EXPECT_EQ(understood(options).count("offload-optimizer: /x"), 0) << device;
    EXPECT_THAT(options.without_effect,
                ElementsAre("zero_optimization.offload_optimizer.nvme_path"));
  }
}

TEST(DeepSpeedFile, IsRefusedWhereItAsksForMore) {
  const auto with = [](const char* keys) {
    return fmt::format(R"({{"train_batch_size": 8, {}}})", keys);
  };
  EXPECT_EQ(refused(with(R"("zero_optimisation": {"stage": 1})")),
            "file: zero_optimisation.stage is unknown to DeepSpeed: did you mean "
            "zero_optimization.stage?");
  EXPECT_EQ(refused(with(R"("optimizer": {"type": "Lamb"})")),
            "file: optimizer.type Lamb: AdamW is the only optimizer; choose Adam, AdamW, adam, "
            "adamw, or leave it out.");
  EXPECT_EQ(refused(with(R"("bf16": {"enabled": true}, "fp16": {"enabled": true})")),
            "bf16.enabled and fp16.enabled contradict each other: --precision would be bfloat16 "
            "and half.");
  EXPECT_EQ(refused(with(R"("bf16": true)")),
            "file: bf16 is unknown to DeepSpeed: did you mean bf16.enabled?");
  EXPECT_EQ(refused(with(R"("gradient_accumulation_steps": 0)")),
            "file: gradient_accumulation_steps is 1 at least.");
  EXPECT_EQ(refused(with(R"("train_micro_batch_size_per_gpu": 0.0)")),
            "file: train_micro_batch_size_per_gpu is 1 at least.");
  EXPECT_EQ(refused(with(R"("scheduler": {"type": "WarmupLR", "params": {"warmup_type": "log"}})")),
            "file: scheduler.params.warmup_type log: warm-up is linear; choose linear, or leave it "
            "out.");
  EXPECT_EQ(refused(with(R"("zero_optimization": {"stage": 1,
                             "offload_optimizer": {"device": "nvme"}})")),
            "file: zero_optimization.offload_optimizer.device nvme needs "
            "zero_optimization.offload_optimizer.nvme_path.");
  EXPECT_THAT(refused(with(R"("zero_optimization": {"stage": 4})")),
              HasSubstr("zero_optimization.stage"));
}

TEST(MegatronFile, IsUnderstood) {
  const auto options = read_file(kMegatronFile);

  EXPECT_THAT(
      understood(options),
      ElementsAre("batch: 16", "beta1: 0.9", "beta2: 0.999", "checkpoint: \"a run\"", "clip: 1",
                  "dropout: 0.1", "gradient-accumulation-steps: even", "heads: 6", "hidden: 192",
                  "kv-heads: 2", "layers: 8", "lr-decay-steps: 50", "lr-decay: cosine",
                  "lr: 6.0e-4", "micro-batch: 1", "min-lr: 6e-5", "overlap: off", "pp: 2",
                  "precision: bfloat16", "resume: auto", "schedule: interleaved", "seq: 64",
                  "sequence-parallel: true", "steps: 100", "style: llama", "tp: 2",
                  "virtual-stages: 2", "warmup-steps: 5", "weight-decay: 0.01", "zero: 1"));
  EXPECT_THAT(options.without_effect,
              ElementsAre("--max-position-embeddings", "--data-path", "--split"));
  EXPECT_EQ(options.train.model.mlp, 512u);
}

TEST(MegatronFlags, StandBetweenOurOptions) {
  const auto options =
      parse_train({"-t", "4", "--tensor-model-parallel-size", "2", "--steps", "3",
                   "--use-megatron-fsdp", "--data-parallel-sharding-strategy=optim_grads"},
                  TrainProgram::three_d);

  ASSERT_TRUE(options) << options.sentence();
  EXPECT_EQ(options->train.tp, 2u);
  EXPECT_EQ(options->train.steps, 3);
  EXPECT_EQ(options->train.stage, trainers::Stage::gradients);
  EXPECT_EQ(options->train.model.dropout, 0);  // Megatron-LM's defaults are of whole files
  EXPECT_EQ(options->nthreads, 4);
}

TEST(MegatronFlags, EndWhereAnOptionOfOursBegins) {
  for (const auto& words :
       {TrainArgs{"--data-path", "a", "b", "-t", "4"}, TrainArgs{"--data-path", "-1", "-t4"}}) {
    const auto options = parse_train(words, TrainProgram::three_d);
    ASSERT_TRUE(options) << options.sentence();
    EXPECT_EQ(options->nthreads, 4);
  }
}

TEST(MegatronFlags, ShardAsTheirStrategySays) {
  const auto stage = [](TrainArgs words) {
    const auto options = parse_train(words, TrainProgram::three_d);
    EXPECT_TRUE(options) << options.sentence();
    return options ? static_cast<int>(options->train.stage) : -1;
  };
  const std::string fsdp = "--use-megatron-fsdp", strategy = "--data-parallel-sharding-strategy";
  EXPECT_EQ(stage({"--use-distributed-optimizer"}), 1);
  EXPECT_EQ(stage({fsdp}), 0);  // no_shard is the default
  EXPECT_EQ(stage({fsdp, "--use-distributed-optimizer", strategy, "optim_grads_params"}), 3);
}

TEST(MegatronFlags, AreRefusedInASentenceThatNamesThem) {
  const std::pair<TrainArgs, const char*> cases[] = {
      {{"--tensor-model-paralel-size", "2"}, "did you mean '--tensor-model-parallel-size'?"},
      {{"--tensor-model-parallel-size", "2", "--tp", "4"},
       "--tensor-model-parallel-size 2 and --tp 4 contradict each other"},
      {{"--bf16", "--fp16"}, "--bf16 and --fp16 contradict each other"},
      {{"--bf16", "--precision", "half"}, "--bf16 and --precision half contradict"},
      {{"--num-experts", "8"}, "--num-experts 8: there are no experts; leave it out."},
      {{"--moe-grouped-gemm", "--steps", "3"}, "--moe-grouped-gemm: there are no experts"},
      {{"--tensor-model-parallel-size"}, "--tensor-model-parallel-size needs a value."},
      {{"--bf16=1"}, "--bf16 takes no value."},
      {{"--tensor-model-parallel-size", "-t", "4"}, "--tensor-model-parallel-size needs a value."},
      {{"--data-parallel-sharding-strategy", "optim"}, "needs --use-megatron-fsdp."},
      {{"--use-megatron-fsdp", "--data-parallel-sharding-strategy", "optimm"},
       "Unknown value of --data-parallel-sharding-strategy 'optimm'"},
      {{"--tensor-model-parallel-size", "two"}, "--tensor-model-parallel-size"},
      {{"--steps", "3", "stray"}, "'stray' belongs to no option"},
      {{"--lr-warmup-fraction", "0.1"}, "needs --lr-decay-iters or --train-iters"},
      {{"--num-layers", "6", "--pipeline-model-parallel-size", "2",
        "--num-layers-per-virtual-pipeline-stage", "2"},
       "does not divide the 3 layers of each of 2 stages"},
      {{"--kv-channels", "64", "--hidden-size", "128", "--num-attention-heads", "4"},
       "--kv-channels 64"}};
  for (const auto& [words, sentence] : cases) {
    const auto options = parse_train(words, TrainProgram::three_d);
    ASSERT_FALSE(options) << sentence;
    EXPECT_THAT(options.sentence(), HasSubstr(sentence));
  }
}

TEST(MegatronFile, HasNamesOfFilesThatLookLikeNumbers) {
  EXPECT_EQ(read_file("--save 2.0").checkpoints.folder, "2.0");
  EXPECT_EQ(read_file("--load 1e3").checkpoints.folder, "1e3");
  EXPECT_EQ(read_file("--train-iters 1e1").train.steps, 10);
}

TEST(MegatronFile, ClosesItsQuotes) {
  EXPECT_EQ(refused("--bf16\n--save 'a\n--train-iters 3"),
            "file, line 2: a quote is opened and not closed.");
}

TEST(MegatronFlags, HaveAnMlpHoweverNarrowTheModel) {
  const auto options = parse_train({"--style", "llama", "--hidden-size", "16", "--heads", "2"},
                                   TrainProgram::three_d);
  ASSERT_TRUE(options) << options.sentence();
  EXPECT_EQ(options->train.model.mlp, 64u);
}

TEST(MegatronFile, HasAModelOfOneStyle) {
  EXPECT_THAT(refused("--swiglu --normalization RMSNorm --disable-bias-linear"),
              HasSubstr("--position-embedding-type is missing"));
  EXPECT_THAT(refused("--swiglu --normalization LayerNorm --disable-bias-linear "
                      "--use-rotary-position-embeddings"),
              HasSubstr("--swiglu and --normalization LayerNorm contradict each other"));
}

// Every option that a table names is one, and takes every value that the table has for it.
TEST(Dialects, MapToOptionsThatThereAre) {
  for (const auto* dialect : {&yaml_dialect(), &deepspeed_dialect(), &megatron_dialect()}) {
    std::set<std::string> names;
    for (const auto& row : dialect->rows) {
      SCOPED_TRACE(row.names);
      for (const auto& name : split(row.names, ' ')) EXPECT_TRUE(names.insert(name).second) << name;
      if (row.option.empty() || row.option == kDerived) continue;
      for (const auto& option : split(row.option, ' '))
        EXPECT_NE(find_option(Audience::train, option), nullptr) << option;
      for (const auto& pair : split(row.values, ' ')) {
        const auto theirs = pair.substr(0, pair.find('='));
        if (pair.empty() || theirs == "*") continue;
        const DialectKey key{split(row.names, ' ').front(), theirs};
        const Dialect plain{.title = "a test", .rows = dialect->rows};
        const auto keys = understand(plain, std::span(&key, 1), false);
        EXPECT_TRUE(keys) << keys.sentence();
      }
    }
    const Dialect whole{.title = "a test", .rows = dialect->rows};
    EXPECT_TRUE(understand(whole, {}, true));
  }
}

}  // namespace
}  // namespace linerate
