// Every collective and every point-to-point call of the host backend against a naive expectation.
#include "comm/comm_decorator.h"
#include "processes.h"
#include "ranks.h"
#include "support/naive.h"

#include <gtest/gtest.h>

#include <sched.h>

#include <algorithm>
#include <cstring>
#include <span>
#include <string_view>

namespace linerate::host {
namespace {

// Carries a call's buffers into the arena and back, keeping how they overlap.
class InArena final : public CommDecorator {
 public:
  using CommDecorator::CommDecorator;

 protected:
  void issue(std::span<const Op> ops, Stream& stream) override {
    const Op& op = ops.front();
    constexpr std::size_t kUnaligned = 24;
    const std::byte* const low = std::min<const std::byte*>(op.send.data(), op.recv.data());
    const std::byte* const high = std::max<const std::byte*>(op.send.data() + op.send.size(),
                                                             op.recv.data() + op.recv.size());
    const auto distance = static_cast<std::size_t>(high - low);
    const bool together = distance <= 2 * (op.send.size() + op.recv.size());
    const Buffer send =
        allocate((together ? distance : op.send.size()) + kUnaligned, MemoryKind::host);
    const Buffer recv = allocate(op.recv.size() + kUnaligned, MemoryKind::host);
    Op moved = op;
    if (together) {
      moved.send = send.view().subspan(kUnaligned + static_cast<std::size_t>(op.send.data() - low),
                                       op.send.size());
      moved.recv = send.view().subspan(kUnaligned + static_cast<std::size_t>(op.recv.data() - low),
                                       op.recv.size());
    } else {
      moved.send = send.view().subspan(kUnaligned, op.send.size());
      moved.recv = recv.view().subspan(kUnaligned, op.recv.size());
    }
    std::ranges::copy(op.recv, moved.recv.begin());
    std::ranges::copy(op.send, const_cast<std::byte*>(moved.send.data()));
    CommDecorator::issue({&moved, 1}, stream);
    std::ranges::copy(moved.recv, op.recv.begin());
  }
  std::unique_ptr<Communicator> decorate(std::unique_ptr<Communicator> part) const override {
    return part;
  }
};

// Elsewhere, between processes: read and written by peers where it is, or copied through the arena.
enum class Memory { arena, elsewhere, staged };

struct Setting {
  int nranks;
  AddressSpace address_space;
  Memory memory;
};

class Collectives : public testing::TestWithParam<Setting> {
 protected:
  static void expect_right(Rank rank, std::size_t count) {
    InArena in_arena(rank.comm);
    Communicator& comm = GetParam().memory == Memory::arena ? in_arena : rank.comm;
    naive::for_each_trial(comm.nranks(), count, [&](const naive::Trial& trial) {
      const auto difference = naive::difference(comm, rank.stream, trial);
      EXPECT_EQ(difference.value_or(""), "");
    });
  }
  static Ranks ranks() {
    const bool staged = GetParam().memory == Memory::staged;
    return {.nranks = GetParam().nranks,
            .address_space = GetParam().address_space,
            .options = {.attach_bytes = staged ? HostOptions::kNever : 1}};
  }
};

TEST_P(Collectives, GiveTheNaiveResultForSmallCounts) {
  run_ranks(ranks(), [](Rank rank) { expect_right(rank, 3); });
}

TEST_P(Collectives, GiveTheNaiveResultForRaggedCounts) {
  run_ranks(ranks(), [](Rank rank) { expect_right(rank, 1031); });
}

TEST_P(Collectives, GiveTheNaiveResultOverSeveralBlocks) {
  run_ranks(ranks(), [](Rank rank) {
    InArena in_arena(rank.comm);
    Communicator& comm = GetParam().memory == Memory::arena ? in_arena : rank.comm;
    for (int k = 0; k <= static_cast<int>(OpKind::send_recv); ++k) {
      const naive::Trial trial{.kind = static_cast<OpKind>(k),
                               .type = DataType::int32,
                               .count = 9001,
                               .root = comm.nranks() / 2};
      EXPECT_EQ(naive::difference(comm, rank.stream, trial).value_or(""), "");
    }
  });
}

std::vector<Setting> settings() {
  std::vector<Setting> all;
  for (const int nranks : {1, 2, 3, 4, 5, 8})
    for (const auto space : {AddressSpace::shared, AddressSpace::separate})
      for (const auto memory : {Memory::arena, Memory::elsewhere, Memory::staged})
        if (memory != Memory::staged || (space == AddressSpace::separate && nranks == 3))
          all.push_back({nranks, space, memory});
  return all;
}

std::string_view name_of(Memory memory) {
  if (memory == Memory::arena) return "InTheArena";
  return memory == Memory::elsewhere ? "OutsideOfTheArena" : "Staged";
}

std::string name_of_setting(const testing::TestParamInfo<Setting>& instance) {
  return std::to_string(instance.param.nranks) + "Ranks" +
         (instance.param.address_space == AddressSpace::shared ? "OneAddressSpace"
                                                               : "OwnAddressSpaces") +
         std::string(name_of(instance.param.memory));
}

INSTANTIATE_TEST_SUITE_P(Host, Collectives, testing::ValuesIn(settings()), name_of_setting);

TEST(Transport, SaysWhenBuffersHadToBeStaged) {
  run_ranks({.nranks = 2, .address_space = AddressSpace::separate}, [](Rank rank) {
    const Buffer reachable = rank.comm.allocate(4096, MemoryKind::host);
    std::vector<std::byte> unreachable(4096);

    rank.comm.all_reduce({reachable.view(), reachable.view(), 1024}, {}, rank.stream);
    const std::string before = rank.comm.inspector().transport();
    rank.comm.all_reduce({unreachable, unreachable, 1024}, {}, rank.stream);

    EXPECT_EQ(before, "shared memory");
    EXPECT_EQ(rank.comm.inspector().transport(), "shared memory, staged");
  });
}

TEST(Transport, SaysWhenPeersReachedPrivateBuffers) {
  SKIP_UNLESS_ATTACHING();
  run_ranks({.nranks = 2, .address_space = AddressSpace::separate}, [](Rank rank) {
    std::vector<std::byte> large(std::size_t{1} << 20);

    rank.comm.all_reduce({large, large, large.size() / 4}, {}, rank.stream);

    EXPECT_EQ(rank.comm.inspector().transport(), "shared memory, cross-memory attach");
  });
}

TEST(Transport, StagesMoreWhereRanksShareCores) {
  SKIP_UNLESS_ATTACHING();
  for (const int cores : {1, 2}) {
    const Ranks ranks{
        .nranks = 2, .address_space = AddressSpace::separate, .options = {.cores = cores}};
    run_ranks(ranks, [cores](Rank rank) {
      std::vector<std::byte> bytes(std::size_t{64} << 10);

      rank.comm.all_reduce({bytes, bytes, bytes.size() / 4}, {}, rank.stream);

      EXPECT_EQ(rank.comm.inspector().transport(),
                cores == 1 ? "shared memory, staged" : "shared memory, cross-memory attach");
    });
  }
}

// Some ranks in place, others not: each swaps halves with those that are, and fetches from the
// others.
TEST(AllToAll, OnPrivateMemoryMayBeInPlaceOnSomeRanks) {
  for (const std::size_t attach_bytes : {std::size_t{1}, HostOptions::kNever}) {
    const Ranks ranks{.nranks = 3,
                      .address_space = AddressSpace::separate,
                      .options = {.attach_bytes = attach_bytes}};
    run_ranks(ranks, [](Rank rank) {
      constexpr std::size_t kCount = 30'000;
      const int own = rank.comm.rank();
      std::vector<std::int32_t> send(3 * kCount);
      std::vector<std::int32_t> recv(3 * kCount);
      for (std::size_t i = 0; i < send.size(); ++i)
        send[i] = 10 * own + static_cast<std::int32_t>(i / kCount);
      auto& result = own == 1 ? send : recv;

      rank.comm.all_to_all({std::as_bytes(std::span(send)),
                            std::as_writable_bytes(std::span(result)), kCount, DataType::int32},
                           rank.stream);

      for (std::size_t i = 0; i < result.size(); ++i)
        ASSERT_EQ(result[i], 10 * static_cast<std::int32_t>(i / kCount) + own) << i;
    });
  }
}

// Fails by an exception or an assertion, or by the time limit when a rank waits without end.
TEST(NoElements, CompleteInEveryCall) {
  run_ranks({.nranks = 3}, [](Rank rank) {
    const std::vector<Range> none(3);
    for (int k = 0; k <= static_cast<int>(OpKind::send_recv); ++k) {
      Op op{.kind = static_cast<OpKind>(k), .send_ranges = none, .recv_ranges = none};
      if (op.kind == OpKind::send_recv) {
        op.peer = (rank.comm.rank() + 1) % 3;
        op.source = (rank.comm.rank() + 2) % 3;
      }
      if (op.kind == OpKind::recv) op.peer = (rank.comm.rank() + 2) % 3;
      if (op.kind == OpKind::send) op.peer = (rank.comm.rank() + 1) % 3;
      rank.comm.enqueue(op, rank.stream);
    }
  });
}

// What it receives is undefined. Fails by the time limit when ranks wait for each other, and by the
// report of a sanitizer when they race.
TEST(InPlaceWithoutAForm, IsFreeOfRacesAndHangs) {
  run_ranks({.nranks = 3}, [](Rank rank) {
    constexpr std::size_t kCount = 5000;
    const Buffer buffer = rank.comm.allocate(3 * kCount, MemoryKind::host);
    const std::vector<Range> ranges{{0, kCount}, {kCount, kCount}, {2 * kCount, kCount}};
    const int n = rank.comm.nranks();
    const Buffers whole{buffer.view(), buffer.view(), 3 * kCount, DataType::int8};

    for (int i = 0; i < 20; ++i) {
      rank.comm.send_recv(whole, (rank.comm.rank() + 1) % n, (rank.comm.rank() + n - 1) % n,
                          rank.stream);
      rank.comm.all_to_all_v(whole, ranges, ranges, rank.stream);
    }
  });
}

TEST(MixedCalls, KeepTheirOrderWhenRanksRunAhead) {
  run_ranks({.nranks = 4}, [](Rank rank) {
    const Buffer buffer = rank.comm.allocate(8192, MemoryKind::host);
    auto* const values = reinterpret_cast<std::int32_t*>(buffer.data());
    for (std::int32_t i = 0; i < 2000; ++i) {
      const int root = i % 4;
      const std::size_t count = i % 3 == 0 ? 2048 : 4;  // direct and eager in turn
      values[0] = rank.comm.rank() == root ? i : -1;
      rank.comm.broadcast({buffer.view(), buffer.view(), count, DataType::int32}, root,
                          rank.stream);
      ASSERT_EQ(values[0], i);
      values[0] = 1;
      rank.comm.reduce({buffer.view(), buffer.view(), count, DataType::int32}, {}, root,
                       rank.stream);
      ASSERT_EQ(values[0], rank.comm.rank() == root ? 4 : 1);
    }
  });
}

TEST(MoreRanksThanCores, FinishManySmallCallsSoon) {
  run_ranks({.nranks = 16}, [](Rank rank) {
    for (std::size_t bytes = 8; bytes <= 64 << 10; bytes *= 8) {
      const Buffer buffer = rank.comm.allocate(bytes, MemoryKind::host);
      const std::span values(reinterpret_cast<float*>(buffer.data()), bytes / 4);
      std::ranges::fill(values, 1.0F);
      for (int i = 0; i < 20; ++i)
        rank.comm.all_reduce({buffer.view(), buffer.view(), values.size()}, {}, rank.stream);
      ASSERT_EQ(values.back(), 0x1p80F);  // 16 ranks to the power of 20 calls
    }
  });
}

TEST(SixtyFourRanks, AgreeOnASum) {
  run_ranks({.nranks = 64}, [](Rank rank) {
    std::vector<std::int32_t> values(1000, rank.comm.rank());
    const auto bytes = std::as_writable_bytes(std::span(values));

    rank.comm.all_reduce({bytes, bytes, values.size(), DataType::int32}, {}, rank.stream);

    EXPECT_EQ(values, std::vector<std::int32_t>(1000, 64 * 63 / 2));
  });
}

// The root is ahead of a reader by as many calls as there are cells, and no more.
TEST(RootsThatNobodyAnswers, DoNotOverwriteWhatIsStillRead) {
  constexpr int kCalls = 300;
  run_ranks({.nranks = 3}, [](Rank rank) {
    for (int call = 0; call < kCalls; ++call) {
      int value = rank.comm.rank() == 0 ? call : -1;
      const auto bytes = std::as_writable_bytes(std::span(&value, 1));
      if (rank.comm.rank() == 2 && call % 10 == 0) sched_yield();
      rank.comm.broadcast({bytes, bytes, 1, DataType::int32}, 0, rank.stream);
      ASSERT_EQ(value, call);
    }
  });
}

}  // namespace
}  // namespace linerate::host
