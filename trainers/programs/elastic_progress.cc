#include "trainers/programs/elastic_progress.h"

#include "base/error.h"

#include <sys/mman.h>

#include <algorithm>
#include <cerrno>
#include <memory>
#include <new>

namespace linerate {

ElasticProgress::ElasticProgress(std::size_t nranks) : nranks_(nranks) {
  void* const memory =
      ::mmap(nullptr, bytes(), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) throw SystemError(errno, "mmap");
  shared_ = new (memory) Shared;
  lost_ = {reinterpret_cast<std::atomic<bool>*>(shared_ + 1), nranks};
  std::ranges::uninitialized_default_construct(lost_);
}

ElasticProgress::~ElasticProgress() { ::munmap(shared_, bytes()); }

void ElasticProgress::step_is_done(std::int64_t step) {
  auto most = shared_->steps.load();
  while (most < step && !shared_->steps.compare_exchange_weak(most, step)) {
  }
}

void ElasticProgress::are_lost(std::span<const int> ranks) {
  for (const int rank : ranks) lost_[static_cast<std::size_t>(rank)] = true;
}

std::vector<int> ElasticProgress::were_lost() {
  std::vector<int> ranks;
  for (std::size_t rank = 0; rank < lost_.size(); ++rank)
    if (lost_[rank].exchange(false)) ranks.push_back(static_cast<int>(rank));
  return ranks;
}

}  // namespace linerate
