// Each bug of trainers/parallel/bugs.h, switched on, is noticed by the check that is named for it.
#include "checks.h"
#include "trainers/parallel/injected.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <iterator>
#include <ostream>
#include <string>

namespace linerate::trainers {
namespace {

struct Caught {
  Bug bug{};
  const char* name = "";
  const char* by = "";  // the name of a check
};

std::ostream& operator<<(std::ostream& out, const Caught& caught) {
  return out << caught.name << " by " << caught.by;
}

// All bugs, in the order of the enumeration.
constexpr Caught kCaught[] = {
    {Bug::divides_by_own_tokens, "divides_by_own_tokens", "near the reference"},
    {Bug::repeats_a_sequence, "repeats_a_sequence", "near the reference"},
    {Bug::leaves_a_bucket_out, "leaves_a_bucket_out", "accounting"},
    {Bug::leaves_the_tail_out, "leaves_the_tail_out", "ranks agree"},
    {Bug::reduces_each_micro_batch, "reduces_each_micro_batch", "accounting"},
    {Bug::reduces_before_the_last_gradients, "reduces_before_the_last_gradients",
     "near the reference"},
    {Bug::order_differs_on_a_rank, "order_differs_on_a_rank", "near the reference"},
    {Bug::adds_to_the_last_step, "adds_to_the_last_step", "near the reference"},
    {Bug::replicas_differ, "replicas_differ", "accounting"},
    {Bug::norm_of_own_shard, "norm_of_own_shard", "equal bits"},
    {Bug::norm_counts_replicas, "norm_counts_replicas", "near the reference"},
    {Bug::scales_on_rank_0_alone, "scales_on_rank_0_alone", "overflow is everybody's"},
    {Bug::skips_a_tensor_sum, "skips_a_tensor_sum", "near the reference"},
    {Bug::adds_tensor_terms_by_rank, "adds_tensor_terms_by_rank", "equal bits"},
    {Bug::norm_counts_tensor_copies, "norm_counts_tensor_copies", "near the reference"},
    {Bug::saves_tensor_parts_as_they_are, "saves_tensor_parts_as_they_are", "resume"},
    {Bug::keys_and_values_of_own_queries, "keys_and_values_of_own_queries", "near the reference"},
    {Bug::norm_weights_of_own_rows, "norm_weights_of_own_rows", "near the reference"},
    {Bug::drops_rows_of_the_first, "drops_rows_of_the_first", "equal bits"},
    {Bug::positions_within_rank, "positions_within_rank", "near the reference"},
    {Bug::drops_within_rank, "drops_within_rank", "equal bits"},
    {Bug::targets_within_rank, "targets_within_rank", "near the reference"},
    {Bug::tokens_of_other_chunks, "tokens_of_other_chunks", "near the reference"},
    {Bug::sees_the_next_token, "sees_the_next_token", "near the reference"},
    {Bug::skips_a_block_of_keys, "skips_a_block_of_keys", "near the reference"},
    {Bug::leaves_ring_sums_on_the_way, "leaves_ring_sums_on_the_way", "near the reference"},
    {Bug::heads_come_back_by_rank, "heads_come_back_by_rank", "near the reference"},
    {Bug::divides_by_context_ranks, "divides_by_context_ranks", "near the reference"},
    {Bug::takes_blocks_as_they_come, "takes_blocks_as_they_come", "equal bits"},
    {Bug::adds_chunks_by_rank, "adds_chunks_by_rank", "equal bits"},
    {Bug::takes_a_chunk_for_a_leaf, "takes_a_chunk_for_a_leaf", "equal bits"},
    {Bug::keeps_the_first_head_table, "keeps_the_first_head_table", "near the reference"},
    {Bug::leaves_the_head_gradient_out, "leaves_the_head_gradient_out", "near the reference"},
    {Bug::sends_each_head_gradient, "sends_each_head_gradient", "accounting"},
    {Bug::mixes_up_micro_batches, "mixes_up_micro_batches", "near the reference"},
    {Bug::leaves_out_the_last_weights, "leaves_out_the_last_weights", "near the reference"},
    {Bug::norm_of_own_stage, "norm_of_own_stage", "near the reference"},
    {Bug::loss_of_own_stage, "loss_of_own_stage", "near the reference"},
    {Bug::resumes_the_first_stage_alone, "resumes_the_first_stage_alone", "resume"},
    {Bug::seed_depends_on_rank, "seed_depends_on_rank", "ranks agree"},
    {Bug::drops_by_own_position, "drops_by_own_position", "equal bits"},
    {Bug::decays_norms, "decays_norms", "equal bits"},
    {Bug::keeps_old_parameters, "keeps_old_parameters", "equal bits in bfloat16"},
    {Bug::shard_of_the_neighbour, "shard_of_the_neighbour", "equal bits"},
    {Bug::uses_before_gathered, "uses_before_gathered", "equal bits"},
    {Bug::keeps_gathered_parameters, "keeps_gathered_parameters", "equal bits"},
    {Bug::frees_embeddings, "frees_embeddings", "accounting"},
    {Bug::resumes_a_step_late, "resumes_a_step_late", "resume"},
    {Bug::resumes_without_moments, "resumes_without_moments", "resume"},
    {Bug::reads_an_element_early, "reads_an_element_early", "resume"},
};

class Bugs : public ::testing::TestWithParam<Caught> {
 protected:
  void TearDown() override { switched_on.reset(); }
};

TEST_P(Bugs, IsCaught) {
  switched_on = GetParam().bug;

  const auto what = check_named(GetParam().by).failure();

  ASSERT_TRUE(what) << GetParam().by << " did not notice it";
  EXPECT_FALSE(what->empty());
  RecordProperty("noticed", *what);
}

INSTANTIATE_TEST_SUITE_P(Each, Bugs, ::testing::ValuesIn(kCaught),
                         [](const auto& test) { return std::string(test.param.name); });

TEST(BugTable, HoldsEachBugOnce) {
  for (std::size_t i = 0; i < std::size(kCaught); ++i)
    EXPECT_EQ(static_cast<std::size_t>(kCaught[i].bug), i) << kCaught[i].name;
  EXPECT_EQ(kCaught[std::size(kCaught) - 1].bug, Bug::reads_an_element_early);
}

class Checks : public ::testing::TestWithParam<Check> {};

TEST_P(Checks, PassesWithoutABug) { EXPECT_EQ(GetParam().failure().value_or(""), ""); }

INSTANTIATE_TEST_SUITE_P(Each, Checks, ::testing::ValuesIn(checks().begin(), checks().end()),
                         [](const auto& test) {
                           std::string name(test.param.name);
                           std::erase(name, '\'');
                           std::ranges::replace(name, ' ', '_');
                           return name;
                         });

}  // namespace
}  // namespace linerate::trainers
