// Mistakes of parallel training, most of which other trainers have made. A test compiles the engine
// once more and switches one on at a time, to see that the checks which users and tests have notice
// it (tests/unit/trainers/bugs). In the product injected() is false when it is compiled.
#pragma once

#include <cstdint>

namespace linerate::trainers {

enum class Bug : std::uint8_t {
  // Gradients
  divides_by_own_tokens,              // not by those of the global batch
  repeats_a_sequence,                 // where a rank has none left, to fill it up
  leaves_a_bucket_out,                // it is not reduced
  leaves_the_tail_out,                // of a bucket that the ranks do not divide
  reduces_each_micro_batch,           // though gradients are accumulated
  reduces_before_the_last_gradients,  // of a bucket are written
  order_differs_on_a_rank,            // of buckets
  adds_to_the_last_step,              // whose gradients were not zeroed
  replicas_differ,                    // hybrid: nobody adds up over replicas
  // Norm, loss scale
  norm_of_own_shard,       // not added up over shards
  norm_counts_replicas,    // added up where all ranks hold the same
  scales_on_rank_0_alone,  // others keep their loss scale after an overflow
  // Tensor parallelism
  skips_a_tensor_sum,              // of gradients, which stay those of a rank's own part
  adds_tensor_terms_by_rank,       // not in the tree's order
  norm_counts_tensor_copies,       // of what all ranks hold
  saves_tensor_parts_as_they_are,  // not where they lie in the whole
  keys_and_values_of_own_queries,  // of copied heads: their gradients are not added up
  norm_weights_of_own_rows,        // sequence parallelism: their gradients are not added up
  drops_rows_of_the_first,         // likewise: dropout masks of the first rank's rows
  // Context parallelism
  positions_within_rank,        // learned or turned, not those in the sequence
  drops_within_rank,            // dropout masks likewise
  targets_within_rank,          // shifted after the sequence was cut
  tokens_of_other_chunks,       // zig-zag for attention alone
  sees_the_next_token,          // the mask is off by one between ranks
  skips_a_block_of_keys,        // in backward of the ring
  leaves_ring_sums_on_the_way,  // gradients of keys that have gone around
  heads_come_back_by_rank,      // Ulysses: not in the order of positions
  divides_by_context_ranks,     // the loss is taken for a mean over them
  takes_blocks_as_they_come,    // canonical: not in the order of positions
  adds_chunks_by_rank,          // canonical: likewise
  takes_a_chunk_for_a_leaf,     // canonical: its gradient is not summed up by leaves
  // Pipelines
  keeps_the_first_head_table,     // the head's copy of the embeddings, in all steps
  leaves_the_head_gradient_out,   // of the embeddings'
  sends_each_head_gradient,       // of a micro-batch, though their sum would do
  mixes_up_micro_batches,         // a backward has the activations of another one
  leaves_out_the_last_weights,    // of a step, whose gradients come behind those of inputs
  norm_of_own_stage,              // not added up over stages
  loss_of_own_stage,              // likewise
  resumes_the_first_stage_alone,  // others begin anew
  // Parameters and optimizer
  seed_depends_on_rank,       // of initial values
  drops_by_own_position,      // dropout masks depend on where a rank has a sequence
  decays_norms,               // weight decay of what is no matrix
  keeps_old_parameters,       // stepped masters are not rounded to 16-bit parameters
  shard_of_the_neighbour,     // is what a rank steps
  uses_before_gathered,       // nobody waits for gathered parameters
  keeps_gathered_parameters,  // for the next step, in which they are old
  frees_embeddings,           // which the tied head needs until the end of backward
  // Checkpoints
  resumes_a_step_late,  // in data and learning rate
  resumes_without_moments,
  reads_an_element_early,  // where a slice begins within a tensor
};

}  // namespace linerate::trainers
