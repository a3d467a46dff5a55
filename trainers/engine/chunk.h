// A chunk of the model, and what a Trainer's rank holds of it: all of the model, where there is no
// pipeline.
#pragma once

#include "trainers/engine/trainer.h"
#include "trainers/parallel/injected.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace linerate::trainers {

// Of one slot: what a chunk of an end needs of its micro-batch, on the host and on the device.
struct Trainer::Inputs {
  std::vector<std::int32_t> tokens, targets;
  Block device_tokens, device_targets;
};

struct Trainer::Chunk {
  Chunk(Trainer& of, std::size_t chunk)
      : index(static_cast<int>(chunk)),
        what(*of.plans_[chunk]),
        config(model_of_chunk(of.config_, of.position_, what)),
        options(options_of(of, chunk)),
        gradients(make_gradients(what.plan, of.tools_)),
        store(make_parameter_store(what.plan, of.config_.gather, of.tools_)),
        adam(of.config_, what.plan, of.tools_),
        model(config, what.table, options, of.math_, of.tensor_, of.arena_),
        inputs(options.slots) {
    const auto positions = options.sequences * config.length;
    const auto allocate = [&] {
      return of.arena_.allocate(Category::activation, DataType::int32, positions);
    };
    for (auto& slot : inputs) {
      if (what.embeds()) slot.device_tokens = allocate();
      if (what.heads()) slot.device_targets = allocate();
    }
    adam.initialise(*store);
    store->publish();
  }

  static ModelOptions options_of(Trainer& of, std::size_t chunk) {
    auto options = model_options_of(of.config_, of.position_, of.plans_[chunk]->place(),
                                    held_of(of.schedule_.stages[of.stage()], chunk));
    if (of.context_axis_) options.context_axis = &*of.context_axis_;
    return options;
  }
  std::size_t slot(const Round& round) const {
    return injected(Bug::mixes_up_micro_batches) ? 0 : round.index % options.slots;
  }

  const int index;
  const ChunkPlan& what;
  const ModelConfig config;
  const ModelOptions options;
  const std::unique_ptr<Gradients> gradients;
  const std::unique_ptr<ParameterStore> store;
  Adam adam;
  Model model;
  std::vector<Inputs> inputs;  // by slot
  Array embeddings{};          // that the head is tied to: unit 0's, or a copy of another stage's
};

}  // namespace linerate::trainers
