// Of what programs around a job say the line comes first that gives a reason.
#include "diagnose/log/report.h"
#include "unit/diagnose/log/log_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace linerate::logs {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

Finding first_in(const std::string& log) {
  const auto report = read_log(log);
  return report.findings.empty() ? Finding{} : report.findings[0];
}

const std::string kPyxis = "slurmstepd: error: pyxis: ";
const std::string kNoContainer = kPyxis + "container start failed with error code: 7\n" + kPyxis +
                                 "printing enroot log file:\n" + kPyxis +
                                 "    /usr/bin/enroot: line 7: HOME: unbound variable\n";

TEST(LogPrograms, AContainerWasNotStartedForWhatItsLogSays) {
  const auto missing =
      first_in(kNoContainer + kPyxis + "    [ERROR] Command not found: nvidia-container-cli\n");
  EXPECT_EQ(missing.rule, "job-not-started");
  EXPECT_THAT(missing.evidence,
              HasSubstr("of the job: 'slurmstepd: error: pyxis:     [ERROR] Command not found"));

  const auto shell =
      first_in(kNoContainer + kPyxis + "    switchroot: failed to execute: /bin/x\n");
  EXPECT_THAT(shell.evidence,
              HasSubstr("of the job: 'slurmstepd: error: pyxis:     switchroot: failed"));

  const auto denied = first_in(kNoContainer + kPyxis + "    mkdir: /x: Permission denied\n");
  EXPECT_EQ(denied.rule, "permission-denied");
}

TEST(LogPrograms, ATaskWasNotLaunchedForWhatAnotherLineSays) {
  const auto late = first_in(
      "srun: error: task 0 launch failed: Plugin initialization failed\n"
      "[2026-01-01T10:00:00.9] [7.0] error: pyxis: couldn't mkdir /run/x/7: No such file\n");
  EXPECT_THAT(late.evidence,
              HasSubstr("of the job: '[2026-01-01T10:00:00.9] [7.0] error: pyxis: couldn't"));

  const auto early = first_in(
      "srun: error: receive: [[n1]:7] failed: Socket timed out on send/recv operation\n"
      "srun: error: Task launch for StepId=7.0 failed on node n2: No such process\n");
  EXPECT_EQ(early.rule, "connect-timeout");
  EXPECT_EQ(first_in("srun: error: task 0 launch failed: x\n").rule, "job-not-started");
}

TEST(LogPrograms, AnInputOutputErrorOfUcxIsNoFaultOfStorage) {
  const std::string process = "[170.9] [n4:31:0]  mm.c:62   UCX  ERROR ";
  const std::string sent = process + "failed to send: Input/output error\n";
  const auto bad =
      read_log(process + "ibv_reg_mr(address=0x7f, length=6) failed: Bad address\n" + process +
               "failed to register address 0x7f (cuda) on md[4]=mlx5_0: "
               "Input/output error\n" +
               sent);

  EXPECT_EQ(bad.findings[0].rule, "peer-memory-missing");
  EXPECT_THAT(log_text(bad), Not(HasSubstr("storage-failed")));
  EXPECT_EQ(first_in(process + "failed to register address 0x7f (rocm) on md[4]=mlx5_0: "
                               "Input/output error\n")
                .rule,
            "ib-registration-failed");
  EXPECT_EQ(first_in(process + "failed to register address 0x7f (cuda) on md[5]=cuda_ipc: "
                               "Input/output error\n")
                .rule,
            "ucx-failure");
  EXPECT_EQ(first_in(sent).rule, "mpi-failed");
  EXPECT_EQ(first_in("OSError: [Errno 5] Input/output error: '/data/x'\n").rule, "storage-failed");
}

TEST(LogPrograms, WhatPmixSaysBeforeMpiFailsIsTheReason) {
  const std::string pmix = "[n4:31] PMIX ERROR: PMIX_ERR_OPEN in file gds.c at line 7\n";

  EXPECT_THAT(first_in(pmix + "*** An error occurred in MPI_Init\n").evidence,
              HasSubstr("An earlier line says why: '[n4:31] PMIX ERROR: PMIX_ERR_OPEN in file"));
  EXPECT_TRUE(read_log(pmix + healthy_log()).findings.empty());
}

TEST(LogPrograms, AShellThatFindsNoProgramIsTheCauseOfWhatFails) {
  const std::string lacks = "/bin/bash: line 1: /usr/sbin/xd: No such file or directory\n";
  const std::string failed = "[ERROR] Job x failed: nothing came\n";

  const auto finding = first_in(lacks + failed);
  EXPECT_EQ(finding.rule, "not-found-by-shell");
  EXPECT_THAT(finding.evidence, HasSubstr("a shell found no such program or file"));
  EXPECT_TRUE(read_log(lacks + healthy_log()).findings.empty());
  EXPECT_EQ(first_in("pdsh@n1: n2: ssh exited with exit code 127\n").rule, "program-not-found");
  EXPECT_EQ(first_in("pdsh@n1: n2: ssh exited with exit code 255\n").rule, "hosts-unreachable");
  EXPECT_EQ(first_in("subprocess.CalledProcessError: Command 'ssh -x n2 hostname' returned "
                     "non-zero exit status 255.\n")
                .rule,
            "hosts-unreachable");
}

TEST(LogPrograms, AnErrorOfCudaIsNamedByTheCallThatMetIt) {
  const auto opened = read_log(
      "open -> cudaIpcOpenMemHandle: cudaErrorInvalidDevice\n"
      "RuntimeError: CUDA Runtime API error: cudaErrorInvalidDevice\n");
  ASSERT_EQ(opened.findings.size(), 1U);
  EXPECT_EQ(opened.findings[0].rule, "ipc-handle");
  EXPECT_EQ(first_in("Failed: Cuda error /x/reduce.cuh:7 'invalid argument'\n").rule,
            "cuda-failure");
  EXPECT_EQ(first_in("GPU 00000000:04:00.0: Detected Critical Xid Error\n"
                     "RuntimeError: CUDA error: an illegal memory access\n")
                .rule,
            "gpu-xid");
}

TEST(LogPrograms, AnEngineThatWaitsForItsWorkersMayOnlyBeSlow) {
  const std::string waits =
      "(EngineCore) INFO No available shared memory broadcast block found in 60 seconds.\n";

  EXPECT_TRUE(read_log(waits).findings.empty());
  EXPECT_TRUE(read_log(waits + healthy_log()).findings.empty());
  EXPECT_EQ(first_in(waits + "x.EngineDeadError: it ended\n").rule, "workers-waited-for");
}

TEST(LogPrograms, AnotherProcessMemoryIsNotOpened) {
  EXPECT_EQ(
      first_in("[170.9] [n4:31:0] cache.c:7  UCC  ERROR failed to open ipc mem handle\n").rule,
      "ipc-handle");
}

TEST(LogPrograms, AnMpiWithoutItsFabricSaysSo) {
  EXPECT_EQ(first_in("[0] MPI startup(): x fabric is not available and fallback fabric is not "
                     "enabled\n")
                .rule,
            "mpi-network-failed");
}

TEST(LogPrograms, ACgroupThatIsNotMadeIsNoFullDisk) {
  EXPECT_EQ(
      first_in("slurmstepd: error: unable to create cgroup '/x' : No space left on device\n").rule,
      "job-not-started");
  EXPECT_EQ(first_in("OSError: [Errno 28] No space left on device\n").rule, "disk-full");
}

TEST(LogPrograms, AJobForWhichThereAreNoNodesIsNotStarted) {
  const std::string waits = "(raylet) The actor x cannot be scheduled right now. It requires {}\n";

  EXPECT_EQ(first_in("(scheduler) Error: No available node types can fulfill resource x\n").rule,
            "job-not-started");
  EXPECT_EQ(first_in(waits + "TimeoutError: nothing came\n").rule, "uncaught-exception");
  EXPECT_EQ(first_in(waits + "srun: error: n4: task 3: Exited with exit code 1\n").rule,
            "job-not-started");
  EXPECT_TRUE(read_log(waits + healthy_log()).findings.empty());
}

TEST(LogPrograms, ALinkerSaysWhatItLacks) {
  EXPECT_THAT(first_in("nvlink error   : Undefined reference to 'x' in 'y.o'\n").evidence,
              HasSubstr("Undefined reference to 'x'"));
}

TEST(LogPrograms, AddressesOfSymmetricMemoryAreNoMemoryOfTheHost) {
  const auto finding = first_in(warn(0, "allocator.cc:9 (ncclSpaceAlloc)",
                                     "Allocation failed. No suitable space found for size=0x7"));
  EXPECT_EQ(finding.rule, "symmetric-space-used-up");
  EXPECT_THAT(finding.advice, HasSubstr("register each buffer once"));
}

}  // namespace
}  // namespace linerate::logs
