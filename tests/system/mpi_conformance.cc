// The mpi backend and its bootstrap, over a real mpirun: every call against the naive expectation.
#include "backends/mpi/library.h"
#include "backends/mpi/mpi_backend.h"
#include "base/error.h"
#include "conformance/stream_cases.h"
#include "support/naive.h"
#include "system/mpi_world.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <optional>
#include <stop_token>
#include <string>
#include <thread>
#include <vector>

namespace linerate::mpi {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

constexpr double kPatienceS = 60;

class OverMpi : public ::testing::Test {
 public:
  static inline MpiSession* session = nullptr;  // main()'s

 protected:
  Bootstrap& job() { return session->bootstrap(); }
  Deadline soon() const { return Deadline::after(clock_, kPatienceS); }

  // A communicator over `members`, and what it stands on.
  struct Endpoint {
    std::unique_ptr<Backend> backend;
    std::unique_ptr<Device> device;
    std::unique_ptr<Stream> stream;
    std::unique_ptr<Communicator> comm;
  };
  Endpoint connect(Bootstrap& members, std::size_t limit = INT_MAX) {
    Endpoint e;
    e.backend = make_mpi_backend(clock_, limit);
    e.device = e.backend->open_device(members.place().local_rank);
    e.stream = e.device->stream();
    Device* const local[] = {e.device.get()};
    e.comm = std::move(e.backend->connect(members, local, {.deadline = soon()}).front());
    return e;
  }

  // Bytes that tell ranks and positions apart.
  Bytes bytes_of_rank(int rank, std::size_t count) {
    Bytes bytes(count);
    for (std::size_t i = 0; i < count; ++i)
      bytes[i] = static_cast<std::byte>(static_cast<std::size_t>(rank) * 31 + i * 7);
    return bytes;
  }

  SteadyClock clock_;
};

class MpiCalls : public OverMpi, public ::testing::WithParamInterface<std::size_t> {};
// The second limit sends every call through the paths of counts above MPI's int.
INSTANTIATE_TEST_SUITE_P(WithCountsUpTo, MpiCalls, ::testing::Values(std::size_t{INT_MAX}, 5));

TEST_P(MpiCalls, GiveTheRightBytesInEveryKindTypeAndOperator) {
  auto e = connect(job(), GetParam());
  std::size_t ntrials = 0;
  const std::size_t large = GetParam() < INT_MAX ? 23 : 3000;

  for (const std::size_t count : {std::size_t{1}, std::size_t{5}, large})
    ntrials += naive::for_each_trial(job().nranks(), count, [&](const naive::Trial& trial) {
      // Ragged offsets have no common unit: beyond the limit that is refused, and tested below.
      if (trial.kind == OpKind::all_to_all_v && GetParam() < INT_MAX) return;
      const auto wrong = naive::difference(*e.comm, *e.stream, trial);
      EXPECT_FALSE(wrong) << *wrong;
    });

  EXPECT_EQ(ntrials, 3u * 12 * (3 * 6 * 2 + 5 * 2 + 4));
}

TEST_F(OverMpi, AllToAllVBeyondTheLimitGoesInTheLargestCommonUnit) {
  auto e = connect(job(), 50);
  const auto n = static_cast<std::size_t>(job().nranks());
  const std::size_t block = 64;
  std::vector<Range> ranges;
  for (std::size_t r = 0; r < n; ++r) ranges.push_back({r * block, block});
  std::vector<std::int32_t> send(n * block, job().rank());
  std::vector<std::int32_t> recv(n * block, -1);

  e.comm->all_to_all_v({.send = std::as_bytes(std::span(send)),
                        .recv = std::as_writable_bytes(std::span(recv)),
                        .type = DataType::int32},
                       ranges, ranges, *e.stream);

  for (std::size_t i = 0; i < recv.size(); ++i)
    ASSERT_EQ(recv[i], static_cast<std::int32_t>(i / block));
}

TEST_F(OverMpi, AllToAllVBeyondTheLimitWithoutACommonUnitIsRefused) {
  if (job().nranks() == 1) GTEST_SKIP() << "the trial's one rank sends itself nothing";
  auto e = connect(job(), 5);

  EXPECT_THROW(naive::difference(*e.comm, *e.stream, {.kind = OpKind::all_to_all_v, .count = 40}),
               Error);
}

TEST_F(OverMpi, StreamsAndBatchesAndDecoratorsDoAsOnEveryBackend) {
  auto e = connect(job());
  ASSERT_TRUE(e.backend->capabilities().async) << "this MPI gives less than MPI_THREAD_MULTIPLE";

  conformance::expect_communicators_run_at_once(*e.comm);
  conformance::expect_one_order_over_streams(*e.comm);
  conformance::expect_split_of_split_beside_its_parent(*e.comm);
  conformance::expect_batches_without_deadlock(*e.comm, StreamKind::own);
  conformance::expect_batches_without_deadlock(*e.comm, StreamKind::async);
  conformance::expect_events_order_streams(*e.comm);
  conformance::expect_decorators_count_bytes_by_tag(std::move(e.comm));
}

TEST_F(OverMpi, SplitOrdersByKeyAndLeavesOutTheUncoloured) {
  auto e = connect(job());
  const int rank = job().rank();
  const int last = job().nranks() - 1;

  const auto part = e.comm->split(rank == last && last > 0 ? -1 : 0, -rank);

  if (rank == last && last > 0) {
    EXPECT_EQ(part, nullptr);
    return;
  }
  EXPECT_EQ(part->nranks(), std::max(last, 1));
  EXPECT_EQ(part->rank(), part->nranks() - 1 - rank);
  const auto wrong = naive::difference(*part, *e.stream, {.count = 20});
  EXPECT_FALSE(wrong) << *wrong;
}

TEST_F(OverMpi, ConnectsTheMembersOfASplitBootstrap) {
  const int color = job().rank() % 2;
  const auto half = job().split(color, -job().rank(), soon());
  auto e = connect(*half);

  EXPECT_EQ(e.comm->rank(), half->rank());
  EXPECT_EQ(e.comm->nranks(), half->nranks());
  const auto wrong =
      naive::difference(*e.comm, *e.stream, {.kind = OpKind::all_gather, .count = 9});
  EXPECT_FALSE(wrong) << *wrong;
}

TEST_F(OverMpi, TwoRanksInOneProcessAreRefusedWithTheWayOut) {
  auto e = connect(job());
  Device* const local[] = {e.device.get(), e.device.get()};

  try {
    (void)e.backend->connect(job(), local, {.deadline = soon()});
    FAIL() << "not refused";
  } catch (const Unavailable& error) {
    EXPECT_THAT(error.what(), HasSubstr("--backend host or --backend nccl"));
  }
}

TEST_F(OverMpi, AnAbortedCommunicatorMakesNoFurtherCalls) {
  auto e = connect(job());
  std::vector<std::byte> data(4);

  e.comm->abort();

  EXPECT_THROW(e.comm->all_reduce({.send = data, .recv = data, .count = 1}, {}, *e.stream),
               PeerFailure);
  EXPECT_THROW(e.comm->barrier(), Aborted);
}

TEST_F(OverMpi, BarriersEnd) {
  auto e = connect(job());

  e.comm->barrier();
  job().barrier(soon());
}

TEST_F(OverMpi, TheBackendNamesItsLibrary) {
  const auto backend = make_mpi_backend(clock_);

  EXPECT_EQ(backend->version().find('\n'), std::string::npos);
  EXPECT_FALSE(backend->capabilities().abortable);
}

TEST(ShortVersion, KeepsNameAndNumber) {
  EXPECT_EQ(short_version("Open MPI v4.1.4, package: Debian OpenMPI, ident: 4.1.4"),
            "Open MPI 4.1.4");
  EXPECT_EQ(short_version("MPICH Version:      4.0.2\nMPICH Release date: x"), "MPICH 4.0.2");
  EXPECT_EQ(short_version("MPICH Version:\t4.0.2\nMPICH Release date:\tx"), "MPICH 4.0.2");
  EXPECT_EQ(short_version(""), "");
}

TEST_F(OverMpi, ThePlaceCountsTheRanksOfThisHost) {
  const auto& place = job().place();

  EXPECT_EQ(place.local_rank, job().rank());
  EXPECT_EQ(place.local_nranks, job().nranks());
  EXPECT_EQ(place.nnodes, 1);
  EXPECT_EQ(place.identity, this_host().identity);
}

// A second bootstrap whose messages go in pieces of 16 bytes.
class InPieces : public OverMpi {
 protected:
  MpiBootstrap::Job small_{
      .here = {.hostname = "h", .identity = "i"}, .place_within = place_within, .piece_bytes = 16};
  MpiBootstrap bootstrap_{duplicate(MPI_COMM_WORLD), small_, Deadline::after(clock_, kPatienceS)};
};

TEST_F(InPieces, BroadcastYieldsTheRootsBytes) {
  const int root = bootstrap_.nranks() - 1;
  for (const std::size_t bytes : {0u, 1u, 16u, 17u, 1000u}) {
    const auto mine = bytes_of_rank(bootstrap_.rank(), bytes);

    EXPECT_EQ(bootstrap_.broadcast(mine, root, soon()), bytes_of_rank(root, bytes));
  }
}

TEST_F(InPieces, GatheringYieldsBytesOfAnyLength) {
  const auto length = [](int rank) { return static_cast<std::size_t>(rank * rank * 37 % 90); };
  const auto mine = bytes_of_rank(bootstrap_.rank(), length(bootstrap_.rank()));

  const auto all = bootstrap_.all_gather(mine, soon());
  const auto at_rank_0 = bootstrap_.gather(mine, soon());

  ASSERT_EQ(all.size(), static_cast<std::size_t>(bootstrap_.nranks()));
  for (int rank = 0; rank < bootstrap_.nranks(); ++rank)
    EXPECT_EQ(all[static_cast<std::size_t>(rank)], bytes_of_rank(rank, length(rank)));
  EXPECT_EQ(at_rank_0, bootstrap_.rank() == 0 ? all : std::vector<Bytes>{});
}

TEST_F(InPieces, NeighboursExchangeBytesOfDifferentLengths) {
  const int rank = bootstrap_.rank();
  const auto exchanged_with = [&](int peer) {
    const auto mine = bytes_of_rank(rank, static_cast<std::size_t>(rank) * 50);
    EXPECT_EQ(bootstrap_.exchange(peer, mine, soon()),
              bytes_of_rank(peer, static_cast<std::size_t>(peer) * 50));
  };

  for (int child = 1; child < bootstrap_.nranks(); ++child) {
    if (child == rank) exchanged_with(tree_parent(child));
    if (tree_parent(child) == rank) exchanged_with(child);
  }
}

// Keeps all cores busy with threads of this process.
class BusyCores {
 public:
  BusyCores() {
    for (unsigned i = 0; i < std::thread::hardware_concurrency(); ++i)
      threads_.emplace_back([](const std::stop_token& stop) {
        while (!stop.stop_requested()) {
        }
      });
  }

 private:
  std::vector<std::jthread> threads_;
};

// Rank 1 gives up, rank 0 is late, and the others wait as they should, also without a free core.
TEST_F(InPieces, ALateRankMakesTheOthersTimeOutAndIsNamedWithTheCall) {
  if (bootstrap_.nranks() == 1) GTEST_SKIP() << "one rank waits for nobody";
  std::optional<BusyCores> busy;
  if (bootstrap_.rank() == 2) busy.emplace();
  job().barrier(soon());
  if (bootstrap_.rank() == 1) {
    try {
      bootstrap_.barrier(Deadline::after(clock_, 0.2));
      FAIL() << "not timed out";
    } catch (const TimeoutError& error) {
      EXPECT_THAT(error.what(), HasSubstr("others in barrier: rank 0 did not answer"));
    }
    EXPECT_TRUE(small_.timed_out);
    (void)job().exchange(0, {}, soon());
  } else {
    if (bootstrap_.rank() == 0) (void)job().exchange(1, {}, soon());
    bootstrap_.barrier(soon());
  }
  job().barrier(soon());
}

TEST_F(OverMpi, ErrorsCarryTheTextOfMpi) {
  int value = 0;
  try {
    MPI_TRY(MPI_Send(&value, 1, MPI_INT, 1'000'000, 0, MPI_COMM_WORLD));
    FAIL() << "not thrown";
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), StartsWith("MPI: MPI_Send failed: MPI_ERR_RANK"));
  }
}

}  // namespace
}  // namespace linerate::mpi

int main(int argc, char** argv) {
  ::testing::InitGoogleTest(&argc, argv);
  const linerate::SteadyClock clock;
  linerate::mpi::MpiSession session(linerate::input_of_this_process(clock));
  linerate::mpi::OverMpi::session = &session;
  return linerate::run_all_on_ranks(session.bootstrap());
}
