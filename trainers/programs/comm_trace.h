// --trace-comm FILE: which calls all ranks made in some of the steps, for linerate replay.
#pragma once

#include "cli/train_config.h"
#include "comm/comm_decorator.h"
#include "job/rank_context.h"
#include "output/text_file.h"
#include "replay/trace.h"
#include "trainers/engine/trainer.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace linerate {

// Keeps what passes, and when it ran on its stream. Calls of kMetricsPurpose, by which ranks
// compare their clocks, are no part of training and are left out.
class KeptCalls final : public CommDecorator {
 public:
  struct Kept {
    replay::Call call{};
    std::string axis{}, purpose{};
    Event start{}, end{};
  };

  KeptCalls(std::unique_ptr<Communicator> inner, std::vector<Kept>& into)
      : CommDecorator(std::move(inner)), into_(into) {}

 private:
  void issue(std::span<const Op> ops, Stream& stream) override;
  std::unique_ptr<Communicator> decorate(std::unique_ptr<Communicator> part) const override {
    return std::make_unique<KeptCalls>(std::move(part), into_);
  }

  std::vector<Kept>& into_;
};

// Rank 0 writes the file, for all ranks; each step with one write, so that a run that is killed
// leaves whole steps. Used by the rank's thread; all calls are collective.
class CommTraceFile {
 public:
  // Before the Trainer is made: from now on the rank's axes keep their calls. Rank 0 throws Error,
  // exit code 2, where the file cannot be written. Both outlive it.
  CommTraceFile(RankContext& rank, const TrainOptions& options, const std::string& program);

  // Around a step.
  void begin();
  void step(const trainers::StepResult& result, const trainers::Trainer& trainer);

 private:
  struct Axis {
    std::int64_t number = 0;  // of its group
    std::vector<KeptCalls::Kept> kept{};
  };

  bool on() const { return !options_.trace_comm_file.empty(); }
  std::unique_ptr<Communicator> keep(std::unique_ptr<Communicator> comm);
  std::string lines_of(const trainers::StepSpans& spans, const Event& start);

  RankContext& rank_;
  const TrainOptions& options_;
  std::vector<std::unique_ptr<Axis>> axes_;
  std::string groups_;                     // lines that are still to be written
  std::optional<std::int64_t> origin_ns_;  // of the first step's first rank
  std::optional<TextFile> file_;           // of rank 0
  std::size_t bytes_ = 0;                  // written
  bool full_ = false;
};

}  // namespace linerate
