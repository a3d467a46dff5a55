#include "backends/gloo/exchanges.h"

#include "backends/gloo/messages.h"
#include "base/error.h"

#include <fmt/format.h>

#include <cassert>
#include <cstddef>
#include <memory>
#include <vector>

namespace linerate::gloo {
namespace {

void refuse_self(const ::gloo::Context& context, const Op& op) {
  if (op.peer == context.rank)
    throw Error(fmt::format("Gloo: rank {} has no connection to itself for a {}.", context.rank,
                            name_of(op.kind)));
}

Range part_of(std::span<const Range> ranges, int rank) {
  return ranges[static_cast<std::size_t>(rank)];
}

}  // namespace

void send(::gloo::Context& context, const Op& op) {
  refuse_self(context, op);
  const auto out = buffer_over(context, op.send.first(bytes_of_count(op)));
  out->send(op.peer, slot_of(Slots::point_to_point));
  out->waitSend();
}

void recv(::gloo::Context& context, const Op& op) {
  refuse_self(context, op);
  const auto in = buffer_over(context, op.recv.first(bytes_of_count(op)));
  in->recv(op.peer, slot_of(Slots::point_to_point));
  in->waitRecv();
}

void send_recv(::gloo::Context& context, const Op& op) {
  const std::size_t bytes = bytes_of_count(op);
  assert((op.peer == context.rank) == (op.source == context.rank));
  if (op.peer == context.rank) return copy(op.recv.data(), op.send.data(), bytes);
  const auto in = buffer_over(context, op.recv.first(bytes));
  const auto out = buffer_over(context, op.send.first(bytes));
  in->recv(op.source, slot_of(Slots::point_to_point));
  out->send(op.peer, slot_of(Slots::point_to_point));
  out->waitSend();
  in->waitRecv();
}

namespace {

// The messages of a batch that are under way.
struct UnderWay {
  using BufferPtr = std::unique_ptr<::gloo::transport::UnboundBuffer>;
  std::vector<BufferPtr> ins;
  std::vector<BufferPtr> outs;
  std::vector<View> from_self;
  std::vector<ConstView> to_self;
};

void start_recv(::gloo::Context& context, const Op& op, UnderWay& batch) {
  const View view = op.recv.first(bytes_of_count(op));
  const int source = op.kind == OpKind::recv ? op.peer : op.source;
  if (source == context.rank) return batch.from_self.push_back(view);
  batch.ins.push_back(buffer_over(context, view));
  batch.ins.back()->recv(source, slot_of(Slots::point_to_point));
}

void start_send(::gloo::Context& context, const Op& op, UnderWay& batch) {
  const ConstView view = op.send.first(bytes_of_count(op));
  if (op.peer == context.rank) return batch.to_self.push_back(view);
  batch.outs.push_back(buffer_over(context, view));
  batch.outs.back()->send(op.peer, slot_of(Slots::point_to_point));
}

}  // namespace

void exchange(::gloo::Context& context, std::span<const Op> ops) {
  UnderWay batch;
  for (const Op& op : ops)
    if (op.count > 0 && op.kind != OpKind::send) start_recv(context, op, batch);
  for (const Op& op : ops)
    if (op.count > 0 && op.kind != OpKind::recv) start_send(context, op, batch);
  if (batch.from_self.size() != batch.to_self.size())
    throw Error(
        fmt::format("Gloo: rank {} has no connection to itself, and its batch sends {} and "
                    "receives {} messages of its own.",
                    context.rank, batch.to_self.size(), batch.from_self.size()));
  for (std::size_t i = 0; i < batch.to_self.size(); ++i)
    copy(batch.from_self[i].data(), batch.to_self[i].data(), batch.to_self[i].size());
  for (const auto& out : batch.outs) out->waitSend();
  for (const auto& in : batch.ins) in->waitRecv();
}

void all_to_all_v(::gloo::Context& context, const Op& op) {
  const auto slot = slot_of(Slots::all_to_all_v);
  const std::size_t width = bytes_of(op.type);
  const auto out = buffer_over(context, op.send);
  const auto in = buffer_over(context, op.recv);
  int nsends = 0;
  int nrecvs = 0;
  for (int i = 1; i < context.size; ++i) {
    const int source = (context.rank + context.size - i) % context.size;
    const int dest = (context.rank + i) % context.size;
    const Range from = part_of(op.recv_ranges, source);
    const Range to = part_of(op.send_ranges, dest);
    if (from.count > 0) in->recv(source, slot, from.offset * width, from.count * width);
    if (to.count > 0) out->send(dest, slot, to.offset * width, to.count * width);
    nrecvs += from.count > 0 ? 1 : 0;
    nsends += to.count > 0 ? 1 : 0;
  }
  const Range own = part_of(op.send_ranges, context.rank);
  copy(op.recv.data() + part_of(op.recv_ranges, context.rank).offset * width,
       op.send.data() + own.offset * width, own.count * width);
  for (int i = 0; i < nsends; ++i) out->waitSend();
  for (int i = 0; i < nrecvs; ++i) in->waitRecv();
}

}  // namespace linerate::gloo
