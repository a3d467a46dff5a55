// Which message is taken for the cause, and when it is no more than a warning.
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

TEST(LogCause, TakesTheCauseAlsoWhereItsLineComesLast) {
  const auto report = read_logs({{"rank0.log", kClosed}, {"rank3.log", kUnreachable}});

  ASSERT_THAT(report.findings, SizeIs(1));
  EXPECT_EQ(report.findings[0].rule, "ib-unreachable");
}

TEST(LogCause, TakesTheEarlierOfTwoCausesByTheirTimes) {
  const auto at = [](std::string_view time, std::string_view text) {
    return fmt::format("[{}] n:1:1 [0] a.cc:1 NCCL WARN {}\n", time, text);
  };
  const auto late = at("2025-01-01 10:00:09", "Call to ibv_modify_qp failed with error No route");
  const auto early = at("2025-01-01 10:00:03",
                        "Call to posix_fallocate failed : No space left on "
                        "device");

  EXPECT_EQ(read_logs({{"a", late}, {"b", early}}).findings[0].rule, "shared-memory-full");
  EXPECT_EQ(read_logs({{"a", early}, {"b", late}}).findings[0].rule, "shared-memory-full");
}

TEST(LogCause, PutsAKilledRankBeforeTheTimeoutOfOthers) {
  const auto report = read_log(watchdog(0, "ALLREDUCE", 12, 11) +
                               "failed (exitcode: -9) local_rank: 1 (pid: 88) of binary: python\n");

  EXPECT_EQ(report.findings[0].rule, "rank-killed");
  EXPECT_THAT(report.findings[0].evidence, HasSubstr("collective-timeout"));
}

TEST(LogCause, OnlyWarnsWhereTheProcessGoesOn) {
  const auto strange = warn(1, "transport/net_ib.cc:5", "strange");
  const auto survived = read_log(strange + info(1, "Using network IB"));
  const auto others = read_log(strange + info(2, "Using network IB"));
  const auto failed = read_log(strange + info(1, "Using network IB") + kClosed);

  EXPECT_EQ(survived.findings[0].severity, Severity::warning);
  EXPECT_EQ(others.findings[0].severity, Severity::problem);
  EXPECT_EQ(failed.findings[0].severity, Severity::problem);
}

TEST(LogCause, OnlyWarnsOfAFaultWhereInitialisationCompletes) {
  const auto refused = warn(1, "misc/ibvwrap.cc:5", "Call to ibv_open_device failed");
  const auto complete = info(1, "comm 0x1 rank 1 nranks 4 - Init COMPLETE");
  const auto severity = [](const std::string& log) { return read_log(log).findings[0].severity; };

  EXPECT_EQ(severity(refused + complete), Severity::warning);
  EXPECT_THAT(read_log(refused + complete).findings[0].evidence, HasSubstr("went on after it"));
  EXPECT_EQ(severity(refused + info(1, "Using network Socket")), Severity::problem);
  EXPECT_EQ(severity(refused + info(0, "comm 0x1 rank 0 nranks 4 - Init COMPLETE")),
            Severity::problem);
  EXPECT_EQ(severity(refused + complete + refused), Severity::problem);
  EXPECT_EQ(severity(refused + complete + kClosed), Severity::problem);
  EXPECT_EQ(read_log(refused + complete + kUnreachable).findings[0].rule, "ib-unreachable");
}

TEST(LogCause, OnlyWarnsOfAnErrorOfAnyoneWhereInitialisationCompletes) {
  const std::string errors = "ERROR x: timeout\nImportError: x, without it\nwrite: No space left\n";
  const auto complete = info(1, "comm 0x1 rank 1 nranks 4 - Init COMPLETE");

  for (const auto& finding : read_log(errors + complete).findings)
    EXPECT_EQ(finding.severity, Severity::warning) << finding.rule;
  EXPECT_EQ(read_log(complete + errors).findings[0].severity, Severity::problem);
  EXPECT_EQ(read_logs({{"0", errors}, {"1", complete}}).findings[0].severity, Severity::problem);
}

TEST(LogCause, TakesHowARankEndedBeforeALauncherThatSaysThatOneFailed) {
  EXPECT_EQ(read_log("torch.x.ChildFailedError: \n  exitcode  : -6 (pid: 7)\n").findings[0].rule,
            "rank-aborted");
  EXPECT_EQ(read_log("torch.x.ChildFailedError: \n").findings[0].rule, "failure-passed-on");
  EXPECT_EQ(read_log("Sending process 7 closing signal SIGTERM\nfailed (exitcode: -6) local_rank: "
                     "3 (pid: 8) of binary: python\n")
                .findings[0]
                .rule,
            "rank-aborted");
}

TEST(LogCause, TakesAGpusFailureBeforeAStoreThatIsGone) {
  EXPECT_EQ(read_log("[FATAL ERROR]: HIP failure: 'invalid device pointer'\n"
                     "x.RendezvousConnectionError: The connection to the C10d store has failed.\n")
                .findings[0]
                .rule,
            "cuda-failure");
}

TEST(LogCause, IsNoEventThatAnAdapterReportsWhereAllGoesOn) {
  EXPECT_EQ(read_log("n:1:2 [0] x/net_ib.cc:9 NCCL WARN NET/IB : Got async event : SM change\n")
                .findings[0]
                .severity,
            Severity::warning);
}

TEST(LogCause, PassesOverWhatPyTorchSaysOfItsDumps) {
  const std::string head = "[rank1]:[E6 ProcessGroupNCCL.cpp:6] ";

  EXPECT_THAT(read_log(head + "Stack trace of the failed collective not found\n" + head +
                       "failure detected by watchdog at work 7\n")
                  .findings[0]
                  .evidence,
              ::testing::HasSubstr("at work 7"));
}

TEST(LogCause, TakesAnErrorBeforeMpisSummaryOfIt) {
  const std::string summary = "It looks like MPI_INIT failed for some reason\n";

  EXPECT_EQ(read_log("[1.5] [n:7:0] a.c:9 UCX  ERROR x failed\n" + summary).findings[0].rule,
            "ucx-failure");
  EXPECT_EQ(read_log(summary).findings[0].rule, "mpi-failed");
}

TEST(LogCause, TakesWhyALauncherFailedBeforeItsSummary) {
  const std::string summary = "ORTE was unable to reliably start one or more daemons.\n";

  EXPECT_EQ(read_log("kex_exchange_identification: x\n" + summary).findings[0].rule,
            "hosts-unreachable");
  EXPECT_EQ(read_log(summary + "bash: orted: command not found\n").findings[0].rule,
            "program-not-found");
  EXPECT_EQ(read_log(summary).findings[0].rule, "mpi-failed");
}

TEST(LogCause, IsWhatAnErrorStackEndsWith) {
  const std::string head =
      "Abort(7) on node 3: Fatal error in PMPI_Init: Other MPI error, error stack:\n"
      "MPIR_Init_thread(176)........:\nMPID_Init(15).....: f failed\n";
  const auto known = read_log(head + "g(22).....: OFI endpoint open failed (a.c:7:g:x)\n");
  const auto unknown = read_log(head + "g(22).....: strange\nh(23): outside is (9).: text\n");

  EXPECT_EQ(known.findings[0].rule, "mpi-network-failed");
  EXPECT_EQ(unknown.findings[0].rule, "mpi-failed");
  EXPECT_THAT(unknown.findings[0].evidence, HasSubstr("stack ends with: 'outside is (9).: text'"));
  EXPECT_THAT(read_log(head + "done\ng(22): later\n").findings[0].evidence,
              HasSubstr("stack ends with: 'f failed'"));
  for (const std::string_view line : {"g(): s", "(22): s", "g(22) s", "g(2", "g (22): s", "g(2)"})
    EXPECT_THAT(read_log(fmt::format("{}{}\n", head, line)).findings[0].evidence,
                HasSubstr("stack ends with: 'f failed'"))
        << line;
  EXPECT_THAT(read_log("g(22).....: OFI x\nh(23)...: strange\n").findings, IsEmpty());
}

TEST(LogCause, HasTheWordsThatALauncherFramed) {
  const std::string rule = "[1,3]<stderr>:" + std::string(74, '-') + "\n";
  const std::string framed = rule + "Your mapping is impossible on this\nnode.\n" + rule;
  const std::string ended = "Primary job  terminated normally, but x\n";
  const std::string says = "'Your mapping is impossible on this'";

  EXPECT_EQ(read_log(framed).findings[0].severity, Severity::info);
  EXPECT_THAT(read_log(framed + "Sun is shining\n" + ended).findings[0].evidence,
              HasSubstr("'Your mapping is impossible on this node.'"));
  EXPECT_THAT(read_log(framed + kClosed).findings[0].evidence,
              HasSubstr("The launcher says: " + says));
  EXPECT_THAT(read_log(framed + kUnreachable + ended).findings[0].evidence, Not(HasSubstr(says)));
  EXPECT_THAT(read_log(rule + "\n" + rule + "Sun is shining\n" + ended).findings[0].evidence,
              Not(HasSubstr("says: 'Sun")));
  EXPECT_THAT(read_log(std::string(70, '-') + "\nSun is shining\n" + ended).findings[0].evidence,
              Not(HasSubstr("says: 'Sun")));
}

TEST(LogCause, IsNoKillOfALauncherThatEndsAnAbortedProgram) {
  const std::string aborted = "0: application called MPI_Abort(MPI_COMM_WORLD, 1) - process 0\n";
  const std::string killed = "srun: error: n4: tasks 0-15: Killed\n";

  EXPECT_EQ(read_log(aborted + killed).findings[0].rule, "program-aborted");
  EXPECT_EQ(read_log(killed + aborted).findings[0].rule, "rank-killed");
  EXPECT_EQ(read_log(aborted + "srun: error: n4: task 5: Out Of Memory\n").findings[0].rule,
            "rank-killed");
}

TEST(LogCause, TakesTheLineOfARuleThatIsNearestToARoot) {
  const auto report = read_log(
      "[n4:31] OPAL ERROR: Not found in file x\n"
      "[n4:31] *** The Open MPI OFI MTL is aborting the MPI job\n");

  EXPECT_EQ(report.findings[0].rule, "mpi-failed");
  EXPECT_THAT(report.findings[0].evidence, HasSubstr("OFI MTL is aborting"));
}

TEST(LogCause, PassesOverErrorsThatAProgramDoesWithout) {
  const std::string adapted = "slurmstepd: error: couldn't chdir to `/x': going to /tmp instead\n";

  EXPECT_THAT(read_log(adapted).findings, IsEmpty());
  EXPECT_EQ(read_log(adapted + "error: x\n").findings[0].rule, "error-line");
}

TEST(LogCause, TakesACrashForACauseUnlessAFailureWasTold) {
  const std::string crash = "[n4:31 :0:31] Caught signal 11 (Segmentation fault)\n";
  const std::string told = "[rank0]: ncclRemoteError: a remote process exited\n";
  const std::string left = "failed (exitcode: -11) local_rank: 1 (pid: 88) of binary: python\n";
  const auto rule = [](const std::string& log) { return read_log(log).findings[0].rule; };

  EXPECT_EQ(rule(crash + kClosed + told), "rank-crashed");
  EXPECT_EQ(rule(kClosed + told + crash), "peer-closed");
  EXPECT_EQ(rule(kClosed + told + left), "rank-crashed");
  EXPECT_EQ(rule(warn(0, "a.cc:1", "Duplicate GPU detected : x") + left), "same-gpu-twice");
}

TEST(LogCause, TakesAFullDiskBeforeTheTimeoutOfOthers) {
  const auto report = read_log("saving: [Errno 28] No space left on device\n" +
                               watchdog(3, "ALLREDUCE", 3, 2) + "failed (exitcode: -9)\n");

  EXPECT_EQ(report.findings[0].rule, "disk-full");
}

TEST(LogCause, SaysWhyThereIsNoNetworkFromAnInfoLine) {
  const auto missing = info(0, "Failed to open libibverbs.so[.1]");
  const auto none = warn(0, "plugin/net.cc:9", "Failed to initialize any NET plugin");
  const std::string says = "An earlier line says why: 'Failed to open libibverbs.so[.1]'";

  EXPECT_THAT(read_log(missing).findings, IsEmpty());
  EXPECT_EQ(read_log(missing + none).findings[0].rule, "net-plugin-failed");
  EXPECT_THAT(read_log(missing + none).findings[0].evidence, HasSubstr(says));
  EXPECT_THAT(read_log(none + missing).findings[0].evidence, Not(HasSubstr(says)));
  EXPECT_THAT(read_log(missing + kUnreachable).findings[0].evidence, Not(HasSubstr(says)));
}

TEST(LogCause, NamesASuspectOnlyWhereSomethingFailed) {
  const auto suspect = info(0, "Call to connect returned Connection refused, retrying");
  const auto failed = read_log(suspect + info(0, "init.cc:9 -> 2"));
  const auto known = read_log(suspect + kUnreachable);

  EXPECT_THAT(read_log(suspect).findings, IsEmpty());
  EXPECT_EQ(failed.findings[0].rule, "connect-retries");
  EXPECT_THAT(known.findings, SizeIs(1));
  EXPECT_EQ(known.findings[0].rule, "ib-unreachable");
}

TEST(LogCause, TakesAnExceptionBeforeWhatFollowsFromIt) {
  const auto report =
      read_log("ERROR core.py:3 it failed to start\n" + kClosed + watchdog(0, "ALLREDUCE", 3, 2) +
               "[rank3]: KeyError: 'x'\nRuntimeError: Engine core initialization failed.\n");

  EXPECT_EQ(report.findings[0].rule, "uncaught-exception");
  EXPECT_EQ(report.findings[0].subject, "rank 3");
  EXPECT_EQ(read_log("ERROR core.py:3 x\n" + kClosed).findings[0].rule, "error-line");
  EXPECT_EQ(read_log(kClosed + "ERROR core.py:3 x\n").findings[0].rule, "peer-closed");
}

TEST(LogCause, IsTheLoopbackInterfaceOnlyWhereThereAreSeveralHosts) {
  const std::string_view lo = "NET : Using interface lo:127.0.0.1<0>";
  const auto refused = warn(2, "a.cc:1", "Connect to 127.0.0.1<4000> failed : Connection refused");
  const auto rule = [&](int other) {
    return read_log(info(0, lo) + info(other, lo) + refused).findings.at(0).rule;
  };
  EXPECT_EQ(rule(2), "loopback-interface");
  EXPECT_EQ(rule(1), "connection-refused");
}

TEST(LogCause, IsNamedByALineSoonAfterAnErrorThatGivesNoReason) {
  const std::string failed = "[ERROR] the call failed.\n",
                    named = "EI0006: [PID: 7] 2025-03-01 Getting socket times out. Reason: x\n";
  const auto rule = [](const std::string& log) { return read_log(log).findings.at(0).rule; };
  EXPECT_EQ(rule(failed + named), "ranks-missing");
  EXPECT_EQ(rule("[ERROR] the call failed: no such key, cannot go on.\n" + named), "error-line");
  EXPECT_EQ(rule(failed + replaced("xxxxxxxxxxxx", "x", "-\n") + named), "error-line");
}

TEST(LogCause, IsAComplaintAfterWhichTheProgramGaveUp) {
  const std::string failed = "[ring] Receiving from socket 38 failed with errno 54\n",
                    given_up = "[ring] Too many send/recv errors. Aborting...\n";
  const auto severity = [](const std::string& log) {
    return read_log(log).findings.at(0).severity;
  };
  EXPECT_EQ(severity(failed), Severity::info);
  EXPECT_EQ(severity(failed + given_up), Severity::problem);
  EXPECT_EQ(severity(failed + given_up + "step 1\n"), Severity::info);
}

TEST(LogCause, QuotesWhatAProgramDoesWithoutAboveAFailureThatGivesNoReason) {
  const std::string without = "the option x is not there, skipping it\n";
  const auto evidence = [&](const std::string& log) {
    return read_log(log).findings.at(0).evidence;
  };
  EXPECT_THAT(evidence(without + "UCX Fatal: x\n"),
              HasSubstr("Before it stands: '" + without.substr(0, 20)));
  EXPECT_THAT(evidence("step 1: all well\nUCX Fatal: x\n"), Not(HasSubstr("Before it")));
  EXPECT_THAT(evidence(without + "NCCL timed out; ValueError: x\n"), Not(HasSubstr("Before it")));
}

TEST(LogCause, NamesTheTasksThatXlaWaitedFor) {
  const auto report = read_log(
      "x.XlaRuntimeError: DEADLINE_EXCEEDED: Barrier timed out. Timed out task names:\n"
      "/job:w/replica:0/task:2\n/job:w/replica:0/task:1\nbye\n");
  EXPECT_THAT(report.findings.at(0).evidence, HasSubstr("task:2 /job:w/replica:0/task:1'"));
}

TEST(LogCause, MayBeTheLoopbackInterfaceWhereInitialisationDoesNotEnd) {
  const std::string_view lo = "Bootstrap : Using lo:127.0.0.1<0>";
  const auto started = [](int rank) {
    return info(rank,
                fmt::format("comm 0x1 rank {} nranks 4 cudaDev 0 commId 0x7 - Init START", rank));
  };
  const auto rules = [](const std::string& log) {
    std::vector<std::string> list;
    for (const auto& finding : read_log(log).findings) list.push_back(finding.rule);
    return list;
  };
  const auto both = info(0, lo) + info(2, lo);
  EXPECT_THAT(rules(both + started(0) + started(2)), ::testing::Contains("loopback-interface"));
  EXPECT_THAT(rules(info(0, lo) + info(1, lo) + started(0)),
              Not(::testing::Contains("loopback-interface")));
  EXPECT_THAT(rules(both + info(0, "comm 0x1 rank 0 nranks 4 cudaDev 0 - Init COMPLETE") +
                    info(2, "comm 0x1 rank 2 nranks 4 cudaDev 0 - Init COMPLETE")),
              Not(::testing::Contains("loopback-interface")));
}

TEST(LogCause, IsAGpuThatIsGoneBeforeWhatFailedOnIt) {
  const auto rule = [](const std::string& log) { return read_log(log).findings.at(0).rule; };
  const std::string failed = "RuntimeError: CUDA error: unspecified launch failure\n",
                    gone = "Unable to determine the device handle for GPU0: Unknown Error\n";
  EXPECT_EQ(rule(failed + gone), "gpu-hardware");
  EXPECT_EQ(rule(failed), "illegal-access");
}

TEST(LogCause, IsNoLoopbackInterfaceOfOneHost) {
  const auto lo = info(0, "Bootstrap : Using lo:127.0.0.1<0>");
  const std::string failed = "Test NCCL failure x.cu:7 'unhandled error'\n";
  EXPECT_EQ(read_log(lo + failed).findings.at(0).rule, "nccl-failed");
  EXPECT_EQ(read_log(lo + replaced(lo, "node0", "node1") + failed).findings.at(0).rule,
            "loopback-interface");
}

TEST(LogCause, IsNamedByALineOfTheSameRank) {
  const auto rule = [](const std::string& log) { return read_log(log).findings.at(0).rule; };
  const std::string failed = "[rank1]: ERROR worker failed\n",
                    closed =
                        "[rank0]: ConnectionResetError: [Errno 104] Connection reset by peer\n";
  EXPECT_EQ(rule(failed + closed), "error-line");
  EXPECT_EQ(rule(failed + replaced(closed, "rank0", "rank1")), "peer-closed");
}

TEST(LogCause, IsNoGpuOfAnotherRankAndNoneThatIsBusy) {
  const auto rule = [](const std::string& log) { return read_log(log).findings.at(0).rule; };
  const std::string failed = "[rank0]: RuntimeError: CUDA error: an illegal memory access\n",
                    ecc = "[rank3]: RuntimeError: CUDA error: uncorrectable ECC error\n";
  EXPECT_EQ(rule(failed + ecc), "illegal-access");
  EXPECT_EQ(rule(failed + replaced(ecc, "rank3", "rank0")), "gpu-hardware");
  EXPECT_EQ(rule(failed + "CUDA error: all CUDA-capable devices are busy or unavailable\n"),
            "illegal-access");
}

TEST(LogCause, MayBeAMissingComponentThatTheLogEndsWith) {
  const std::string missing = "A requested component was not found, or was unable to be opened.\n";
  EXPECT_EQ(read_log(missing).findings.at(0).severity, Severity::info);
  EXPECT_THAT(read_log(missing + replaced(std::string(15, 'x'), "x", "all well\n")).findings,
              IsEmpty());
}

}  // namespace
}  // namespace linerate::logs
