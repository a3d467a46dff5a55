#include "backends/host/executor.h"

#include "devices/cpu/reduce.h"

#include <algorithm>

namespace linerate::host {
namespace {

// The operator of a step whose result is not complete yet: an average adds.
RedOp partial(RedOp op) { return op == RedOp::avg ? RedOp::sum : op; }

// A block of each of `buffers` stays in the second-level cache while it is worked on.
std::size_t block_bytes(std::size_t buffers) {
  constexpr std::size_t kCacheBytes = std::size_t{128} << 10;
  constexpr std::size_t kMinBytes = std::size_t{4} << 10;
  return std::clamp(kCacheBytes / buffers, kMinBytes, Executor::kBlockBytes) & ~std::size_t{63};
}

}  // namespace

Executor::Executor(Team& team, std::shared_ptr<Region> region, Streaming& streaming)
    : team_(team), region_(std::move(region)), streaming_(streaming) {
  const auto n = static_cast<std::size_t>(team.nranks());
  kept_.reserve(kKept);
  sources_.resize(n);
  dests_.resize(n);
  factors_.resize(n);
}

void Executor::run(const Op& op, const CompiledSchedule& schedule) {
  grow(scratch_, schedule.scratch_count() * bytes_of(op.type), *region_);
  const Stores stores = streaming_.stores(op, team_.rank(), team_.nranks());
  NetworkCost* const network = team_.network();
  team_.enter(op, scratch_.data(), schedule.variant());
  team_.see(schedule.touched());
  const bool some_are_far = team_.start_touching(schedule.touched());
  schedule.for_each_step([&](std::uint32_t index, const CompiledSchedule::View& step) {
    team_.await(step.waits);
    if (some_are_far && is_far(step))
      perform_far(op, step, stores);
    else
      perform(op, step, stores);
    if (network != nullptr) network->add_step(index, step, bytes_of(op.type));
    if (step.stage.announced) team_.announce(index + 1);
  });
  team_.leave(schedule.last_waits());
}

const CompiledSchedule& Executor::schedule_for(const Problem& problem, const Algorithm& algorithm) {
  const Key key{&algorithm, problem.count, problem.element_bytes, problem.kind, problem.root};
  if (recent_ < kept_.size() && kept_[recent_].key == key) return *kept_[recent_].schedule;
  const auto found = std::ranges::find(kept_, key, &Kept::key);
  recent_ = static_cast<std::size_t>(found - kept_.begin());
  if (found != kept_.end()) return *found->schedule;
  Kept fresh{key, std::make_unique<CompiledSchedule>(algorithm, problem, team_.rank())};
  if (kept_.size() < kKept) return *kept_.emplace_back(std::move(fresh)).schedule;
  Kept& replaced = kept_[oldest_++ % kKept];
  replaced = std::move(fresh);
  return *replaced.schedule;
}

PeerBytes Executor::bytes_at(const Place& place, std::size_t element_bytes) const {
  const std::size_t offset = place.offset * element_bytes;
  const ExposedBuffers& buffers = team_.buffers_of(place.rank);
  switch (place.buffer) {
    case BufferKind::send:
      return team_.bytes_at(place.rank, buffers.send).after(offset);
    case BufferKind::recv:
      return team_.bytes_at(place.rank, buffers.recv).after(offset);
    case BufferKind::scratch:
      return team_.bytes_at(place.rank, buffers.scratch).after(offset);
  }
  __builtin_unreachable();
}

void Executor::perform(const Op& op, const CompiledSchedule::View& step, Stores stores) {
  if (step.stage.count == 0) return;
  for (std::size_t i = 0; i < step.from.size(); ++i)
    sources_[i] = bytes_at(step.from[i], bytes_of(op.type)).address;
  for (std::size_t i = 0; i < step.to.size(); ++i) dests_[i] = dest_of(op, step, i, stores);
  if (copies_only(op, step))
    copy(op, step);
  else
    reduce(op, step);
  finish(stores);
}

bool Executor::copies_only(const Op& op, const CompiledSchedule::View& step) {
  const bool changes = is_reduction(op.kind) && (op.op == RedOp::mulsum || op.op == RedOp::avg);
  return step.from.size() == 1 && !changes;
}

// What was read is in the cache, where overwriting it costs nothing more.
Executor::Dest Executor::dest_of(const Op& op, const CompiledSchedule::View& step, std::size_t i,
                                 Stores stores) const {
  std::byte* const address = bytes_at(step.to[i], bytes_of(op.type)).address;
  const auto sources = std::span(sources_).first(step.from.size());
  const bool was_read = std::ranges::find(sources, address) != sources.end();
  return {address, was_read ? Stores::cached : stores};
}

void Executor::Dest::store(const std::byte* from, std::size_t bytes) {
  move_bytes(address, from, bytes, stores);
  address += bytes;
}

// Block by block, so that all but the first store find their source in the cache.
void Executor::copy(const Op& op, const CompiledSchedule::View& step) {
  const std::size_t bytes = step.stage.count * bytes_of(op.type);
  const std::size_t block = step.to.size() == 1 ? bytes : kBlockBytes;
  for (std::size_t done = 0; done < bytes; done += block)
    for (std::size_t i = 0; i < step.to.size(); ++i)
      dests_[i].store(sources_.front() + done, std::min(block, bytes - done));
}

void Executor::reduce(const Op& op, const CompiledSchedule::View& step) {
  const auto sources = std::span(sources_).first(step.from.size());
  const auto dests = std::span(dests_).first(step.to.size());
  const ReduceSpec spec = spec_of(op, step);
  const std::size_t block = block_bytes(sources.size() + dests.size()) / bytes_of(op.type);
  for (std::size_t done = 0; done < step.stage.count; done += block) {
    const std::size_t count = std::min(block, step.stage.count - done);
    const std::size_t bytes = count * bytes_of(op.type);
    const Dest& first = dests.front();
    std::byte* const result = first.stores == Stores::cached ? first.address : room_.data();
    linerate::reduce(result, sources, count, spec);
    for (Dest& dest : dests) dest.store(result, bytes);
    for (const std::byte*& source : sources) source += bytes;
  }
}

ReduceSpec Executor::spec_of(const Op& op, const CompiledSchedule::View& step) {
  ReduceSpec spec{.type = op.type,
                  .op = step.stage.completes ? op.op : partial(op.op),
                  .nranks = team_.nranks()};
  if (op.op != RedOp::mulsum) return spec;
  for (std::size_t i = 0; i < step.from.size(); ++i)
    factors_[i] =
        step.from[i].buffer == BufferKind::send ? team_.premul_of(step.from[i].rank) : 1.0;
  spec.premuls = std::span(factors_).first(step.from.size());
  return spec;
}

}  // namespace linerate::host
