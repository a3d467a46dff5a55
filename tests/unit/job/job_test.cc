// Jobs of threads on host memory: the way in and the way out.
#include "job/job.h"

#include "base/error.h"
#include "launch/net/socket.h"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstring>
#include <fstream>
#include <functional>
#include <iterator>
#include <string>
#include <thread>
#include <utility>

namespace linerate {
namespace {

JobConfig host_ranks(int nthreads) {
  JobConfig config;
  config.nthreads = nthreads;
  config.backend = "host";
  return config;
}

ExitCode run(const JobConfig& config, const RankBody& body) {
  const Environment environment;
  return run_job({.config = config, .environment = environment}, body);
}

struct Said {
  ExitCode code;
  std::string sentences;
};

Said run_and_listen(const JobConfig& config, const RankBody& body) {
  testing::internal::CaptureStderr();
  const auto code = run(config, body);
  return {code, testing::internal::GetCapturedStderr()};
}

TEST(RunJob, GivesEachRankItsPlaceInTheWorld) {
  std::atomic<int> sum = 0;

  const auto code = run(host_ranks(3), [&](RankContext& rank) {
    EXPECT_EQ(rank.nranks(), 3);
    EXPECT_EQ(rank.world().rank(), rank.rank());
    EXPECT_EQ(rank.infos().size(), 3u);
    sum += rank.rank();
    return ExitCode::ok;
  });

  EXPECT_EQ(code, ExitCode::ok);
  EXPECT_EQ(sum, 0 + 1 + 2);
}

TEST(RunJob, MovesDataBetweenBuffersOfTheContext) {
  const auto code = run(host_ranks(4), [](RankContext& rank) {
    const auto send = rank.allocate(sizeof(std::int32_t));
    const auto recv = rank.allocate(sizeof(std::int32_t));
    const std::int32_t mine = rank.rank() + 1;
    std::memcpy(send.data(), &mine, sizeof mine);

    rank.world().all_reduce({.send = send, .recv = recv, .count = 1, .type = DataType::int32}, {},
                            rank.stream());

    std::int32_t sum = 0;
    std::memcpy(&sum, recv.data(), sizeof sum);
    EXPECT_EQ(sum, 1 + 2 + 3 + 4);
    return ExitCode::ok;
  });

  EXPECT_EQ(code, ExitCode::ok);
}

TEST(RunJob, EndsWithTheCodeOfRankZero) {
  const auto code = run(host_ranks(3), [](RankContext& rank) {
    return rank.is_first() ? ExitCode::finding : ExitCode::failed;
  });

  EXPECT_EQ(code, ExitCode::finding);
}

TEST(RunJob, EndsAllRanksWhereOneThrowsAndSaysWhyOnce) {
  const auto [code, sentences] = run_and_listen(host_ranks(3), [](RankContext& rank) {
    if (rank.rank() == 1) throw Unavailable("There is no such thing here.");
    rank.world().barrier();  // for ever, but for the failure
    return ExitCode::ok;
  });

  EXPECT_EQ(code, ExitCode::unavailable);
  EXPECT_EQ(sentences.find("There is no such thing here."),
            sentences.rfind("There is no such thing here."));
  EXPECT_NE(sentences.find("There is no such thing here."), std::string::npos) << sentences;
}

// A rank whose communicator was aborted fails before the process that is the cause has said why.
TEST(RunJob, NamesTheCauseThoughItsEchoIsHeardFirst) {
  auto processes = host_ranks(1);
  processes.nprocs = 2;
  const auto said = run_and_listen(processes, [](RankContext& rank) -> ExitCode {
    if (rank.is_first()) throw Aborted("an echo");
    std::this_thread::sleep_for(std::chrono::milliseconds(200));
    throw Error("the cause");
  });

  EXPECT_NE(said.sentences.find("the cause"), std::string::npos) << said.sentences;
  EXPECT_EQ(said.sentences.find("an echo"), std::string::npos) << said.sentences;
}

TEST(RunJob, SplitsIntoGroupsThatInfosName) {
  const auto code = run(host_ranks(4), [](RankContext& rank) {
    rank.split([](int global) { return global % 2; });

    EXPECT_EQ(rank.ngroups(), 2);
    EXPECT_EQ(rank.ranks().front().comm().nranks(), 2);
    EXPECT_EQ(rank.infos()[3].group, 1);
    return ExitCode::ok;
  });

  EXPECT_EQ(code, ExitCode::ok);
}

// Runs `process` for each of two processes of a job, which are threads here.
void as_two_processes(const std::function<void(int rank, const Environment&)>& process) {
  const auto port = std::to_string(Listener::open({"127.0.0.1", 0}).address().port);
  const auto run_process = [&](int rank) {
    process(rank, Environment({{"RANK", std::to_string(rank)},
                               {"WORLD_SIZE", "2"},
                               {"MASTER_ADDR", "127.0.0.1"},
                               {"MASTER_PORT", port}}));
  };
  std::thread other(run_process, 1);
  run_process(0);
  other.join();
}

TEST(RunJob, RefusesProcessesWithDifferentNumbersOfThreads) {
  ExitCode codes[2] = {};
  testing::internal::CaptureStderr();

  as_two_processes([&](int rank, const Environment& environment) {
    const auto config = host_ranks(1 + rank);
    codes[rank] = run_job({.config = config, .environment = environment},
                          [](RankContext&) { return ExitCode::ok; });
  });

  const auto sentences = testing::internal::GetCapturedStderr();
  EXPECT_EQ(codes[0], ExitCode::usage);
  EXPECT_EQ(codes[1], ExitCode::usage);
  EXPECT_NE(sentences.find("nthreads is 1 in process 0 and 2 in process 1"), std::string::npos)
      << sentences;
}

TEST(Job, ObservesWhereProcessZeroDoes) {
  bool observed[2] = {};

  as_two_processes([&](int rank, const Environment& environment) {
    const auto config = host_ranks(1);
    const JobSetup setup{.config = config, .environment = environment, .observes = rank == 0};
    const Job job(setup, *identify(config, environment));
    observed[rank] = job.observes();
  });

  EXPECT_TRUE(observed[0]);
  EXPECT_TRUE(observed[1]);
}

TEST(RunJob, HearsOfAnInterruptionOnAnyThread) {
  const auto config = host_ranks(2);
  const Environment environment;
  std::atomic<bool> interrupted = false;  // before, the start itself would end
  const JobSetup setup{.config = config, .environment = environment, .interrupted = [&] {
                         return interrupted.load();
                       }};

  const auto code = run_job(setup, [&](RankContext& rank) {
    rank.world().barrier();  // all have started
    interrupted = true;
    EXPECT_TRUE(rank.any_interrupted());
    return ExitCode::interrupted;
  });

  EXPECT_EQ(code, ExitCode::interrupted);
}

TEST(RunJob, RefusesABackendThatDoesNotExist) {
  auto config = host_ranks(1);
  config.backend = "hots";

  const auto [code, sentences] = run_and_listen(config, [](RankContext&) { return ExitCode::ok; });

  EXPECT_EQ(code, ExitCode::usage);
  EXPECT_NE(sentences.find("Did you mean 'host'"), std::string::npos) << sentences;
}

TEST(RunJob, RefusesSeveralRanksOfAnMpiProcessBeforeMpiStarts) {
  auto config = host_ranks(2);
  config.backend = "mpi";

  const auto [code, sentences] = run_and_listen(config, [](RankContext&) { return ExitCode::ok; });

  EXPECT_EQ(code, ExitCode::usage);
  EXPECT_NE(sentences.find("has one rank per process"), std::string::npos) << sentences;
}

std::string text_of(const std::string& path) {
  std::ifstream file(LINERATE_SOURCE_DIR "/" + path);
  return {std::istreambuf_iterator<char>(file), {}};
}

TEST(StartAJob, ShowsTheExampleAsItIs) {
  const auto page = text_of("docs/start-a-job.md"), example = text_of("tests/examples/token.cc");

  ASSERT_FALSE(example.empty());
  EXPECT_NE(page.find("```cpp\n" + example + "```"), std::string::npos);
}

}  // namespace
}  // namespace linerate
