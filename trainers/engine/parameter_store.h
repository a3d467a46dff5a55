// The parameters of a rank: all of them, or a shard of each unit that is gathered for its use.
#pragma once

#include "trainers/engine/gradients.h"
#include "trainers/engine/shards.h"
#include "trainers/memory/arena.h"
#include "trainers/parallel/axis.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace linerate::trainers {

struct GatherPlan {
  std::size_t prefetch = 1;  // units that are gathered ahead of their use
  // Frees a unit between forward and backward; else in a pipeline at the end of the step.
  bool reshard_after_forward = true;
  // Elements: what is gathered ahead waits until no more than this are gathered; 0: no limit.
  // Embeddings, final norm and the unit in use are gathered all the same.
  std::size_t max_live_parameters = 0;
};

// Used by the rank's thread. All references outlive it.
class ParameterStore {
 public:
  virtual ~ParameterStore() = default;

  enum class Pass : std::uint8_t { forward, backward };
  // The unit's parameters, until release(). Waits for them on the compute stream, and begins to
  // gather what the pass needs next.
  virtual Array use(std::size_t unit, Pass pass) = 0;
  // Of the unit that the pass has done.
  virtual void release(std::size_t /*unit*/, Pass /*pass*/) {}
  // After the step's last pass.
  virtual void end_passes() {}
  // What this rank steps, where the optimizer writes it.
  virtual Array of(const OwnedRange& owned) = 0;
  // After the optimizer's step: all ranks get what each has stepped.
  virtual void publish() {}
};

// Units that are gathered ahead: none where communication does not run beside compute.
std::size_t units_ahead(const GradientPlan& plan, const GatherPlan& gather);

std::unique_ptr<ParameterStore> make_parameter_store(const GradientPlan& plan,
                                                     const GatherPlan& gather,
                                                     const GradientTools& tools);

}  // namespace linerate::trainers
