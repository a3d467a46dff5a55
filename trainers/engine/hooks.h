// What ranks send of a bucket of gradients instead of all of it: train_ddp's --hook, PyTorch's DDP
// communication hooks.
//   fp16, bf16   16-bit elements; sums are rounded to 16 bits wherever they are made
//   topk         the largest elements of each rank, with their indices. What is not sent is kept
//                and added to the next step's gradient: error feedback (Stich et al. 2018).
#pragma once

#include "trainers/engine/sync.h"

#include <memory>

namespace linerate::trainers {

// Around `sync`, or in its place. All references outlive it. REQUIRES: plan.hook has a hook.
std::unique_ptr<BucketSync> make_hook(const GradientPlan& plan, std::unique_ptr<BucketSync> sync,
                                      const GradientTools& tools);

// Of topk, for tests: what this rank has not sent yet, where `plan.layout` has it.
class TopKHook final : public BucketSync {
 public:
  TopKHook(const GradientPlan& plan, const GradientTools& tools);

  void reduce(const Bucket& bucket, Array gradients) override;
  Array residual() const { return residual_.array(tools_.type); }

 private:
  // Of the message of one rank.
  TopK in_message(std::size_t kept, std::byte* message) const;
  void exchange(std::size_t bytes);

  const double ratio_;
  const GradientTools tools_;
  const Block residual_;
  Block send_, recv_;  // for the largest bucket
};

}  // namespace linerate::trainers
