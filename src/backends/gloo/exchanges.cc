#include "backends/gloo/exchanges.h"

#include "base/error.h"
#include "comm/buffer.h"
#include "devices/cpu/reduce.h"

#include <fmt/format.h>

#include <gloo/transport/unbound_buffer.h>
#include <gloo/types.h>

#include <algorithm>
#include <array>
#include <cassert>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <vector>

namespace linerate::gloo {
namespace {

// Messages between two ranks match by slot, in their order within one. These prefixes are beyond
// those of Gloo's own algorithms (gloo/types.h).
enum class Slots : std::uint8_t { point_to_point = 0x40, all_to_all_v, reduce_scatter };

std::uint64_t slot_of(Slots use) { return ::gloo::Slot::build(static_cast<std::uint8_t>(use), 0); }

// Gloo's buffers serve both directions, so their memory is never const.
std::unique_ptr<::gloo::transport::UnboundBuffer> buffer_over(::gloo::Context& context,
                                                              ConstView view) {
  return context.createUnboundBuffer(const_cast<std::byte*>(view.data()), view.size());
}

// What a rank sends to itself.
void copy(std::byte* to, const std::byte* from, std::size_t bytes) {
  if (to != from && bytes > 0) std::memcpy(to, from, bytes);
}

void refuse_self(const ::gloo::Context& context, const Op& op) {
  if (op.peer == context.rank)
    throw Error(fmt::format("Gloo: rank {} has no connection to itself for a {}.", context.rank,
                            name_of(op.kind)));
}

Range part_of(std::span<const Range> ranges, int rank) {
  return ranges[static_cast<std::size_t>(rank)];
}

using ::gloo::transport::UnboundBuffer;

constexpr std::size_t kSegmentBytes = std::size_t{256} << 10;
constexpr std::size_t kUnderWay = 8;  // 2 MiB in all: as much as Gloo's ring has

std::size_t segment_bytes(const Op& op) { return std::min(kSegmentBytes, bytes_of_count(op)); }

std::size_t segments_of(const Op& op) {
  return (bytes_of_count(op) + kSegmentBytes - 1) / kSegmentBytes;
}

// Step s brings one segment of this rank's block from one peer, while the same segment of another
// peer's block leaves for it. The last segment of a block may be shorter.
class Exchange {
 public:
  Exchange(::gloo::Context& context, const Op& op, std::byte* scratch)
      : context_(context),
        op_(op),
        in_block_(segments_of(op)),
        nsteps_(in_block_ * static_cast<std::size_t>(context.size - 1)),
        out_(buffer_over(context, op.send)) {
    places_.reserve(kUnderWay);
    for (std::size_t i = 0; i < std::min(nsteps_, kUnderWay); ++i)
      places_.push_back(buffer_over(context, {scratch + i * segment_bytes(op), segment_bytes(op)}));
  }

  void run() {
    for (std::size_t step = 0; step < nsteps_ + places_.size(); ++step) {
      if (step >= places_.size()) finish(step - places_.size());
      if (step < nsteps_) post(step);
    }
    for (std::size_t step = 0; step < nsteps_; ++step) out_->waitSend();
  }

 private:
  int distance(std::size_t step) const { return static_cast<int>(step / in_block_) + 1; }
  std::size_t offset(std::size_t step) const { return step % in_block_ * kSegmentBytes; }
  std::size_t bytes(std::size_t step) const {
    return std::min(kSegmentBytes, bytes_of_count(op_) - offset(step));
  }
  UnboundBuffer& place(std::size_t step) { return *places_[step % places_.size()]; }

  void post(std::size_t step) {
    const auto slot = slot_of(Slots::reduce_scatter);
    const int source = (context_.rank + context_.size - distance(step)) % context_.size;
    const int dest = (context_.rank + distance(step)) % context_.size;
    place(step).recv(source, slot, 0, bytes(step));
    out_->send(dest, slot, block_at(op_, dest) + offset(step), bytes(step));
  }

  // The first peer's segments meet this rank's own input, later ones what is there already.
  void finish(std::size_t step) {
    place(step).waitRecv();
    const std::byte* const own = op_.send.data() + block_at(op_, context_.rank) + offset(step);
    std::byte* const to = op_.recv.data() + offset(step);
    const std::array<const std::byte*, 2> sources{distance(step) == 1 ? own : to,
                                                  static_cast<const std::byte*>(place(step).ptr)};
    reduce(to, sources, bytes(step) / bytes_of(op_.type), {.type = op_.type, .op = op_.op});
  }

  ::gloo::Context& context_;
  const Op& op_;
  std::size_t in_block_;  // segments
  std::size_t nsteps_;
  std::unique_ptr<UnboundBuffer> out_;
  std::vector<std::unique_ptr<UnboundBuffer>> places_;
};

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

std::size_t reduce_scatter_scratch(const Op& op, int nranks) {
  const std::size_t nsteps = segments_of(op) * static_cast<std::size_t>(nranks - 1);
  return std::min(nsteps, kUnderWay) * segment_bytes(op);
}

void reduce_scatter(::gloo::Context& context, const Op& op, std::byte* scratch) {
  if (context.size == 1) return copy(op.recv.data(), op.send.data(), bytes_of_count(op));
  Exchange(context, op, scratch).run();
}

}  // namespace linerate::gloo
