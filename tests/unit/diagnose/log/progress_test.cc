// Steps of a program are known by their numbers, and only its own show that it goes on.
#include "diagnose/log/progress.h"

#include "unit/diagnose/log/log_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <utility>
#include <vector>

namespace linerate::logs {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Optional;

Severity worst_in(const std::string& log) {
  const auto report = read_log(log);
  return report.findings.empty() ? Severity::info : report.findings[0].severity;
}

// Steps 7 and 8, each behind `prefix`.
std::string two_steps(std::string_view prefix) {
  return fmt::format("{0}step 7: loss 2.5\n{0}step 8: loss 2.4\n", prefix);
}

// From 7 on.
std::string steps(std::string_view prefix, int count) {
  std::string text;
  for (int step = 7; step < 7 + count; ++step)
    text += fmt::format("{}step {}: loss\n", prefix, step);
  return text;
}

const std::string kSharp =
    "node0:100:300 [0] sharp_plugin.c:7 NCCL WARN NET/IB : SHARP coll init error: no job(-11)\n";

TEST(LogProgress, IsTheNumberOfAStepAnIterationOrAnEpoch) {
  for (const auto& [text, number] : std::vector<std::pair<std::string_view, double>>{
           {"step 120: loss 2.1", 120},
           {"[default0]: iteration      100/  500 | elapsed 3", 100},
           {"{'loss': 2.3, 'epoch': 0.25}", 0.25},
           {"Epoch [3/9]", 3},
           {"global_step=17", 17},
           {"Iter: 5", 5},
           {" 45%|####      | 450/1000 [00:12<00:15]", 450},
           {" 1%|#  | 1/99 [0:1]  2%|##  | 2/99 [0:2]", 2}})
    EXPECT_THAT(step_in(text), Optional(number)) << text;
  for (const std::string_view text :
       {"steps", "step", "the next step is near 7", "water 7", "100%|", "step x 7", "100%| 7",
        "DataLoader iterator 7", "closing writer 7", "epoched 7", "max_steps: 500", "num_epochs=7",
        "total_steps 9"})
    EXPECT_EQ(step_in(text), std::nullopt) << text;
}

TEST(LogProgress, OfTheProcessThatComplainedMakesAProblemAWarning) {
  const auto finding = read_log(kSharp + two_steps("")).findings.at(0);

  EXPECT_EQ(finding.rule, "sharp-failure");
  EXPECT_EQ(finding.severity, Severity::warning);
  EXPECT_THAT(finding.evidence, HasSubstr("Its rank went on after it."));
  EXPECT_EQ(worst_in(kSharp), Severity::problem);
  EXPECT_EQ(worst_in(two_steps("") + kSharp), Severity::problem);
}

TEST(LogProgress, TakesTwoSteps) {
  EXPECT_EQ(worst_in(kSharp + "step 7: loss 2.5\n"), Severity::problem);
  EXPECT_EQ(worst_in(kSharp + "step 7: loss 2.5\nstep 7: loss 2.5\n"), Severity::problem);
  EXPECT_EQ(worst_in(kSharp + "step 7: loss 2.5\n" + kSharp + "step 8: loss 2.5\n"),
            Severity::problem);
}

TEST(LogProgress, IsNotLookedForFarBehindAComplaint) {
  const std::string of_other = "[rank1]: step 7\n";
  std::string others;
  for (std::size_t i = 0; i < kFarthestStep; ++i) others += of_other;

  EXPECT_EQ(worst_in("[rank0]: " + kSharp + others + two_steps("[rank0]: ")), Severity::problem);
  EXPECT_EQ(
      worst_in("[rank0]: " + kSharp + others.substr(9 * of_other.size()) + two_steps("[rank0]: ")),
      Severity::warning);
}

TEST(LogProgress, OfOtherRanksProvesNothing) {
  const std::string of_one = "[rank1]: " + kSharp;

  EXPECT_EQ(worst_in(of_one + two_steps("[rank1]: ")), Severity::warning);
  EXPECT_EQ(worst_in(of_one + two_steps("[rank0]: ")), Severity::problem);
  EXPECT_EQ(worst_in("[rank0]: NCCL x\n" + of_one + two_steps("")), Severity::problem);
  EXPECT_EQ(worst_in(of_one + "[rank0]: NCCL x\n" + two_steps("")), Severity::problem);
  EXPECT_EQ(worst_in(of_one + two_steps("")), Severity::warning);
  EXPECT_EQ(worst_in(of_one + "[rank0]: " + kSharp + two_steps("[rank1]: ")), Severity::problem);
  EXPECT_EQ(read_logs({{"0", kSharp}, {"1", two_steps("")}}).findings.at(0).severity,
            Severity::problem);
}

TEST(LogProgress, OfOneRankLeavesTheComplaintOfAnother) {
  const auto complete = info(0, "comm 0x1 rank 0 nranks 4 - Init COMPLETE");
  const auto other = replaced(kSharp, "node0:100", "node1:102");

  EXPECT_EQ(worst_in(kSharp + complete), Severity::warning);
  EXPECT_EQ(worst_in(kSharp + complete + other), Severity::problem);
  EXPECT_EQ(worst_in(kSharp + other + complete), Severity::problem);
}

TEST(LogProgress, IsKnownByALaunchersRank) {
  const std::string plugin = "[1,3]<stderr>:[n1:3:77 - comm.c:7] ERROR Failed to lock tree\n";
  const auto complete = info(3, "comm 0x1 rank 3 nranks 4 - Init COMPLETE");

  EXPECT_EQ(worst_in(plugin + "[1,3]<stdout>:" + complete), Severity::warning);
  EXPECT_EQ(worst_in(plugin + "[1,0]<stdout>:" + complete), Severity::problem);
}

TEST(LogProgress, IsNoneWhereTheProgramFailsAfterIt) {
  const auto went_on = kSharp + two_steps("");
  for (const std::string_view end :
       {"Test NCCL failure x\n", "failed (exitcode: 1) local_rank: 0 (pid: 88) of binary: p\n",
        "torch.x.ChildFailedError: \n", "MPI_ABORT was invoked on rank 0\n",
        "[rank0]:[E ProcessGroupNCCL.cpp:9] [Rank 0] Heartbeat monitor of NCCL timed out\n"})
    EXPECT_EQ(worst_in(went_on + std::string(end)), Severity::problem) << end;
  EXPECT_EQ(worst_in(went_on + watchdog(0, "ALLREDUCE", 12, 11)), Severity::problem);
}

// Its steps may have been kept in a buffer until its end.
TEST(LogProgress, ProvesNothingAfterAnExceptionOrAnEnd) {
  for (const std::string_view end :
       {"torch.OutOfMemoryError: CUDA out of memory\n", "ImportError: x\n",
        "srun: error: n4: task 6: Exited with exit code 137\n",
        "python: line 7: 31 Segmentation fault\n"})
    EXPECT_EQ(worst_in(std::string(end) + two_steps("")), Severity::problem) << end;
}

TEST(LogProgress, OfABenchmarkIsItsResult) {
  const auto other = replaced(kSharp, "node0:100", "node1:102");
  const std::string results = "# Avg bus bandwidth    : 77.5\n";

  EXPECT_EQ(worst_in(kSharp + other + results), Severity::warning);
  EXPECT_EQ(worst_in(kSharp + "n0: Test NCCL failure x\n" + results), Severity::problem);
  EXPECT_EQ(worst_in("# Out of bounds values : 12 FAILED\n" + results), Severity::problem);
}

TEST(LogProgress, ProvesNothingAfterWhatNobodySurvives) {
  for (const std::string line :
       {"FATAL: cannot bind to the port", "CUDA error: an illegal memory access was encountered",
        "NVRM: Xid (PCI:0000:3b:00): 79, pid=7, GPU has fallen off the bus."})
    EXPECT_EQ(worst_in(line + "\n" + two_steps("")), Severity::problem) << line;
}

TEST(LogProgress, LeavesANamedCauseWhereItIs) {
  const auto log = "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB\n" +
                   two_steps("") + "RuntimeError: worker 3 is not there any more\n";

  EXPECT_EQ(read_log(log).findings.at(0).rule, "out-of-gpu-memory");
}

TEST(LogProgress, DoesNotHideWhatIsQuotedLater) {
  const std::string complaint = "mixer: cannot stir: the spoon is bent\n";
  const auto went_on = kSharp + two_steps("");
  const std::string ended = "srun: error: n4: task 3: Exited with exit code 1\n";

  EXPECT_EQ(read_log(went_on + complaint + ended).findings.at(0).rule, "unmarked-error");
  EXPECT_EQ(read_log(went_on + complaint).findings.at(0).rule, "sharp-failure");
  EXPECT_EQ(worst_in(went_on + complaint), Severity::warning);
}

const std::string kCall = "solver.c:88: MPI_Send failed: rc=17\n";

TEST(LogCalls, ComeBeforeWhatALauncherSaysOfAnEnd) {
  for (const std::string_view end :
       {"mpirun noticed that process rank 3 with PID 31 on node n4 exited on signal 11 "
        "(Segmentation fault).\n",
        "=   BAD TERMINATION OF ONE OF YOUR APPLICATION PROCESSES\n=   EXIT CODE: 139\n",
        "srun: error: n4: task 3: Exited with exit code 1\n",
        "srun: error: n4: tasks 4-7: Killed\n",
        "torch.distributed.elastic.multiprocessing.errors.ChildFailedError:\n"}) {
    const auto finding = read_log(kCall + std::string(end)).findings.at(0);
    EXPECT_EQ(finding.rule, "call-failed") << end;
    EXPECT_EQ(finding.severity, Severity::problem);
    EXPECT_THAT(finding.evidence, HasSubstr("solver.c:88: MPI_Send failed"));
  }
}

TEST(LogCalls, AreOfAnySourceThatTheLineNames) {
  const std::string ended = "srun: error: n4: task 3: Exited with exit code 1\n";
  for (const std::string_view call :
       {"0: heat.cu:31: launch error: too many resources", "ERROR heat.c:7 stir() failed",
        "stir() failed at heat.cpp:77", "Error in stir at heat.c:7", "read failed (heat.cu:9)",
        "heat.f90:12: cannot stir"})
    EXPECT_EQ(read_log(std::string(call) + "\n" + ended).findings.at(0).rule,
              call.ends_with("stir") ? "unmarked-error" : "call-failed")
        << call;
}

TEST(LogCalls, ThatWereSurvivedOrAreFarAwayEndNoRank) {
  const std::string call = "mixer.c:123: failed to query a bowl\n",
                    killed = "srun: error: n4: task 3: Killed\n";

  EXPECT_EQ(read_log(call + killed).findings.at(0).rule, "call-failed");
  EXPECT_EQ(read_log(call + two_steps("") + killed).findings.at(0).rule, "rank-killed");
  EXPECT_EQ(read_log(call + std::string(300, '\n') + killed).findings.at(0).rule, "rank-killed");
}

TEST(LogCalls, ComeAfterAKnownCause) {
  EXPECT_EQ(read_log(kCall + kUnreachable).findings.at(0).rule, "ib-unreachable");
  EXPECT_EQ(read_log("[n4:31] Signal: Bus error (7)\n" + kCall).findings.at(0).rule,
            "rank-crashed");
  EXPECT_EQ(worst_in(kCall + "stirring on\n"), Severity::info);
}

TEST(LogWaiting, IsANoteWhereTheLogEndsWithIt) {
  const std::string line =
      "(APIServer pid=7) DEBUG Waiting for 1 local core engine proc(s) to start.\n";
  const std::string block =
      "INFO No available shared memory broadcast block found in 60 seconds.\n";
  for (const auto& wait : {line, block}) {
    const auto finding = read_log(wait + wait + wait + wait).findings.at(0);
    EXPECT_EQ(finding.rule, "workers-waited-for");
    EXPECT_EQ(finding.severity, Severity::info);
    EXPECT_LE(finding.confidence, 0.3);
    EXPECT_THAT(log_text(read_log(wait + wait + wait)), HasSubstr("processes are waited for"));
  }
}

TEST(LogWaiting, IsNothingWhereItEnds) {
  const std::string line = "INFO Waiting for all workers to start\n";
  const auto waits = line + line + line;
  std::string on;
  for (int i = 0; i < 60; ++i) on += "stirring\n";

  EXPECT_THAT(read_log(line).findings, IsEmpty());
  EXPECT_THAT(read_log(waits + on).findings, IsEmpty());
  EXPECT_THAT(read_log(waits + two_steps("")).findings, IsEmpty());
  EXPECT_EQ(
      read_log(waits + "mixer: cannot stir\nsrun: error: n4: task 3: Exited with exit code 1\n")
          .findings.at(0)
          .rule,
      "unmarked-error");
  EXPECT_EQ(read_log("Waiting for workers failed: x\n").findings.at(0).rule, "unmarked-error");
}

TEST(LogProgress, IsSeenInLinesThatOtherRulesPassOver) {
  for (const std::string_view line :
       {"INFO step {}: loss 2", "iteration {}/ 500 | skipped iterations: 0 |", "step {} http x"}) {
    const auto of = [&](std::string_view number) {
      return replaced(std::string(line) + "\n", "{}", number);
    };
    EXPECT_EQ(worst_in(kSharp + of("7") + of("8")), Severity::warning) << line;
    EXPECT_EQ(worst_in(kSharp + of("7")), Severity::problem) << line;
  }
}

TEST(LogProgress, IsThatOfTheRankThatAProgramMarks) {
  EXPECT_EQ(worst_in("rank=1 " + kSharp + two_steps("rank=1 ")), Severity::warning);
  EXPECT_EQ(worst_in("rank=1 " + kSharp + two_steps("rank=0 ")), Severity::problem);
  EXPECT_EQ(worst_in("(W pid=7) " + kSharp + two_steps("(W pid=8) ")), Severity::problem);
}

TEST(LogProgress, BehindALaterTimeShowsThatAnExceptionWasHandled) {
  const auto log = [](std::string_view logged, std::string_view stepped, int count = 6) {
    return fmt::format(
               "{} ERROR the upload failed\nTraceback (most recent call last):\n  File x\n"
               "OSError: [Errno 28] No space left\n",
               logged) +
           steps(std::string(stepped) + " ", count);
  };
  EXPECT_EQ(worst_in(log("2025-01-02 10:00:00", "2025-01-02 10:00:09")), Severity::warning);
  EXPECT_EQ(worst_in(log("2025-01-02 10:00:00", "2025-01-02 10:00:09", 5)), Severity::problem);
  EXPECT_EQ(worst_in(log("2025-01-02 10:00:00", "2025-01-02T10:00:00")), Severity::problem);
  EXPECT_EQ(worst_in(log("2025-01-02 10:00:00", "2025-01-02 09:59:59")), Severity::problem);
  EXPECT_EQ(worst_in(log("", "2025-01-02 10:00:09")), Severity::problem);
  EXPECT_EQ(worst_in(log("2025-01-02 10:00:00", "")), Severity::problem);
}

TEST(LogProgress, OfAServerIsAnAnswerToAQuestion) {
  const auto answer = [](std::string_view what) {
    return fmt::format("INFO: 10.0.0.1:7 - \"{} HTTP/1.1\" 200 OK\n", what);
  };
  EXPECT_EQ(worst_in(kSharp + answer("POST /v1/x")), Severity::warning);
  EXPECT_EQ(worst_in(kSharp + answer("GET /health")), Severity::problem);
}

const std::string kThrown =
    "Traceback (most recent call last):\n  File x\nOSError: [Errno 28] No space left\n";

std::string lines(std::string_view pattern, int count) {
  std::string text;
  for (int step = 7; step < 7 + count; ++step)
    text += replaced(std::string(pattern) + "\n", "{}", fmt::to_string(step));
  return text;
}

TEST(LogProgress, ThatIsWrittenAtOnceShowsThatAnExceptionWasHandled) {
  for (const std::string_view step :
       {"x.py:7 INFO step {}", "{}%|# | {}/99 [00:01<00:02]", "10:00:00 | INFO | step {}",
        "[I1229 10:00:00 x.cc:7] step {}", "I1229 10:00:00.1 7 x.py:7] step {}",
        "trainer-7: 2026-01-01 10:00:00 | INFO | step {}"}) {
    EXPECT_EQ(worst_in(kThrown + lines(step, 6)), Severity::warning) << step;
    EXPECT_EQ(worst_in(kThrown + lines(step, 5)), Severity::problem) << step;
  }
  for (const std::string_view step : {"step {}", "[INFO] step {}", "[Iter {}/500]",
                                      "Loading checkpoint shards: {}%|# | {}/99 [00:01<00:02]"})
    EXPECT_EQ(worst_in(kThrown + lines(step, 9)), Severity::problem) << step;
}

TEST(LogProgress, MayBeFlushedBehindAnExceptionThatNoRuleKnows) {
  EXPECT_EQ(
      worst_in("Traceback (most recent call last):\n  File x\nValueError: boom\n" + steps("", 9)),
      Severity::problem);
}

const std::string kPreempted =
    "slurmstepd: error: *** JOB 7 ON n1 CANCELLED AT 2026-01-02T10:00:00 DUE TO PREEMPTION ***\n"
    "srun: error: n4: task 0: Terminated\n";

TEST(LogProgress, OfTheNextRunIsNamedAsSuch) {
  const std::string again = "2026-01-02 12:00:00 INFO resuming from /x/step_7\n";
  const auto report = read_log(kPreempted + again + steps("0: ", 6));
  EXPECT_EQ(report.findings.at(0).severity, Severity::warning);
  EXPECT_THAT(report.findings.at(0).evidence, HasSubstr("The job began again after it."));

  EXPECT_EQ(worst_in(kPreempted + again + steps("0: ", 5)), Severity::problem);
  EXPECT_EQ(worst_in(kPreempted + steps("0: ", 6)), Severity::problem);
  EXPECT_EQ(worst_in(again + kPreempted + steps("0: ", 6)), Severity::problem);
  EXPECT_EQ(worst_in(kPreempted + again + steps("0: ", 6) + kPreempted), Severity::problem);
}

TEST(LogProgress, InTheTimeOfGraceIsNoSurvival) {
  const auto preempted = kPreempted.substr(0, kPreempted.find('\n') + 1);
  EXPECT_EQ(worst_in(preempted + two_steps("")), Severity::problem);
  EXPECT_EQ(worst_in("W1 api.py:7] Received SIGHUP death signal, shutting down\n" + two_steps("")),
            Severity::problem);
}

// A program's own line may have been kept in a buffer; what it says of a failure is none.
TEST(LogProgress, IsOfNoNewRunWithoutALaterTime) {
  for (const std::string_view again :
       {"resuming from /x/step_7", "2026-01-02 09:00:00 resuming from /x",
        "ValueError: training cannot be resumed from epoch 3",
        "2026-01-02 12:00:00 training can be resumed from epoch 3",
        "2026-01-02 12:00:00 failed resuming from /x: no such file"}) {
    EXPECT_EQ(worst_in(kPreempted + std::string(again) + "\n" + steps("", 9)), Severity::problem)
        << again;
    EXPECT_EQ(worst_in(kThrown + std::string(again) + "\n" + steps("", 9)), Severity::problem)
        << again;
  }
}

TEST(LogProgress, IsTheGoodEndThatALauncherSawAfterItBeganAgain) {
  const std::string end = "I1 x/agent/api.py:8] [default] worker group successfully finished.\n",
                    again = "I1 x/agent/api.py:7] 3/3 attempts left; will restart worker group\n",
                    killed = "failed (exitcode: -9) local_rank: 1 (pid: 88) of binary: python\n";
  EXPECT_EQ(worst_in(killed + again + end), Severity::warning);
  EXPECT_EQ(worst_in(killed + again + steps("", 6)), Severity::warning);
  EXPECT_EQ(worst_in(killed + again + steps("", 5)), Severity::problem);
  EXPECT_EQ(worst_in("FATAL: the pot is cold\n" + again + end), Severity::warning);
  EXPECT_EQ(worst_in(killed + end), Severity::problem);  // of another node
  EXPECT_EQ(read_logs({{"a", killed}, {"b", again + end}}).findings.at(0).severity,
            Severity::problem);
  EXPECT_EQ(worst_in(again + end + killed), Severity::problem);
  EXPECT_EQ(worst_in(killed + again + end + killed), Severity::problem);
}

TEST(LogProgress, OfMoreThanABufferHoldsShowsThatAnExceptionWasHandled) {
  EXPECT_EQ(worst_in(kThrown + steps("", 1200)), Severity::warning);
  EXPECT_EQ(worst_in(kThrown + steps("", 900)), Severity::problem);
}

TEST(LogProgress, OfAnotherFilesNextRunSaysNothingOfThisOne) {
  const std::string again = "I1 x/agent/api.py:7] 3/3 attempts left; will restart worker group\n";
  EXPECT_EQ(worst_in(kThrown), Severity::problem);
  EXPECT_EQ(
      read_logs({{"a", kThrown}, {"b", kThrown + again + steps("", 6)}}).findings.at(0).severity,
      Severity::problem);
}

TEST(LogProgress, LeavesWhatEndedTheLastRunForTheRoot) {
  const std::string again = "I1 x/agent/api.py:7] 3/3 attempts left; will restart worker group\n";
  const auto report = read_log(kThrown + again + steps("", 6) + watchdog(0, "ALLREDUCE", 12, 11));
  EXPECT_EQ(report.findings.at(0).rule, "collective-timeout");
  EXPECT_EQ(report.findings.at(0).severity, Severity::problem);
}

TEST(LogProgress, NeedsSeveralStepsAfterWhatAProgramCallsAnError) {
  const std::string error = "ERROR x: permission denied\n";
  EXPECT_EQ(worst_in(error + steps("", 5)), Severity::problem);
  EXPECT_EQ(worst_in(error + steps("", 6)), Severity::warning);
}

TEST(LogProgress, IsComparedWithATimeThatStandsAboveInALineOfNoInterest) {
  const std::string first = "2026-01-02 10:00:00 stirring\n",
                    again = "2026-01-02 12:00:00 resuming from /x\n";
  EXPECT_EQ(worst_in(first + kThrown + again + steps("", 6)), Severity::warning);
  EXPECT_EQ(worst_in(kThrown + again + steps("", 6)), Severity::problem);
}

}  // namespace
}  // namespace linerate::logs
