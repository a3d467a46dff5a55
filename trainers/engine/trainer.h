// One rank of a training job: data, model, gradients, optimizer, a step at a time.
#pragma once

#include "job/rank_context.h"
#include "trainers/checkpoint/manifest.h"
#include "trainers/checkpoint/saver.h"
#include "trainers/engine/accounting.h"
#include "trainers/engine/adam.h"
#include "trainers/engine/compute_stream.h"
#include "trainers/engine/config.h"
#include "trainers/engine/plan.h"
#include "trainers/engine/recorder.h"
#include "trainers/engine/stage_links.h"
#include "trainers/engine/step_time.h"
#include "trainers/engine/tensor_axis.h"
#include "trainers/optimizer/gradient_scale.h"

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace linerate::trainers {

// What a step was like; the same on all ranks but for the times.
struct StepResult {
  std::int64_t step = 0;  // from 1
  double loss = 0;        // mean over the counted tokens of the global batch
  double accuracy = 0;    // share of them to which the model gave the highest probability
  double norm = 0;        // of the gradient, before clipping
  double lr = 0;
  std::uint64_t tokens = 0;  // that the model read, of the global batch
  bool skipped = false;      // a gradient was not finite
  StepTime time{};           // of this rank
};

// Used by the rank's thread. Collective: all ranks make the same calls.
class Trainer {
 public:
  // All references outlive it. REQUIRES: one rank to a thread.
  Trainer(RankContext& rank, const TrainConfig& config, const Source& source, Math& math);
  ~Trainer();
  Trainer(const Trainer&) = delete;
  Trainer& operator=(const Trainer&) = delete;

  StepResult step();
  std::int64_t steps_done() const { return step_; }
  // When what of the last step was done by this rank.
  const StepSpans& spans() const { return spans_; }
  const Position& position() const { return position_; }
  std::uint64_t micro_batch() const { return micro_batches_.size; }  // sequences
  const PipelineSchedule& schedule() const { return schedule_; }
  const Pipeline& pipeline() const { return schedule_.pipeline; }
  const Recorder& recorder() const { return *recorder_; }

  // Of the state after the last step: a copy of this rank's part of it.
  Snapshot snapshot();
  // Goes on from a checkpoint, whatever layout wrote it. Throws Error, exit code 2, where it is
  // damaged. REQUIRES: no step was made, and the checkpoint is of the same training: difference().
  void resume(const Checkpoint& checkpoint);

  // Of this rank.
  const ParameterTable& table() const { return table_; }  // of all stages
  const Arena& arena() const { return arena_; }
  // By all steps so far, and the calls around them.
  SentBytes sent_bytes();
  // This rank's slices of the parameters, in full precision where these are kept so: for tests
  // and checkpoints.
  std::vector<std::pair<ParameterSlice, Array>> parameters();

 private:
  struct Inputs;
  // A chunk of the model, and what this rank holds of it.
  struct Chunk;

  Round round_of(std::uint64_t index) const;
  void sleep_where_asked();
  void run(const Operation& operation);
  void load(Chunk& chunk, const Round& round);
  void forward(Chunk& chunk, const Round& round);
  // Whole, or one of its halves.
  void backward(Chunk& chunk, const Round& round, Action action);
  struct UnitBackward {
    std::size_t unit = 0;
    Array parameters{};
    HeadRows head_rows{};  // that have arrived for it
  };
  void unit_backward(Chunk& chunk, const Round& round, Action action, const UnitBackward& what);
  // Of a pipeline: what goes between stages.
  void send(const Operation& operation, const Round& round);
  void receive(const Operation& operation, const Round& round);
  void take(Chunk& chunk, const Round& round, Action action, Array to);
  std::size_t rows_of(const Round& round) const;  // positions of a micro-batch on this rank
  std::size_t message_bytes(const Round& round) const;
  std::size_t tied_bytes() const;
  std::size_t tied_gradient_bytes(const Round& round) const;
  void begin_tied_table();
  void send_tied_table(Array embeddings);
  // What the head of a unit of the chunk is tied to, and where its part of the gradient goes.
  Array head_table(const Chunk& chunk, std::size_t unit);
  Array head_gradient(Chunk& chunk);
  bool sends_tied_gradient(const Round& round) const;
  void send_tied_gradient(const Chunk& chunk, const Round& round);
  HeadRows head_rows_in(const Block& block, const Round& round) const;
  Incoming begin_tied_gradient(const Chunk& chunk, const Round& round);
  void add_tied_gradient(const Incoming& part, Array embeddings);
  void add_losses(const Model& model, const Round& round);
  // Over all micro-batches, on all ranks; hits once the losses are summed.
  double summed_loss();
  double summed_hits() const;
  // Tokens of a step that count.
  double counted() const { return static_cast<double>(config_.batch * source_.counted()); }
  // What the gradient of the sum over tokens is multiplied by in backward: 1; for float16, whose
  // range is small, the loss scale times the gradient of the mean.
  double loss_scale() const {
    return config_.type == DataType::float16 ? loss_scale_.scale() / counted() : 1;
  }
  void all_reduce_scalars(Axis& axis, View values, DataType type, std::string_view purpose);
  // Of what it owns, what this rank counts in the norm: of copies one rank does.
  std::vector<Range> counted_ranges(const Chunk& chunk, const OwnedRange& owned) const;
  // Sums over all ranks that differ in what they have.
  void sum_of_norm(View values, DataType type);
  double gradient_square_sum();
  double exact_square_sum();
  // Of the whole tensors; where the values of each begin within the slice.
  std::vector<std::pair<TensorSlice, std::size_t>> whole_slices(const ParameterTable& table,
                                                                const ParameterSlice& slice) const;
  std::vector<ParameterSlice> saved_slices(const Chunk& chunk) const;
  View save(Chunk& chunk, View left, Snapshot& snapshot);
  void read(Chunk& chunk, ChunkReader& reader);
  void check_account(const SentBytes& before, bool skipped);

  std::vector<Axis*> axes();
  int copies() const { return static_cast<int>(position_.tensor.copies(config_.model.kv_heads)); }
  std::size_t stage() const { return static_cast<std::size_t>(position_.stage); }

  RankContext& rank_;
  const TrainConfig& config_;
  const Source& source_;
  Math& math_;
  const Position position_;
  const MicroBatches micro_batches_;
  const GradientLeaves leaves_;
  const ParameterTable table_;
  ComputeStream compute_;
  Arena arena_;
  Axis axis_;  // data-parallel ranks that state is cut over; in stage 0 all of them
  std::optional<Axis> replicas_;  // hybrid sharding: ranks that hold the same shard
  std::optional<Axis> tensor_axis_, context_axis_;
  std::optional<Axis> copies_axis_;  // tensor-parallel ranks of the same key and value heads
  std::optional<StageLinks> links_;  // of a pipeline
  std::optional<Recorder> recorder_;
  StepSpans spans_;
  const GradientTools tools_;
  TensorAxis tensor_;
  const PipelineSchedule schedule_;
  const ChunkPlans plans_;
  std::vector<std::unique_ptr<Chunk>> chunks_;
  std::map<Operation, Incoming> incoming_;
  // Of the last stage: a copy of the first one's table of tokens, from the begin of the step on,
  // and its gradient.
  Block tied_table_, tied_gradient_;
  Event tied_table_arrives_{};
  bool tied_table_is_here_ = false;
  std::vector<double> sums_;  // by leaf of all sequences: losses, then tokens that were hit
  LossScale loss_scale_;
  std::int64_t step_ = 0;
  std::int64_t updates_ = 0;  // steps that were not skipped
};

// The manifest of a run of this configuration before its first step, without files and chunks.
// Layout, stage and the type that is computed in are none of its facts.
Manifest manifest_of(const TrainConfig& config, const ParameterTable& table);

}  // namespace linerate::trainers
