// A batch of messages: each is moved on whenever it can be, in turn, until all are done.
#include "backends/host/point_to_point.h"

#include <algorithm>
#include <utility>

namespace linerate::host {

class PointToPoint::Batch {
 public:
  Batch(PointToPoint& messages, std::span<const Op> ops);

  void run();

 private:
  struct Send {
    Sent message;
    bool posted = false;
    bool done = false;
  };
  struct Recv {
    Received message;
    Stores stores = Stores::cached;
    bool done = false;
  };
  // What the first message that is not done waits for.
  using Awaited = std::pair<const Signal*, std::uint64_t>;

  void add(const Op& op);
  bool move_on();
  bool move_on(Send& send);
  bool move_on(Recv& recv);
  Awaited awaited() const;

  PointToPoint& messages_;
  std::vector<Send> sends_;
  std::vector<Recv> recvs_;
};

PointToPoint::Batch::Batch(PointToPoint& messages, std::span<const Op> ops) : messages_(messages) {
  sends_.reserve(ops.size());
  recvs_.reserve(ops.size());
  for (const Op& op : ops) add(op);
}

void PointToPoint::Batch::add(const Op& op) {
  const std::size_t bytes = bytes_of_count(op);
  if (op.kind != OpKind::recv)
    sends_.push_back({.message = messages_.next_sent(op.peer, op.send.first(bytes))});
  if (op.kind == OpKind::send) return;
  const int source = op.kind == OpKind::recv ? op.peer : op.source;
  const Team& team = messages_.team_;
  recvs_.push_back({.message = {source, op.recv.first(bytes),
                                ++messages_.received_[static_cast<std::size_t>(source)]},
                    .stores = messages_.streaming_.stores(op, team.rank(), team.nranks())});
}

// Posted once there is room in the mailbox, which messages to one rank find in their order.
bool PointToPoint::Batch::move_on(Send& send) {
  if (send.done) return false;
  Mailbox& box = messages_.mailbox_to(send.message.dest);
  Message& out = messages_.message(box, send.message.number);
  const Signal& taken = box.taken;
  const bool was_posted = send.posted;
  if (!send.posted && taken.value() + kMessages >= send.message.number) {
    messages_.put(out, send.message);
    send.posted = true;
  }
  const bool waits = messages_.reads_sender(send.message.data.size());
  if (send.posted && (!waits || taken.has(send.message.number))) {
    if (auto* const network = messages_.team_.network(); network != nullptr && waits)
      network->finish_send(out);
    send.done = true;
  }
  return send.done || send.posted != was_posted;
}

bool PointToPoint::Batch::move_on(Recv& recv) {
  if (recv.done) return false;
  Mailbox& box = messages_.mailbox_from(recv.message.source);
  const std::uint64_t number = recv.message.number;
  if (box.taken.value() + 1 < number || !messages_.message(box, number).posted.has(number))
    return false;
  messages_.take(box, recv.message, recv.stores);
  recv.done = true;
  return true;
}

bool PointToPoint::Batch::move_on() {
  bool moved = false;
  for (Send& send : sends_) moved |= move_on(send);
  for (Recv& recv : recvs_) moved |= move_on(recv);
  return moved;
}

PointToPoint::Batch::Awaited PointToPoint::Batch::awaited() const {
  const auto recv = std::ranges::find(recvs_, false, &Recv::done);
  if (recv != recvs_.end()) {
    const Mailbox& box = messages_.mailbox_from(recv->message.source);
    return {&box.messages[recv->message.number % kMessages].posted, recv->message.number};
  }
  const auto send = std::ranges::find(sends_, false, &Send::done);
  if (send == sends_.end()) return {};
  const auto number = send->posted ? send->message.number : send->message.number - kMessages;
  return {&messages_.mailbox_to(send->message.dest).taken, number};
}

void PointToPoint::Batch::run() {
  Waiting::Looks looks(messages_.team_.waiting());
  try {
    for (auto next = awaited(); next.first != nullptr; next = awaited())
      if (move_on())
        looks.found_something();
      else
        looks.found_nothing(*next.first, next.second);
  } catch (...) {
    messages_.team_.abort();
    for (const Send& send : sends_)
      if (send.posted && !send.done) messages_.withdraw(send.message);
    throw;
  }
}

void PointToPoint::run_batch(std::span<const Op> ops) {
  begin();
  Batch(*this, ops).run();
  if (auto* const network = team_.network()) network->end_messages();
}

}  // namespace linerate::host
