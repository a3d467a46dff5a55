// Members that meet over TCP on loopback: collectives, splits, deaths, deadlines and strangers.
#include "launch/tree/tcp_bootstrap.h"

#include "base/error.h"
#include "base/wire.h"
#include "launch/connect.h"
#include "launch/net/frame.h"
#include "support/bytes.h"
#include "unit/launch/deadlines.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fcntl.h>

#include <atomic>
#include <barrier>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

namespace linerate {
namespace {

using ::testing::HasSubstr;

// Processes played by threads: each connects like a process of its own.
class Job {
 public:
  explicit Job(int nranks, std::string token = "") : nranks_(nranks), token_(std::move(token)) {
    const auto listener = Listener::open({"127.0.0.1", 0});
    address_ = listener.address();
    listener_fd_ = ::fcntl(listener.fd(), F_DUPFD_CLOEXEC, 0);  // rank 0 takes it over
  }

  Identity identity(int rank) const {
    return {.launcher = Launcher::env,
            .rank = rank,
            .nranks = nranks_,
            .master_host = address_.host,
            .master_port = address_.port,
            .token = token_,
            .listener_fd = rank == 0 ? listener_fd_ : -1};
  }

  void run(const std::function<void(Bootstrap&)>& body) const {
    run_raw([&](int rank) {
      const auto member = connect_processes(identity(rank), later());
      body(*member);
    });
  }
  void run_raw(const std::function<void(int rank)>& body) const {
    std::vector<std::thread> threads;
    for (int rank = 0; rank < nranks_; ++rank) threads.emplace_back([&, rank] { body(rank); });
    for (auto& thread : threads) thread.join();
  }

 private:
  int nranks_;
  std::string token_;
  SocketAddress address_;
  int listener_fd_ = -1;
};

// What each rank threw; empty: nothing.
class Complaints {
 public:
  explicit Complaints(int nranks) : sentences_(static_cast<std::size_t>(nranks)) {}

  void of(int rank, const std::function<void()>& call) {
    std::string sentence;
    try {
      call();
    } catch (const Error& error) {
      sentence = error.what();
    }
    const std::lock_guard lock(mutex_);
    sentences_[static_cast<std::size_t>(rank)] = sentence;
  }
  const std::string& operator[](int rank) const {
    return sentences_[static_cast<std::size_t>(rank)];
  }

 private:
  std::mutex mutex_;
  std::vector<std::string> sentences_;
};

class TcpJob : public ::testing::TestWithParam<int> {
 protected:
  int nranks() const { return GetParam(); }
  void run(const std::function<void(Bootstrap&)>& body) const { Job(nranks(), "secret").run(body); }
};

INSTANTIATE_TEST_SUITE_P(Sizes, TcpJob, ::testing::Values(2, 3, 4, 7, 8, 13));

TEST_P(TcpJob, PlacesAllMembersOnThisHost) {
  run([&](Bootstrap& member) {
    EXPECT_EQ(member.nranks(), nranks());
    EXPECT_EQ(member.place().nnodes, 1);
    EXPECT_EQ(member.place().local_rank, member.rank());
    EXPECT_EQ(member.place().local_nranks, nranks());
    EXPECT_EQ(member.place().identity, this_host().identity);
  });
}

TEST_P(TcpJob, GathersInRankOrderWithLengthsThatDiffer) {
  run([&](Bootstrap& member) {
    const auto text = [](int rank) {
      return std::string(static_cast<std::size_t>(rank * rank), 'x') + std::to_string(rank);
    };

    const auto gathered = member.gather(bytes_of(text(member.rank())), later());
    const auto all = member.all_gather(bytes_of(text(member.rank())), later());

    ASSERT_EQ(all.size(), static_cast<std::size_t>(nranks()));
    for (int r = 0; r < nranks(); ++r)
      EXPECT_EQ(text_of(all[static_cast<std::size_t>(r)]), text(r));
    EXPECT_EQ(gathered, member.rank() == 0 ? all : std::vector<Bytes>{});
  });
}

TEST_P(TcpJob, BroadcastsFromEveryRoot) {
  run([&](Bootstrap& member) {
    for (int root = 0; root < nranks(); ++root) {
      const auto mine = bytes_of("from " + std::to_string(member.rank()));
      EXPECT_EQ(text_of(member.broadcast(mine, root, later())), "from " + std::to_string(root));
    }
  });
}

TEST_P(TcpJob, HoldsEverybodyAtABarrier) {
  std::atomic<int> arrived = 0;

  run([&](Bootstrap& member) {
    for (int round = 1; round <= 30; ++round) {
      ++arrived;
      member.barrier(later());
      EXPECT_GE(arrived.load(), round * nranks());
    }
  });
}

TEST_P(TcpJob, ExchangesAlongEveryEdgeOfTheTree) {
  run([&](Bootstrap& member) {
    // Small, large, and one of each: the sides must not wait for each other.
    for (const auto& [down, up] : {std::pair{1, 1}, {1 << 20, 1 << 20}, {1, 1 << 20}, {1 << 20, 1}})
      for (int child = 1; child < nranks(); ++child) {
        const bool is_child = member.rank() == child;
        if (!is_child && member.rank() != tree_parent(child)) continue;
        const Bytes mine(static_cast<std::size_t>(is_child ? up : down), std::byte{1});
        const auto theirs = member.exchange(is_child ? tree_parent(child) : child, mine, later());
        EXPECT_EQ(theirs.size(), static_cast<std::size_t>(is_child ? down : up));
      }
  });
}

TEST_P(TcpJob, MovesLargeMessages) {
  run([&](Bootstrap& member) {
    Bytes mine(700'001, static_cast<std::byte>(member.rank()));

    const auto all = member.all_gather(mine, later());

    for (int r = 0; r < nranks(); ++r) {
      const auto& theirs = all[static_cast<std::size_t>(r)];
      ASSERT_EQ(theirs.size(), mine.size());
      EXPECT_EQ(theirs.front(), static_cast<std::byte>(r));
      EXPECT_EQ(theirs.back(), static_cast<std::byte>(r));
    }
  });
}

TEST_P(TcpJob, SplitsIntoGroupsOrderedByKey) {
  run([&](Bootstrap& member) {
    const int color = member.rank() % 3 == 2 ? -1 : member.rank() % 3;
    std::vector<int> expected;
    for (int r = nranks() - 1; r >= 0; --r)
      if (r % 3 == color) expected.push_back(r);

    const auto group = member.split(color, -member.rank(), later());

    ASSERT_EQ(group == nullptr, color < 0);
    if (!group) return;
    ASSERT_EQ(group->nranks(), static_cast<int>(expected.size()));
    const auto all = group->all_gather(bytes_of(std::to_string(member.rank())), later());
    for (std::size_t i = 0; i < all.size(); ++i)
      EXPECT_EQ(text_of(all[i]), std::to_string(expected[i]));
    EXPECT_EQ(group->place().local_nranks, group->nranks());
    const auto again = group->split(0, 0, later());
    again->barrier(later());
  });
}

TEST_P(TcpJob, LetsMembersLeaveWhileOthersStillRead) {
  run([&](Bootstrap& member) {
    // The last call moves data towards rank 0 only: the leaves are gone before it arrives.
    const auto all = member.gather(Bytes(100'000, std::byte{7}), later());
    EXPECT_EQ(all.size(), member.rank() == 0 ? static_cast<std::size_t>(nranks()) : 0u);
  });
}

// Connected by hand, so that a socket can be cut as a death cuts it: without a farewell.
class CutLink : public ::testing::Test {
 protected:
  static TreeMember member_at(int rank, int nranks) {
    return {.rank = rank, .nranks = nranks, .name = "rank " + std::to_string(rank), .token = "t"};
  }
  static Frame hello(const std::string& token, int rank) {
    return {FrameType::hello,
            WireWriter().put_text(token).put(rank).put_text("rank 1 by hand").take()};
  }
};

TEST_F(CutLink, IsAFailureThatNamesTheRank) {
  auto listener = Listener::open({"127.0.0.1", 0});
  const auto address = listener.address();
  std::thread child([&] {
    auto socket = connect_to(address, later());
    send_frame(socket, hello("t", 1), later());
    (void)recv_frame(socket, 1024, later());
  });

  try {
    (void)tcp_bootstrap(member_at(0, 2), std::move(listener), std::nullopt, later());
    ADD_FAILURE() << "the death went unnoticed";
  } catch (const PeerFailure& failure) {
    EXPECT_THAT(failure.what(), HasSubstr("rank 1 by hand"));
    EXPECT_EQ(failure.ranks(), std::vector<int>{1});
  }
  child.join();
}

TEST_F(CutLink, IsToldToTheOtherSubtree) {
  auto listener = Listener::open({"127.0.0.1", 0});
  const auto address = listener.address();
  std::thread dying([&] {
    auto socket = connect_to(address, later());
    send_frame(socket, hello("t", 1), later());
    (void)recv_frame(socket, 1024, later());
  });
  std::string told;
  std::thread sibling([&] {
    try {
      (void)tcp_bootstrap(member_at(2, 3), Listener::open({"127.0.0.1", 0}), address, later());
    } catch (const PeerFailure& failure) {
      told = failure.what();
    }
  });

  EXPECT_THROW((void)tcp_bootstrap(member_at(0, 3), std::move(listener), std::nullopt, later()),
               PeerFailure);
  dying.join();
  sibling.join();

  EXPECT_THAT(told, HasSubstr("rank 1 by hand"));
}

TEST_F(CutLink, RefusesStrangersAndWaitsForTheRightOne) {
  auto listener = Listener::open({"127.0.0.1", 0});
  const auto address = listener.address();
  auto silent = connect_to(address, later());
  auto garbage = connect_to(address, later());
  garbage.send_all(bytes_of("GET / HTTP/1.1"), later());
  auto impostor = connect_to(address, later());
  send_frame(impostor, hello("wrong", 1), later());
  auto unexpected = connect_to(address, later());
  send_frame(unexpected, hello("t", 5), later());
  std::thread child([&] {
    const auto member =
        tcp_bootstrap(member_at(1, 2), Listener::open({"127.0.0.1", 0}), address, later());
    member->barrier(later());
  });

  const auto root = tcp_bootstrap(member_at(0, 2), std::move(listener), std::nullopt, later());
  root->barrier(later());
  child.join();

  EXPECT_EQ(recv_frame(impostor, 1024, later()).type, FrameType::refused);
  EXPECT_EQ(recv_frame(unexpected, 1024, later()).type, FrameType::refused);
}

TEST_F(CutLink, SaysAtTheDeadlineWhoHasNotConnected) {
  std::string sentence;
  try {
    (void)tcp_bootstrap(member_at(0, 3), Listener::open({"127.0.0.1", 0}), std::nullopt, soon());
  } catch (const TimeoutError& error) {
    sentence = error.what();
  }

  EXPECT_THAT(sentence, HasSubstr("rank 1 and rank 2 to connect to rank 0"));
}

class Faults : public ::testing::TestWithParam<int> {};

INSTANTIATE_TEST_SUITE_P(AnyRank, Faults, ::testing::Range(0, 7));

TEST_P(Faults, NameTheMemberThatLeftInsteadOfArriving) {
  constexpr int kRanks = 7;
  const int missing = GetParam();
  Complaints complaints(kRanks);
  std::barrier connected(kRanks);  // nobody leaves while others still connect

  Job(kRanks).run([&](Bootstrap& member) {
    connected.arrive_and_wait();
    if (member.rank() == missing) return;
    complaints.of(member.rank(), [&] { member.barrier(later()); });
  });

  for (int rank = 0; rank < kRanks; ++rank) {
    if (rank == missing) continue;
    EXPECT_THAT(complaints[rank], HasSubstr("rank " + std::to_string(missing) + " ("));
  }
}

TEST_P(Faults, NameTheMemberThatIsLateAtTheDeadline) {
  constexpr int kRanks = 7;
  const int missing = GetParam();
  Complaints complaints(kRanks);
  std::atomic<int> gave_up = 0;

  Job(kRanks).run([&](Bootstrap& member) {
    if (member.rank() == missing) {
      while (gave_up < kRanks - 1) std::this_thread::yield();
      return;
    }
    complaints.of(member.rank(), [&] { member.barrier(soon()); });
    ++gave_up;
  });

  for (int rank = 0; rank < kRanks; ++rank) {
    if (rank == missing) continue;
    EXPECT_THAT(complaints[rank], HasSubstr("timed out in barrier"));
    EXPECT_THAT(complaints[rank], HasSubstr("rank " + std::to_string(missing) + " ("));
  }
}

TEST(Failures, AreThrownAgainByEveryLaterCall) {
  std::barrier connected(2);

  Job(2).run([&](Bootstrap& member) {
    connected.arrive_and_wait();
    if (member.rank() == 1) return;
    EXPECT_THROW(member.barrier(later()), PeerFailure);
    EXPECT_THROW(member.barrier(later()), PeerFailure);
    EXPECT_THROW((void)member.all_gather({}, later()), PeerFailure);
  });
}

TEST(Rendezvous, RefusesTwoProcessesOfOneRank) {
  const Job job(3);
  Complaints complaints(3);

  job.run_raw([&](int rank) {
    // Rank 2 believes to be rank 1 as well; the deadline ends those who wait for it.
    const auto mine = job.identity(rank == 2 ? 1 : rank);
    complaints.of(rank, [&] { (void)connect_processes(mine, Deadline::after(kClock, 0.5)); });
  });

  const auto both = complaints[1] + complaints[2];
  EXPECT_THAT(both, HasSubstr("two processes were told to be rank 1"));
}

TEST(Rendezvous, RefusesProcessesThatCountDifferently) {
  const Job job(2);
  Complaints complaints(2);

  job.run_raw([&](int rank) {
    auto mine = job.identity(rank);
    mine.nranks += rank;
    complaints.of(rank, [&] { (void)connect_processes(mine, Deadline::after(kClock, 0.5)); });
  });

  EXPECT_THAT(complaints[0] + complaints[1], HasSubstr("others were told another number"));
}

TEST(Rendezvous, RefusesARankOfAnotherRunAtItsPort) {
  const Job job(2, "slurm-4711-31");
  Complaints complaints(2);

  job.run_raw([&](int rank) {
    auto mine = job.identity(rank);
    if (rank == 1) mine.token = "slurm-4718-0";
    complaints.of(rank, [&] { (void)connect_processes(mine, Deadline::after(kClock, 0.5)); });
  });

  EXPECT_THAT(complaints[1], HasSubstr("another run uses this port"));
  EXPECT_THAT(complaints[1], HasSubstr("LINERATE_TOKEN"));
  EXPECT_THAT(complaints[0], HasSubstr("rank 1 of 2 did not come"));
}

TEST(Rendezvous, SaysWhichRanksHaveNotCome) {
  const Job job(4);
  Complaints complaints(4);

  job.run_raw([&](int rank) {
    if (rank >= 2) return;
    auto mine = job.identity(rank);
    mine.ranks_per_process = 2;
    complaints.of(rank, [&] { (void)connect_processes(mine, Deadline::after(kClock, 0.3)); });
  });

  EXPECT_THAT(complaints[0], HasSubstr("ranks 4-5, ranks 6-7 of 8 did not come to the store at"));
  EXPECT_THAT(complaints[0], HasSubstr("which only this host can reach"));
}

}  // namespace
}  // namespace linerate
