// Modules that are missing, broken or foreign: each is refused with its reason and the way out.
#include "backends/module.h"

#include "base/error.h"
#include "support/folder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <dlfcn.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <string>

namespace linerate {
namespace {

namespace fs = std::filesystem;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr std::string_view kInstall = "Install libabsent.";

Environment with_module_path(const std::string& folders) {
  return Environment(
      std::map<std::string, std::string, std::less<>>{{"LINERATE_MODULE_PATH", folders}});
}

// A folder like build/, with a lib beside the place of the program.
class ModuleFolder : public ::testing::Test {
 protected:
  void SetUp() override { fs::create_directories(root_ / "lib"); }

  ModuleRequest request() const {
    return {.name = "absent", .install = kInstall, .executable = (root_ / "bin/linerate").string()};
  }
  fs::path module() const { return root_ / "lib/liblinerate-absent.so"; }

  std::string refusal(const Environment& environment = {}) const {
    try {
      (void)load_module(request(), environment);
    } catch (const Unavailable& error) {
      EXPECT_EQ(error.exit_code(), ExitCode::unavailable);
      return error.what();
    }
    return "not refused";
  }

  const TemporaryFolder folder_;
  const fs::path root_ = folder_.root();
};

TEST_F(ModuleFolder, ComesBeforeThePathAndTheLinker) {
  const auto environment = with_module_path("/one::/two");

  const auto candidates = module_candidates(request(), environment);

  EXPECT_THAT(candidates, ElementsAre(module().string(), "/one/liblinerate-absent.so",
                                      "/two/liblinerate-absent.so", "liblinerate-absent.so"));
}

TEST_F(ModuleFolder, IsBesideTheRunningProgramWhereNoneIsNamed) {
  const auto candidates =
      module_candidates({.name = "absent", .install = "", .executable = ""}, {});

  EXPECT_EQ(candidates.front(), (fs::read_symlink("/proc/self/exe").parent_path().parent_path() /
                                 "lib/liblinerate-absent.so")
                                    .string());
}

TEST_F(ModuleFolder, OfACopiedProgramIsNotLookedAt) {
  const auto copy = (root_ / "x/linerate").string();

  const auto candidates =
      module_candidates({.name = "absent", .install = "", .executable = copy}, {});

  EXPECT_THAT(candidates, ElementsAre("liblinerate-absent.so"));
}

TEST_F(ModuleFolder, ThatEverybodyMayWriteToIsRefused) {
  std::ofstream(module()) << "not a library";
  fs::permissions(root_ / "lib", fs::perms::all);

  EXPECT_THAT(refusal(), AllOf(HasSubstr("is not loaded from"), HasSubstr("everybody may write")));
}

TEST_F(ModuleFolder, WithoutTheModuleIsRefusedWithEveryPlaceAndTheWayOut) {
  EXPECT_THAT(refusal(),
              AllOf(HasSubstr("The absent backend is not here"), HasSubstr(module().string()),
                    HasSubstr("LINERATE_MODULE_PATH"), HasSubstr(kInstall)));
}

TEST_F(ModuleFolder, WithABrokenModuleIsRefusedWithTheLinkersReason) {
  std::ofstream(module()) << "not a library";

  EXPECT_THAT(refusal(), AllOf(HasSubstr("cannot be opened"), HasSubstr(module().string()),
                               HasSubstr(kInstall)));
}

TEST_F(ModuleFolder, WithAForeignLibraryIsRefused) {
  Dl_info info{};
  ASSERT_NE(dladdr(reinterpret_cast<void*>(&std::getenv), &info), 0);
  fs::create_symlink(info.dli_fname, module());

  EXPECT_THAT(refusal(), HasSubstr("has no symbol linerate_plugin"));
}

TEST_F(ModuleFolder, IsFoundThroughTheVariable) {
  fs::create_directories(root_ / "elsewhere");
  std::ofstream(root_ / "elsewhere/liblinerate-absent.so") << "not a library";
  const auto environment = with_module_path((root_ / "elsewhere").string());

  EXPECT_THAT(refusal(environment), HasSubstr("elsewhere/liblinerate-absent.so"));
}

TEST(Plugin, OfAnotherBuildIsRefused) {
  const Plugin plugin{.abi = kPluginAbi + 1, .name = "mpi"};

  EXPECT_THROW(check_plugin(plugin, "mpi", "x.so"), Unavailable);
}

TEST(Plugin, OfAnotherBackendIsRefused) {
  const Plugin plugin{.name = "mpi"};

  EXPECT_THROW(check_plugin(plugin, "gloo", "x.so"), Unavailable);
  EXPECT_NO_THROW(check_plugin(plugin, "mpi", "x.so"));
}

}  // namespace
}  // namespace linerate
