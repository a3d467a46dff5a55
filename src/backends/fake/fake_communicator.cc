// See fake_communicator.h.
#include "backends/fake/fake_communicator.h"

#include "backends/fake/noise.h"
#include "backends/fake/reference.h"
#include "base/error.h"

#include <fmt/format.h>

#include <algorithm>

namespace linerate::fake {
namespace {

bool is_message(OpKind kind) {
  return kind == OpKind::send || kind == OpKind::recv || kind == OpKind::send_recv;
}

}  // namespace

void FakeCommunicator::enqueue(const Op& op, Stream& /*stream*/) {
  check_call(op, rank_, nranks());
  const auto call = device_.next_call();
  stop_where_asked(call);
  begin_call();
  if (is_message(op.kind)) {
    device_.set_clock(exchange(op, call));
  } else {
    Visit visit{.op = &op, .call = call, .entry = device_.now()};
    rendezvous_->meet(rank_, visit);
    device_.set_clock(visit.exit);
  }
  flip_where_asked(op, call);
}

ModeledTime FakeCommunicator::exchange(const Op& op, std::uint64_t call) {
  const Message side{.bytes = op.count * bytes_of(op.type), .call = call, .entry = device_.now()};
  Message out = side;
  Message in = side;
  const bool sends = op.kind != OpKind::recv;
  const bool receives = op.kind != OpKind::send;
  if (sends) {
    out.source = rank_;
    out.dest = op.peer;
    out.send = op.send;
    rendezvous_->offer_send(out);
  }
  if (receives) {
    in.source = op.kind == OpKind::recv ? op.peer : op.source;
    in.dest = rank_;
    in.recv = op.recv;
    rendezvous_->offer_recv(in);
  }
  if (sends) rendezvous_->wait_for(out);
  if (receives) rendezvous_->wait_for(in);
  return later(out.exit, in.exit);
}

void FakeCommunicator::barrier() {
  begin_call();
  Visit visit{.kind = Visit::Kind::barrier, .entry = device_.now()};
  rendezvous_->meet(rank_, visit);
  device_.set_clock(visit.exit);
}

std::unique_ptr<Communicator> FakeCommunicator::split(int color, int key) {
  Visit visit{.kind = Visit::Kind::split, .entry = device_.now(), .color = color, .key = key};
  rendezvous_->meet(rank_, visit);
  if (!visit.part) return nullptr;
  return std::make_unique<FakeCommunicator>(visit.part, visit.part_rank, device_);
}

void FakeCommunicator::stop_where_asked(std::uint64_t call) {
  const int name = rendezvous_->name_of(rank_);
  const auto reached = [&](const FakeOptions::Stop& s) { return s.rank == name && call >= s.call; };
  const auto& options = rendezvous_->options();
  if (std::ranges::any_of(options.deaths, reached))
    throw PeerFailure(fmt::format("Rank {} died in its call {}, as --fake die= asked.", name, call),
                      {name});
  if (std::ranges::any_of(options.hangs, reached)) rendezvous_->hang(rank_);
}

// Flips the second highest bit of an element: of the exponent in floating types, so that no
// tolerance hides it.
void FakeCommunicator::flip_where_asked(const Op& op, std::uint64_t call) {
  const int name = rendezvous_->name_of(rank_);
  for (const auto& flip : rendezvous_->options().flips) {
    if (flip.rank != name || (flip.call != 0 && flip.call != call)) continue;
    const View target = received(op, rank_, nranks());
    const std::size_t width = bytes_of(op.type);
    if (target.size() < width) continue;
    const std::size_t element = mixed(rendezvous_->options().seed, call) % (target.size() / width);
    target[(element + 1) * width - 1] ^= std::byte{0x40};  // little-endian: the last byte
  }
}

}  // namespace linerate::fake
