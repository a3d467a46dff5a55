// Steps of schedules whose buffers are partly private to other processes: blocks come and go by
// cross-memory attach, and what is between is done in a cache.
#include "backends/host/executor.h"
#include "devices/cpu/reduce.h"

#include <algorithm>

namespace linerate::host {
namespace {

// All blocks of a step stay in a second-level cache; a call of the kernel is two thirds of the time
// of 16 KiB and a tenth of that of 256 KiB.
std::size_t far_block_bytes(std::size_t buffers) {
  constexpr std::size_t kCacheBytes = std::size_t{1} << 20;
  constexpr std::size_t kMaxBytes = std::size_t{256} << 10;
  constexpr std::size_t kMinBytes = std::size_t{16} << 10;
  return std::clamp(kCacheBytes / buffers, kMinBytes, kMaxBytes) & ~std::size_t{63};
}

}  // namespace

bool Executor::is_far(const CompiledSchedule::View& step) const {
  const auto far = [&](const Place& place) { return !bytes_at(place, 1).is_here(); };
  return std::ranges::any_of(step.from, far) || std::ranges::any_of(step.to, far);
}

// One source for one destination needs no blocks where one of them is here.
void Executor::perform_far(const Op& op, const CompiledSchedule::View& step, Stores stores) {
  const std::size_t element = bytes_of(op.type);
  const std::size_t bytes = step.stage.count * element;
  far_from_.clear();
  far_to_.clear();
  for (const Place& place : step.from) far_from_.push_back(bytes_at(place, element));
  for (const Place& place : step.to) far_to_.push_back(bytes_at(place, element));
  const bool copies = copies_only(op, step);
  if (copies) std::erase(far_to_, far_from_.front());  // in place
  if (far_to_.empty()) return;
  if (copies && far_to_.size() == 1 && far_to_.front().is_here())
    return copy_from(far_to_.front().address, far_from_.front(), bytes);
  if (copies && far_from_.front().is_here() && far_to_.size() == 1)
    return copy_to(far_to_.front(), far_from_.front().address, bytes);
  const ReduceSpec spec = spec_of(op, step);
  const std::size_t block = far_block_bytes(far_from_.size() + far_to_.size());
  grow(far_room_, (far_from_.size() + 1) * block, *region_);
  for (std::size_t done = 0; done < bytes; done += block)
    perform_far_block(copies ? nullptr : &spec, {done, std::min(block, bytes - done)}, stores);
  finish(stores);
}

// `range` in bytes; no `spec`: what the one source holds. The result is made in the first
// destination that is here, or in the room, from where the others get it.
void Executor::perform_far_block(const ReduceSpec* spec, const Range& range, Stores stores) {
  const auto [done, bytes] = range;
  std::byte* room = far_room_.data();
  const std::size_t room_bytes = far_room_.bytes() / (far_from_.size() + 1) & ~std::size_t{63};
  for (std::size_t i = 0; i < far_from_.size(); ++i) {
    const PeerBytes from = far_from_[i].after(done);
    sources_[i] = from.is_here() ? from.address : room;
    if (from.is_here()) continue;
    copy_from(room, from, bytes);
    room += room_bytes;
  }
  const std::byte* result = sources_.front();
  if (spec != nullptr) {
    const auto here = std::ranges::find_if(far_to_, &PeerBytes::is_here);
    const bool in_room = here == far_to_.end() || stores != Stores::cached;
    std::byte* const made = in_room ? room : here->address + done;
    const auto sources = std::span<const std::byte* const>(sources_).first(far_from_.size());
    linerate::reduce(made, sources, bytes / bytes_of(spec->type), *spec);
    result = made;
  }
  for (const PeerBytes& to : far_to_) copy_to(to.after(done), result, bytes, stores);
}

}  // namespace linerate::host
