// A pipeline's shape, how long its chunks take, and the closed forms of how long stages idle.
//
// A stage's bubble is the time of a step in which it computes nothing, from the first operation of
// any stage to the last; its share is that of the step's time, not of the ideal one: (p - 1) /
// (m + p - 1) where papers also write (p - 1) / m. The closed forms are for chunks that all take as
// long, and messages that take no time. B and W stand for the gradients of inputs and of weights, a
// whole backward is B + W.
#pragma once

#include <algorithm>
#include <cstddef>

namespace linerate::trainers {

struct Pipeline {
  int stages = 1;         // p
  int chunks = 1;         // v, of each stage
  int micro_batches = 1;  // m

  int model_chunks() const { return stages * chunks; }
  int model_chunk(int stage, int chunk) const { return chunk * stages + stage; }
  // Of a stage's work: a micro-batch in one of its chunks.
  std::size_t parts() const { return part(micro_batches, 0); }
  std::size_t part(int micro_batch, int chunk) const {
    return static_cast<std::size_t>(micro_batch) * static_cast<std::size_t>(chunks) +
           static_cast<std::size_t>(chunk);
  }
};

// Of a chunk and a micro-batch.
struct ChunkTimes {
  double forward_us = 0;          // F
  double backward_input_us = 0;   // B
  double backward_weight_us = 0;  // W
  double message_us = 0;  // alpha + bytes / beta: the activation to the next chunk, or its gradient
  // Beside F, and B and W: waits for a network, during which a processor is free for others.
  double forward_wait_us = 0, backward_input_wait_us = 0, backward_weight_wait_us = 0;

  double backward_us() const { return backward_input_us + backward_weight_us; }
  double compute_us() const { return forward_us + backward_us(); }
};

// One micro-batch after another: a stage works while p - 1 idle.
inline double naive_bubble_us(const Pipeline& pipeline, const ChunkTimes& times) {
  return (pipeline.stages - 1) * pipeline.micro_batches * times.compute_us();
}
// GPipe and 1F1B: Narayanan et al. 2021 (Megatron-LM, SC'21), 2.2.
inline double flushed_bubble_us(const Pipeline& pipeline, const ChunkTimes& times) {
  return (pipeline.stages - 1) * times.compute_us();
}
// The same, of chunks that are shorter, where there are p micro-batches or more (p need not divide
// them). A round of fewer comes back to a stage late, for each chunk but the first.
inline double interleaved_bubble_us(const Pipeline& pipeline, const ChunkTimes& times) {
  const int late = std::max(0, pipeline.stages - pipeline.micro_batches);
  return (pipeline.stages - 1 + (pipeline.chunks - 1) * late) * times.compute_us();
}
// Qi et al. 2023 (Zero Bubble Pipeline Parallelism), table 1, has (p - 1) (F + B - W), which is the
// largest where neither F nor B is shorter than W. But the last stage waits (p - 1) F for its first
// activation, and the first one (p - 1) B for its first gradient. For p or more micro-batches.
inline double zb_h1_bubble_us(const Pipeline& pipeline, const ChunkTimes& times) {
  const double forward_us = times.forward_us, input_us = times.backward_input_us;
  return (pipeline.stages - 1) *
         std::max({forward_us, input_us, forward_us + input_us - times.backward_weight_us});
}

// Of the step's time: (p - 1) / (v m + p - 1) of interleaved_bubble_us(), if p <= m.
inline double bubble_share(double bubble_us, const Pipeline& pipeline, const ChunkTimes& times) {
  const double busy_us = pipeline.micro_batches * pipeline.chunks * times.compute_us();
  return bubble_us / (bubble_us + busy_us);
}

}  // namespace linerate::trainers
