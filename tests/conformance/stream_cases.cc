#include "conformance/stream_cases.h"

#include "conformance/byte_counter.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <vector>

namespace linerate::conformance {
namespace {

// Memory of a device with 32-bit numbers, filled and read by the host.
class Numbers {
 public:
  Numbers(Communicator& comm, std::size_t count, std::int32_t value = 0)
      : device_(comm.device()),
        stream_(device_.stream()),
        buffer_(comm.allocate(std::max<std::size_t>(count, 1) * sizeof(std::int32_t),
                              MemoryKind::device)),
        count_(count) {
    set(value);
  }

  void set(std::int32_t value) {
    const std::vector<std::int32_t> values(count_, value);
    device_.copy(view(), std::as_bytes(std::span(values)), *stream_);
    stream_->synchronize(Deadline::never());
  }
  std::vector<std::int32_t> values() {
    std::vector<std::int32_t> values(count_);
    device_.copy(std::as_writable_bytes(std::span(values)), view(), *stream_);
    stream_->synchronize(Deadline::never());
    return values;
  }
  // "" where all hold `value`.
  std::string difference(std::int32_t value) {
    const auto all = values();
    const auto wrong = std::ranges::find_if(all, [&](std::int32_t v) { return v != value; });
    if (wrong == all.end()) return {};
    return fmt::format("element {} is {} instead of {}", wrong - all.begin(), *wrong, value);
  }
  View view() const { return buffer_.view(0, count_ * sizeof(std::int32_t)); }
  Buffers as_send() const { return {.send = view(), .count = count_, .type = DataType::int32}; }
  Buffers as_recv() const { return {.recv = view(), .count = count_, .type = DataType::int32}; }
  Buffers in_place(Tag tag = {}) const {
    return {.send = view(), .recv = view(), .count = count_, .type = DataType::int32, .tag = tag};
  }

 private:
  Device& device_;
  std::unique_ptr<Stream> stream_;
  mutable Buffer buffer_;
  std::size_t count_;
};

std::unique_ptr<Stream> async_stream(Communicator& comm) {
  return comm.device().open_stream(StreamKind::async);
}

// A communicator of its own with a stream and a buffer.
struct Strand {
  std::unique_ptr<Communicator> comm;
  std::unique_ptr<Stream> stream;
  Numbers numbers;

  explicit Strand(Communicator& world, std::size_t count)
      : comm(world.split(0, world.rank())), stream(async_stream(*comm)), numbers(*comm, count, 1) {}
};

int power(int base, int exponent) { return exponent == 0 ? 1 : base * power(base, exponent - 1); }

}  // namespace

void expect_communicators_run_at_once(Communicator& world) {
  constexpr int kStrands = 3;
  constexpr int kRounds = 4;
  std::vector<Strand> strands;
  strands.reserve(kStrands);
  for (const std::size_t count : {1u, 5000u, 300'000u}) strands.emplace_back(world, count);

  for (int round = 0; round < kRounds; ++round)
    for (int i = 0; i < kStrands; ++i) {
      Strand& strand = strands[static_cast<std::size_t>((i + world.rank()) % kStrands)];
      strand.comm->all_reduce(strand.numbers.in_place(), {}, *strand.stream);
    }
  for (Strand& strand : strands) strand.stream->synchronize(Deadline::never());

  for (Strand& strand : strands)
    EXPECT_EQ(strand.numbers.difference(power(world.nranks(), kRounds)), "");
}

void expect_one_order_over_streams(Communicator& world) {
  constexpr int kCalls = 30;
  const std::array<std::unique_ptr<Stream>, 3> streams{async_stream(world), world.device().stream(),
                                                       async_stream(world)};
  const int next = (world.rank() + 1) % world.nranks();
  const int previous = (world.rank() + world.nranks() - 1) % world.nranks();
  std::vector<Numbers> out, in;
  out.reserve(kCalls);
  in.reserve(kCalls);
  for (int call = 0; call < kCalls; ++call) {
    out.emplace_back(world, 100 + static_cast<std::size_t>(call), call);
    in.emplace_back(world, 100 + static_cast<std::size_t>(call), -1);
  }

  for (std::size_t call = 0; call < kCalls; ++call) {
    const Op both[] = {Communicator::send_op(out[call].as_send(), next),
                       Communicator::recv_op(in[call].as_recv(), previous)};
    world.enqueue_batch(both, *streams[call % streams.size()]);
  }
  for (const auto& stream : streams) stream->synchronize(Deadline::never());

  for (int call = 0; call < kCalls; ++call)
    EXPECT_EQ(in[static_cast<std::size_t>(call)].difference(call), "") << "call " << call;
}

void expect_split_of_split_beside_its_parent(Communicator& world) {
  const auto half = world.split(world.rank() % 2, world.rank());
  const auto pair = half->split(half->rank() / 2, -half->rank());
  const auto above = async_stream(world), below = async_stream(*pair);
  Numbers all(world, 4000, 1), few(*pair, 4000, 1);

  world.all_reduce(all.in_place(), {}, *above);
  pair->all_reduce(few.in_place(), {}, *below);
  above->synchronize(Deadline::never());
  below->synchronize(Deadline::never());

  EXPECT_EQ(all.difference(world.nranks()), "");
  EXPECT_EQ(few.difference(pair->nranks()), "");
  world.barrier();
}

void expect_batches_without_deadlock(Communicator& world, StreamKind kind) {
  const auto stream = world.device().open_stream(kind);
  const int n = world.nranks();
  // What `from` sends to `to` as message `i`: 12 of them, up to 1 MiB, more than wait on the way.
  constexpr int kMessages = 12;
  const auto count = [](int from, int to, int i) {
    return i == 5 ? std::size_t{1} << 18 : static_cast<std::size_t>(1 + from * 37 + to * 900 + i);
  };
  const auto value = [](int from, int to, int i) { return from * 10'000 + to * 100 + i; };
  std::vector<Numbers> out, in;
  std::vector<Op> ops;
  const auto room = static_cast<std::size_t>(n * kMessages);
  out.reserve(room);
  in.reserve(room);
  for (int i = 0; i < kMessages; ++i)
    for (int peer = 0; peer < n; ++peer) {
      const int rank = world.rank();
      out.emplace_back(world, count(rank, peer, i), value(rank, peer, i));
      in.emplace_back(world, count(peer, rank, i), -1);
      ops.push_back(Communicator::send_op(out.back().as_send(), peer));
      ops.push_back(Communicator::recv_op(in.back().as_recv(), peer));
    }

  world.enqueue_batch(ops, *stream);
  stream->synchronize(Deadline::never());

  for (int i = 0; i < kMessages; ++i)
    for (int peer = 0; peer < n; ++peer)
      EXPECT_EQ(in[static_cast<std::size_t>(i * n + peer)].difference(value(peer, world.rank(), i)),
                "")
          << "message " << i << " of rank " << peer;
}

void expect_events_order_streams(Communicator& world) {
  const auto compute = async_stream(world), comm = async_stream(world);
  Numbers gradient(world, 10'000, 0), start(world, 10'000, 1), result(world, 10'000, 0);

  world.device().copy(gradient.view(), start.view(), *compute);
  comm->wait(compute->record());
  world.all_reduce(gradient.in_place(), {}, *comm);
  const Event reduced = comm->record();
  compute->wait(reduced);
  world.device().copy(result.view(), gradient.view(), *compute);
  compute->synchronize(Deadline::never());

  EXPECT_TRUE(reduced.done());
  EXPECT_EQ(result.difference(world.nranks()), "");
  comm->synchronize(Deadline::never());
}

void expect_decorators_count_bytes_by_tag(std::unique_ptr<Communicator> world) {
  const auto totals = std::make_shared<ByteCounter::Totals>();
  ByteCounter counter(std::move(world), totals);
  const auto part = counter.split(0, counter.rank());
  const auto stream = counter.device().stream();
  const auto before = counter.calls_begun();
  Numbers numbers(counter, 1000, 1);
  const auto peer = counter.rank();

  counter.all_reduce(numbers.in_place({.axis = "dp", .purpose = "gradients"}), {}, *stream);
  part->broadcast(numbers.in_place({.axis = "tp", .purpose = "weights"}), 0, *stream);
  stream->synchronize(Deadline::never());
  Numbers to(counter, 10, 7), from(counter, 10, 0);
  const Op both[] = {Communicator::send_op(to.as_send(), peer),
                     Communicator::recv_op(from.as_recv(), peer)};
  counter.enqueue_batch(both, *stream);
  stream->synchronize(Deadline::never());

  EXPECT_EQ((*totals)["dp"], 8000u);
  EXPECT_EQ((*totals)["tp"], counter.rank() == 0 ? 8000u : 4000u);
  EXPECT_EQ((*totals)[""], 80u);
  EXPECT_EQ(counter.calls_begun() - before, 2u);  // as a watch would name who is behind
  EXPECT_EQ(counter.inspector().transport(), part->inspector().transport());
  counter.barrier();
}

}  // namespace linerate::conformance
