#include "trainers/engine/hooks.h"

#include "model/training_bytes.h"

#include <algorithm>
#include <cassert>
#include <utility>

namespace linerate::trainers {
namespace {

std::size_t largest_of(const std::vector<Bucket>& buckets) {
  std::size_t largest = 0;
  for (const auto& bucket : buckets) largest = std::max(largest, bucket.count());
  return largest;
}

// All its work is on the axis' stream, so that buckets share the memory.
class NarrowHook final : public BucketSync {
 public:
  NarrowHook(const GradientPlan& plan, std::unique_ptr<BucketSync> sync, const GradientTools& tools)
      : type_(plan.hook.hook == Hook::fp16 ? DataType::float16 : DataType::bfloat16),
        factor_(plan.hook.hook == Hook::fp16 ? plan.hook.fp16_factor : 1),
        sync_(std::move(sync)),
        tools_(tools),
        narrow_(tools.arena.allocate(Category::comm, type_, largest_of(plan.buckets))) {}

  void reduce(const Bucket& bucket, Array gradients) override {
    auto& math = tools_.math;
    auto& stream = tools_.axis.stream();
    const auto narrow = narrow_.array(type_);
    if (factor_ != 1) math.scale(gradients, factor_, bucket.count(), stream);
    math.cast(narrow, gradients, bucket.count(), stream);
    sync_->reduce(bucket, narrow);
    math.cast(gradients, narrow, bucket.count(), stream);
    if (factor_ != 1) math.scale(gradients, 1 / factor_, bucket.count(), stream);
  }

 private:
  const DataType type_;
  const double factor_;
  const std::unique_ptr<BucketSync> sync_;
  const GradientTools tools_;
  const Block narrow_;
};

}  // namespace

TopKHook::TopKHook(const GradientPlan& plan, const GradientTools& tools)
    : ratio_(plan.hook.topk_ratio),
      tools_(tools),
      residual_(tools.arena.allocate(Category::comm, tools.type, plan.layout.count())) {
  tools_.arena.device().zero(residual_.view(), tools_.compute);
  const auto kept = top_k_count(largest_of(plan.buckets), ratio_);
  const auto bytes = top_k_bytes(kept, bytes_of(tools_.type));
  send_ = tools_.arena.allocate(Category::comm, bytes);
  recv_ =
      tools_.arena.allocate(Category::comm, bytes * static_cast<std::size_t>(tools_.axis.nranks()));
}

TopK TopKHook::in_message(std::size_t kept, std::byte* message) const {
  return {.kept = kept,
          .values = {message + top_k_index_bytes(kept), tools_.type},
          .indices = reinterpret_cast<std::int32_t*>(message)};
}

void TopKHook::reduce(const Bucket& bucket, Array gradients) {
  auto& math = tools_.math;
  auto& stream = tools_.axis.stream();
  const auto count = bucket.count();
  const auto kept = top_k_count(count, ratio_);
  const auto bytes = top_k_bytes(kept, bytes_of(tools_.type));
  const auto left = residual().from(bucket.begin);
  math.add(left, left, gradients, count, stream);
  auto largest = in_message(kept, send_.data());
  largest.count = count;
  largest.x = left;
  math.take_top_k(largest, stream);
  exchange(bytes);
  tools_.arena.device().zero(View(gradients.data, count * bytes_of(gradients.type)), stream);
  for (int rank = 0; rank < tools_.axis.nranks(); ++rank) {
    auto sent = in_message(kept, recv_.data() + static_cast<std::size_t>(rank) * bytes);
    sent.count = count;
    sent.x = gradients;
    math.add_at(sent, stream);
  }
}

void TopKHook::exchange(std::size_t bytes) {
  auto& axis = tools_.axis;
  axis.comm().all_gather(
      {.send = send_.view().first(bytes),
       .recv = recv_.view().first(bytes * static_cast<std::size_t>(axis.nranks())),
       .count = bytes,
       .type = DataType::uint8,
       .tag = axis.tag("gradient all_gather")},
      axis.stream());
}

std::unique_ptr<BucketSync> make_hook(const GradientPlan& plan, std::unique_ptr<BucketSync> sync,
                                      const GradientTools& tools) {
  assert(plan.hook.hook != Hook::none);
  if (plan.hook.hook == Hook::topk) return std::make_unique<TopKHook>(plan, tools);
  return std::make_unique<NarrowHook>(plan, std::move(sync), tools);
}

}  // namespace linerate::trainers
