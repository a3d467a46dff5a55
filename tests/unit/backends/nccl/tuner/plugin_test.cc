// The plugin as NCCL loads and asks it, in each version of the interface.
#include "backends/nccl/tuner_rules/rules.h"
#include "support/folder.h"
#include "unit/backends/nccl/tuner/fake_host.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sys/stat.h>

#include <fstream>

namespace linerate::nccl::tuner {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr int kBroadcast = 0, kAllGather = 2, kAllReduce = 4;
constexpr const char* kVariable = "LINERATE_NCCL_TUNER";

class TunerPlugin : public ::testing::TestWithParam<int> {
 protected:
  ~TunerPlugin() override { ::unsetenv(kVariable); }

  void rules(const std::string& lines) { text(std::string(kHeading) + '\n' + lines); }
  void text(const std::string& text) {
    std::ofstream(file_) << text;
    ::setenv(kVariable, file_.c_str(), 1);
  }
  static std::vector<std::string> lines(int level) {
    std::vector<std::string> texts;
    for (const auto& line : logged())
      if (line.level == level) texts.push_back(line.text);
    return texts;
  }

  TemporaryFolder folder_;
  std::string file_ = folder_.path("rules.csv");
};
INSTANTIATE_TEST_SUITE_P(Versions, TunerPlugin, ::testing::Values(2, 3, 4, 5));

TEST_P(TunerPlugin, AppliesTheRuleThatFits) {
  rules(
      "all_reduce,1000,2000,1,8,Tree,LL,4\n"
      "all_reduce,2001,*,1,8,Ring,LL,*\n"
      "broadcast,0,*,1,8,*,*,2\n");
  FakeHost nccl(GetParam());

  EXPECT_EQ(nccl.call(kAllReduce, 1000), (Chosen{0, 0, 4}));
  EXPECT_EQ(nccl.call(kAllReduce, 2000), (Chosen{0, 0, 4}));
  EXPECT_EQ(nccl.call(kAllReduce, 1 << 20), (Chosen{1, 0, 24}));
  EXPECT_EQ(nccl.call(kBroadcast, 8), (Chosen{1, 2, 2}));
  EXPECT_EQ(nccl.name(), "linerate");
}

TEST_P(TunerPlugin, LeavesToNcclWhatNoRuleSays) {
  rules("all_reduce,1000,2000,1,8,Tree,LL,4\n");

  FakeHost nccl(GetParam());
  EXPECT_EQ(nccl.call(kAllReduce, 999), kOwn);
  EXPECT_EQ(nccl.call(kAllReduce, 2001), kOwn);
  EXPECT_EQ(nccl.call(kBroadcast, 1500), kOwn);
  for (const int other : {5, 6, 14, 99, -1}) EXPECT_EQ(nccl.call(other, 1500), kOwn);

  EXPECT_EQ(FakeHost(GetParam(), 4, 1).call(kAllReduce, 1500), kOwn);
  EXPECT_EQ(FakeHost(GetParam(), 8, 2).call(kAllReduce, 1500), kOwn);
}

TEST_P(TunerPlugin, LeavesToNcclWhatIsNotAvailable) {
  rules(
      "all_reduce,0,9,*,*,NVLS,Simple,16\n"
      "all_reduce,10,19,*,*,CollNetChain,Simple,16\n"
      "all_reduce,20,29,*,*,Ring,LL128,16\n"
      "all_gather,0,9,*,*,PAT,Simple,16\n");
  FakeHost without(GetParam(), 8, 1, {.ll128 = false, .algorithms = GetParam() == 3 ? 6 : 7});
  EXPECT_EQ(without.call(kAllGather, 5), kOwn);
  for (const std::size_t bytes : {5, 15, 25}) EXPECT_EQ(without.call(kAllReduce, bytes), kOwn);
  EXPECT_THAT(lines(kInfo), ::testing::Contains(HasSubstr(
                                "NVLS with Simple, which is not available here: left to NCCL")));

  FakeHost with(GetParam(), 8, 1, {.nvls = true, .collnet = true});
  EXPECT_EQ(with.call(kAllReduce, 5), (Chosen{4, 2, 16}));
  EXPECT_EQ(with.call(kAllReduce, 15), (Chosen{3, 2, 16}));
  // Version 2 does not tell whether LL128 is safe.
  EXPECT_EQ(with.call(kAllReduce, 25), GetParam() == 2 ? kOwn : (Chosen{1, 1, 16}));
}

TEST_P(TunerPlugin, LogsWhatItReadDidAndLeft) {
  rules(
      "all_reduce,0,99,1,8,Tree,LL,4\nall_reduce,0,*,2,*,Ring,LL,*\nall_reduce,0,*,1,4,Ring,LL,*"
      "\n");
  FakeHost nccl(GetParam());
  for (const std::size_t bytes : {8, 16, 200}) (void)nccl.call(kAllReduce, bytes);
  nccl.end();

  EXPECT_THAT(lines(kInfo),
              ElementsAre(HasSubstr("rules.csv: 1 of 3 rules are for 8 ranks on 1 node."),
                          HasSubstr("all_reduce of 8 bytes: line 2, Tree with LL, 4 channels."),
                          HasSubstr("2 calls were chosen by rules, and 1 were left to NCCL")));
  EXPECT_THAT(lines(kWarn), ElementsAre());
}

TEST_P(TunerPlugin, WarnsOfABadFileAndLeavesAllToNccl) {
  const auto warned = [&] {
    FakeHost nccl(GetParam());
    EXPECT_EQ(nccl.call(kAllReduce, 8), kOwn);
    const auto texts = lines(kWarn);
    return texts.size() == 1 ? texts[0] : std::string("not one warning");
  };
  rules("all_reduce,0,*,1,8,Treee,LL,*\n");
  EXPECT_THAT(warned(), HasSubstr("rules.csv: line 2: 'Treee' is no algorithm"));
  text(std::string(kMostRuleBytes + 1, '\n'));
  EXPECT_THAT(warned(), HasSubstr("more than"));
  text(std::string("\0\xff\x1b", 3));
  EXPECT_THAT(warned(), HasSubstr("NCCL chooses everything itself."));
  ::setenv(kVariable, folder_.root().c_str(), 1);
  EXPECT_THAT(warned(), HasSubstr("it is no regular file."));
  ::setenv(kVariable, "/nowhere/rules.csv", 1);
  EXPECT_THAT(warned(), HasSubstr("No such file"));
  const auto pipe = folder_.path("pipe");
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  ::setenv(kVariable, pipe.c_str(), 1);
  EXPECT_THAT(warned(), HasSubstr("it is no regular file."));
}

TEST_P(TunerPlugin, SaysWhereNoFileIsNamed) {
  ::unsetenv(kVariable);
  FakeHost nccl(GetParam());

  EXPECT_EQ(nccl.call(kAllReduce, 8), kOwn);
  EXPECT_THAT(lines(kInfo), ElementsAre(HasSubstr("LINERATE_NCCL_TUNER is not set")));
}

}  // namespace
}  // namespace linerate::nccl::tuner
