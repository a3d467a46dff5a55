// Settings that meet: contradictions, switches, platforms; and who sees which setting.
#include "unit/diagnose/env/example.h"

#include <gtest/gtest.h>

namespace linerate::env {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

TEST(Contradiction, FindsWhatExcludesEachOther) {
  const auto findings = found_by("contradiction", {{"NCCL_NET", "IB"}, {"NCCL_IB_DISABLE", "1"}});

  ASSERT_THAT(findings, SizeIs(1));
  EXPECT_EQ(findings[0].subject, "NCCL_NET=IB (environment) and NCCL_IB_DISABLE=1 (environment)");
  EXPECT_THAT(found_by("contradiction", {{"NCCL_NET", "IB"}, {"NCCL_IB_DISABLE", "0"}}), IsEmpty());
}

TEST(Contradiction, ComparesNumbersOfChannels) {
  const auto findings =
      found_by("contradiction", {{"NCCL_MIN_NCHANNELS", "32"}, {"NCCL_MAX_CTAS", "16"}});

  ASSERT_THAT(findings, SizeIs(1));
  EXPECT_EQ(findings[0].advice, "set NCCL_MIN_NCHANNELS=16 or less");
  EXPECT_THAT(found_by("contradiction", {{"NCCL_MIN_CTAS", "16"}, {"NCCL_MAX_CTAS", "16"}}),
              IsEmpty());
}

TEST(Contradiction, MultipliesSockets) {
  EXPECT_EQ(
      found_by("contradiction", {{"NCCL_SOCKET_NTHREADS", "16"}, {"NCCL_NSOCKS_PERTHREAD", "8"}})
          .at(0)
          .advice,
      "set NCCL_NSOCKS_PERTHREAD=4");
  EXPECT_THAT(
      found_by("contradiction", {{"NCCL_SOCKET_NTHREADS", "8"}, {"NCCL_NSOCKS_PERTHREAD", "8"}}),
      IsEmpty());
}

TEST(Contradiction, KnowsTheOnesOfOpenMpi) {
  EXPECT_THAT(found_by("contradiction", {{"OMPI_MCA_btl_tcp_if_include", "eth0"},
                                         {"OMPI_MCA_btl_tcp_if_exclude", "lo"}}),
              SizeIs(1));
}

TEST(NoEffect, NamesTheSwitch) {
  const auto findings = found_by(
      "no-effect", {{"NCCL_IB_DISABLE", "1"}, {"NCCL_IB_HCA", "mlx5"}, {"NCCL_DEBUG", "INFO"}});

  ASSERT_THAT(findings, SizeIs(1));
  EXPECT_EQ(findings[0].subject, "NCCL_IB_HCA=mlx5 (environment)");
  EXPECT_THAT(findings[0].evidence, HasSubstr("NCCL_IB_DISABLE is 1"));
  EXPECT_THAT(found_by("no-effect", {{"NCCL_IB_HCA", "mlx5"}}), IsEmpty());
}

TEST(NoEffect, NamesASwitchThatIsNotSet) {
  EXPECT_THAT(found_by("no-effect", {{"NCCL_DEBUG_SUBSYS", "NET"}}).at(0).evidence,
              HasSubstr("NCCL_DEBUG is not set here"));
  EXPECT_THAT(found_by("no-effect", {{"NCCL_DEBUG_SUBSYS", "NET"}, {"NCCL_DEBUG", "INFO"}}),
              IsEmpty());
}

TEST(NoEffect, OfAddressesBesideAGid) {
  EXPECT_THAT(
      found_by("no-effect", {{"NCCL_IB_GID_INDEX", "3"}, {"NCCL_IB_ADDR_RANGE", "10.0.0.0/8"}}),
      SizeIs(1));
  EXPECT_THAT(
      found_by("no-effect", {{"NCCL_IB_GID_INDEX", "-1"}, {"NCCL_IB_ADDR_RANGE", "10.0.0.0/8"}}),
      IsEmpty());
}

TEST(OtherPlatform, IsTheOneWithFewerSettings) {
  const auto findings =
      found_by("other-platform",
               {{"FI_PROVIDER", "efa"}, {"FI_EFA_USE_DEVICE_RDMA", "1"}, {"NCCL_IB_HCA", "mlx5"}});

  ASSERT_THAT(findings, SizeIs(1));
  EXPECT_EQ(findings[0].subject, "NCCL_IB_HCA=mlx5 (environment)");
  EXPECT_THAT(findings[0].evidence, HasSubstr("AWS' EFA"));
  EXPECT_THAT(found_by("other-platform", {{"NCCL_IB_HCA", "mlx5"}, {"NCCL_IB_TC", "106"}}),
              IsEmpty());
}

TEST(OtherPlatform, KnowsThatOfAmd) {
  EXPECT_THAT(found_by("other-platform", {{"RCCL_MSCCL_ENABLE", "1"}, {"HSA_X", "1"}}), SizeIs(1));
  EXPECT_THAT(found_by("other-platform", {{"RCCL_INSTALL_PREFIX", "/opt"}}), IsEmpty());
}

TEST(Precedence, TheLastOfFilesAndTheFirstOfNcclConfHold) {
  const std::vector<Setting> settings{
      {.name = "NCCL_DEBUG", .value = "WARNN", .where = "a.sh:1"},
      {.name = "NCCL_DEBUG", .value = "INFOO", .where = "a.sh:2"},
      {.name = "NCCL_DEBUG", .value = "TRACEE", .where = "nccl.conf:1", .conf = true},
      {.name = "NCCL_IB_TC", .value = "256", .where = "nccl.conf:2", .conf = true},
      {.name = "NCCL_IB_TC", .value = "257", .where = "/etc/nccl.conf:1", .conf = true}};

  const auto debug = found_by("unknown-value", settings);
  const auto tc = found_by("out-of-range", settings);

  ASSERT_THAT(debug, SizeIs(1));
  EXPECT_EQ(debug[0].subject, "NCCL_DEBUG=INFOO (a.sh:2)");
  ASSERT_THAT(tc, SizeIs(1));
  EXPECT_EQ(tc[0].subject, "NCCL_IB_TC=256 (nccl.conf:2)");
}

TEST(Scopes, DoNotSeeEachOtherAndSeeWhatAllDo) {
  std::vector<Setting> settings{
      {.name = "NCCL_NET", .value = "IB", .where = "a.yaml:1", .scope = 1},
      {.name = "NCCL_IB_DISABLE", .value = "1", .where = "a.yaml:9", .scope = 2}};
  EXPECT_THAT(found_by("contradiction", settings), IsEmpty());

  settings[1].scope = 0;

  EXPECT_THAT(found_by("contradiction", settings), SizeIs(1));
}

TEST(Scopes, OverrideWhatAllSee) {
  const std::vector<Setting> settings{
      {.name = "NCCL_DEBUG", .value = "INFOO", .where = "Dockerfile:1"},
      {.name = "NCCL_DEBUG", .value = "WARNN", .where = "a.yaml:1", .scope = 1}};

  const auto findings = found_by("unknown-value", settings);

  ASSERT_THAT(findings, SizeIs(1));
  EXPECT_EQ(findings[0].subject, "NCCL_DEBUG=WARNN (a.yaml:1)");
}

TEST(Scopes, SeeWhatIsAroundThem) {
  std::vector<Setting> settings{
      {.name = "NCCL_NET", .value = "IB", .where = "a.yaml:1", .scope = 1},
      {.name = "NCCL_IB_DISABLE", .value = "1", .where = "a.yaml:9", .scope = 2, .within = 1}};
  EXPECT_THAT(found_by("contradiction", settings), SizeIs(1));

  settings[0].scope = 2;
  settings[0].within = 1;
  settings[1].scope = 3;

  EXPECT_THAT(found_by("contradiction", settings), IsEmpty());
}

// Judged again for each command, this takes a minute.
TEST(Scopes, AreManyBesideManySettingsOfAll) {
  std::vector<Setting> settings;
  for (int i = 0; i < 1000; ++i)
    settings.push_back({.name = "NCCL_SOCKET_IFNAME" + std::to_string(i), .value = "1"});
  for (int i = 1; i <= 1000; ++i)
    settings.push_back({.name = "NCCL_BUFFSIZE", .value = "4M", .scope = i});

  EXPECT_THAT(found_by("misspelt-name", settings), SizeIs(1000));
}

}  // namespace
}  // namespace linerate::env
