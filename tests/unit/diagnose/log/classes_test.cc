// Causes that take more than the words of one line: numbers in it, lines before it, lines below.
#include "diagnose/log/report.h"
#include "unit/diagnose/log/log_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace linerate::logs {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::SizeIs;

std::string barrier(int came, int ranks) {
  return fmt::format(
      "RuntimeError: Timed out in store based barrier on rank: 0, for key: k (world_size={}, "
      "worker_count={}, timeout=0:30:00)\n",
      ranks, came);
}

TEST(LogStore, IsOfAnotherJobTooWhereMoreWorkersCameThanThereAre) {
  EXPECT_EQ(read_log(barrier(16, 8)).findings.at(0).rule, "store-of-another-job");
  for (const int came : {6, 8})
    EXPECT_EQ(read_log(barrier(came, 8)).findings.at(0).rule, "ranks-missing") << came;
}

TEST(LogStore, IsWaitedForInALineThatIsNoError) {
  const auto waits = replaced(barrier(6, 8), "RuntimeError: Timed out", "Waiting");

  EXPECT_THAT(read_log(waits).findings, IsEmpty());
  EXPECT_EQ(read_log(waits + waits + waits).findings.at(0).rule, "workers-waited-for");
  EXPECT_EQ(read_log(replaced(waits, "count=6", "count=9")).findings.at(0).rule,
            "store-of-another-job");
}

const std::string kVeth = info(0, "Bootstrap : Using veth12:fe80::1%veth12<0>");
const std::string kTimedOut =
    warn(0, "socket.h:4", "Connect to 10.0.0.9<4> : Connection timed out");

TEST(LogInterface, OfContainersIsWhyOthersAreNotReached) {
  const auto finding = read_log(kVeth + kTimedOut).findings.at(0);

  EXPECT_EQ(finding.rule, "virtual-interface");
  EXPECT_EQ(finding.severity, Severity::problem);
  EXPECT_THAT(finding.evidence, HasSubstr("Using veth12:"));
  EXPECT_THAT(finding.evidence, HasSubstr("followed by: connect-timeout"));
  EXPECT_THAT(finding.advice, HasSubstr("NCCL_SOCKET_IFNAME=^lo,docker,veth"));
}

TEST(LogInterface, OfContainersIsNoFaultElsewhere) {
  const auto complete = info(0, "comm 0x1 rank 0 nranks 4 - Init COMPLETE");

  EXPECT_THAT(read_log(kVeth + complete).findings, IsEmpty());
  EXPECT_EQ(read_log(kVeth + complete + kTimedOut).findings.at(0).rule, "connect-timeout");
  EXPECT_EQ(read_log(kVeth + kUnreachable).findings.at(0).rule, "ib-unreachable");
  EXPECT_EQ(read_log(replaced(kVeth, "veth", "eth") + kTimedOut).findings.at(0).rule,
            "connect-timeout");
}

TEST(LogInterface, OfContainersIsNotedWhereALogEndsWithAttemptsToConnect) {
  const auto retry = info(0, "Call to connect returned Connection timed out, retrying");
  const auto complete = info(0, "comm 0x1 rank 0 nranks 4 - Init COMPLETE");

  const auto report = read_log(kVeth + retry + retry);

  ASSERT_EQ(report.findings.size(), 2U);
  EXPECT_EQ(report.findings[0].rule, "virtual-interface");
  EXPECT_EQ(report.findings[1].rule, "connect-retries");
  for (const auto& finding : report.findings) EXPECT_EQ(finding.severity, Severity::info);
  EXPECT_THAT(read_log(kVeth + retry).findings, IsEmpty());
  EXPECT_THAT(read_log(kVeth + retry + retry + complete).findings, IsEmpty());
}

TEST(LogRas, NamesTheRanksThatAreBehind) {
  const auto finding =
      read_log(
          "Warnings\n========\n\n#0-0 (00aa) MISMATCH\n"
          "  Communicator ranks have different AllGather operation counts\n"
          "  3 ranks have launched up to operation 41\n"
          "  Rank 3 has launched up to operation 40 -- GPU 3 managed by process 7 on node n4\n")
          .findings.at(0);

  EXPECT_EQ(finding.rule, "ras-counts-differ");
  EXPECT_EQ(finding.severity, Severity::problem);
  EXPECT_THAT(finding.evidence, HasSubstr("different AllGather operation counts 3 ranks have"));
  EXPECT_THAT(finding.evidence, HasSubstr("Rank 3 has launched up to operation 40 -- GPU 3"));
}

TEST(LogRas, NamesTheRanksThatDoNotAnswer) {
  const auto finding = read_log(
                           "INCOMPLETE\n  Missing communicator data from 1 job process\n"
                           "  Process 7 on node n4 managing GPU 0\n\n"
                           "#0-0 (00aa) INCOMPLETE\n  Missing communicator data from 1 rank\n")
                           .findings.at(0);

  EXPECT_EQ(finding.rule, "ras-data-missing");
  EXPECT_THAT(finding.evidence, HasSubstr("1 job process Process 7 on node n4 managing GPU 0'"));
}

TEST(LogCuda, ComesBeforeTheCrashThatFollows) {
  const std::string error = "[rank0]: RuntimeError: CUDA error: unknown error\n";
  const std::string crash = "[n4:31:0:31] Caught signal 11 (Segmentation fault)\n";
  const auto rule = [](const std::string& log) { return read_log(log).findings.at(0).rule; };

  EXPECT_EQ(rule(error + crash), "cuda-failure");
  EXPECT_EQ(rule(error + "srun: error: n4: task 0: Segmentation fault\n"), "cuda-failure");
  EXPECT_EQ(rule(crash + error), "rank-crashed");
  EXPECT_EQ(rule("[1.5] [n4:31:0] a.c:9 UCX  ERROR x failed\n" + crash), "ucx-failure");
}

TEST(LogCuda, AHandleIsNotOfAWrongDeviceWhereMemoryWasUsedUp) {
  const auto full = warn(0, "enqueue.cc:4", "Cuda failure 'out of memory'");
  const auto handle = warn(0, "enqueue.cc:5", "Cuda failure 'invalid resource handle'");

  const auto report = read_log(full + handle);
  ASSERT_THAT(report.findings, SizeIs(1));
  EXPECT_EQ(report.findings[0].rule, "out-of-gpu-memory");
  EXPECT_EQ(read_log(handle).findings.at(0).rule, "wrong-device");
}

TEST(LogFork, IsTheCauseOfAnAbortOnlyWhereItEndsTheJob) {
  const std::string told = "A process called\nto the fork() system call to create a child.\n";
  const std::string ends = "As a result, the libfabric EFA provider is operating in\na state\n";
  const std::string aborted = "[n4:31] Signal: Aborted (6)\n";

  EXPECT_EQ(read_log(told + ends + aborted).findings.at(0).rule, "fork-unsafe");
  EXPECT_THAT(read_log(told).findings, IsEmpty());
}

TEST(LogSsh, ThatPassesAnExitCodeOnDidReachItsHost) {
  const std::string exited = "pdsh@n1: n2: ssh exited with exit code ";
  const std::string thrown = "n2: KeyError: 'spoon'\n";

  EXPECT_EQ(read_log(thrown + exited + "1\n").findings.at(0).rule, "uncaught-exception");
  EXPECT_EQ(read_log(thrown + exited + "255\n").findings.at(0).rule, "hosts-unreachable");
}

TEST(LogFamily, IsNoAddress) {
  const auto finding =
      read_log(warn(0, "socket.cc:8", "Socket creation failed : Address family not supported"))
          .findings.at(0);

  EXPECT_THAT(finding.evidence, HasSubstr("a socket's family is neither IPv4 nor IPv6"));
  EXPECT_THAT(finding.evidence, Not(HasSubstr("another address")));
}

TEST(LogUcx, AnErrorOfItsEndpointsIsNoFaultOfStorage) {
  const auto report = read_log(
      "[170.9] [n4:31:0]  dv.c:4   UCX  ERROR   mlx5dv_devx_obj_create(QP) failed on mlx5_0\n"
      "[n4:31] pml_ucx.c:421  Error: ucp_ep_create(proc=47) failed: Input/output error\n");

  EXPECT_EQ(report.findings.at(0).rule, "ucx-failure");
}

}  // namespace
}  // namespace linerate::logs
