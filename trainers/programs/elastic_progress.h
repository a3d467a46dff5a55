// What the ranks of all generations tell the process that started them: memory that they share.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace linerate {

// Any process of the family, any thread.
class ElasticProgress {
 public:
  explicit ElasticProgress(std::size_t nranks);  // throws SystemError
  ~ElasticProgress();
  ElasticProgress(const ElasticProgress&) = delete;
  ElasticProgress& operator=(const ElasticProgress&) = delete;

  void step_is_done(std::int64_t step);
  void memory_is_short() { shared_->out_of_memory = true; }
  void are_lost(std::span<const int> ranks);

  std::int64_t steps() const { return shared_->steps; }  // the most of any rank
  // Since the last call.
  bool memory_was_short() { return shared_->out_of_memory.exchange(false); }
  std::vector<int> were_lost();

 private:
  struct Shared {
    std::atomic<std::int64_t> steps{0};
    std::atomic<bool> out_of_memory{false};
  };
  std::size_t bytes() const { return sizeof(Shared) + nranks_ * sizeof(std::atomic<bool>); }

  const std::size_t nranks_;
  Shared* shared_;
  std::span<std::atomic<bool>> lost_;  // behind it, by rank
};

}  // namespace linerate
