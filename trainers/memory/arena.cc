#include "trainers/memory/arena.h"

#include <algorithm>
#include <utility>

namespace linerate::trainers {

std::string_view name_of(Category category) {
  switch (category) {
    case Category::parameter:
      return "parameter";
    case Category::gradient:
      return "gradient";
    case Category::optimizer:
      return "optimizer";
    case Category::activation:
      return "activation";
    case Category::comm:
      return "comm";
    case Category::live:
      return "live";
    case Category::checkpoint:
      return "checkpoint";
    case Category::offloaded:
      return "offloaded";
  }
  return {};
}

Block::Block(Block&& other) noexcept
    : buffer_(std::move(other.buffer_)),
      arena_(std::exchange(other.arena_, nullptr)),
      category_(other.category_),
      adopted_(other.adopted_) {}

Block& Block::operator=(Block&& other) noexcept {
  if (this == &other) return *this;
  give_back();
  buffer_ = std::move(other.buffer_);
  arena_ = std::exchange(other.arena_, nullptr);
  category_ = other.category_;
  adopted_ = other.adopted_;
  return *this;
}

void Block::give_back() {
  if (arena_ != nullptr) std::exchange(arena_, nullptr)->give_back(*this);
}

Block Arena::allocate(Category category, std::size_t bytes) {
  Block block;
  if (auto found = free_.find(bytes); found != free_.end()) {
    block.buffer_ = std::move(free_.extract(found).mapped());
  } else {
    block.buffer_ = more_(bytes);
    reserved_ += bytes;
  }
  block.category_ = category;
  block.arena_ = this;
  for (auto* count : {&of_[static_cast<std::size_t>(category)], &total_}) {
    count->now += bytes;
    count->peak = std::max(count->peak, count->now);
  }
  return block;
}

Block Arena::adopt(Category category, Buffer buffer) {
  auto& count = of_[static_cast<std::size_t>(category)];
  count.now += buffer.bytes();
  count.peak = std::max(count.peak, count.now);
  Block block;
  block.buffer_ = std::move(buffer);
  block.category_ = category;
  block.arena_ = this;
  block.adopted_ = true;
  return block;
}

ArenaBytes Arena::bytes(Category category) const { return of_[static_cast<std::size_t>(category)]; }

void Arena::give_back(Block& block) {
  auto buffer = std::move(block.buffer_);
  const auto bytes = buffer.bytes();
  of_[static_cast<std::size_t>(block.category_)].now -= bytes;
  if (block.adopted_) return;
  total_.now -= bytes;
  free_.emplace(bytes, std::move(buffer));
}

}  // namespace linerate::trainers
