// Tests of point_to_point.h: order, sizes, and partners that are oneself.
#include "backends/host/control.h"
#include "base/error.h"
#include "processes.h"
#include "ranks.h"

#include <gtest/gtest.h>

#include <atomic>
#include <cstdint>
#include <numeric>
#include <vector>

namespace linerate::host {
namespace {

constexpr std::size_t kLarge = kEagerBytes * 4;

Buffers sent(std::span<const std::byte> bytes) {
  return {.send = bytes, .recv = {}, .count = bytes.size(), .type = DataType::uint8};
}

Buffers received(std::span<std::byte> bytes) {
  return {.send = {}, .recv = bytes, .count = bytes.size(), .type = DataType::uint8};
}

class Messages : public testing::TestWithParam<AddressSpace> {
 protected:
  static Ranks ranks(int nranks) { return {.nranks = nranks, .address_space = GetParam()}; }
};

TEST_P(Messages, KeepTheirOrderWhenSmallAndLargeOnesMix) {
  run_ranks(ranks(2), [](Rank rank) {
    std::vector<std::byte> bytes(kLarge);
    for (int i = 0; i < 500; ++i) {
      const std::span message(bytes.data(), i % 3 == 0 ? kLarge : 16);
      if (rank.comm.rank() == 0) {
        std::ranges::fill(message, static_cast<std::byte>(i));
        rank.comm.send(sent(message), 1, rank.stream);
      } else {
        rank.comm.recv(received(message), 0, rank.stream);
        ASSERT_EQ(message.back(), static_cast<std::byte>(i));
      }
    }
  });
}

TEST_P(Messages, ReachTheSenderItself) {
  run_ranks(ranks(2), [](Rank rank) {
    for (const std::size_t size : {std::size_t{0}, std::size_t{5}, kLarge}) {
      const std::vector<std::byte> out(size, std::byte{7});
      std::vector<std::byte> in(size);

      rank.comm.send_recv({out, in, size, DataType::uint8}, rank.comm.rank(), rank.comm.rank(),
                          rank.stream);

      EXPECT_EQ(in, out);
    }
  });
}

TEST_P(Messages, OfOnePairDoNotWaitForIdleRanks) {
  run_ranks(ranks(4), [](Rank rank) {
    std::vector<std::byte> bytes(kLarge, static_cast<std::byte>(rank.comm.rank()));
    if (rank.comm.rank() == 1) rank.comm.send(sent(bytes), 2, rank.stream);
    if (rank.comm.rank() == 2) rank.comm.recv(received(bytes), 1, rank.stream);
    EXPECT_EQ(bytes.front(), std::byte(rank.comm.rank() == 2 ? 1 : rank.comm.rank()));
    rank.comm.barrier();
  });
}

// Fails by the time limit where the sender waits: nobody receives before it has sent all.
TEST_P(Messages, AreLeftBehindWhereRanksShareCores) {
  Ranks ranks = Messages::ranks(2);
  ranks.options.cores = 1;
  run_ranks(ranks, [](Rank rank) {
    const std::size_t most = GetParam() == AddressSpace::shared ? 8192 : kOutboxBytes;
    for (const std::size_t size : {kInlineBytes + 1, most}) {
      std::vector<std::byte> bytes(size);
      if (rank.comm.rank() == 1) rank.comm.barrier();
      for (unsigned i = 1; i <= kMessages; ++i) {
        if (rank.comm.rank() == 0) {
          std::ranges::fill(bytes, static_cast<std::byte>(i));
          rank.comm.send(sent(bytes), 1, rank.stream);
        } else {
          rank.comm.recv(received(bytes), 0, rank.stream);
          EXPECT_EQ(std::ranges::count(bytes, static_cast<std::byte>(i)), std::ssize(bytes));
        }
      }
      if (rank.comm.rank() == 0) rank.comm.barrier();
    }
  });
}

TEST_P(Messages, StayWhatTheyWereUntilTheirReceiverHasThem) {
  Ranks ranks = Messages::ranks(3);
  ranks.options.cores = 1;
  run_ranks(ranks, [](Rank rank) {
    const int own = rank.comm.rank();
    std::vector<std::byte> bytes(4096);
    for (int i = 0; i < 200; ++i) {
      const int dest = 1 + i / 3 % 2;
      std::ranges::fill(bytes, static_cast<std::byte>(i));
      if (own == 0) rank.comm.send(sent(bytes), dest, rank.stream);
      if (own != dest) continue;
      std::ranges::fill(bytes, std::byte{255});
      rank.comm.recv(received(bytes), 0, rank.stream);
      ASSERT_EQ(std::ranges::count(bytes, static_cast<std::byte>(i)), std::ssize(bytes));
    }
  });
}

TEST_P(Messages, OfUnequalSizeAreRefused) {
  std::string sentence;
  try {
    run_ranks(ranks(2), [](Rank rank) {
      std::vector<std::byte> bytes(100);
      if (rank.comm.rank() == 0)
        rank.comm.send(sent(bytes), 1, rank.stream);
      else
        rank.comm.recv(received(std::span(bytes).first(99)), 0, rank.stream);
    });
  } catch (const Error& error) {
    sentence = error.what();
  }

  EXPECT_EQ(sentence, "Rank 0 sends 100 bytes to rank 1, which expects 99.");
}

TEST_P(Messages, OfUnequalSizeFailForASenderThatWaitsToo) {
  std::atomic<int> nfailures{0};

  run_ranks(ranks(2), [&](Rank rank) {
    std::vector<std::byte> bytes(kLarge);
    try {
      if (rank.comm.rank() == 0)
        rank.comm.send(sent(bytes), 1, rank.stream);
      else
        rank.comm.recv(received(std::span(bytes).first(kLarge - 1)), 0, rank.stream);
    } catch (const Error&) {
      ++nfailures;
    }
  });

  EXPECT_EQ(nfailures, 2);
}

INSTANTIATE_TEST_SUITE_P(Host, Messages,
                         testing::Values(AddressSpace::shared, AddressSpace::separate),
                         [](const auto& instance) {
                           return instance.param == AddressSpace::shared ? "OneAddressSpace"
                                                                         : "OwnAddressSpaces";
                         });

// A sender that waited for a copy which has failed would wait for ever.
TEST(MessageThatCannotBeRead, EndsBothSides) {
  SKIP_UNLESS_ATTACHING();
  const Ranks ranks{
      .nranks = 2, .address_space = AddressSpace::separate, .options = {.attach_bytes = 1}};
  EXPECT_THROW(run_ranks(ranks,
                         [](Rank rank) {
                           std::vector<std::byte> memory(8192);
                           // Not mapped in any process: the first page.
                           std::byte* const nowhere = reinterpret_cast<std::byte*>(64);
                           const View out{nowhere, memory.size()};
                           if (rank.comm.rank() == 0)
                             rank.comm.send({out, {}, 8192, DataType::uint8}, 1, rank.stream);
                           else
                             rank.comm.recv({{}, memory, 8192, DataType::uint8}, 0, rank.stream);
                         }),
               Error);
}

}  // namespace
}  // namespace linerate::host
