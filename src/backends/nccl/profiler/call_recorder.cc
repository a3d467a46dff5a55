#include "backends/nccl/profiler/call_recorder.h"

#include "backends/nccl/profiler/abi.h"

#include <algorithm>
#include <atomic>
#include <functional>
#include <string_view>

namespace linerate::nccl::profiler {
namespace {

// NCCL's word for a number without a name.
constexpr std::string_view kNoName = "Unknown";

std::string name_of(const char* text) {
  return text == nullptr || text == kNoName ? std::string() : std::string(text);
}

bool holds(ConstView view, const void* address) {
  const auto* const at = static_cast<const std::byte*>(address);
  const std::less<> less;  // total, other than <
  return !less(at, view.data()) && less(at, view.data() + view.size());
}

}  // namespace

void CallRecorder::attach(int* mask) {
  const std::lock_guard lock(mutex_);
  ++masks_[mask];
  set_masks();
}

void CallRecorder::detach(int* mask) {
  const std::lock_guard lock(mutex_);
  const auto known = masks_.find(mask);
  if (known != masks_.end() && --known->second == 0) masks_.erase(known);
  if (masks_.empty()) lost_communicator_ = false;
}

// NCCL's threads read them without a lock.
void CallRecorder::set_masks() {
  const int wanted = observations_.empty() ? 0 : kCollective | kMessage;
  for (const auto& [mask, users] : masks_)
    std::atomic_ref(*mask).store(wanted, std::memory_order_relaxed);
}

void CallRecorder::add(Observation& observation) {
  const std::lock_guard lock(mutex_);
  observations_.insert(&observation);
  set_masks();
}

void CallRecorder::remove(Observation& observation) {
  const std::lock_guard lock(mutex_);
  observations_.erase(&observation);
  set_masks();
}

void CallRecorder::record(const CollectiveEvent& event) {
  const std::lock_guard lock(mutex_);
  for (Observation* const o : observations_)
    if (o->rank_ == event.rank && o->send_.data() == event.send && o->recv_.data() == event.recv)
      o->facts_ = {.algorithm = name_of(event.algorithm),
                   .protocol = name_of(event.protocol),
                   .channels = event.channels};
}

void CallRecorder::record(const MessageEvent& event) {
  const std::lock_guard lock(mutex_);
  for (Observation* const o : observations_) {
    const bool own = holds(o->send_, event.buffer) || holds(o->recv_, event.buffer);
    if (o->rank_ == event.rank && own)
      o->facts_ = {.algorithm = "p2p",
                   .protocol = {},
                   .channels = std::max(o->facts_.channels, event.channels)};
  }
}

Observation::Observation(CallRecorder& recorder, int rank) : recorder_(recorder), rank_(rank) {
  recorder_.add(*this);
}

Observation::~Observation() { recorder_.remove(*this); }

void Observation::expect(ConstView send, ConstView recv) {
  const std::lock_guard lock(recorder_.mutex_);
  send_ = send;
  recv_ = recv;
  facts_ = {};
  lost_before_ = recorder_.lost_events_;
}

CallFacts Observation::facts() const {
  const std::lock_guard lock(recorder_.mutex_);
  const bool told_nothing = facts_ == CallFacts{};
  const bool lost =
      recorder_.lost_events_ != lost_before_ || (told_nothing && recorder_.lost_communicator_);
  return lost ? CallFacts{.lost = true} : facts_;
}

}  // namespace linerate::nccl::profiler
