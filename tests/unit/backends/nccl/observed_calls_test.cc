// Communicators whose calls are observed, over the fakes.
#include "backends/nccl/nccl_backend.h"
#include "backends/nccl/profiler/entry_points.h"
#include "support/gpu/fake_cuda.h"
#include "support/gpu/fake_nccl.h"
#include "support/spawn.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <functional>

namespace linerate::nccl {
namespace {

constexpr std::size_t kSmall = 1024, kLarge = std::size_t{1} << 20;  // bytes: TREE, RING

// One of two ranks, each a thread.
struct Rank {
  Communicator& comm;
  Stream& stream;
  Buffer send, recv;

  void all_reduce(std::size_t bytes) {
    const auto part = [&](Buffer& buffer) { return buffer.view(0, bytes); };
    comm.all_reduce({.send = part(send), .recv = part(recv), .count = bytes / 4}, {}, stream);
    stream.synchronize(Deadline::never());
  }
};

class ObservedCalls : public testing::Test {
 protected:
  void SetUp() override { ASSERT_EQ(profiler::offer(NCCL_VERSION(2, 28, 9)), ""); }
  void TearDown() override { ::unsetenv(profiler::kPluginVariable); }

  static void run(const std::function<void(Rank&)>& body) {
    const SteadyClock clock;
    const auto backend = make_nccl_backend(
        fake_nccl(NCCL_VERSION(2, 28, 9)),
        {.api = cuda::fake_cuda(), .kernels = cuda::kernels_on_host(), .clock = clock});
    spawn(2, [&](Bootstrap& member) {
      const auto device = backend->open_device(member.rank());
      const auto stream = device->stream();
      Device* const local[] = {device.get()};
      const auto comms = backend->connect(member, local, {.deadline = Deadline::after(clock, 60)});
      auto& comm = *comms.front();
      Rank rank{comm, *stream, comm.allocate(kLarge, MemoryKind::device),
                comm.allocate(kLarge, MemoryKind::device)};
      body(rank);
    });
  }
};

TEST_F(ObservedCalls, AreToldOfByTheirLastOne) {
  run([](Rank& rank) {
    rank.comm.inspector().observe(true);
    rank.all_reduce(kSmall);
    std::swap(rank.send, rank.recv);
    rank.all_reduce(kLarge);
    rank.comm.inspector().observe(false);

    EXPECT_EQ(rank.comm.inspector().last_call().algorithm, "RING");
  });
}

TEST_F(ObservedCalls, AreAllThatIsToldOf) {
  run([](Rank& rank) {
    rank.all_reduce(kSmall);
    EXPECT_EQ(rank.comm.inspector().last_call(), CallFacts{});

    rank.comm.inspector().observe(true);
    rank.all_reduce(kSmall);
    rank.comm.inspector().observe(false);
    rank.all_reduce(kLarge);

    EXPECT_EQ(rank.comm.inspector().last_call().algorithm, "TREE");
  });
}

TEST_F(ObservedCalls, ThatAreNoneTellNothing) {
  run([](Rank& rank) {
    rank.comm.inspector().observe(true);
    rank.all_reduce(kSmall);
    rank.comm.inspector().observe(false);

    rank.comm.inspector().observe(true);
    rank.comm.inspector().observe(false);
    rank.comm.inspector().observe(false);

    EXPECT_EQ(rank.comm.inspector().last_call(), CallFacts{});
  });
}

TEST_F(ObservedCalls, OfAPartAreThoseOfItsCommunicator) {
  run([](Rank& rank) {
    const auto part = rank.comm.split(0, 1 - rank.comm.rank());  // the other way round
    Rank in_part{*part, rank.stream, std::move(rank.send), std::move(rank.recv)};

    part->inspector().observe(true);
    in_part.all_reduce(kLarge);
    part->inspector().observe(false);

    EXPECT_EQ(part->inspector().last_call().algorithm, "RING");
    EXPECT_EQ(rank.comm.inspector().last_call(), CallFacts{});
  });
}

}  // namespace
}  // namespace linerate::nccl
