// Tests of host_backend.h: who may connect, and what a communicator hands out.
#include "backends/host/host_backend.h"

#include "base/error.h"
#include "base/wire.h"
#include "ranks.h"
#include "support/bootstrap.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>
#include <fstream>
#include <stdexcept>
#include <string>
#include <vector>

namespace linerate::host {
namespace {

// Two members that run on different hosts, as each of them sees it.
class ElsewhereBootstrap final : public GatheringBootstrap {
 public:
  ElsewhereBootstrap()
      : GatheringBootstrap(0, 2, {.hostname = "node07", .identity = "a", .node = 0, .nnodes = 2}) {}

  std::vector<Bytes> all_gather(std::span<const std::byte> mine, const Deadline&) override {
    return {Bytes(mine.begin(), mine.end()), WireWriter().put(1).put_text("node08").take()};
  }
};

// Rank 0 of two, where rank 1 says of itself that it is another process, and then does nothing.
class HalfBootstrap final : public GatheringBootstrap {
 public:
  HalfBootstrap() : GatheringBootstrap(0, 2, {}) {}

  std::vector<Bytes> all_gather(std::span<const std::byte> mine, const Deadline&) override {
    Bytes other(mine.begin(), mine.end());
    if (ngathered_++ == 0)
      other.front() ^= std::byte{1};  // the mark of its process
    else
      other.clear();
    return {Bytes(mine.begin(), mine.end()), other};
  }

 private:
  int ngathered_ = 0;
};

std::string sentence_of(const std::function<void()>& body) {
  try {
    body();
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

TEST(HostBackend, SaysThatItSpansOneHostAndNamesTwo) {
  const SteadyClock clock;
  const auto backend = make_host_backend(clock);
  const auto device = backend->open_device(0);
  Device* const devices[] = {device.get()};
  ElsewhereBootstrap members;

  EXPECT_THROW((void)backend->connect(members, devices, {}), Unavailable);
  EXPECT_EQ(sentence_of([&] { (void)backend->connect(members, devices, {}); }),
            "The host backend works within one host, but these ranks run on several (node07 and "
            "node08): use --backend gloo, or start them with mpirun and use --backend mpi.");
}

TEST(HostBackend, RefusesAReservationThatIsTooSmallOnEveryRank) {
  const auto sentence = sentence_of(
      [&] { run_ranks({.nranks = 2, .options = {.reserve_bytes = 1 << 20}}, [](Rank) {}); });

  EXPECT_NE(sentence.find("ulimit -v"), std::string::npos) << sentence;
}

TEST(HostBackend, SaysByItsExitCodeThatAProcessDidNotComeInTime) {
  ManualClock clock;
  const auto backend = make_host_backend(clock, {.reserve_bytes = 64 << 20});
  const auto device = backend->open_device(0);
  Device* const devices[] = {device.get()};
  const auto deadline = Deadline::after(clock, 1);
  HalfBootstrap members;
  clock.advance(2'000'000'000);

  try {
    (void)backend->connect(members, devices, {.deadline = deadline});
    ADD_FAILURE() << "connected";
  } catch (const Error& error) {
    EXPECT_EQ(error.exit_code(), ExitCode::lost) << error.what();
  }
}

TEST(HostBackend, ServesSeveralJobsOfOneProcessAtOnce) {
  run_ranks({.nranks = 2}, [](Rank outer) {
    run_ranks({.nranks = 2}, [](Rank inner) { inner.comm.barrier(); });
    outer.comm.barrier();
  });
}

TEST(HostBuffers, OutliveCommunicatorAndBackend) {
  Buffer kept;
  run_ranks({.nranks = 1}, [&](Rank rank) { kept = rank.comm.allocate(5000, MemoryKind::host); });

  std::memset(kept.data(), 3, kept.bytes());

  EXPECT_EQ(kept.view().back(), std::byte{3});
}

TEST(HostBuffers, OfOneJobWorkInAnother) {
  Buffer strange;
  run_ranks({.nranks = 1},
            [&](Rank rank) { strange = rank.comm.allocate(1 << 16, MemoryKind::host); });

  run_ranks({.nranks = 2, .address_space = AddressSpace::separate}, [&](Rank rank) {
    const View half = strange.view(static_cast<std::size_t>(rank.comm.rank()) << 15, 1 << 15);
    std::ranges::fill(half, std::byte{1});
    rank.comm.all_reduce({half, half, half.size(), DataType::uint8}, {}, rank.stream);
    EXPECT_EQ(half.back(), std::byte{2});
  });
}

// Whether the bytes are a memory file's, as the process' map of its memory says.
bool is_in_a_file(const std::byte* address) {
  std::ifstream maps("/proc/self/maps");
  const auto wanted = reinterpret_cast<std::uintptr_t>(address);
  for (std::string line; std::getline(maps, line);) {
    const auto dash = line.find('-');
    const auto begin = std::stoull(line, nullptr, 16);
    const auto end = std::stoull(line.substr(dash + 1), nullptr, 16);
    if (begin <= wanted && wanted < end) return line.find("memfd:linerate") != std::string::npos;
  }
  throw std::runtime_error("not mapped");
}

// Huge pages come to the first by madvise(), to files hardly anywhere.
TEST(HostBuffers, AreInAFileOnlyWhereOtherProcessesNeedIt) {
  for (const auto space : {AddressSpace::shared, AddressSpace::separate})
    run_ranks({.address_space = space}, [&](Rank rank) {
      const Buffer buffer = rank.comm.allocate(100, MemoryKind::host);
      EXPECT_EQ(is_in_a_file(buffer.data()), space == AddressSpace::separate);
    });
}

TEST(HostBuffers, OfNoBytesAreValid) {
  run_ranks({.nranks = 1}, [](Rank rank) {
    const Buffer none = rank.comm.allocate(0, MemoryKind::pinned);

    EXPECT_EQ(none.bytes(), 0u);
    EXPECT_EQ(none.kind(), MemoryKind::pinned);
  });
}

}  // namespace
}  // namespace linerate::host
