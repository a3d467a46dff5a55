// What a trainer was asked to do.
#pragma once

#include "base/result.h"
#include "cli/option.h"
#include "job/config.h"
#include "trainers/engine/config.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace linerate {

struct CheckpointOptions {
  std::string folder{};    // of all checkpoints; empty: nothing is saved
  std::int64_t every = 0;  // steps
  std::int64_t keep = 0;   // newest ones; 0: all
  std::string resume{};    // kResumeNewest, or a checkpoint's folder; empty: begins anew
};
inline constexpr std::string_view kResumeNewest = "auto";

struct ElasticOptions {
  bool on = false;       // --elastic
  int max_restarts = 3;  // of the job, with the ranks that are left
  int min_ranks = 1;     // with fewer it ends
};

struct TraceOptions {
  std::string file{};                 // empty: none
  std::int64_t first = 1, last = 20;  // steps
};

// What is changed of --model; 0: nothing.
struct ModelSizes {
  std::optional<bool> llama{};  // the style
  std::size_t layers = 0, hidden = 0, heads = 0, kv_heads = 0, mlp = 0, length = 0, vocabulary = 0;
};
// The model with these sizes, called custom where they are not its own.
trainers::ModelConfig sized(trainers::ModelConfig model, const ModelSizes& sizes);

// --gradient-accumulation-steps: micro-batches of a rank in a step.
struct Accumulation {
  std::uint64_t steps = 0;  // 0: as many as batch and micro-batch make
  bool even = false;        // as many, and all ranks the same number

  bool asked() const { return even || steps > 0; }
};

struct TrainOptions : JobConfig {
  trainers::TrainConfig train{};
  CheckpointOptions checkpoints{};
  ElasticOptions elastic{};
  int threads = 1;                // --threads: of a rank's matrix products
  int zero = 0;                   // --zero
  std::string rank_order_file{};  // --rank-order: read by who runs it
  std::string plan_file{};        // --plan: likewise; empty: the layout is given
  ModelSizes sizes{};
  Accumulation accumulation{};
  bool batch_given = false;      // else --batch is what it says nothing against
  std::int64_t decay_steps = 0;  // --lr-decay-steps; 0: all
  double dropout = 0;            // --dropout: of the model, which is known only later
  std::string jsonl_file{};      // empty: none
  TraceOptions trace{};
  std::string trace_comm_file{};   // --trace-comm, of the same steps; empty: none
  std::optional<bool> progress{};  // nothing: where stderr is a terminal
  bool watches_health = false;     // --watch-health
  bool no_communication = false;   // --no-communication
  bool list = false, dry_run = false, dump_config = false, version = false;
  std::string understood{};                   // as YAML
  std::vector<std::string> without_effect{};  // other trainers' options that were given
};

// What contradicts itself.
Refusal check_checkpoints(const TrainOptions& options);
Refusal check_traces(const TrainOptions& options, bool steps_given);

// The programs: one trainer, which they differ in the options of.
enum class TrainProgram : std::uint8_t { ddp, fsdp, three_d };
std::string_view name_of(TrainProgram program);  // "train_ddp", "train_fsdp", "train_3d"

// What --gradient-accumulation-steps makes of batch and micro-batch on so many ranks; 0: nobody
// knows yet.
Refusal settle_batch(TrainOptions& options, int nranks);

// The words behind a program's name. Values that are not given are the defaults of the rows; what
// contradicts itself is refused.
// Files are those of config_files_of(words): options of the command line win over theirs.
struct TrainFile {
  std::string name{}, text{};
};
Result<TrainOptions> parse_train(const std::vector<std::string>& words, TrainProgram program,
                                 const std::vector<TrainFile>& files = {});

}  // namespace linerate
