#include "backends/host/team.h"

#include "backends/host/algorithms/algorithm.h"
#include "backends/host/control.h"
#include "backends/host/cores.h"
#include "base/error.h"

#include <fmt/format.h>

#include <sched.h>

#include <algorithm>
#include <cassert>
#include <cstring>
#include <string>

namespace linerate::host {
namespace {

constexpr std::uint64_t kBarrier = 0xff;  // the signature of a barrier: no OpKind has this value

// The layout of Cell::signature.
std::uint64_t signature_of(const Op& op, int variant) {
  return static_cast<std::uint64_t>(op.kind) | static_cast<std::uint64_t>(op.type) << 8 |
         static_cast<std::uint64_t>(op.op) << 16 | static_cast<std::uint64_t>(variant) << 24 |
         static_cast<std::uint64_t>(static_cast<std::uint32_t>(op.peer)) << 32;
}

std::string words_of(std::uint64_t signature, std::uint64_t count) {
  if (signature == kBarrier) return "a barrier";
  const auto kind = static_cast<OpKind>(signature & 0xff);
  const auto type = static_cast<DataType>(signature >> 8 & 0xff);
  const auto op = static_cast<RedOp>(signature >> 16 & 0xff);
  const auto variant = signature >> 24 & 0xff;
  const auto by = variant == 0 ? "" : fmt::format(", {}", all_algorithms()[variant - 1]->name);
  return fmt::format("{} of {} {} ({}, root {}{})", name_of(kind), count, name_of(type),
                     name_of(op), signature >> 32, by);
}

Waiting::Watched watched(const Team::Setup& setup, const ControlBlock& control) {
  const ControlBlock world(setup.arena->at(0), setup.arena->layout().nranks);
  return {.aborted_world = &world.header().aborted_by,
          .aborted_group = &control.header().aborted_by,
          .rank = setup.world_ranks[static_cast<std::size_t>(setup.rank)]};
}

}  // namespace

Team::Team(Setup setup)
    : setup_(std::move(setup)),
      nranks_(static_cast<int>(setup_.world_ranks.size())),
      control_(setup_.arena->at(setup_.control_offset), nranks_),
      waiting_(watched(setup_, control_), setup_.spin_policy, *setup_.clock),
      spans_processes_(std::ranges::any_of(
          setup_.processes, [&](int process) { return process != setup_.processes.front(); })) {
  for (int peer = 0; peer < nranks_; ++peer)
    if (peer != rank()) peers_.push_back(peer);
  // Else the first calls would be timed with the page faults of their cells.
  arena().populate(setup_.control_offset, ControlBlock::bytes_of_calls(nranks_));
}

Team::~Team() { control_.header().attached.fetch_sub(1, std::memory_order_acq_rel); }

void Team::enter(const Op& op, const std::byte* scratch, int variant) {
  if (network_ != nullptr) network_->enter();
  Cell& cell = begin(signature_of(op, variant), op.count, true);
  cell.exposed = {.send = arena().locate(op.send.data()),
                  .recv = arena().locate(op.recv.data()),
                  .scratch = arena().locate(scratch),
                  .premul = op.premul};
  is_private_ = cell.exposed.send.is_private() || cell.exposed.recv.is_private();
  publish(cell);
}

void Team::enter_with(const Op& op, ConstView first, ConstView second) {
  assert(first.size() + second.size() <= sizeof(Cell::payload));
  if (network_ != nullptr) network_->enter();
  Cell& cell = begin(signature_of(op, 0), op.count, false);
  if (!first.empty()) std::memcpy(cell.payload, first.data(), first.size());
  if (!second.empty()) std::memcpy(cell.payload + first.size(), second.data(), second.size());
  publish(cell);
}

void Team::prefetch_next_cell(std::size_t bytes) const {
  const auto* const next = reinterpret_cast<const std::byte*>(&own_slot().cell_for(call_ + 1));
  prefetch_message(next, offsetof(Cell, payload) + bytes);
}

Cell& Team::begin(std::uint64_t signature, std::uint64_t count, bool exposes) {
  waiting_.check_aborted();
  ++call_;
  if (call_ >= joined_ + kCells) join(call_ - kCells + 1);
  signature_ = signature;
  count_ = count;
  exposed_ = exposes;
  Cell& cell = own_slot().cell_for(call_);
  cell.signature = signature;
  cell.count = count;
  return cell;
}

// Waits until everybody has entered `call`.
void Team::join(std::uint64_t call) {
  for (const int peer : peers_) waiting_.until(control_.slot(peer).cell_for(call).entered, call);
  joined_ = call;
}

// Private memory is freed by its owner when the group is aborted, so a peer may only touch it when
// the owner knows: either this rank's entry comes first, and the owner's give_up() waits for it; or
// the abort does, and this rank sees it. That takes sequential consistency, which costs little, but
// is not needed for memory in the arena, which outlives everybody's calls.
void Team::confirm_entry() {
  own_slot().cell_for(call_).entered.set_for_all(call_);
  waiting_.check_aborted();
}

bool Team::start_touching(std::span<const int> peers) {
  bool is_private = false;
  bool is_far = false;
  for (const int peer : peers) {
    if (!has_private_buffers(peer)) continue;
    is_private = true;
    is_far = is_far || (attaches() && pid_of(peer) != 0);
  }
  if (is_private) confirm_entry();
  return is_far;
}

void Team::leave() {
  if (network_ != nullptr) network_->record_step();
  own_slot().progress.set(progress_at_end(call_));
  for (const int peer : peers_)
    waiting_.until(control_.slot(peer).progress, progress_at_end(call_));
  exposed_ = false;
  if (network_ != nullptr) network_->end_call_of_all();
}

void Team::barrier() {
  CoreMark own;
  // Twice: those who slept while they waited for the last one are awake after the first round.
  for (int round = 0; round < 2; ++round) {
    own = {current_core(), own_core_.stays()};
    own_slot().core.store(own.word(), std::memory_order_relaxed);
    publish(begin(kBarrier, 0, false));
    see(peers_);
    waiting_.allow_yields();
  }
  if (!setup_.spin_policy.oversubscribed && !own.stays) keep_apart(own);
}

// A rank that was moved since it said where it is decides at the next barrier.
void Team::keep_apart(const CoreMark& own) {
  marks_.assign(static_cast<std::size_t>(nranks_), own);
  cores_.clear();
  for (const int peer : peers_) {
    const auto theirs = CoreMark::of(control_.slot(peer).core.load(std::memory_order_relaxed));
    marks_[static_cast<std::size_t>(peer)] = theirs;
    cores_.push_back(theirs.core);
  }
  const auto step = core_step(marks_, rank());
  if (step == CoreStep::leave) move_from(cores_);
  if (step == CoreStep::stay && setup_.ranks_stay && current_core() == own.core)
    own_core_.stay(own.core);
}

void Team::abort() noexcept {
  std::uint64_t nobody = 0;
  const int world_rank = setup_.world_ranks[static_cast<std::size_t>(setup_.rank)];
  control_.header().aborted_by.compare_exchange_strong(nobody,
                                                       static_cast<std::uint64_t>(world_rank) + 1);
}

void Team::give_up() noexcept {
  constexpr std::int64_t kTimeoutNs = 5'000'000'000;  // for a peer in another call than this one
  abort();
  own_slot().stopped.store(1, std::memory_order_release);
  if (!exposed_) return;
  exposed_ = false;
  const std::int64_t start_ns = setup_.clock->now_ns();
  for (int peer = 0; peer < nranks_; ++peer)
    while (!through_with_us(peer) && setup_.clock->now_ns() - start_ns < kTimeoutNs) sched_yield();
}

bool Team::through_with_us(int peer) const {
  const auto process = [&](int rank) { return setup_.processes[static_cast<std::size_t>(rank)]; };
  const bool reaches_private = process(peer) == process(rank()) || (attaches() && is_private_);
  if (!reaches_private) return true;
  Slot& slot = control_.slot(peer);
  return slot.cell_for(call_).entered.value_for_all() < call_ ||
         slot.progress.has(progress_at_end(call_)) ||
         slot.stopped.load(std::memory_order_acquire) != 0 || has_lost(peer);
}

void Team::throw_mismatch(int peer) const {
  const Cell& theirs = cell_of(peer);
  throw Error(fmt::format(
      "Rank {} is in {}, but rank {} in {}: all ranks must make the same calls "
      "in the same order.",
      rank(), words_of(signature_, count_), peer, words_of(theirs.signature, theirs.count)));
}

}  // namespace linerate::host
