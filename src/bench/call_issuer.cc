// The views of slot 0 are worked out beforehand: a call adds its slot's offset to them.
#include "bench/call_issuer.h"

#include <sched.h>

#include <algorithm>

namespace linerate {
namespace {

// Of one rank's single calls there is nothing to fuse, and a group of NCCL's costs time.
Group* group_of(Session& session) {
  const bool fuses = session.ranks().size() > 1 || session.config().agg_iters > 1;
  return fuses ? session.group() : nullptr;
}

}  // namespace

CallIssuer::CallIssuer(Session& session, const CaseOnThread& on_thread)
    : group_(group_of(session)), collective_(*on_thread.what.collective) {
  for (std::size_t i = 0; i < session.ranks().size(); ++i) {
    auto& local = session.ranks()[i];
    const auto& layout = on_thread.layouts[i];
    Prepared prepared{.comm = &local.comm(),
                      .call = {},
                      .send = nullptr,
                      .recv = nullptr,
                      .spare_send = nullptr,
                      .spare_recv = nullptr,
                      .stride = layout.stride,
                      .steps = steps_of(collective_, local.comm().nranks())};
    steps_ = std::max(steps_, prepared.steps);
    prepared.call = {
        .buffers = {.send = layout.send_view(local, 0),
                    .recv = layout.recv_view(local, 0),
                    .count = on_thread.sizings[i].count,
                    .type = on_thread.what.type},
        .reduction = {.op = on_thread.what.op, .premul = premul_of(local.comm().rank())},
        .root = on_thread.what.root,
        .send_ranges = on_thread.send_ranges[i],
        .recv_ranges = on_thread.recv_ranges[i],
        .stream = local.stream.get()};
    prepared.send = prepared.call.buffers.send.data();
    prepared.recv = prepared.call.buffers.recv.data();
    if (layout.has_spare()) {
      prepared.spare_send = layout.send_view(local, kSpareSlot).data();
      prepared.spare_recv = layout.recv_view(local, kSpareSlot).data();
    }
    prepared_.push_back(prepared);
    streams_.push_back(local.stream.get());
  }
}

void CallIssuer::start_group() {
  if (group_ != nullptr && steps_ == 1) group_->start();
}

void CallIssuer::end_group() {
  if (group_ != nullptr && steps_ == 1) group_->end();
}

void CallIssuer::add(std::size_t slot) {
  for (auto& p : prepared_) {
    auto& buffers = p.call.buffers;
    const bool spare = slot == kSpareSlot;
    buffers.send = {spare ? p.spare_send : p.send + slot * p.stride, buffers.send.size()};
    buffers.recv = {spare ? p.spare_recv : p.recv + slot * p.stride, buffers.recv.size()};
    if (steps_ == 1) collective_.launch(*p.comm, p.call);
  }
  if (steps_ > 1) add_steps();
}

// Each step of all ranks is a group of its own.
void CallIssuer::add_steps() {
  for (int step = 0; step < steps_; ++step) {
    if (group_ != nullptr) group_->start();
    for (auto& p : prepared_) {
      p.call.step = step;
      if (step < p.steps) collective_.launch(*p.comm, p.call);
    }
    if (group_ != nullptr) group_->end();
  }
}

void CallIssuer::synchronize() { wait_for_all(streams_); }

void wait_for_all(std::span<Stream* const> streams) {
  if (streams.size() == 1) return streams.front()->synchronize(Deadline::never());
  for (;;) {
    bool idle = true;
    for (Stream* const stream : streams) idle &= stream->idle();
    if (idle) return;
    for (Stream* const stream : streams) stream->check();
    sched_yield();
  }
}

}  // namespace linerate
