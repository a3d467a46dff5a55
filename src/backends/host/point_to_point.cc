// One call at a time: what it sends is posted before it waits for anything.
#include "backends/host/point_to_point.h"

#include "backends/host/control.h"
#include "base/error.h"

#include <fmt/format.h>

#include <sched.h>

#include <cstring>

namespace linerate::host {
namespace {

// With a core for each rank two short waits cost less than copying twice; where ranks share cores a
// wait is a switch, and what may be left behind saves it (2 KiB, 4 ranks on 2 cores: 1.75 instead
// of 2.55 us).
constexpr std::size_t kInlineWithOwnCore = 256;
// The same for messages that do not fit into the mailbox (8 KiB, 4 ranks on 2 cores: 3.2 instead of
// 5.0 us; 16 KiB: 5.6 instead of 5.1). What lies outside of the shared memory would be staged or
// attached to: a copy is faster up to 32 KiB (that size: 8.8 instead of 12.8 us).
constexpr std::size_t kCopiedBytes = std::size_t{8} << 10;

}  // namespace

PointToPoint::PointToPoint(Team& team, Streaming& streaming)
    : team_(team),
      streaming_(streaming),
      most_inline_(team.setup().spin_policy.oversubscribed ? kInlineBytes : kInlineWithOwnCore),
      sent_(static_cast<std::size_t>(team.nranks())),
      known_taken_(static_cast<std::size_t>(team.nranks())),
      received_(static_cast<std::size_t>(team.nranks())) {}

void PointToPoint::begin() {
  team_.waiting().check_aborted();
  if (auto* const network = team_.network()) (void)network->begin();
}

void PointToPoint::run(const Op& op) {
  begin();
  const std::size_t bytes = bytes_of_count(op);
  const bool sends = op.kind != OpKind::recv;
  const bool receives = op.kind != OpKind::send;
  const int source = op.kind == OpKind::recv ? op.peer : op.source;
  if (receives && !reads_sender(bytes)) result_.expect(op.recv.first(bytes));
  const Sent out = sends ? post(op.peer, op.send.first(bytes)) : Sent{};
  if (sends && receives && !reads_sender(bytes)) prefetch_next(op.peer, bytes);
  try {
    if (receives)
      receive(source, op.recv.first(bytes), streaming_.stores(op, team_.rank(), team_.nranks()));
  } catch (...) {
    team_.abort();
    if (sends) withdraw(out);
    throw;
  }
  if (sends) finish_send(out);
  if (auto* const network = team_.network()) network->end_messages();
}

PointToPoint::Sent PointToPoint::next_sent(int dest, ConstView data) {
  return {dest, data, ++sent_[static_cast<std::size_t>(dest)]};
}

// Inlined whole: a call of 0.2 us feels each function call within it. All of run() in one is 5 %
// faster up to 2 KiB, but messages of 4 and 8 KiB then take 6 to 10 % longer.
[[gnu::flatten]] PointToPoint::Sent PointToPoint::post(int dest, ConstView data) {
  Sent sent = next_sent(dest, data);
  Mailbox& box = mailbox_to(dest);
  std::uint64_t& known_taken = known_taken_[static_cast<std::size_t>(dest)];
  if (sent.number > known_taken + kMessages) {
    team_.waiting().until(box.taken, sent.number - kMessages);
    known_taken = box.taken.value();
  }
  if (reads_sender(data.size()) && leaves_copy(data)) copy_to_outbox(sent);
  put(message(box, sent.number), sent);
  return sent;
}

// Not on an emulated network, where a long message ends when the receiver has it.
bool PointToPoint::leaves_copy(ConstView data) const {
  if (!team_.setup().spin_policy.oversubscribed || team_.network() != nullptr) return false;
  return data.size() <= (team_.is_private(data.data()) ? kOutboxBytes : kCopiedBytes);
}

// Once what lay at this place has been taken.
[[gnu::noinline]] void PointToPoint::copy_to_outbox(Sent& sent) {
  const std::size_t place = next_place_++ % kMessages;
  Left& left = left_[place];
  team_.waiting().until(mailbox_to(left.dest).taken, left.number);
  left = {sent.dest, sent.number};
  std::byte* const copy = team_.control().outbox(team_.rank()).messages[place];
  std::memcpy(copy, sent.data.data(), sent.data.size());
  sent.data = {copy, sent.data.size()};
  sent.copied = true;
}

// REQUIRES: the one kMessages before is taken.
void PointToPoint::put(Message& out, const Sent& sent) {
  if (auto* const network = team_.network()) network->post(out);
  out.bytes = sent.data.size();
  if (reads_sender(sent.data.size())) {
    out.data = team_.arena().locate(sent.data.data());
    out.offered.store(sent.number, std::memory_order_relaxed);
  } else if (!sent.data.empty()) {
    std::memcpy(out.payload, sent.data.data(), sent.data.size());
  }
  out.posted.set(sent.number);
}

// While the answer is under way, as Team::prefetch_next_cell().
void PointToPoint::prefetch_next(int dest, std::size_t bytes) const {
  const Message& next = message(mailbox_to(dest), sent_[static_cast<std::size_t>(dest)] + 1);
  prefetch_message(reinterpret_cast<const std::byte*>(&next), offsetof(Message, payload) + bytes);
}

void PointToPoint::finish_send(const Sent& sent) {
  if (!reads_sender(sent.data.size()) || sent.copied) return;
  try {
    team_.waiting().until(mailbox_to(sent.dest).taken, sent.number);
    if (auto* const network = team_.network())
      network->finish_send(message(mailbox_to(sent.dest), sent.number));
  } catch (...) {
    withdraw(sent);
    throw;
  }
}

// The caller may free its buffer after this: the message is taken back, or its copy under way
// awaited.
void PointToPoint::withdraw(const Sent& sent) noexcept {
  Mailbox& box = mailbox_to(sent.dest);
  Message& out = message(box, sent.number);
  std::uint64_t offer = sent.number;
  if (!reads_sender(sent.data.size()) || !out.data.is_private()) return;
  if (out.offered.compare_exchange_strong(offer, 0)) return;
  while (!box.taken.has(sent.number) && !team_.has_lost(sent.dest)) sched_yield();
}

void PointToPoint::receive(int source, View data, Stores stores) {
  const std::uint64_t number = ++received_[static_cast<std::size_t>(source)];
  Mailbox& box = mailbox_from(source);
  team_.waiting().until(message(box, number).posted, number);
  take(box, {source, data, number}, stores);
}

[[gnu::noinline]] void PointToPoint::throw_other_size(const Received& received,
                                                      std::size_t sent_bytes) const {
  throw Error(fmt::format("Rank {} sends {} bytes to rank {}, which expects {}.", received.source,
                          sent_bytes, team_.rank(), received.data.size()));
}

void PointToPoint::fetch(Message& in, const Received& received, Stores stores) {
  const auto& [source, data, number] = received;
  const bool by_address = reads_sender(data.size());
  std::uint64_t offer = number;
  if (by_address && in.data.is_private() && !in.offered.compare_exchange_strong(offer, 0))
    team_.waiting().check_aborted();
  if (!by_address) stores = Stores::cached;
  const PeerBytes from =
      by_address ? team_.bytes_at(source, in.data) : PeerBytes{.address = in.payload};
  copy_from(data.data(), from, data.size(), stores);
  finish(stores);
}

// REQUIRES: it is posted, and all before it are taken.
void PointToPoint::take(Mailbox& box, const Received& received, Stores stores) {
  const auto& [source, data, number] = received;
  Message& in = message(box, number);
  if (in.bytes != data.size())  // and is not taken, so that the abort ends the sender's wait
    throw_other_size(received, in.bytes);
  try {
    if (!data.empty()) fetch(in, received, stores);
    if (auto* const network = team_.network()) network->receive(source, in, reads_sender(in.bytes));
  } catch (...) {
    box.taken.set(number);  // no copy is under way: its sender must not wait for one
    throw;
  }
  box.taken.set(number);
}

}  // namespace linerate::host
