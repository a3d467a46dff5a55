// Only a regular file of a bearable size is read.
#include "base/regular_file.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

namespace linerate {
namespace {

TEST(RegularFile, IsReadWhole) {
  const auto path = std::filesystem::path(testing::TempDir()) / "regular_file_test.txt";
  std::ofstream(path) << "a\nb";

  EXPECT_EQ(*read_regular_file(path.string(), 3), "a\nb");
  EXPECT_NE(read_regular_file(path.string(), 2).sentence().find("at most 2 B are read"),
            std::string::npos);
  std::filesystem::remove(path);
}

TEST(RegularFile, IsNoDirectoryAndNoDevice) {
  EXPECT_EQ(read_regular_file("/", 9).sentence(), "it is a directory, not a file.");
  EXPECT_EQ(read_regular_file("/dev/zero", 9).sentence(), "it is a pipe or device, not a file.");
  EXPECT_EQ(read_regular_file("/no/such", 9).sentence(), "No such file or directory.");
}

TEST(RegularFile, ThatTheSystemCannotReadIsRefusedInASentence) {
  // The address 0 of no process is mapped.
  EXPECT_EQ(read_regular_file("/proc/self/mem", 9).sentence(),
            "it cannot be read: Input/output error.");
}

TEST(RegularFile, HasItsLimitAlsoWhereTheSystemTellsNoSize) {
  const auto known = read_regular_file("/proc/self/status", std::size_t{1} << 20);

  ASSERT_TRUE(known) << known.sentence();
  EXPECT_NE(known->find("VmSize"), std::string::npos);
  EXPECT_NE(read_regular_file("/proc/self/status", 9).sentence().find("at most 9 B are read"),
            std::string::npos);
}

}  // namespace
}  // namespace linerate
