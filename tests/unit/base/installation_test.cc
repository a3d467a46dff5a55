// From where code is loaded into the program: what belongs to it, and what others may have put
// there.
#include "base/installation.h"

#include "support/folder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>

namespace linerate {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

class Installed : public ::testing::Test {
 protected:
  void SetUp() override {
    fs::create_directories(root_ / "bin");
    fs::create_directories(root_ / "lib");
    folder_.write("lib/module.so", "code");
  }
  std::string reason() const { return distrust(root_, "lib/module.so").value_or("trusted"); }

  const TemporaryFolder folder_;
  const fs::path root_ = folder_.path("");
};

TEST(InstallationRoot, IsTheFolderAboveBin) {
  EXPECT_EQ(installation_root("/opt/linerate/bin/linerate"), "/opt/linerate");
  EXPECT_EQ(installation_root("/bin/linerate"), "/");
}

TEST(InstallationRoot, IsNothingForACopyElsewhere) {
  EXPECT_EQ(installation_root("/tmp/x/all_reduce_perf"), std::nullopt);
  EXPECT_EQ(installation_root("/all_reduce_perf"), std::nullopt);
}

TEST_F(Installed, FilesOfItsOwnerAreTrusted) { EXPECT_EQ(reason(), "trusted"); }

TEST_F(Installed, AFileThatDoesNotExistIsLeftToWhoOpensIt) {
  EXPECT_EQ(distrust(root_, "share/none"), std::nullopt);
}

TEST_F(Installed, WhatEverybodyMayWriteIsNot) {
  for (const auto* path : {"lib/module.so", "lib", ""}) {
    const auto whole = root_ / path;
    const auto before = fs::status(whole).permissions();
    fs::permissions(whole, fs::perms::others_write, fs::perm_options::add);

    EXPECT_THAT(reason(), HasSubstr("everybody may write to")) << path;
    fs::permissions(whole, before);
  }
}

TEST_F(Installed, AStickyFolderKeepsFilesFromBeingReplaced) {
  fs::permissions(root_, fs::perms::all | fs::perms::sticky_bit);

  EXPECT_EQ(reason(), "trusted");
}

TEST_F(Installed, WhatBelongsToSomebodyElseIsNot) {
  if (::geteuid() != 0) GTEST_SKIP() << "only root gives files away";
  constexpr uid_t kSomebody = 65534;
  for (const auto* path : {"lib/module.so", "lib"}) {
    ASSERT_EQ(::lchown((root_ / path).c_str(), kSomebody, kSomebody), 0);

    EXPECT_THAT(reason(), HasSubstr("belongs to user 65534")) << path;
    ASSERT_EQ(::lchown((root_ / path).c_str(), 0, 0), 0);
  }
}

TEST_F(Installed, WhatBelongsToTheOwnerOfTheProgramIsTrusted) {
  if (::geteuid() != 0) GTEST_SKIP() << "only root gives files away";
  constexpr uid_t kOwner = 1000;  // who unpacked it
  for (const auto* path : {"lib/module.so", "lib", "bin", ""})
    ASSERT_EQ(::lchown((root_ / path).c_str(), kOwner, kOwner), 0);

  EXPECT_EQ(reason(), "trusted");
}

TEST_F(Installed, ALinkIsTrustedAsItsOwnerIs) {
  fs::remove(root_ / "lib/module.so");
  fs::create_symlink("/dev/null", root_ / "lib/module.so");
  EXPECT_EQ(reason(), "trusted");

  if (::geteuid() != 0) GTEST_SKIP() << "only root gives files away";
  ASSERT_EQ(::lchown((root_ / "lib/module.so").c_str(), 65534, 65534), 0);
  EXPECT_THAT(reason(), HasSubstr("belongs to user 65534"));
}

}  // namespace
}  // namespace linerate
