// The root cause comes first, with what followed; and healthy logs have none.
#include "diagnose/log/report.h"

#include "unit/diagnose/log/log_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <array>
#include <vector>

namespace linerate::logs {
namespace {

using ::testing::AnyOf;
using ::testing::Each;
using ::testing::EndsWith;
using ::testing::Field;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::SizeIs;
using ::testing::StartsWith;

TEST(LogReport, OfAHealthyJobHasNoFault) {
  EXPECT_EQ(log_text(read_log(healthy_log())),
            "log        48 lines, 47 messages of NCCL, 1 file\n"
            "NCCL       2.21.5+cuda12.4, driver for CUDA 12.4\n"
            "ranks      4 of 4 seen, 4 initialised, on 2 hosts (node0: 0-1; node1: 2-3)\n"
            "init       1.5 s to 4.5 s, the slowest is rank 3\n"
            "network    IB; [0]mlx5_0:1/IB [RO]\n"
            "channels   within node0: 1 P2P/CUMEM\n"
            "           node0 to node1: 2 NET/IB, GPUDirect\n"
            "           node1 to node0: 2 NET/IB, GPUDirect\n"
            "           within node1: 1 P2P/CUMEM\n"
            "rings      2 channels, trees\n"
            "settings   NCCL_IB_HCA=mlx5_0\n"
            "\n"
            "no fault found\n");
}

TEST(LogReport, SaysThatALineWasCut) {
  const auto report = read_log("NCCL " + std::string(20'000, 'a') + "\n");
  EXPECT_THAT(log_text(report),
              HasSubstr("\ncut        1 line: what stands behind 16 KiB of a line is not read\n"));
  EXPECT_THAT(log_json(report), HasSubstr("\"cut_lines\": 1"));
  EXPECT_THAT(log_text(read_log("NCCL x\n")), Not(HasSubstr("cut ")));
}

TEST(LogReport, OfALogWithoutNcclsMessagesSaysNothingOfNccl) {
  EXPECT_EQ(log_text(read_log("step 1 loss 3.2\n")),
            "log        1 line, 0 messages of NCCL, 1 file\n"
            "\n"
            "no fault found; no message of NCCL in it (NCCL_DEBUG=INFO shows how it set itself "
            "up)\n");
}

TEST(LogReport, NamesTheRootCauseAndFoldsWhatFollowed) {
  const auto text = log_text(read_log(
      healthy_log() + kUnreachable + info(3, "proxy.cc:679 -> 6") + kClosed + kClosed +
      warn(1, "misc/socket.cc:49", "socketProgress: Connection closed by remote peer node1<9>")));

  EXPECT_THAT(
      text,
      EndsWith(
          "problem: ib-unreachable: rank 3 (node1)\n"
          "  the peer's adapter did not answer, after all retries (status 12). At the start of a "
          "job: the NICs cannot reach each other. After hours: loss, congestion or a link that "
          "flaps: 'transport/net_ib.cc:99 NCCL WARN NET/IB : Got completion from peer 10.0.0.1<9> "
          "with status=12 opcode=0 len=0 vendor err 129' (job.log:50). It was followed by: "
          "peer-closed (rank 0 (node0), then 1 other).\n"
          "  -> at the start: ib_write_bw between these two NICs with the same GID index; unset "
          "NCCL_IB_GID_INDEX or set 3 for RoCE v2; NCCL_CROSS_NIC=0 where rails are not connected. "
          "Later: port counters, PFC and ECN; NCCL_IB_TIMEOUT=22 bridges short outages "
          "[NVIDIA/nccl#426, NCCL user guide]\n"
          "\n"
          "The log says, line by line:\n"
          "> line 50  ib-unreachable  transport/net_ib.cc:99 NCCL WARN NET/IB : Got "
          "completion "
          "from peer 10.0.0.1<9> with status=12 opcode=0 len=0 vendor err…\n"
          "  line 53  peer-closed     misc/socket.cc:49 NCCL WARN socketProgress: Connection "
          "closed by remote peer node1<9> (3 times)\n"
          "\n1 problem\nmore on a finding: linerate doctor --explain ID\n"));
}

TEST(LogReport, TellsWhatStoodBeforeTheRootFromWhatFollowedIt) {
  const auto evidence =
      read_log("ERROR upload failed\n" + kUnreachable + kClosed).findings[0].evidence;

  EXPECT_THAT(evidence, HasSubstr(" Earlier in the log: error-line, 'ERROR upload failed' "
                                  "(job.log:1)."));
  EXPECT_THAT(evidence, HasSubstr(" It was followed by: peer-closed ("));
}

TEST(LogReport, OrdersLinesOfSeveralFilesByTheirTimes) {
  const std::string root = "2025-02-01 07:30:02 n:1:1 [0] a.cc:1 NCCL WARN nvmlInit failed\n";
  const auto error = [](int second) {
    return fmt::format("2025-02-01 07:30:0{} ERROR upload failed\n", second);
  };
  const auto evidence = [&](const std::string& other) {
    return read_logs({{"a", root}, {"b", other}}).findings[0].evidence;
  };

  EXPECT_THAT(evidence(error(1)), HasSubstr(" Earlier in the log: error-line"));
  EXPECT_THAT(evidence(error(3)), HasSubstr(" It was followed by: error-line"));
  EXPECT_THAT(evidence("ERROR upload failed\n"),
              HasSubstr(" In other files, before or after it: error-line"));
}

TEST(LogReport, CountsARankOnceWhetherOrNotALineNamesItsHost) {
  const auto report =
      read_log(info(0, "comm 0x1 rank 0 nranks 2 cudaDev 0 commId 0xa - Init START") +
               info(1, "comm 0x1 rank 1 nranks 2 cudaDev 1 commId 0xa - Init START") +
               warn(1, "init.cc:8", "Duplicate GPU detected : rank 1 and rank 0") +
               warn(0, "init.cc:8", "Duplicate GPU detected : rank 0 and rank 1") +
               "[rank0]: Last error:\n[rank0]: Duplicate GPU detected : rank 0 and rank 1\n");

  EXPECT_EQ(report.findings[0].subject, "rank 1 (node0), then 1 other");
}

TEST(LogReport, SaysWhatTheNumberOfAnXidMeans) {
  const auto evidence = [](std::string_view number) {
    return read_log(fmt::format("kernel: NVRM: Xid (PCI:0000:3b:00): {}, pid=7, text\n", number))
        .findings[0]
        .evidence;
  };

  EXPECT_THAT(evidence("48"), HasSubstr(" Xid 48: an error in the GPU's memory"));
  EXPECT_THAT(evidence("13"), HasSubstr(" Xid 13: a kernel of a program"));
  EXPECT_THAT(evidence("999"), Not(HasSubstr(" Xid 999:")));
}

TEST(LogReport, ComparesTimesOfAllFormsAlthoughAConsequenceHasNone) {
  const std::string late =
      "2025-02-01 07:30:02 n:1:1 [0] a.cc:1 NCCL WARN Duplicate GPU detected\n";
  const std::string early = "2025-02-01T07:30:01.250Z n:2:2 [0] a.cc:1 NCCL WARN nvmlInit failed\n";

  const auto report = read_logs({{"a", kClosed + late}, {"b", kClosed + kClosed + early}});

  EXPECT_EQ(report.findings[0].rule, "nvml-failed");
  EXPECT_THAT(report.findings[0].evidence, Not(HasSubstr("not known")));
}

TEST(LogReport, ReadsTheTimesOfInfoLines) {
  const auto at = [](int second, std::string_view text) {
    return fmt::format("2025-02-01 07:30:0{} {}", second, text);
  };

  const auto report =
      read_logs({{"a", at(2, "n:1:1 [0] a.cc:1 NCCL WARN nvmlInit failed\n")},
                 {"b", "\n\n" + at(1, "n:2:2 [0] NCCL INFO Duplicate GPU detected\n")}});

  EXPECT_EQ(report.findings[0].rule, "same-gpu-twice");
}

TEST(LogReport, SaysThatFilesWithoutTimesHaveNoOrder) {
  const auto full = warn(0, "a.cc:1", "Call to posix_fallocate failed : No space left on device");
  const auto known = read_log(full + kUnreachable);
  const auto unknown = read_logs({{"0", full}, {"3", kUnreachable}});
  const auto alike = read_logs({{"0", full}, {"1", replaced(full, "node0", "node1")}});

  EXPECT_THAT(unknown.findings[0].evidence, HasSubstr("Whether it came first is not known"));
  EXPECT_LT(unknown.findings[0].confidence, known.findings[0].confidence);
  EXPECT_EQ(alike.findings[0].subject, "node0, GPU 0 and 1 other");
}

TEST(LogReport, SaysWhereOnlyConsequencesAreSeen) {
  const auto report = read_log(kClosed);

  EXPECT_EQ(report.findings[0].rule, "peer-closed");
  EXPECT_THAT(report.findings[0].evidence, HasSubstr("What it follows from is not in this log."));
}

TEST(LogReport, NamesTheRanksThatAreMissing) {
  std::string log;
  for (const int rank : {0, 1, 3})
    log += info(rank, fmt::format("comm 0x1 rank {} nranks 8 commId 0xa - Init START", rank));

  const auto report =
      read_log(log + warn(0, "misc/socket.cc:1", "Call to connect failed : Connection timed out"));

  ASSERT_THAT(report.findings, SizeIs(1));
  EXPECT_THAT(report.findings[0].evidence, HasSubstr("no sign of ranks 2, 4-7 of 8"));
  EXPECT_THAT(report.findings[0].evidence, HasSubstr("did not end on ranks 0-1, 3."));
}

TEST(LogReport, WarnsOfRanksThatNeverCame) {
  const auto report = read_log(info(0, "comm 0x1 rank 0 nranks 4 commId 0xa - Init START") +
                               info(3, "comm 0x1 rank 3 nranks 4 commId 0xa - Init START"));

  ASSERT_THAT(report.findings, SizeIs(1));
  EXPECT_EQ(report.findings[0].severity, Severity::warning);
  EXPECT_THAT(report.findings[0].evidence, HasSubstr("no sign of ranks 1-2 of 4"));
}

TEST(LogReport, DoesNotCallAnOpenInitialisationFaultless) {
  const auto log = replaced(healthy_log(),
                            "rank 2 nranks 4 cudaDev 0 nvmlDev 0 busId 1000 commId "
                            "0xabc - Init COMPLETE",
                            "");

  EXPECT_THAT(log_text(read_log(log)), HasSubstr("\nthe log ends before initialisation does\n"));
}

TEST(LogReport, SaysWhichRankIsBehind) {
  std::string log;
  for (const int rank : {0, 1, 3}) log += watchdog(rank, "ALLREDUCE", 12, 11);
  log += watchdog(2, "BROADCAST", 11, 10);

  const auto report = read_log(log);

  ASSERT_THAT(report.findings, SizeIs(1));
  EXPECT_EQ(report.findings[0].rule, "collective-timeout");
  EXPECT_THAT(report.findings[0].evidence,
              HasSubstr("Rank 2 is behind: it ended call 10, others (ranks 0-1, 3) a later one."));
}

TEST(LogReport, SaysWhichRankIsBehindByItsGroupsLinesAlone) {
  constexpr std::string_view kGroup = "[PG ID 2 PG GUID 7(tp) Rank";
  std::string log;
  for (const int rank : {0, 1, 2})
    log += fmt::format(
        "{} {}] Watchdog caught collective operation timeout: WorkNCCL(SeqNum={}, "
        "OpType=COALESCED, x\n",
        kGroup, rank, rank == 1 ? 4000000000 : 4000000001);

  const auto evidence = read_log(log).findings[0].evidence;

  EXPECT_THAT(evidence, HasSubstr("Rank 1 waited in call 4000000000 (COALESCED)."));
  EXPECT_THAT(evidence, HasSubstr("Rank 1 is behind: it waited in call 4000000000, others (ranks "
                                  "0, 2) a later one."));
}

TEST(LogReport, TakesTheLastEndedCallFromALaterLine) {
  std::string log;
  for (const int rank : {0, 1})
    for (const std::string_view line :
         {"Watchdog caught collective operation timeout: WorkNCCL(SeqNum=7, OpType=SEND, x",
          "Timeout at NCCL work: 7, last enqueued NCCL work: 9, last completed NCCL work: "})
      log += fmt::format("[PG ID 0 PG GUID 0 Rank {}] {}{}\n", rank, line,
                         line.ends_with(' ') ? std::to_string(6 - rank) : "");

  EXPECT_THAT(read_log(log).findings[0].evidence, HasSubstr("Rank 1 is behind: it ended call 5,"));
}

TEST(LogReport, SaysWhoGaveUpFirst) {
  const auto report = read_log(
      "[rank5]:[E ProcessGroupNCCL.cpp:7] [PG ID 0 PG GUID 0(default_pg) Rank 5] Received a dump "
      "signal due to a collective timeout from  rank 2 and we will try our best to dump the debug "
      "info. Last "
      "enqueued NCCL work: 9, last completed NCCL work: 8.\n");

  ASSERT_THAT(report.findings, SizeIs(1));
  EXPECT_THAT(report.findings[0].evidence, HasSubstr("Rank 2 was the first to give up."));
  EXPECT_THAT(report.findings[0].evidence, Not(HasSubstr("waited in call")));
}

TEST(LogReport, SaysWhichRanksAreInDifferentCalls) {
  std::string log;
  for (const int rank : {0, 1, 2, 3})
    log += watchdog(rank, rank == 1 ? "ALLGATHER" : "ALLREDUCE", 812, 811);

  const auto finding = read_log(log).findings[0];

  EXPECT_THAT(finding.evidence, HasSubstr(" Ranks 0, 2-3 are in call 812 (ALLREDUCE), rank 1 is in "
                                          "call 812 (ALLGATHER)."));
  EXPECT_THAT(finding.evidence, Not(HasSubstr("if of one process group")));
  EXPECT_THAT(finding.advice, StartsWith("look for a branch that not all ranks take"));
}

TEST(LogReport, DoesNotKnowWhetherCallsDifferWhereNoLineNamesTheGroup) {
  const auto finding = read_log(
                           "[Rank 0] Watchdog caught collective operation timeout: "
                           "WorkNCCL(SeqNum=7, OpType=ALLREDUCE, x\n"
                           "[Rank 1] Watchdog caught collective operation timeout: "
                           "WorkNCCL(SeqNum=7, OpType=_ALLGATHER_BASE, x\n")
                           .findings[0];

  EXPECT_THAT(finding.evidence,
              HasSubstr("call 7 (_ALLGATHER_BASE): they differ, if of one process group."));
  EXPECT_THAT(finding.advice, StartsWith("find out what the rank that is behind did"));
}

TEST(LogReport, DoesNotCallSendingAndReceivingDifferentCalls) {
  const auto finding = read_log(watchdog(0, "SEND", 7, 6) + watchdog(1, "RECV", 7, 6)).findings[0];

  EXPECT_THAT(finding.evidence, HasSubstr(" Ranks 0-1 waited in call 7."));
}

TEST(LogReport, TakesTheTextOfAFailureForItsCause) {
  const auto report = read_log(
      "NCCL error in: x.cpp:1, unhandled cuda error, NCCL version 2.18.3\n"
      "Last error:\nCuda failure 'initialization error'\n");

  EXPECT_EQ(report.findings[0].rule, "cuda-not-started");
}

TEST(LogReport, TakesAFailureInPyTorchsWordsForNoVersion) {
  for (const std::string_view failed :
       {"[rank2]: torch.distributed.DistBackendError: NCCL error in: a.cpp:9, unhandled system "
        "error (run with NCCL_DEBUG=INFO for details), NCCL version 2.18.1\n",
        "torch.distributed.DistBackendError: NCCL error in: a.cpp:9, internal error, NCCL version "
        "2.18.1\n"}) {
    const auto report = read_log("NCCL version 2.21.5+cuda12.4\n" + std::string(failed));

    ASSERT_THAT(report.findings, SizeIs(1)) << failed;
    EXPECT_EQ(report.findings[0].rule, "nccl-failed");
    EXPECT_EQ(report.findings[0].severity, Severity::problem);
    EXPECT_THAT(report.facts.versions, SizeIs(1));
  }
}

TEST(LogReport, BelievesOnlyTheSameRankBehindLastError) {
  const std::string failed = "[rank0]: NCCL error in: a.cpp:9, unhandled cuda error\n";
  for (const std::string_view next :
       {"[rank0]: Last error:\n[rank3]: epoch 3 loss 2.3\n",
        "[rank0]: Last error:\n[rank3]: Cuda failure 'unknown error'\n",
        "node1| Last error:\nnode2| Cuda failure 'unknown error'\n",
        "Last error:\nepoch 3 loss 2.3\n"})
    EXPECT_EQ(read_log(failed + std::string(next)).findings[0].rule, "nccl-failed") << next;
  for (const std::string_view next :
       {"[rank0]: Last error:\n[rank0]: Cuda failure 'unknown error'\n",
        "node1| Last error:\r\nnode1| Cuda failure 'unknown error'\r\n"})
    EXPECT_EQ(read_log(failed + std::string(next)).findings[0].rule, "cuda-failure") << next;
}

TEST(LogReport, QuotesALastErrorThatItDoesNotKnow) {
  const auto report = read_log("NCCL error in: a.cpp:9, internal error\nLast error:\nnew words\n");

  EXPECT_EQ(report.findings[0].rule, "nccl-failed");
  EXPECT_THAT(report.findings[0].evidence, HasSubstr("NCCL's last message was: 'new words'."));
}

TEST(LogReport, TakesTheLastErrorInTheSameLine) {
  const auto report = read_log(
      "[rank0]: NCCL error in: a.cpp:9, internal error. Last error: Duplicate GPU detected : x\n");

  EXPECT_EQ(report.findings[0].rule, "same-gpu-twice");
}

TEST(LogReport, TakesTheLastWarningThatXlaQuotes) {
  const std::string failed =
      "NCCL operation ncclCommInitRank(x) failed: unhandled cuda error. Last NCCL warning(error) "
      "log entry (may be unrelated) ";

  EXPECT_EQ(read_log(failed + "'Cuda failure 2 'out of memory''.\n").findings[0].rule,
            "out-of-gpu-memory");
  EXPECT_EQ(read_log(failed + "'something odd'.\n").findings[0].rule, "nccl-failed");
}

TEST(LogReport, FindsNoFaultInAPortOfRasThatIsTaken) {
  EXPECT_THAT(read_log(warn(0, "ras/client_support.cc:7",
                            "Call to bind failed: Address already in "
                            "use"))
                  .findings,
              IsEmpty());
}

TEST(LogReport, TellsExitCodesApart) {
  const auto report =
      read_log("failed (exitcode: 1) local_rank: 0\nfailed (exitcode: 137) local_rank: 1\n");

  ASSERT_THAT(report.findings, SizeIs(1));
  EXPECT_EQ(report.findings[0].rule, "rank-killed");
}

TEST(LogReport, ReadsTheWatchdogBehindAProgressBar) {
  const auto bar = "Epoch 0:   6%|" + std::string(300, ' ') + "| [6:28:43<94:39:17, loss=2.6]";
  const auto report = read_log(bar + watchdog(0, "ALLREDUCE", 96120, 96119));

  EXPECT_EQ(report.findings[0].subject, "rank 0");
}

TEST(LogReport, ShowsWarningsThatItDoesNotKnow) {
  const auto alone = read_log(healthy_log() + warn(1, "new.cc:5", "something odd 17"));
  const auto failed = read_log(warn(1, "new.cc:5", "something odd 17") + info(1, "init.cc:9 -> 3"));

  EXPECT_EQ(alone.findings[0].rule, "unknown-warning");
  EXPECT_EQ(alone.findings[0].severity, Severity::warning);
  EXPECT_THAT(alone.findings[0].evidence, HasSubstr("something odd 17"));
  EXPECT_EQ(failed.findings[0].severity, Severity::problem);
}

TEST(LogReport, NamesThePartOfNcclThatWroteAnUnknownWarning) {
  for (const auto& [site, text, rule] : std::vector<std::array<std::string_view, 3>>{
           {"transport/net_ib/new.cc:5", "strange", "ib-failure"},
           {"nccl_net_ofi_x:5", "NET/OFI strange", "ofi-failure"},
           {"bootstrap.cc:5", "strange", "socket-failure"},
           {"misc/ipcsocket.cc:5", "strange", "ipc-handle"},
           {"graph/search.cc:5", "strange", "topology-incomplete"},
           {"dev_runtime.cc:5", "strange", "registration-failed"},
           {"gin/gin_host.cc:5", "strange", "gin-failure"},
           {"misc/msccl/msccl_parser.cc:5", "strange", "msccl-failure"},
           {"enqueue.cc:5", "strange", "invalid-call"}}) {
    const auto report = read_log(warn(1, site, text));

    ASSERT_THAT(report.findings, SizeIs(1)) << site;
    EXPECT_EQ(report.findings[0].rule, rule);
    EXPECT_EQ(report.findings[0].severity, Severity::problem);
    EXPECT_EQ(report.findings[0].confidence, 0.5);
  }
}

TEST(LogReport, NamesTheErrorOfTheSystemInAnUnknownWarning) {
  for (const auto& [text, rule] : std::vector<std::array<std::string_view, 2>>{
           {"strange failed : Permission denied (13)", "permission-denied"},
           {"strange: Too many open files", "files-or-threads-limit"},
           {"strange: Name or service not known", "address-not-resolved"},
           {"strange x: No space left on device", "shared-memory-full"}})
    EXPECT_EQ(read_log(warn(1, "new.cc:5", text)).findings[0].rule, rule) << text;
}

TEST(LogReport, DoesNotPassOverAnErrorCodeWithoutAWarning) {
  const auto pending = read_log(info(1, "init.cc:9 -> 7"));
  const auto failed = read_log(info(1, "init.cc:9 -> 7") + info(1, "init.cc:9 -> 3"));

  EXPECT_THAT(pending.findings, IsEmpty());
  ASSERT_THAT(failed.findings, SizeIs(1));
  EXPECT_EQ(failed.findings[0].rule, "error-code");
  EXPECT_EQ(failed.findings[0].severity, Severity::problem);
}

TEST(LogReport, OnlyWarnsOfAStoreThatMayHaveEndedInOrder) {
  const std::string gone = "[W TCPStore.cpp:9] [c10d] recvValue failed on SocketImpl(fd=7): x\n";

  const auto alone = read_log(gone);
  const auto after = read_log(gone + "torch.OutOfMemoryError: CUDA out of memory. Tried\n");

  ASSERT_THAT(alone.findings, SizeIs(1));
  ASSERT_THAT(after.findings, SizeIs(1));
  EXPECT_EQ(alone.findings[0].severity, Severity::warning);
  EXPECT_EQ(after.findings[0].rule, "out-of-gpu-memory");
  EXPECT_THAT(after.findings[0].evidence, HasSubstr("store-closed"));
}

TEST(LogReport, TakesThePyTorchTextOfTheLastError) {
  const auto report = read_log(
      "torch.distributed.DistBackendError: NCCL error in: x, unhandled system error\n"
      "Last error:\n"
      "socketStartConnect: Connect to 10.0.0.1<9> failed : Software caused connection abort\n");

  EXPECT_EQ(report.findings[0].rule, "no-route-to-host");
}

TEST(LogReport, FindsNoFaultInWhatIsLeftOfAHealthyLog) {
  const auto log = healthy_log();
  for (std::size_t size = 0; size <= log.size(); size += 97)
    EXPECT_THAT(read_log(log.substr(0, size)).findings,
                Each(AnyOf(Field(&Finding::severity, Severity::info),
                           Field(&Finding::rule, "initialisation-open"))))
        << size;
}

TEST(LogReport, FindsNoFaultInDisturbedHealthyLogs) {
  const auto log = healthy_log();
  for (const auto& disturbed :
       {replaced(log, "\n", "\r\n"), replaced(log, "node", "\x1b[32mnode"),
        replaced(log, "node1:", "[1,3]<stdout>:node1:"),
        replaced(log, "NCCL INFO Using network IB\n", "NCCL INFO Using network IB"),
        replaced(log, "node0:100", "2025-05-01T10:00:00 node0:100"), log + log})
    EXPECT_THAT(read_log(disturbed).findings, IsEmpty()) << log_text(read_log(disturbed));
}

TEST(LogReport, IsJsonToo) {
  const auto json = nlohmann::json::parse(log_json(read_log(healthy_log() + kUnreachable)));

  EXPECT_EQ(json["kind"], "doctor_log");
  EXPECT_EQ(json["nranks"], 4);
  EXPECT_EQ(json["hosts"]["node1"], (std::vector{2, 3}));
  EXPECT_EQ(json["channels"].size(), 4U);
  EXPECT_EQ(json["findings"][0]["rule"], "ib-unreachable");
  EXPECT_EQ(json["findings"][0]["severity"], "problem");
}

TEST(RangesText, JoinsNeighbours) {
  EXPECT_EQ(ranges_text(std::vector{0, 1, 2, 5, 7, 8}), "0-2, 5, 7-8");
  EXPECT_EQ(ranges_text({}), "");
}

}  // namespace
}  // namespace linerate::logs
