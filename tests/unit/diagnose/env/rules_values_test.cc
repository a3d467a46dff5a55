// Values: how they are read, and what they do.
#include "unit/diagnose/env/example.h"

#include <gtest/gtest.h>

namespace linerate::env {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

std::string misread(const std::string& name, const std::string& value) {
  return advice_on("misread-value", name, value);
}

TEST(MisreadValue, GivesTheNumberThatWasMeant) {
  EXPECT_EQ(misread("NCCL_BUFFSIZE", "4M"), "set NCCL_BUFFSIZE=4194304");
  EXPECT_EQ(misread("NCCL_IB_DISABLE", "true"), "set NCCL_IB_DISABLE=1");
  EXPECT_EQ(misread("NCCL_IB_TIMEOUT", "022"), "set NCCL_IB_TIMEOUT=22");
  EXPECT_EQ(misread("NCCL_IB_TC", "\"106\""), "set NCCL_IB_TC=106");
  EXPECT_EQ(misread("NCCL_MIN_CTAS", "many"), "set NCCL_MIN_CTAS to a whole number");
}

TEST(MisreadValue, SaysWhatIsReadInstead) {
  const auto evidence = [](const std::string& value) {
    return found_by("misread-value", {{"NCCL_BUFFSIZE", value}}).at(0).evidence;
  };

  EXPECT_THAT(evidence("4M"), HasSubstr("drops 'M' behind it: it takes 4."));
  EXPECT_THAT(evidence("010"), HasSubstr("octal: it takes 8."));
  EXPECT_THAT(evidence("big"), HasSubstr("it takes 0."));
  EXPECT_THAT(evidence("99999999999999999999"), HasSubstr("cannot hold it"));
}

TEST(MisreadValue, IsNotSaidOfNumbers) {
  for (const auto* value : {"4194304", "0x400000", "0", "1 ", " 1", "-1", "+1"})
    EXPECT_EQ(misread("NCCL_BUFFSIZE", value), "") << value;
  EXPECT_EQ(misread("NCCL_IB_DISABLE", "false"), "");
  EXPECT_EQ(misread("NCCL_SOCKET_IFNAME", "010"), "");
}

TEST(MisreadValue, IsOfUndocumentedNumbersToo) {
  EXPECT_EQ(misread("NCCL_IB_PKEY", "010"), "set NCCL_IB_PKEY=10");
  EXPECT_EQ(misread("NCCL_WORK_FIFO_BYTES", "4M"), "set NCCL_WORK_FIFO_BYTES=4194304");
  EXPECT_EQ(misread("NCCL_IB_PKEY", "-1"), "");
  EXPECT_EQ(advice_on("misread-value", "NCCL_PAT_ENABLE", "010", {21, 5}), "");
  for (const auto* text : {"NCCL_HOSTID", "NCCL_COMM_ID", "NCCL_GRAPH_FILE"})
    EXPECT_EQ(misread(text, "010"), "") << text;
}

TEST(MisreadValue, OfPyTorchIsDecimalAndBeginsWithANumber) {
  EXPECT_EQ(misread("TORCH_NCCL_HEARTBEAT_TIMEOUT_SEC", "0600"), "");
  EXPECT_EQ(misread("TORCH_NCCL_HEARTBEAT_TIMEOUT_SEC", "600s"),
            "set TORCH_NCCL_HEARTBEAT_TIMEOUT_SEC to a whole number");
  EXPECT_THAT(found_by("misread-value", {{"TORCH_NCCL_ASYNC_ERROR_HANDLING", "off"}})[0].evidence,
              HasSubstr("begins with none: it stops."));
}

TEST(MisreadValue, FindsBlanksInListsOfNames) {
  EXPECT_NE(misread("NCCL_IB_HCA", "mlx5_0, mlx5_2"), "");
  EXPECT_NE(misread("NCCL_SOCKET_IFNAME", "eth0 eth1"), "");
  EXPECT_NE(misread("NCCL_SOCKET_IFNAME", "eth0 "), "");
  EXPECT_EQ(misread("NCCL_IB_HCA", "=mlx5_0:1,mlx5_2:1"), "");
}

TEST(MisreadValue, SaysThatNoShellReplacesATilde) {
  EXPECT_EQ(misread("NCCL_TOPO_FILE", "~/topo.xml"), "set NCCL_TOPO_FILE to the path from / on");
  EXPECT_EQ(misread("NCCL_TOPO_FILE", "/etc/topo.xml"), "");
}

TEST(Values, ThatAShellComputesAreNotJudged) {
  const std::vector<Setting> settings{
      {.name = "NCCL_BUFFSIZE", .value = "$SIZE", .where = "a.sh:1", .computed = true}};

  EXPECT_THAT(examine(settings, kNewest), IsEmpty());
}

TEST(OutOfRange, GivesTheNearest) {
  EXPECT_EQ(advice_on("out-of-range", "NCCL_IB_RETRY_CNT", "10"), "set NCCL_IB_RETRY_CNT=7");
  EXPECT_EQ(advice_on("out-of-range", "NCCL_NTHREADS", "100"), "set NCCL_NTHREADS=96");
  EXPECT_EQ(advice_on("out-of-range", "NCCL_NTHREADS", "1024"), "set NCCL_NTHREADS=512");
  EXPECT_EQ(advice_on("out-of-range", "NCCL_IB_DISABLE", "2"),
            "set NCCL_IB_DISABLE=1 or NCCL_IB_DISABLE=0");
  EXPECT_EQ(advice_on("out-of-range", "TORCH_NCCL_ASYNC_ERROR_HANDLING", "4"),
            "set TORCH_NCCL_ASYNC_ERROR_HANDLING=3");
}

TEST(OutOfRange, IncludesBothEnds) {
  for (const auto* value : {"0", "7"})
    EXPECT_EQ(advice_on("out-of-range", "NCCL_IB_RETRY_CNT", value), "") << value;
  EXPECT_EQ(advice_on("out-of-range", "NCCL_IB_GID_INDEX", "-1"), "");
}

TEST(UnknownValue, NamesTheNearestChoice) {
  EXPECT_EQ(advice_on("unknown-value", "NCCL_DEBUG", "INOF"), "set NCCL_DEBUG=INFO");
  EXPECT_EQ(advice_on("unknown-value", "NCCL_P2P_LEVEL", "sys"), "set NCCL_P2P_LEVEL=SYS");
  EXPECT_EQ(advice_on("unknown-value", "NCCL_SOCKET_FAMILY", "IPV4"),
            "choose one of AF_INET, AF_INET6");
  EXPECT_THAT(advice_on("unknown-value", "TORCH_NCCL_BLOCKING_WAIT", "maybe"),
              HasSubstr("PyTorch stops at other words"));
  EXPECT_NE(advice_on("unknown-value", "TORCH_NCCL_BLOCKING_WAIT", "on"), "");
  EXPECT_EQ(advice_on("unknown-value", "TORCH_NCCL_BLOCKING_WAIT", "Yes"), "");
}

TEST(UnknownValue, LooksAtEachWordOfAList) {
  EXPECT_THAT(advice_on("unknown-value", "NCCL_ALGO", "Ring,Treee"),
              HasSubstr("choose one of Tree"));
  EXPECT_NE(advice_on("unknown-value", "NCCL_ALGO", "Ring, Tree"), "");  // NCCL trims no blanks
  EXPECT_NE(advice_on("unknown-value", "NCCL_DEBUG_SUBSYS", "INIT,NETT"), "");
  EXPECT_EQ(advice_on("unknown-value", "NCCL_DEBUG_SUBSYS", "INIT, NET"), "");
  EXPECT_NE(advice_on("unknown-value", "NCCL_DEBUG_SUBSYS", "INIT, NET", {30, 4}), "");
  EXPECT_EQ(advice_on("unknown-value", "NCCL_DEBUG", "INFO "), "");
  EXPECT_NE(advice_on("unknown-value", "NCCL_DEBUG", "INFO ", {30, 4}), "");
}

TEST(UnknownValue, KnowsTheFormsOfLists) {
  for (const auto* value :
       {"Ring", "ring,tree", "^NVLS", "allreduce:tree,ring;broadcast:ring", "ring;allreduce:^tree"})
    EXPECT_EQ(advice_on("unknown-value", "NCCL_ALGO", value), "") << value;
  EXPECT_EQ(advice_on("unknown-value", "NCCL_DEBUG_SUBSYS", "^ALLOC"), "");
  EXPECT_EQ(advice_on("unknown-value", "NCCL_DEBUG", "info"), "");
  EXPECT_EQ(advice_on("unknown-value", "NCCL_NET_GDR_LEVEL", "5"), "");
}

TEST(DefaultValue, DependsOnTheVersion) {
  EXPECT_NE(advice_on("default-value", "NCCL_IB_TIMEOUT", "20", {23, 4}), "");
  EXPECT_EQ(advice_on("default-value", "NCCL_IB_TIMEOUT", "20", {22, 3}), "");
  EXPECT_EQ(advice_on("default-value", "NCCL_IB_TIMEOUT", "22"), "");
}

TEST(LooseMatch, WantsAnEqualsSign) {
  EXPECT_EQ(advice_on("loose-match", "NCCL_IB_HCA", "mlx5_0,mlx5_1"),
            "set NCCL_IB_HCA==mlx5_0,mlx5_1");
  EXPECT_EQ(advice_on("loose-match", "NCCL_IB_HCA", "^mlx5_1:1"), "set NCCL_IB_HCA=^=mlx5_1:1");
  EXPECT_EQ(advice_on("loose-match", "NCCL_IB_HCA", "=mlx5_1"), "");
  EXPECT_EQ(advice_on("loose-match", "NCCL_IB_HCA", "mlx5"), "");
}

TEST(CostsSpeed, SaysWhatIsSwitchedOff) {
  EXPECT_THAT(found_by("costs-speed", {{"NCCL_P2P_DISABLE", "1"},
                                       {"NCCL_NET", "socket"},
                                       {"TORCH_NCCL_BLOCKING_WAIT", "true"}}),
              SizeIs(3));
  EXPECT_THAT(found_by("costs-speed", {{"NCCL_P2P_DISABLE", "0"}, {"NCCL_DEBUG", "WARN"}}),
              IsEmpty());
}

TEST(BetterUnset, OfTheGidDependsOnTheVersion) {
  EXPECT_NE(advice_on("better-unset", "NCCL_IB_GID_INDEX", "3", {21, 5}), "");
  EXPECT_EQ(advice_on("better-unset", "NCCL_IB_GID_INDEX", "3", {20, 5}), "");
}

TEST(BetterUnset, KnowsThatAlgorithmsHaveNoFallback) {
  EXPECT_NE(advice_on("better-unset", "NCCL_ALGO", "Tree", {24, 3}), "");
  EXPECT_EQ(advice_on("better-unset", "NCCL_ALGO", "Tree", {23, 4}), "");
  EXPECT_EQ(advice_on("better-unset", "NCCL_ALGO", "Tree,Ring"), "");
  EXPECT_EQ(advice_on("better-unset", "NCCL_ALGO", "allreduce:tree"), "");
}

TEST(BetterUnset, WarnsOfLl128AndLoopback) {
  EXPECT_NE(advice_on("better-unset", "NCCL_PROTO", "LL,LL128"), "");
  EXPECT_EQ(advice_on("better-unset", "NCCL_PROTO", "^LL128"), "");
  EXPECT_NE(advice_on("better-unset", "NCCL_SOCKET_IFNAME", "lo"), "");
}

TEST(Examine, PutsTheWorstFirst) {
  const auto findings = examine(
      set_of({{"NCCL_DEBUG", "INFO"}, {"NCCL_P2P_DISABLE", "1"}, {"NCCL_IB_RETRY_CNT", "10"}}),
      kNewest);

  std::vector<Severity> severities;
  for (const auto& finding : findings) severities.push_back(finding.severity);
  EXPECT_THAT(severities, ElementsAre(Severity::problem, Severity::warning, Severity::info));
}

}  // namespace
}  // namespace linerate::env
