// What the stages of a pipeline send each other: activations and gradients between neighbours, the
// token embeddings from the first stage to the last, whose head is tied to them, and the head's
// part of their gradient back.
//
// All messages from one stage to another have a communicator and a stream of their own, and those
// of the tied embeddings another one, because both ends make them in one order.
#pragma once

#include "job/rank_context.h"
#include "trainers/engine/plan.h"
#include "trainers/memory/arena.h"
#include "trainers/parallel/axis.h"

#include <cstddef>
#include <list>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace linerate::trainers {

// Purposes of calls.
inline constexpr std::string_view kActivations = "activation", kSlopes = "activation gradient",
                                  kTiedTable = "head table", kTiedGradient = "head gradient";

// A message that arrives.
struct Incoming {
  Block data{};
  Event done{};
};

// Of a rank: with the stages of its own pipeline. Used by the rank's thread.
class StageLinks {
 public:
  // Collective over all ranks of the job. REQUIRES: there are several stages.
  StageLinks(RankContext& rank, const TrainConfig& config, const Position& position,
             Stream& compute, Arena& arena);

  // All of them, for the recorder: an axis over all stages first.
  std::vector<Axis*> axes();
  // Over all stages: for sums.
  Axis& all() { return all_; }

  // Sends `data` to the other stage, once compute has written it, and keeps it until it has gone.
  void send(int stage, std::string_view purpose, Block data);
  // Begins to receive; compute waits for `done` by itself.
  Incoming receive(int stage, std::string_view purpose, std::size_t bytes);
  Event receive(int stage, std::string_view purpose, View into);
  // All that was sent and received has arrived, also what nobody waited for: the table of a
  // pipeline without a micro-batch.
  void finish();

 private:
  struct Link {
    int from = 0, to = 0;
    bool tied = false;
    std::unique_ptr<Axis> axis{};  // null: between other stages
  };
  std::string title_of(const Link& link) const;
  Axis& axis_of(int from, int to, std::string_view purpose);

  const int stage_;
  Stream& compute_;
  Arena& arena_;
  Axis all_;
  std::vector<Link> links_;
  std::list<Incoming> sent_;  // under way
};

}  // namespace linerate::trainers
