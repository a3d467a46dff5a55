// What memcpy_perf takes, and what it refuses.
#include "cli/help.h"
#include "cli/option.h"
#include "cli/parse.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <set>
#include <string>
#include <vector>

namespace linerate {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

Invocation memcpy_call(std::vector<std::string> words) {
  return {.command = Command::memcpy,
          .program = std::string(kMemcpy),
          .collective = nullptr,
          .args = {},
          .words = std::move(words)};
}

Result<ParsedRun> parse_words(std::vector<std::string> words) {
  return parse_run(memcpy_call(std::move(words)), Environment{});
}

TEST(MemcpyWords, HaveDefaultsOfTheirOwn) {
  const auto parsed = parse_words({});

  ASSERT_TRUE(parsed) << parsed.sentence();
  const auto& config = parsed->config;
  EXPECT_EQ(config.memcpy.tests, "all");
  EXPECT_EQ(config.memcpy.bytes, std::size_t{512} << 20);
  EXPECT_THAT(config.memcpy.gpus, IsEmpty());
  EXPECT_EQ(config.iters, 16u);
  EXPECT_EQ(config.warmup_iters, 1u);
  EXPECT_EQ(config.timeout_s, 60);
  EXPECT_EQ(config.check, 1);
  EXPECT_EQ(config.backend, "auto");
}

TEST(MemcpyWords, AreReadStrictly) {
  const auto parsed =
      parse_words({"-t", "h2d,d2h", "--gpus=2,0", "-b1M", "-n", "3", "-w", "0", "-c", "0", "-T",
                   "5s", "--backend", "nccl", "--jsonl", "a", "--csv", "b", "--list"});

  ASSERT_TRUE(parsed) << parsed.sentence();
  const auto& config = parsed->config;
  EXPECT_EQ(config.memcpy.tests, "h2d,d2h");
  EXPECT_EQ(config.memcpy.bytes, std::size_t{1} << 20);
  EXPECT_THAT(config.memcpy.gpus, ElementsAre(2, 0));
  EXPECT_EQ(config.iters, 3u);
  EXPECT_EQ(config.warmup_iters, 0u);
  EXPECT_EQ(config.timeout_s, 5);
  EXPECT_EQ(config.check, 0);
  EXPECT_EQ(config.jsonl_file, "a");
  EXPECT_EQ(config.csv_file, "b");
  EXPECT_TRUE(config.list);
}

TEST(MemcpyWords, AreRefusedInOneSentence) {
  const std::vector<std::pair<std::vector<std::string>, std::string>> wrong{
      {{"-t", "device_to_device_memcpy_raed_ce"}, "Did you mean 'device_to_device_memcpy_read_ce'"},
      {{"-t", ""}, "-t/--test is given an empty value: give NAMES"},
      {{"-t", "host_copy"}, "give --backend host"},
      {{"-t", "local", "--backend", "host"}, "'local' needs a GPU"},
      {{"--gpus", "0", "--backend", "host"}, "--backend host has none"},
      {{"--gpus", "1,1"}, "names GPU 1 twice"},
      {{"--gpus", "1,"}, "--gpus"},
      {{"-b", "24"}, "no multiple of 16 bytes"},
      {{"-b", "8"}, "-b/--bytes"},
      {{"-n", "0"}, "-n/--iters"},
      {{"--backend", "mpi"}, "choose one of auto, nccl, host"},
      {{"--jsonl", "x", "--csv", "./x"}, "name the same file"},
      {{"-g", "2"}, "Unknown option '-g'"},
      {{"--minbytes", "2"}, "Unknown option '--minbytes'"},
      {{"h2d"}, "'h2d' belongs to no option"},
  };
  for (const auto& [words, fragment] : wrong) {
    const auto parsed = parse_words(words);

    ASSERT_FALSE(parsed) << fragment;
    EXPECT_THAT(parsed.sentence(), HasSubstr(fragment));
  }
}

// Those of ranks mean nothing here, whatever they hold.
TEST(MemcpyWords, ReadNoVariables) {
  const std::map<std::string, std::string, std::less<>> variables{{"NCCL_TESTS_SPLIT", "XOR"}};

  EXPECT_TRUE(parse_run(memcpy_call({}), Environment(variables)));
}

TEST(MemcpyHelp, NamesItsOptionsAndNoOthers) {
  const auto text = tool_help(memcpy_call({}));

  for (const auto& row : memcpy_options())
    EXPECT_THAT(text, HasSubstr("--" + std::string(row.long_name)));
  for (const auto* other : {"--minbytes", "--at-once", "--nthreads", "NCCL_TESTS_"})
    EXPECT_THAT(text, Not(HasSubstr(other)));
}

TEST(MemcpyOptions, HaveNamesThatOccurOnce) {
  std::set<std::string_view> names;

  for (const auto* row : option_rows(Audience::memcpy))
    EXPECT_TRUE(names.insert(row->long_name).second) << row->label();
  EXPECT_EQ(names.size(), memcpy_options().size());
}

}  // namespace
}  // namespace linerate
