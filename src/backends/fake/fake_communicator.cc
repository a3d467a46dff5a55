#include "backends/fake/fake_communicator.h"

#include "backends/fake/fake_device.h"
#include "backends/fake/reference.h"
#include "backends/fake/time_model.h"
#include "base/error.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

namespace linerate::fake {
namespace {

FakeTime& time_of(Stream& stream) {
  return static_cast<FakeTime&>(static_cast<HostStream&>(stream).time());
}

}  // namespace

std::uint64_t FakeCommunicator::begin() {
  const auto call = device_.next_call();
  stop_where_asked(call);
  begin_call();
  return call;
}

void FakeCommunicator::call(const Op& op, Stream& stream) {
  check_call(op, rank_, nranks());
  const auto call = begin();
  auto& time = time_of(stream);
  if (is_between_two(op.kind)) {
    time.set(exchange({&op, 1}, call, time.now()));
  } else {
    Visit visit{.op = &op, .call = call, .entry = time.now()};
    rendezvous_->meet(rank_, visit);
    time.set(visit.exit);
  }
  flip_where_asked(op, call);
}

void FakeCommunicator::call_batch(std::span<const Op> ops, Stream& stream) {
  for (const Op& op : ops) check_call(op, rank_, nranks());
  const auto call = begin();
  auto& time = time_of(stream);
  time.set(exchange(ops, call, time.now()));
  for (const Op& op : ops) flip_where_asked(op, call);
}

ModeledTime FakeCommunicator::exchange(std::span<const Op> ops, std::uint64_t call,
                                       const ModeledTime& entry) {
  std::vector<Message> outs, ins;  // which do not move while they are offered
  outs.reserve(ops.size());
  ins.reserve(ops.size());
  for (const Op& op : ops) {
    const Message side{.bytes = bytes_of_count(op), .call = call, .entry = entry};
    if (op.kind != OpKind::recv) {
      Message& out = outs.emplace_back(side);
      out.source = rank_;
      out.dest = op.peer;
      out.send = op.send;
      rendezvous_->offer_send(out);
    }
    if (op.kind == OpKind::send) continue;
    Message& in = ins.emplace_back(side);
    in.source = op.kind == OpKind::recv ? op.peer : op.source;
    in.dest = rank_;
    in.recv = op.recv;
    rendezvous_->offer_recv(in);
  }
  ModeledTime exit = entry;
  for (auto* messages : {&outs, &ins})
    for (const Message& message : *messages) {
      rendezvous_->wait_for(message);
      exit = later(exit, message.exit);
    }
  return exit;
}

void FakeCommunicator::barrier() {
  settle();
  begin_call();
  Visit visit{.kind = Visit::Kind::barrier, .entry = device_.now()};
  rendezvous_->meet(rank_, visit);
  device_.set_clock(visit.exit);
}

std::unique_ptr<Communicator> FakeCommunicator::split(int color, int key) {
  settle();
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
