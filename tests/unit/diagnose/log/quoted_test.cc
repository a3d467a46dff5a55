// Errors that no rule knows: which of them is quoted, and as what.
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

const std::string kComplaint = "mixer: cannot stir /run/pot: the spoon is bent\n";
const std::string kEnded = "srun: error: n4: task 3: Exited with exit code 1\n";

Finding first_of(const std::string& log) {
  const auto report = read_log(log);
  return report.findings.empty() ? Finding{} : report.findings[0];
}

TEST(LogQuoted, IsTheFirstLineThatReadsLikeAnErrorWhereAJobFailed) {
  const auto finding = first_of("stirring\n" + kComplaint + "mixer: could not wash up\n" + kEnded);

  EXPECT_EQ(finding.rule, "unmarked-error");
  EXPECT_EQ(finding.severity, Severity::problem);
  EXPECT_LE(finding.confidence, 0.3);
  EXPECT_THAT(finding.evidence, HasSubstr("no rule knows this line; it is the first that reads "
                                          "like an error: 'mixer: cannot stir /run/pot: the "
                                          "spoon is bent' (job.log:2, 2 times). Then: 'mixer: "
                                          "could not wash up' (job.log:3)"));
  EXPECT_THAT(finding.evidence, HasSubstr("followed by: rank-failed"));
}

TEST(LogQuoted, HasTheRankAndTheTimeOfItsLine) {
  const auto late = "2025-01-01 10:00:09 [rank2]: mixer: cannot stir\n" + kEnded;
  const auto early = "2025-01-01 10:00:03 [rank1]: mixer: unable to stir\n" + kEnded;

  const auto report = read_logs({{"a", late}, {"b", early}});

  EXPECT_EQ(report.findings[0].subject, "rank 1, then 1 other");
  EXPECT_THAT(report.findings[0].evidence, HasSubstr("unable to stir' (b:1"));
}

const std::string kIgnored =
    "Exception ignored in: <function Pot.__del__ at 0x7f00>\n"
    "Traceback (most recent call last):\n"
    "  File \"/opt/kitchen/pot.py\", line 7, in __del__\n"
    "    self.lid.close()\n"
    "OSError: [Errno 9] Bad file descriptor\n";

TEST(LogQuoted, IsNoExceptionThatPythonIgnored) {
  EXPECT_THAT(read_log(kIgnored + kIgnored).findings, IsEmpty());
  EXPECT_THAT(first_of(kIgnored + "ValueError: no more soup\n" + kIgnored).evidence,
              HasSubstr("'ValueError: no more soup' (job.log:6)"));
  const auto ranks = "[rank0]: " + replaced(kIgnored, "\n", "\n[rank0]: ") + "\n";
  EXPECT_THAT(read_log(ranks).findings, IsEmpty());
}

TEST(LogQuoted, IsTheExceptionBehindOneThatPythonIgnored) {
  const std::string trace = "Traceback (most recent call last):\n", real = "ValueError: no soup\n";
  const auto empty = replaced(kIgnored, "OSError: [Errno 9] Bad file descriptor", "queue.Empty");
  const auto cut = kIgnored.substr(0, kIgnored.find("OSError"));

  EXPECT_EQ(first_of(empty + real).rule, "uncaught-exception");
  EXPECT_EQ(first_of(cut + trace + real).rule, "uncaught-exception");
  EXPECT_EQ(read_logs({{"a", cut}, {"b", real}}).findings.at(0).rule, "uncaught-exception");
}

TEST(LogQuoted, NeverComesBeforeAKnownCauseOrWhatFollowsFromOne) {
  EXPECT_EQ(first_of(kComplaint + kUnreachable).rule, "ib-unreachable");
  EXPECT_EQ(first_of(kComplaint + kClosed).rule, "peer-closed");
  EXPECT_EQ(first_of(kComplaint + "Test NCCL failure\n").rule, "nccl-failed");
  EXPECT_EQ(first_of(kComplaint + "ERROR mixer.py:3 x\n" + kEnded).rule, "error-line");
}

TEST(LogQuoted, IsANoteWhereNothingSaysThatTheJobFailed) {
  EXPECT_THAT(read_log(kComplaint + healthy_log()).findings, IsEmpty());
  for (const auto& log : {kComplaint, healthy_log() + kComplaint}) {
    const auto finding = first_of(log);
    EXPECT_EQ(finding.severity, Severity::info);
    EXPECT_THAT(finding.evidence, HasSubstr("Nothing else in this log says that the job failed"));
  }
  EXPECT_THAT(log_text(read_log(kComplaint)), HasSubstr("no fault is named"));
}

TEST(LogQuoted, IsAProblemIfTheLogEndsWithAnErrorThatCallsItselfOne) {
  const std::string error = "mixer: error: the spoon is bent\n";
  const auto severity = [](const std::string& log) { return first_of(log).severity; };

  EXPECT_EQ(severity(error), Severity::problem);
  EXPECT_EQ(severity(error + "stirring on\n"), Severity::info);
  EXPECT_EQ(severity(error + "stirring on\n" + kEnded), Severity::problem);
  EXPECT_EQ(severity("FATAL: the spoon is bent\nstirring on\n"), Severity::problem);
  EXPECT_EQ(severity(error + "mixer: error: the pot crashed\nstirring on\n"), Severity::problem);
  EXPECT_EQ(severity("F0828 11:10:33.595355   331 pot.h:592] Check failed: spoon\nstirring on\n"),
            Severity::problem);
  EXPECT_EQ(severity("ERROR x\nERROR x [core.py:3]     stir(pot)\n"), Severity::problem);
  EXPECT_EQ(severity("ERROR x\n1\n2\n3\n4\n5\n6\n7\nERROR x [core.py:3]     stir(pot)\n"),
            Severity::info);
}

TEST(LogQuoted, IsANoteIfTheProgramGoesOnForLongAfterAnException) {
  std::string on;
  for (int i = 0; i < 450; ++i) on += "stirring\n";

  EXPECT_EQ(first_of("SpoonError: bent\nstirring\n").severity, Severity::problem);
  EXPECT_EQ(first_of("SpoonError: bent\n" + on).severity, Severity::info);
  EXPECT_EQ(first_of("SpoonError: bent\n" + on.substr(0, on.size() / 2)).severity,
            Severity::problem);
  EXPECT_EQ(first_of("SpoonError: bent\n" + on + kEnded).severity, Severity::problem);
}

TEST(LogQuoted, GoesOnInTheNextLines) {
  const auto text = [](const std::string& log) { return first_of(log + kEnded).evidence; };

  EXPECT_THAT(text("mixer: unable to stir the\nred pot.\nlater\n"),
              HasSubstr("unable to stir the red pot.' (job.log:1"));
  EXPECT_THAT(text("mixer: unable to stir:\n\n  the red pot\n"),
              HasSubstr("unable to stir: the red pot'"));
  EXPECT_THAT(text("mixer [Error]: Spoon\n    It is bent, and so\n    not round\n"),
              HasSubstr("[Error]: Spoon It is bent, and so not round'"));
  EXPECT_THAT(text("[rank0]: SpoonError: must be\n[rank0]: round\n"),
              HasSubstr("SpoonError: must be round'"));
}

TEST(LogQuoted, IsALineWithAReasonBeforeAnErrorWithoutOne) {
  const std::string reason = "mixer: cannot open /run/pot: No such file\n";

  EXPECT_EQ(first_of(reason + "ERROR: the run failed\n").rule, "unmarked-error");
  EXPECT_EQ(first_of(reason + "ERROR: the run failed\n").severity, Severity::problem);
  EXPECT_EQ(first_of(reason + "FATAL: aborting\nstirring\n").severity, Severity::problem);
  EXPECT_EQ(first_of("ERROR: the run failed\n" + reason).rule, "error-line");
  EXPECT_EQ(first_of(reason + "ERROR: the spoon failed: it must be round\n").rule, "error-line");
  EXPECT_EQ(first_of("mixer: failed to stir\nERROR: the run failed\n").rule, "error-line");
}

TEST(LogQuoted, IsTheFirstOfSeveralThatGivesAReason) {
  const auto text = [](const std::string& log) { return first_of(log + kEnded).evidence; };

  EXPECT_THAT(text("ERROR: stirring failed\nERROR: cannot find the spoon\nERROR: no such pot\n"),
              HasSubstr("the first error: 'ERROR: cannot find the spoon'"));
  EXPECT_THAT(text("RuntimeError: worker failed\nValueError: must be round\n"),
              HasSubstr("a reason: 'ValueError: must be round'"));
  EXPECT_THAT(text("ERROR: stirring failed\nERROR: it exited\n"),
              HasSubstr("the first error: 'ERROR: stirring failed'"));
}

TEST(LogQuoted, IsTheLastExceptionThatNoStepFollows) {
  const std::string steps = "step 7\nstep 8\n";
  const std::string old = "SpoonError: bent\n", missing = "ImportError: no spoon\n";

  EXPECT_THAT(first_of(old + steps + "PotError: empty\n").evidence, HasSubstr("PotError: empty'"));
  EXPECT_THAT(first_of(old + "PotError: empty\n" + steps).evidence, HasSubstr("SpoonError: bent'"));
  EXPECT_EQ(first_of(missing + steps + "PotError: empty\n").rule, "uncaught-exception");
  EXPECT_EQ(first_of(missing + "PotError: empty\n" + steps).rule, "library-missing");
  EXPECT_EQ(first_of(missing + steps + kEnded).rule, "library-missing");
  EXPECT_EQ(first_of(missing + steps + kEnded).severity, Severity::problem);
}

TEST(LogQuoted, EndsBeforeAStep) {
  EXPECT_THAT(first_of("mixer: unable to stir the\nstep 7 of 9\n" + kEnded).evidence,
              Not(HasSubstr("step 7")));
}

TEST(LogQuoted, EndsBeforeWhatIsNoPartOfIt) {
  const auto text = [](const std::string& log) { return first_of(log + kEnded).evidence; };

  EXPECT_THAT(text("mixer: unable to stir.\nred pot\n"), Not(HasSubstr("red")));
  EXPECT_THAT(text("mixer: unable to stir\nRed pot\n"), Not(HasSubstr("Red")));
  EXPECT_THAT(text("mixer: unable to stir\nslurmstepd: error: red\n"),
              Not(HasSubstr("stir slurm")));
  EXPECT_THAT(text("mixer: unable to stir\nthe\npot\nof\nred\n"), Not(HasSubstr("red")));
  EXPECT_THAT(text("mixer: unable to stir the\n\nred pot\n"), Not(HasSubstr("red")));
}

TEST(LogQuoted, IsNoLineThatSaysThatAllGoesOn) {
  for (const std::string_view line :
       {"INFO could not read the cache, building it", "cannot lock; retrying in 3 s",
        "WARNING: unable to pin", "[I spoon.cpp:3] not found", "  File \"a.py\", in cannot ",
        "frame #3: cannot stir + 0x7f (0x7fab in x.so)",
        "pot.o  00000000019D0CBD  Unknown  Unknown"})
    EXPECT_EQ(first_of(std::string(line) + "\n" + kEnded).rule, "rank-failed") << line;
}

TEST(LogQuoted, IsWhatStandsBeforeAnEndThatNothingExplains) {
  const std::string rule = std::string(74, '-') + "\n";
  const auto finding = first_of("reading soup.txt\nspoons: 3\nthe pot is empty, goodbye\n" + rule +
                                "MPI_ABORT was invoked on rank 0\n" + rule);

  EXPECT_EQ(finding.rule, "program-aborted");
  EXPECT_THAT(finding.evidence,
              HasSubstr("Before it stands: 'spoons: 3'; 'the pot is empty, goodbye'."));
  EXPECT_THAT(first_of("MPI_ABORT was invoked on rank 0\n").evidence, Not(HasSubstr("Before it")));
}

TEST(LogQuoted, IsNoLineOfAnEndThatIsKnown) {
  const auto rule = [](const std::string& log) { return first_of(log).rule; };

  EXPECT_EQ(rule("(1) Unknown: Horovod has been shut down. x\n"), "failure-passed-on");
  EXPECT_EQ(rule("events Error pod x: back-off 40s restarting failed container=x\n"),
            "failure-passed-on");
  EXPECT_EQ(rule("msg=\"Pod: ns.x-0 exited with code 1\"\n"), "rank-failed");
  EXPECT_EQ(rule("[2]PETSC ERROR: Caught signal number 11 SEGV: x\n"), "rank-crashed");
  EXPECT_EQ(rule("[2]PETSC ERROR: -----\n[2]PETSC ERROR: Caught signal number 15 Terminate: x\n"),
            "rank-ended");
  EXPECT_EQ(rule("[n4:x_0] MPI process (rank: 0, pid: 7) terminated with signal 9\n"),
            "rank-killed");
  EXPECT_EQ(rule("no EQ. err: x (5) prov_errno: Unknown error -11 prov/efa/x.h:7\n"),
            "ofi-failure");
}

TEST(LogQuoted, IsTheReasonBelowAnAbortOfCharm) {
  const std::string abort = "--- Processor 7 Exiting: Called CmiAbort ---\n";

  EXPECT_EQ(first_of(abort + "Reason: the spoon is bent\n").rule, "error-line");
  EXPECT_EQ(first_of(abort + "x\nReason: the spoon is bent\n").rule, "rank-aborted");
  EXPECT_THAT(read_log("Reason: the spoon is bent\n").findings, IsEmpty());
}

TEST(LogQuoted, IsWhatOpenMpiSaysThatACallReturned) {
  EXPECT_THAT(first_of("It looks like MPI_INIT failed for some reason\n\n  stir_pot failed\n"
                       "  --> Returned \"Bent\" (-12) instead of \"Success\" (0)\n")
                  .evidence,
              HasSubstr("stack ends with: 'stir_pot failed --> Returned \"Bent\" (-12)"));
}

const std::string kFrames =
    "Traceback (most recent call last):\n  File \"a.py\", line 7, in stir\n    pot()\n";

TEST(LogQuoted, IsAnExceptionOfAnyNameThatEndsATraceback) {
  for (const std::string_view name :
       {"StopIteration", "subprocess.TimeoutExpired: Command x", "SystemExit: 1",
        "jinja2.exceptions.TemplateNotFound: base.html", "__main__.BadShard: 7",
        "DivergedLoss: loss is nan at iteration 1200",
        "concurrent.futures.process.BrokenProcessPool: x", "_pickle.UnpicklingError: x"}) {
    const auto line = std::string(name) + "\n";
    EXPECT_EQ(first_of(kFrames + line).rule,
              name.starts_with("SystemExit") ? "failure-passed-on" : "uncaught-exception")
        << name;
    EXPECT_THAT(first_of(replaced("\n" + kFrames + line, "\n", "\n[rank1]: ") + "\n").evidence,
                HasSubstr(name))
        << name;
  }
}

TEST(LogQuoted, MayBeNamedByAnOldModuleOfPythons) {
  EXPECT_EQ(first_of(kFrames + "socket.timeout: timed out\n").rule, "connect-timeout");
}

TEST(LogQuoted, IsNoOtherLineBelowATraceback) {
  for (const std::string_view line :
       {"Epoch: 3", "Loss: 0.3", "LR: 0.5", "INFO: 127.0.0.1:7 - x", "0.5", "train.loss: 0.5",
        "lower: case", "Two words: x", "SystemExit: 0"})
    EXPECT_THAT(read_log(kFrames + std::string(line) + "\n").findings, IsEmpty()) << line;
  EXPECT_THAT(
      read_log(kFrames + replaced(std::string(200, 'x'), "x", "    pot()\n") + "StopIteration\n")
          .findings,
      IsEmpty());
  EXPECT_THAT(read_log("[rank1]: " + kFrames + "StopIteration\n").findings, IsEmpty());
}

TEST(LogQuoted, IsTheEndOfARankAlsoWhereOthersGoOnForLong) {
  const auto others = replaced(std::string(450, 'x'), "x", "[rank0]: polling\n");
  EXPECT_EQ(first_of("[rank3]: KeyError: 7\n" + others).severity, Severity::problem);
  EXPECT_EQ(first_of("KeyError: 7\n" + others).severity, Severity::info);
}

TEST(LogQuoted, DoesNotGoOnInALineOfAnotherProgram) {
  EXPECT_THAT(first_of("ValueError: bad value\nwandb: Synced 5 files\n").evidence,
              Not(HasSubstr("wandb")));
}

TEST(LogQuoted, IsTheExceptionOfATracebackThatOthersWriteInto) {
  const auto report = read_log(kFrames + "train.loss: 0.5\nmypkg.errors.Boom: boom\n");
  EXPECT_THAT(report.findings.at(0).evidence, HasSubstr("Boom: boom"));
}

TEST(LogQuoted, IsTheFirstExceptionWhereOnlyBufferedStepsAndNoiseFollow) {
  const auto thrown = kFrames + "RuntimeError: boom\nstep 7\nstep 8\nstep 9\n";
  for (const std::string_view noise :
       {"ERROR: run.sh failed with status 1\n", "rm: cannot remove lock: No such file\n",
        "training failed: could not finish\n", "UCX Fatal: closed\n"})
    EXPECT_EQ(first_of(thrown + std::string(noise)).rule, "uncaught-exception") << noise;
  EXPECT_THAT(log_text(read_log(thrown + kFrames + "OSError: handle is closed\n")),
              HasSubstr("RuntimeError: boom"));
}

}  // namespace
}  // namespace linerate::logs
