// What a transformer's training sends along each axis of its mesh in one step.
#pragma once

#include "topo/place/mesh.h"

#include <cstddef>

namespace linerate::topo {

// A dense transformer, trained with 1F1B pipelines. The defaults are a model of 7 billion
// parameters in 16 bits.
struct Workload {
  double params = 7e9;
  int layers = 32;
  int hidden = 4096;
  int seq = 4096;         // tokens of a sample
  int micro_batch = 1;    // samples that pass the pipeline together
  int micro_batches = 8;  // of a step, for each replica
  int bytes_per_element = 2;
};

// Equal calls, one after the other.
struct AxisTraffic {
  double calls = 0;
  std::size_t bytes = 0;  // of one call
};

// tp: four all_reduces of the activations for each layer and micro-batch, two forward and two
//     backward (Megatron-LM, arXiv:1909.08053, section 3), of a stage's layers, rounded up.
// dp: one all_reduce of a rank's gradients, params / (tp pp).
// pp: activations forward and their gradients backward, a message each way for each micro-batch.
// Activations: micro_batch x seq x hidden elements. No calls where the axis has one rank.
AxisTraffic traffic_of(const Workload& workload, const Mesh& mesh, Axis axis);

}  // namespace linerate::topo
