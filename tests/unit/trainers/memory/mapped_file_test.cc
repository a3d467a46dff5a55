// Memory in a file: without a name, with room on the disk, out of memory when it is told.
#include "trainers/memory/mapped_file.h"

#include "base/error.h"
#include "support/folder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <string>

namespace linerate::trainers {
namespace {

using ::testing::HasSubstr;
using ::testing::Optional;

constexpr std::size_t kBytes = std::size_t{32} << 20;

// Pages of files, or of shared memory where the folder is on a file system in memory.
std::size_t resident_file_bytes() {
  std::ifstream status("/proc/self/status");
  std::size_t sum = 0;
  for (std::string key; status >> key;) {
    std::size_t kibibytes = 0;
    if ((key == "RssFile:" || key == "RssShmem:") && status >> kibibytes) sum += kibibytes << 10;
  }
  return sum;
}

TEST(MappedFile, IsZerosAndLeavesNoName) {
  const TemporaryFolder folder;

  const auto buffer = mapped_file(folder.root(), kBytes);

  ASSERT_EQ(buffer.bytes(), kBytes);
  EXPECT_TRUE(std::ranges::all_of(buffer.view(), [](auto byte) { return byte == std::byte{0}; }));
  EXPECT_TRUE(std::filesystem::is_empty(folder.root()));
}

TEST(MappedFile, KeepsWhatLeavesMemory) {
  const TemporaryFolder folder;
  const auto before = resident_file_bytes();
  const auto buffer = mapped_file(folder.root(), kBytes);
  std::ranges::fill(buffer.view(), std::byte{7});
  EXPECT_GT(resident_file_bytes(), before + kBytes / 2);

  leave_memory(buffer.view());

  EXPECT_LT(resident_file_bytes(), before + kBytes / 4);
  EXPECT_TRUE(std::ranges::all_of(buffer.view(), [](auto byte) { return byte == std::byte{7}; }));
}

// Without read_ahead() it comes to 2 MiB, where the disk reads ahead as much: some 32 MiB into a
// file that is read in order.
TEST(MappedFile, HasThePartInMemoryThatIsUsed) {
  constexpr std::size_t kFile = 2 * kBytes, kPart = std::size_t{256} << 10;
  constexpr std::size_t kSlack = std::size_t{1} << 20;  // the system's counts are not exact
  const TemporaryFolder folder;
  const auto before = resident_file_bytes();
  const auto buffer = mapped_file(folder.root(), kFile);
  for (std::size_t at = 0; at < kFile; at += kPart) {
    const auto part = buffer.view().subspan(at, kPart);

    read_ahead(part);
    std::ranges::fill(part, std::byte{7});

    EXPECT_LT(resident_file_bytes(), before + kPart + kSlack);
    leave_memory(buffer.view());
  }
}

TEST(MappedFile, TakesNoPartOfADiskThatHasNoRoom) {
  const TemporaryFolder folder;
  const auto free = std::filesystem::space(folder.root()).available;
  try {
    (void)mapped_file(folder.root(), free + (std::size_t{1} << 40));
    FAIL();
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), HasSubstr(" are needed, and only "));
  }
}

TEST(MappedFile, IsRefusedInAFolderThatIsNone) {
  const TemporaryFolder folder;
  const auto file = folder.write("file", "text");

  EXPECT_THAT(mapped_file_refusal(folder.path("missing")),
              Optional(HasSubstr("/missing': No such file or directory.")));
  EXPECT_THAT(mapped_file_refusal(file), Optional(HasSubstr("/file': Not a directory.")));
  EXPECT_EQ(mapped_file_refusal(folder.root()), std::nullopt);
}

}  // namespace
}  // namespace linerate::trainers
