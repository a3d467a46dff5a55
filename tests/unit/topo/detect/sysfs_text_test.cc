// Processors in NCCL's words.
#include "topo/detect/sysfs_text.h"

#include <gtest/gtest.h>

namespace linerate::topo {
namespace {

TEST(CpuWords, NameTheHighestThreadsFirst) {
  const auto threads = threads_in_mask("f,00000000,00000003\n");

  EXPECT_EQ(threads, (ThreadSet{0, 1, 64, 65, 66, 67}));
  EXPECT_EQ(mask_text(threads), "0000000f,00000000,00000003");
}

TEST(CpuWords, OfNoThreadAreEmpty) {
  EXPECT_EQ(mask_text({}), "");
  EXPECT_EQ(mask_text(threads_in_mask("00000000,00000000")), "");
}

TEST(CpuWords, ThatAreNoneYieldNoThreads) {
  for (const auto* text : {"", "xyz", "1,,1", "100000000", "-1"})
    EXPECT_TRUE(threads_in_mask(text).empty()) << text;
}

TEST(CpuWords, ListsNameRanges) {
  EXPECT_EQ(threads_in_list("0-2,8\n"), (ThreadSet{0, 1, 2, 8}));
  EXPECT_TRUE(threads_in_list("0-99999999").empty());
  EXPECT_TRUE(threads_in_list("a-b").empty());
}

// 0xaf is what NCCL's dumps of EPYC 7003 machines say, 0x6 what those of Xeons do.
TEST(CpuWords, FamilyIsAddedUpAsNcclDoes) {
  EXPECT_EQ(nccl_family(6), 6);
  EXPECT_EQ(nccl_family(25), 175);
  EXPECT_EQ(nccl_family(23), 143);
}

TEST(CpuWords, OfX86ComeFromItsFirstProcessor) {
  const auto cpu = cpu_of_cpuinfo(
      "processor\t: 0\nvendor_id\t: AuthenticAMD\ncpu family\t: 25\nmodel\t\t: 1\n"
      "model name\t: AMD EPYC 7763 64-Core Processor\n\nprocessor\t: 1\nmodel\t\t: 9\n");

  EXPECT_EQ(cpu.arch, CpuArch::x86_64);
  EXPECT_EQ(cpu.vendor, "AuthenticAMD");
  EXPECT_EQ(cpu.family, 175);
  EXPECT_EQ(cpu.model, 1);
  EXPECT_EQ(cpu.name, "AMD EPYC 7763 64-Core Processor");
}

TEST(CpuWords, KeepTheBlanksOfAVendorsName) {
  EXPECT_EQ(cpu_of_cpuinfo("vendor_id\t:   Shanghai  \ncpu family\t: 7\n").vendor, "  Shanghai  ");
}

TEST(CpuWords, OfOtherProcessorsTellTheArchitecture) {
  EXPECT_EQ(cpu_of_cpuinfo("processor\t: 0\nCPU implementer\t: 0x41\n").arch, CpuArch::arm64);
  EXPECT_EQ(cpu_of_cpuinfo("processor\t: 0\ncpu\t\t: POWER9, altivec supported\n").arch,
            CpuArch::ppc64);
  EXPECT_EQ(cpu_of_cpuinfo("").arch, CpuArch::unknown);
}

}  // namespace
}  // namespace linerate::topo
