// See point_to_point.h.
#include "backends/host/point_to_point.h"

#include "backends/host/emulation/toll.h"
#include "backends/host/prefetch.h"
#include "base/error.h"
#include "base/stream_copy.h"

#include <fmt/format.h>

#include <sched.h>

#include <algorithm>
#include <cstring>

namespace linerate::host {
namespace {

// With a core for each rank two short waits cost less than copying twice; where ranks share cores a
// wait is a switch, and what may be left behind saves it (2 KiB, 4 ranks on 2 cores: 1.75 instead
// of 2.55 us).
constexpr std::size_t kInlineWithOwnCore = 256;

}  // namespace

PointToPoint::PointToPoint(Team& team, Streaming& streaming)
    : team_(team),
      streaming_(streaming),
      most_inline_(team.setup().patience.crowded ? kInlineBytes : kInlineWithOwnCore),
      sent_(static_cast<std::size_t>(team.nranks())),
      known_taken_(static_cast<std::size_t>(team.nranks())),
      received_(static_cast<std::size_t>(team.nranks())) {}

void PointToPoint::run(const Op& op) {
  team_.waiting().check_aborted();
  if (team_.toll() != nullptr) entered_ = team_.toll()->begin();
  const std::size_t bytes = bytes_of_count(op);
  const bool sends = op.kind != OpKind::recv;
  const bool receives = op.kind != OpKind::send;
  const int source = op.kind == OpKind::recv ? op.peer : op.source;
  if (sends) post(op.peer, op.send.first(bytes));
  if (sends && receives && !reads_sender(bytes)) prefetch_next(op.peer, bytes);
  try {
    if (receives)
      receive(source, op.recv.first(bytes), streaming_.pays(op, team_.rank(), team_.nranks()));
  } catch (...) {
    team_.abort();
    if (sends) withdraw(op.peer, op.send.first(bytes));
    throw;
  }
  if (sends) finish_send(op.peer, op.send.first(bytes));
  if (team_.toll() != nullptr) team_.toll()->settle_messages();
}

void PointToPoint::post(int dest, ConstView data) {
  const std::uint64_t number = ++sent_[static_cast<std::size_t>(dest)];
  Mailbox& box = team_.control().mailbox(team_.rank(), dest);
  std::uint64_t& known_taken = known_taken_[static_cast<std::size_t>(dest)];
  if (number > known_taken + kMessages) {
    team_.waiting().until(box.taken, number - kMessages);
    known_taken = box.taken.value();
  }
  Message& out = message(box, number);
  if (team_.toll() != nullptr) {
    team_.toll()->last_until(out.arrived_at);  // of the one before
    out.posted_at = later(entered_, out.arrived_at);
  }
  out.bytes = data.size();
  if (reads_sender(data.size())) {
    out.data = team_.arena().locate(data.data());
    out.offered.store(number, std::memory_order_relaxed);
  } else if (!data.empty()) {
    std::memcpy(out.payload, data.data(), data.size());
  }
  out.posted.set(number);
}

// While the answer is under way, as Team::prefetch_next_cell().
void PointToPoint::prefetch_next(int dest, std::size_t bytes) const {
  Mailbox& box = team_.control().mailbox(team_.rank(), dest);
  const Message& next = message(box, sent_[static_cast<std::size_t>(dest)] + 1);
  prefetch_message(reinterpret_cast<const std::byte*>(&next), offsetof(Message, payload) + bytes);
}

void PointToPoint::finish_send(int dest, ConstView data) {
  if (!reads_sender(data.size())) return;
  const std::uint64_t number = sent_[static_cast<std::size_t>(dest)];
  Mailbox& box = team_.control().mailbox(team_.rank(), dest);
  try {
    team_.waiting().until(box.taken, number);
    if (team_.toll() != nullptr) team_.toll()->last_until(message(box, number).arrived_at);
  } catch (...) {
    withdraw(dest, data);
    throw;
  }
}

// The caller may free its buffer after this: the message is taken back, or its copy under way
// awaited.
void PointToPoint::withdraw(int dest, ConstView data) noexcept {
  const std::uint64_t number = sent_[static_cast<std::size_t>(dest)];
  Mailbox& box = team_.control().mailbox(team_.rank(), dest);
  Message& out = message(box, number);
  std::uint64_t offer = number;
  if (!reads_sender(data.size()) || !out.data.is_private()) return;
  if (out.offered.compare_exchange_strong(offer, 0)) return;
  while (!box.taken.has(number)) sched_yield();
}

void PointToPoint::receive(int source, View data, bool streams) {
  const std::uint64_t number = ++received_[static_cast<std::size_t>(source)];
  Mailbox& box = team_.control().mailbox(source, team_.rank());
  Message& in = message(box, number);
  team_.waiting().until(in.posted, number);
  if (in.bytes != data.size())  // and is not taken, so that the abort ends the sender's wait
    throw Error(fmt::format("Rank {} sends {} bytes to rank {}, which expects {}.", source,
                            in.bytes, team_.rank(), data.size()));
  if (!data.empty()) {
    const bool by_address = reads_sender(data.size());
    std::uint64_t offer = number;
    if (by_address && in.data.is_private() && !in.offered.compare_exchange_strong(offer, 0))
      team_.waiting().check_aborted();
    streams = streams && by_address;
    move_bytes(data.data(), by_address ? team_.arena().address_of(in.data) : in.payload,
               data.size(), streams);
    if (streams) end_streaming();
  }
  try {
    if (team_.toll() != nullptr) charge(source, in);
  } catch (...) {
    box.taken.set(number);  // the copy is done: its sender must not wait for it
    throw;
  }
  box.taken.set(number);
}

// The sender of a large message waits for it too.
void PointToPoint::charge(int source, Message& in) {
  Toll& toll = *team_.toll();
  const ModeledTime start = reads_sender(in.bytes) ? later(in.posted_at, entered_) : in.posted_at;
  in.arrived_at = later(toll.arrival(source, in.bytes, start), entered_);
  toll.last_until(in.arrived_at);
}

}  // namespace linerate::host
