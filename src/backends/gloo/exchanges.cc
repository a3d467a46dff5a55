// See exchanges.h.
#include "backends/gloo/exchanges.h"

#include "backends/gloo/messages.h"
#include "base/error.h"

#include <fmt/format.h>

#include <cassert>
#include <cstddef>

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
