// Loading NCCL at run time, and what is said where that fails.
#include "backends/nccl/nccl_api.h"

#include "base/error.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace linerate::nccl {
namespace {

using testing::HasSubstr;

std::string refusal_of(const std::string& path) {
  try {
    (void)load_nccl(path);
    return {};
  } catch (const Unavailable& error) {
    return error.what();
  }
}

TEST(VersionText, FollowsBothOfNcclsFormulas) {
  EXPECT_EQ(version_text(22809), "2.28.9");
  EXPECT_EQ(version_text(21800), "2.18.0");
  EXPECT_EQ(version_text(2804), "2.8.4");
}

TEST(LoadNccl, NamesTheFileThatIsMissingAndTheWayOut) {
  const auto sentence = refusal_of("/nowhere/libnccl.so.2");

  EXPECT_THAT(sentence, HasSubstr("/nowhere/libnccl.so.2"));
  EXPECT_THAT(sentence, HasSubstr("--nccl-lib"));
}

TEST(LoadNccl, RefusesALibraryThatIsSomethingElse) {
  EXPECT_THAT(refusal_of("libm.so.6"), HasSubstr("libm.so.6 is not NCCL"));
}

}  // namespace
}  // namespace linerate::nccl
