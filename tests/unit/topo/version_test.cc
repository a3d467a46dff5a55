// Versions of NCCL, and what they change in the order of path types.
#include "topo/version.h"

#include "topo/graph/rules.h"

#include <gtest/gtest.h>

namespace linerate::topo {
namespace {

TEST(NcclVersions, WithoutAPatchLevelAreTheLastOfTheirMinorVersion) {
  EXPECT_GT(*parse_nccl_version("2.28"), *parse_nccl_version("2.28.9"));
  EXPECT_LT(*parse_nccl_version("2.28"), *parse_nccl_version("2.29.0"));
}

TEST(NcclVersions, AreWrittenAsTheyAreRead) {
  for (const auto* text : {"2.18", "2.28.9", "2.30.7"})
    EXPECT_EQ(text_of(*parse_nccl_version(text)), text);
}

TEST(NcclVersions, WithoutAModelAreRefused) {
  for (const auto* text : {"", "2", "2.17", "2.31", "3.0", "2.28.9.1", "2.x", "2.28.", "2.-28"})
    EXPECT_FALSE(parse_nccl_version(text)) << text;
}

TEST(PathTypes, AreNamedAsNcclNamesThem) {
  EXPECT_EQ(name_of(PathType::phb), "PHB");
  EXPECT_EQ(name_of(PathType::pxn), "PXN");
}

TEST(PathTypes, ChangedTheirOrderWith2_27_5) {
  EXPECT_TRUE(nearer(PathType::p2c, PathType::pxn, *parse_nccl_version("2.27.5")));
  EXPECT_TRUE(nearer(PathType::pxn, PathType::p2c, *parse_nccl_version("2.27.3")));
  EXPECT_TRUE(nearer(PathType::pix, PathType::phb, *parse_nccl_version("2.18")));
}

}  // namespace
}  // namespace linerate::topo
