// How NCCL comes to know of the plugin, and what the user reads where it does not.
#include "backends/nccl/nccl_api.h"
#include "backends/nccl/profiler/entry_points.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <string>

namespace linerate::nccl::profiler {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

constexpr int kNewest = NCCL_VERSION(2, 30, 7);

class Offer : public testing::Test {
 protected:
  void SetUp() override { ::unsetenv(kPluginVariable); }
  void TearDown() override { ::unsetenv(kPluginVariable); }

  static std::string variable() {
    const char* const text = std::getenv(kPluginVariable);
    return text == nullptr ? "unset" : text;
  }
};

TEST_F(Offer, NamesItsOwnFileToNccl) {
  EXPECT_EQ(offer(kNewest), "");

  EXPECT_EQ(variable(), std::filesystem::read_symlink("/proc/self/exe").string());
}

TEST_F(Offer, StandsInTheProcessesThatThisOneStarts) {
  (void)offer(kNewest);

  EXPECT_EQ(offer(kNewest), "");
}

TEST_F(Offer, TakesAnEmptyVariableForUnset) {
  ::setenv(kPluginVariable, "", 1);

  EXPECT_EQ(offer(kNewest), "");

  EXPECT_EQ(variable(), own_file());
}

TEST_F(Offer, LeavesAPluginOfTheUserAloneAndSaysSo) {
  ::setenv(kPluginVariable, "inspector", 1);

  const auto note = offer(kNewest);

  EXPECT_THAT(note, StartsWith("note: algorithms are not recorded: NCCL_PROFILER_PLUGIN is "
                               "'inspector'"));
  EXPECT_EQ(variable(), "inspector");
}

// 254 characters are what NCCL keeps of a name.
TEST_F(Offer, IsNotMadeUnderANameThatNcclWouldCut) {
  const std::string longest = "/" + std::string(253, 'd');

  EXPECT_EQ(offer(kNewest, longest), "");
  EXPECT_EQ(variable(), longest);

  ::unsetenv(kPluginVariable);
  EXPECT_THAT(offer(kNewest, longest + "d"),
              HasSubstr("NCCL does not open names as long as '/ddd"));
  EXPECT_THAT(offer(kNewest, ""), HasSubstr("the file of the nccl module is unknown"));
  EXPECT_EQ(variable(), "unset");
}

TEST_F(Offer, IsNotMadeToAnNcclThatDoesNotTell) {
  const auto note = offer(NCCL_VERSION(2, 23, 4));

  EXPECT_THAT(note, HasSubstr("NCCL 2.23.4 does not tell them"));
  EXPECT_EQ(variable(), "unset");
}

}  // namespace
}  // namespace linerate::nccl::profiler
