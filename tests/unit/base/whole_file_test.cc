// Files that are written whole, and the folder where such files are kept.
#include "base/whole_file.h"

#include "base/cache_folder.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

namespace linerate {
namespace {

class WholeFile : public testing::Test {
 protected:
  WholeFile() : folder_(std::filesystem::path(testing::TempDir()) / "whole_file_test") {
    std::filesystem::remove_all(folder_);
  }
  ~WholeFile() override { std::filesystem::remove_all(folder_); }

  static std::string text_in(const std::filesystem::path& path) {
    std::ifstream file(path);
    return {std::istreambuf_iterator<char>(file), {}};
  }
  std::filesystem::path folder_;
};

TEST_F(WholeFile, MakesItsFolderAndReplacesWhatWasThere) {
  const auto path = folder_ / "a" / "file";

  EXPECT_FALSE(write_whole_file(path, "old and long"));
  EXPECT_FALSE(write_whole_file(path, "new"));

  EXPECT_EQ(text_in(path), "new");
  const auto entries = std::filesystem::directory_iterator(path.parent_path());
  EXPECT_EQ(std::distance(begin(entries), end(entries)), 1);
}

TEST_F(WholeFile, SaysWhyItCannotBeWrittenAndLeavesNothing) {
  std::filesystem::create_directories(folder_ / "file" / "taken");

  EXPECT_TRUE(write_whole_file(folder_ / "file", "text"));
  EXPECT_TRUE(write_whole_file("/proc/no/such/folder", "text"));

  const auto entries = std::filesystem::directory_iterator(folder_);
  EXPECT_EQ(std::distance(begin(entries), end(entries)), 1);
}

TEST(FileNames, HoldLettersDigitsAndSingleDashes) {
  EXPECT_EQ(file_name_of("Intel(R) Xeon(R), 2 cores"), "intel-r-xeon-r-2-cores");
}

TEST(CacheFolder, IsTheOneAskedForOrInTheHome) {
  EXPECT_EQ(cache_folder(Environment({{"XDG_CACHE_HOME", "/c"}, {"HOME", "/h"}})), "/c/linerate");
  EXPECT_EQ(cache_folder(Environment({{"XDG_CACHE_HOME", ""}, {"HOME", "/h"}})),
            "/h/.cache/linerate");
  EXPECT_FALSE(cache_folder(Environment()));
}

}  // namespace
}  // namespace linerate
