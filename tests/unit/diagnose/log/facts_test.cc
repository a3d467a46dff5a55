// What a healthy log says: versions, ranks, channels, network, settings; and what costs speed.
#include "diagnose/log/facts.h"

#include "unit/diagnose/log/log_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace linerate::logs {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::Field;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Key;
using ::testing::Not;
using ::testing::UnorderedElementsAre;

std::vector<std::string> rules_of(const LogReport& report) {
  std::vector<std::string> rules;
  for (const auto& finding : report.findings) rules.push_back(finding.rule);
  return rules;
}

Finding only(const LogReport& report) {
  EXPECT_EQ(report.findings.size(), 1U) << log_text(report);
  return report.findings.empty() ? Finding{} : report.findings.front();
}

TEST(LogFacts, HasVersionsRanksAndHosts) {
  const auto report = read_log(healthy_log());

  EXPECT_THAT(report.facts.versions, ElementsAre("2.21.5+cuda12.4"));
  EXPECT_THAT(report.facts.drivers, ElementsAre("12040"));
  ASSERT_NE(report.facts.job(), nullptr);
  EXPECT_EQ(report.facts.job()->nranks, 4);
  EXPECT_EQ(report.facts.job()->completed(), 4U);
  EXPECT_EQ(report.facts.job()->ranks.at(3).host, "node1");
  EXPECT_DOUBLE_EQ(report.facts.job()->ranks.at(3).init_s, 4.5);
  EXPECT_THAT(report.facts.networks, ElementsAre(Key("IB")));
  EXPECT_THAT(report.facts.devices, ElementsAre(Key("[0]mlx5_0:1/IB [RO]")));
  EXPECT_THAT(report.findings, IsEmpty());
}

TEST(LogFacts, CountsChannelsByHosts) {
  const auto text = log_text(read_log(healthy_log()));

  EXPECT_THAT(text, HasSubstr("within node0: 1 P2P/CUMEM"));
  EXPECT_THAT(text, HasSubstr("node0 to node1: 2 NET/IB, GPUDirect"));
  EXPECT_THAT(text, HasSubstr("node1 to node0: 2 NET/IB, GPUDirect"));
}

TEST(LogFacts, ReadsChannelsOfAllVersions) {
  for (const auto& [line, transport] : std::vector<std::pair<std::string, std::string>>{
           {"Ring 00 : 0 -> 1 via P2P/IPC", "P2P/IPC"},
           {"Ring 00 : 0[3000] -> 1[4000] via direct shared memory", "SHM"},
           {"Channel 00 : 0[3000] -> 1[4000] [send] via NET/Socket/0", "NET/Socket"},
           {"Channel 00/0 : 0[0] -> 1[1] via P2P/CUMEM/read", "P2P/CUMEM"},
           {"Channel 00/0 : 0[0] -> 1[1] via SHM/direct/direct", "SHM"},
           {"Channel 03/0 : 5[5] -> 12[4] [send] via NET/IBext_v8/3(4)/GDRDMA/Shared",
            "NET/IBext_v8"},
           {"Channel 00/0 : 0[0] -> 1[1] [receive] via NET/AWS Libfabric/0/GDRDMA",
            "NET/AWS Libfabric"}}) {
    const auto report = read_log(info(0, line));
    ASSERT_EQ(report.facts.channels.size(), 1U) << line;
    EXPECT_EQ(report.facts.channels.begin()->first.transport, transport) << line;
  }
}

TEST(LogFacts, ReadsRanksOfOldVersions) {
  const auto report =
      read_log(info(1, "comm 0x7f00 rank 1 nranks 2 cudaDev 1 nvmlDev 1 - Init COMPLETE"));

  ASSERT_NE(report.facts.job(), nullptr);
  EXPECT_TRUE(report.facts.job()->ranks.at(1).completed);
}

TEST(LogFacts, KnowsRccl) {
  const auto report = read_log("RCCL version 2.22.3+hip6.3 HEAD:9e6b1\n");

  EXPECT_THAT(report.facts.versions, ElementsAre("2.22.3+hip6.3"));
}

TEST(LogFacts, TakesVersionsAndSettingsBehindPrefixes) {
  for (const std::string_view prefix : {"", "[1,0]<stdout>:", "2025-02-01T07:30:01Z ", "w-0 | "}) {
    const auto report =
        read_log(fmt::format("{0}NCCL version 2.19.3\n{0}NCCL_ALGO set to Ring\n", prefix));

    EXPECT_THAT(report.facts.versions, ElementsAre("2.19.3")) << prefix;
    EXPECT_THAT(report.facts.settings, ElementsAre(Key("NCCL_ALGO"))) << prefix;
  }
}

TEST(LogFacts, AreNotInSentencesOfOthers) {
  const auto report = read_log("this image has NCCL version 2.19.3\nso NCCL_ALGO set to Ring\n" +
                               info(0, "NCCL_ALGO of rank 1 is set to 1"));

  EXPECT_THAT(report.facts.versions, IsEmpty());
  EXPECT_THAT(report.facts.settings, IsEmpty());
}

TEST(LogFacts, BringNothingToTheTerminalThatItWouldObey) {
  const auto report = read_log(info(0, "Channel 00/0 : 0[0] -> 1[1] via NET/\x07\x9b/0") +
                               info(0, "NCCL_\x07X set to 1"));

  const auto text = log_text(report);

  EXPECT_EQ(text.find_first_of("\x07\x9b"), std::string::npos) << text;
}

TEST(LogFacts, ToleratesNumbersThatCannotBe) {
  const auto report =
      read_log(info(0, "comm 0x1 rank 9 nranks 2 - Init COMPLETE") +
               info(0, "comm 0x1 rank 99999999999 nranks 999999999999 - Init COMPLETE") +
               info(0, "comm 0x1 rank 1 nranks 999999999 - Init COMPLETE") +
               info(0, "Channel 00/0 : x -> y via NET/") + info(0, "Init timings - rank total"));

  EXPECT_EQ(report.facts.job(), nullptr);
}

TEST(SlowPaths, AreSocketsAlthoughInfiniBandIsThere) {
  const auto log = replaced(replaced(healthy_log(), "Using network IB", "Using network Socket"),
                            "NET/IB/0/GDRDMA", "NET/Socket/0");

  const auto finding = only(read_log(log));

  EXPECT_EQ(finding.rule, "sockets-between-hosts");
  EXPECT_EQ(finding.severity, Severity::warning);
  EXPECT_THAT(finding.evidence, HasSubstr("mlx5_0"));
}

TEST(SlowPaths, AreNoWarningWhereThereIsOnlyEthernet) {
  auto log = replaced(replaced(healthy_log(), "Using network IB", "Using network Socket"),
                      "NET/IB/0/GDRDMA", "NET/Socket/0");
  log = replaced(log, "NET/IB : Using [0]mlx5_0:1/IB [RO]", "NET/IB : No device found.");
  const auto unset = replaced(log, "NCCL_IB_HCA set to mlx5_0", "x");

  EXPECT_EQ(only(read_log(unset)).severity, Severity::info);
  EXPECT_EQ(only(read_log(log)).severity, Severity::warning);
  EXPECT_THAT(only(read_log(log)).evidence, HasSubstr("although NCCL_IB_HCA names adapters"));
}

TEST(SlowPaths, AreSocketsToAHostWhoseLogIsNotThere) {
  const auto log = [](int nranks) {
    return info(0, "Channel 00/0 : 1[0] -> 0[0] [receive] via NET/Socket/0") +
           info(0, fmt::format("comm 0x1 rank 0 nranks {} cudaDev 0 - Init COMPLETE", nranks));
  };
  EXPECT_THAT(only(read_log(log(2))).rule, "sockets-between-hosts");
}

TEST(SlowPaths, AreNotBetweenHostsWhereThereIsOne) {
  auto log = replaced(healthy_log(), "Using network IB", "Using network Socket");
  log = replaced(replaced(log, "NET/IB/0/GDRDMA", "NET/Socket/0"), "node1", "node0");

  EXPECT_THAT(rules_of(read_log(log)), ElementsAre("network-within-host"));
}

TEST(SlowPaths, AreDataThroughTheHostsMemory) {
  EXPECT_EQ(only(read_log(replaced(healthy_log(), "/GDRDMA", ""))).rule, "gpudirect-off");
  const auto one_way =
      replaced(healthy_log(), "[receive] via NET/IB/0/GDRDMA", "[receive] via NET/IB/0");
  EXPECT_EQ(only(read_log(one_way)).rule, "gpudirect-one-way");
}

TEST(SlowPaths, AreSwitchesForSearchingFaults) {
  const auto log = healthy_log() + info(0, "NCCL_P2P_DISABLE set by environment to 1.") +
                   info(0, "NCCL_SHM_DISABLE set by environment to 0.");

  EXPECT_EQ(only(read_log(log)).subject, "NCCL_P2P_DISABLE");
}

TEST(SlowPaths, AreSharedMemoryAndTheNetworkWithinAHost) {
  const auto shm = replaced(healthy_log(), "P2P/CUMEM", "SHM/direct/direct");
  EXPECT_EQ(only(read_log(shm)).rule, "no-peer-access");
  EXPECT_EQ(only(read_log(shm)).severity, Severity::info);
  const auto one_host = replaced(healthy_log(), "node1", "node0");
  EXPECT_THAT(rules_of(read_log(one_host)), ElementsAre("network-within-host"));
}

TEST(SlowPaths, AreRanksThatDiffer) {
  const auto setting =
      replaced(healthy_log(), "node1:103:203 [1] NCCL INFO NCCL_IB_HCA set to mlx5_0",
               "node1:103:203 [1] NCCL INFO NCCL_IB_HCA set to mlx5_1");
  const auto network = replaced(healthy_log(), "node1:103:203 [1] NCCL INFO Using network IB",
                                "node1:103:203 [1] NCCL INFO Using network OFI");
  const auto version = healthy_log() + "NCCL version 2.18.3+cuda12.2\n";

  EXPECT_EQ(only(read_log(setting)).rule, "settings-differ");
  EXPECT_THAT(only(read_log(setting)).evidence, HasSubstr("mlx5_1 on rank 3 (node1)"));
  EXPECT_EQ(only(read_log(network)).rule, "mixed-networks");
  EXPECT_EQ(only(read_log(version)).rule, "versions-differ");
  EXPECT_THAT(read_log(healthy_log() + "NCCL version 2.21.5\n").findings, IsEmpty());
}

TEST(SlowPaths, LetRanksDifferInTheirFiles) {
  const auto log = healthy_log() + info(0, "NCCL_DEBUG_FILE set by environment to a") +
                   info(1, "NCCL_DEBUG_FILE set by environment to b");

  EXPECT_THAT(read_log(log).findings, IsEmpty());
}

}  // namespace
}  // namespace linerate::logs
