// Names: who reads them, and in which version.
#include "diagnose/env/sources.h"
#include "unit/diagnose/env/example.h"

#include <gtest/gtest.h>

#include <regex>

namespace linerate::env {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

TEST(MisspeltName, NamesTheNearest) {
  EXPECT_EQ(advice_on("misspelt-name", "NCCL_SOCKET_IFNAMES", "eth0"),
            "write NCCL_SOCKET_IFNAME, if that is meant");
  EXPECT_EQ(advice_on("misspelt-name", "NCLL_DEBUG", "INFO"), "write NCCL_DEBUG, if that is meant");
  EXPECT_EQ(advice_on("misspelt-name", "NCCL_debug", "INFO"), "write NCCL_DEBUG, if that is meant");
  EXPECT_EQ(advice_on("misspelt-name", "TORCH_NCCL_BLOCKING_WAITS", "1"),
            "write TORCH_NCCL_BLOCKING_WAIT, if that is meant");
}

TEST(MisspeltName, OfLibrariesThatAreNotListedWholeIsOneLetterAway) {
  EXPECT_EQ(advice_on("misspelt-name", "UCX_NET_DEVICE", "mlx5_0:1"),
            "write UCX_NET_DEVICES, if that is meant");
  EXPECT_EQ(advice_on("misspelt-name", "OMPI_MCA_BTL", "tcp"),
            "write OMPI_MCA_btl, if that is meant");
  EXPECT_THAT(examine(set_of({{"UCX_RC_MLX5_TX_QUEUE_LEN", "512"}}), kNewest), IsEmpty());
}

TEST(MisspeltName, IsNotSaidOfKnownNames) {
  EXPECT_THAT(examine(set_of({{"OMPI_MCA_plm", "rsh"}}), kNewest), IsEmpty());  // not pml
  EXPECT_THAT(found_by("misspelt-name", {{"NCCL_IB_HCA", "mlx5"}, {"NCCL_IB_PKEY", "1"}}),
              IsEmpty());
}

TEST(MisspeltName, ShowsNoValue) {
  const auto findings = found_by("misspelt-name", {{"NCCL_DEBUGS", "hunter2"}});

  ASSERT_THAT(findings, SizeIs(1));
  EXPECT_EQ(findings[0].subject, "NCCL_DEBUGS (environment)");
  EXPECT_EQ(findings[0].severity, Severity::problem);
}

TEST(UnreadName, SaysWhatToSetInstead) {
  EXPECT_THAT(advice_on("unread-name", "NCCL_TIMEOUT", "1800"), HasSubstr("init_process_group"));
  EXPECT_THAT(found_by("misspelt-name", {{"NCCL_TIMEOUT", "1800"}}), IsEmpty());
}

TEST(UnreadName, PointsToNamesThatAreRead) {
  const std::regex name("(TORCH_)?NCCL_[A-Z0-9_]+");
  for (const auto& row : unread_names()) {
    EXPECT_EQ(find_variable(row.name), nullptr) << row.name;
    EXPECT_EQ(find_undocumented(row.name), nullptr) << row.name;
    const std::string advice(row.advice);
    for (std::sregex_iterator at(advice.begin(), advice.end(), name), end; at != end; ++at)
      EXPECT_NE(find_variable(at->str()), nullptr) << row.name << ": " << at->str();
  }
}

TEST(UnknownName, IsOneThatIsNearNone) {
  EXPECT_THAT(found_by("unknown-name", {{"NCCL_WARP_DRIVE_QUANTUM", "9"}}), SizeIs(1));
  EXPECT_THAT(found_by("unknown-name", {{"FI_ANYTHING_AT_ALL", "9"}}), IsEmpty());
}

TEST(Names, OfBuildsImagesPluginsAndOthersAreLeftAlone) {
  EXPECT_THAT(examine(set_of({{"NCCL_VERSION", "2.21.5-1"},
                              {"NCCL_HOME", "/usr"},
                              {"NCCL_TAG", "v2.21.5-1"},
                              {"NCCL_TESTS_DEVICE", "0"},
                              {"NCCL_MIN_NCHANNELS", ""},
                              {"PATH", "/bin"},
                              {"API_TOKEN", "hunter2"}}),
                      kNewest),
              IsEmpty());
}

TEST(UndocumentedName, IsWorthANote) {
  const auto findings = found_by("undocumented-name", {{"NCCL_IB_PKEY", "1"}});

  ASSERT_THAT(findings, SizeIs(1));
  EXPECT_EQ(findings[0].severity, Severity::info);
}

TEST(UndocumentedName, IsJudgedByVersionToo) {
  EXPECT_THAT(found_by("too-new", {{"NCCL_PAT_ENABLE", "0"}}, {21, 5}), SizeIs(1));
  EXPECT_THAT(found_by("removed-name", {{"NCCL_WORK_FIFO_DEPTH", "1024"}}, {23, 4}).at(0).evidence,
              HasSubstr("the last one was 2.21.5"));
}

TEST(TooNew, ComparesWithTheVersion) {
  EXPECT_EQ(advice_on("too-new", "NCCL_IB_ADDR_RANGE", "10.0.0.0/8", {20, 3}),
            "update NCCL to 2.21.5, or leave it out");
  EXPECT_EQ(advice_on("too-new", "NCCL_IB_ADDR_RANGE", "10.0.0.0/8", {21, 5}), "");
}

TEST(RemovedName, ComparesWithTheVersion) {
  EXPECT_EQ(advice_on("removed-name", "NCCL_LL_THRESHOLD", "0"), "set NCCL_PROTO instead");
  EXPECT_EQ(advice_on("removed-name", "NCCL_LL_THRESHOLD", "0", {4, 8}), "");
}

TEST(DeprecatedName, NamesItsSuccessor) {
  EXPECT_EQ(advice_on("deprecated-name", "NCCL_MIN_NCHANNELS", "8"), "set NCCL_MIN_CTAS instead");
  EXPECT_EQ(advice_on("deprecated-name", "NCCL_MIN_NCHANNELS", "8", {16, 2}), "");
}

TEST(DeprecatedName, KnowsTheOldOnesOfPyTorch) {
  EXPECT_EQ(advice_on("deprecated-name", "NCCL_ASYNC_ERROR_HANDLING", "1"),
            "set TORCH_NCCL_ASYNC_ERROR_HANDLING instead");
}

std::vector<Setting> conf(std::string_view text) { return read_nccl_conf("nccl.conf", text); }

TEST(ConfLine, IsTakenAsItIs) {
  for (const auto* line : {"export NCCL_ALGO=ring", "NCCL_ALGO =ring", "NCCL_ALGO= ring",
                           "NCCL_ALGO=\"ring\"", "NCCL_ALGO=ring # fast", " NCCL_ALGO=ring",
                           "NCCL_ALGO=ring ", "NCCL_ALGO=ring\t", "NCCL_ALGO=ring\r\r"}) {
    const auto findings = found_by("conf-line", conf(line));
    ASSERT_THAT(findings, SizeIs(1)) << line;
    EXPECT_THAT(findings[0].advice, HasSubstr("NCCL_ALGO=VALUE")) << line;
    EXPECT_THAT(findings[0].subject, HasSubstr("nccl.conf:1")) << line;
  }
  EXPECT_THAT(found_by("conf-line", conf("# export NCCL_DEBUG=INFO\nNCCL_DEBUG=INFO \r\n"
                                         "NCCL_IB_TC=3 \n")),
              IsEmpty());
}

TEST(HiddenLine, SaysWhatStandsBefore) {
  auto settings = set_of({{"NCCL_DEBUG", "WARN"}});
  for (const auto& line : conf("NCCL_DEBUG=INFO\nNCCL_P2P_LEVEL=SYS\n")) settings.push_back(line);

  const auto findings = found_by("hidden-line", settings);

  ASSERT_THAT(findings, SizeIs(1));
  EXPECT_EQ(findings[0].subject, "NCCL_DEBUG=INFO (nccl.conf:1)");
  EXPECT_THAT(findings[0].evidence, HasSubstr("NCCL_DEBUG=WARN (environment)"));
}

TEST(HiddenLine, IsNotSaidOfEqualValues) {
  auto settings = set_of({{"NCCL_DEBUG", "WARN"}});
  settings.push_back(conf("NCCL_DEBUG=WARN\n").front());

  EXPECT_THAT(found_by("hidden-line", settings), IsEmpty());
}

}  // namespace
}  // namespace linerate::env
