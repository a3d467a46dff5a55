// Which tool or sub-command the first words choose.
#include "cli/tools.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace linerate {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

Result<Invocation> read(std::vector<const char*> argv) { return read_invocation(argv); }

std::string_view tool_of(const Result<Invocation>& call) {
  if (!call || call->command != Command::perf) return "none";
  return call->collective == nullptr ? kPairs : call->collective->name;
}

TEST(ReadInvocation, ChoosesTheToolByTheProgramsName) {
  const auto call = read({"/opt/bin/all_reduce_perf", "-b", "8"});

  ASSERT_TRUE(call);
  EXPECT_EQ(tool_of(call), "all_reduce");
  EXPECT_EQ(call->program, "all_reduce_perf");
  EXPECT_THAT(call->words, ElementsAre("-b", "8"));
  EXPECT_THAT(call->args, ElementsAre("/opt/bin/all_reduce_perf", "-b", "8"));
}

TEST(ReadInvocation, KnowsEveryCollectivesBinary) {
  for (const auto* row : all_collectives()) {
    const auto suffixed = std::string(row->binary) + "_mpi";

    EXPECT_EQ(tool_of(read({suffixed.c_str()})), row->name);
  }
}

TEST(ReadInvocation, KeepsTheNameOfASuffixedProgram) {
  const auto call = read({"./all_reduce_perf_mpi"});

  ASSERT_TRUE(call);
  EXPECT_EQ(call->program, "all_reduce_perf_mpi");
}

TEST(ReadInvocation, KnowsP2pPerf) {
  EXPECT_EQ(tool_of(read({"p2p_perf_mpi", "--at-once"})), "p2p_perf");
}

TEST(ReadInvocation, KnowsMemcpyPerfByEveryWay) {
  for (const auto& argv :
       std::vector<std::vector<const char*>>{{"./memcpy_perf_cuda", "-n", "3"},
                                             {"linerate", "memcpy", "-n", "3"},
                                             {"linerate", "perf", "memcpy_perf", "-n", "3"}}) {
    const auto call = read(argv);

    ASSERT_TRUE(call) << call.sentence();
    EXPECT_EQ(call->command, Command::memcpy);
    EXPECT_EQ(call->audience(), Audience::memcpy);
    EXPECT_THAT(call->words, ElementsAre("-n", "3"));
  }
  EXPECT_EQ(read({"linerate", "memcpy"})->program, "memcpy_perf");
  EXPECT_THAT(read({"linerate", "help", "memcpy"})->words, ElementsAre("--help"));
}

TEST(ReadInvocation, ReadsTheToolBehindLinerate) {
  for (const auto& argv :
       std::vector<std::vector<const char*>>{{"linerate", "perf", "all_reduce", "-b", "8"},
                                             {"linerate", "perf", "all_reduce_perf", "-b", "8"},
                                             {"linerate", "all_reduce", "-b", "8"},
                                             {"linerate-0.1", "all_reduce_perf", "-b", "8"}}) {
    const auto call = read(argv);

    ASSERT_TRUE(call) << call.sentence();
    EXPECT_EQ(tool_of(call), "all_reduce");
    EXPECT_EQ(call->program, "all_reduce_perf");
    EXPECT_THAT(call->words, ElementsAre("-b", "8"));
  }
}

TEST(ReadInvocation, ReadsP2pBehindLinerate) {
  EXPECT_EQ(tool_of(read({"linerate", "p2p"})), "p2p_perf");
  EXPECT_EQ(tool_of(read({"linerate", "perf", "p2p_perf"})), "p2p_perf");
}

TEST(ReadInvocation, ReadsSubCommandsWithTheirWords) {
  const auto report = read({"linerate", "report", "run.jsonl", "-o", "out"});
  const auto docs = read({"linerate", "docs", "cli"});

  ASSERT_TRUE(report);
  EXPECT_EQ(report->command, Command::report);
  EXPECT_THAT(report->words, ElementsAre("run.jsonl", "-o", "out"));
  ASSERT_TRUE(docs);
  EXPECT_EQ(docs->command, Command::docs);
  EXPECT_THAT(docs->words, ElementsAre("cli"));
}

TEST(ReadInvocation, GivesHelpAndVersion) {
  for (const auto* word : {"-h", "--help", "help", "--list"}) {
    EXPECT_EQ(read({"linerate", word})->command, Command::help) << word;
    EXPECT_THAT(read({"linerate", word})->words, IsEmpty()) << word;
  }
  EXPECT_EQ(read({"linerate"})->command, Command::help);
  EXPECT_EQ(read({"linerate", "--version"})->command, Command::version);
  EXPECT_EQ(read({"linerate", "version"})->command, Command::version);
  EXPECT_TRUE(read({"linerate", "version"})->words.empty());
  EXPECT_EQ(read({"linerate", "info"})->command, Command::info);
}

TEST(ReadInvocation, GivesHelpOnACommandInEitherOrder) {
  for (const std::string name : {"perf", "report", "docs", "info", "help", "version"})
    for (const auto& argv :
         std::vector<std::vector<const char*>>{{"linerate", "help", name.c_str()},
                                               {"linerate", "--help", name.c_str()},
                                               {"linerate", name.c_str(), "--help"},
                                               {"linerate", name.c_str(), "-h"}}) {
      const auto call = read(argv);

      ASSERT_TRUE(call) << call.sentence();
      EXPECT_EQ(call->command, Command::help);
      EXPECT_THAT(call->words, ElementsAre(name));
    }
}

TEST(ReadInvocation, GivesHelpOnATool) {
  for (const auto* name : {"all_reduce", "all_reduce_perf"}) {
    const auto call = read({"linerate", "help", name});

    EXPECT_EQ(tool_of(call), "all_reduce");
    EXPECT_THAT(call->words, ElementsAre("--help"));
  }
  EXPECT_EQ(tool_of(read({"linerate", "help", "p2p"})), "p2p_perf");
}

TEST(ReadInvocation, RefusesWordsThatMeanNothing) {
  const std::vector<std::pair<std::vector<const char*>, std::string>> wrong{
      {{"linerate", "docs"}, "needs what to write: one of cli, completion, man, doctor"},
      {{"linerate", "docs", "foo"},
       "Unknown page 'foo': choose one of cli, completion, man, doctor."},
      {{"linerate", "docs", "completion"}, "choose one of bash, zsh, fish"},
      {{"linerate", "docs", "completion", "tcsh"}, "Unknown shell 'tcsh'"},
      {{"linerate", "docs", "man"}, "linerate docs man needs the folder to write to"},
      {{"linerate", "docs", "doctor"}, "needs the folder to write to"},
      {{"linerate", "docs", "doctor", "a", "b"}, "'b' behind 'a' means nothing"},
      {{"linerate", "docs", "cli", "extra"}, "'extra' behind 'cli' means nothing"},
      {{"linerate", "help", "foo"}, "Unknown command 'foo'"},
      {{"linerate", "help", "perf", "extra"}, "Unknown tool 'extra'"},
      {{"linerate", "help", "perf", "broadcast", "extra"}, "'extra' behind 'broadcast' means"},
      {{"linerate", "--help", "x"}, "Unknown command 'x'"},
      {{"linerate", "--list", "x"}, "'x' behind '--list' means nothing"},
      {{"linerate", "--version", "extra"}, "'extra' behind '--version' means nothing"},
      {{"linerate", "version", "extra"}, "'extra' behind 'version' means nothing"},
      {{"linerate", "version", "--verbose"}, "'--verbose' behind 'version' means nothing"},
      {{"linerate", "info", "extra"}, "'extra' behind 'info' means nothing"},
  };
  for (const auto& [argv, fragment] : wrong) {
    const auto call = read(argv);

    ASSERT_FALSE(call) << fragment;
    EXPECT_THAT(call.sentence(), HasSubstr(fragment));
  }
}

TEST(ReadInvocation, NamesTheNearestCommandAndTool) {
  EXPECT_THAT(read({"linerate", "repot"}).sentence(), HasSubstr("Did you mean 'report'?"));
  EXPECT_THAT(read({"linerate", "all_reduc"}).sentence(), HasSubstr("Did you mean 'all_reduce'?"));
  EXPECT_THAT(read({"linerate", "perf", "al_reduce"}).sentence(),
              HasSubstr("Did you mean 'all_reduce'?"));
  EXPECT_THAT(read({"all_redce_perf"}).sentence(), HasSubstr("Did you mean 'all_reduce_perf'?"));
}

TEST(ReadInvocation, WantsAToolBehindPerf) {
  EXPECT_THAT(read({"linerate", "perf"}).sentence(), HasSubstr("needs the name of a tool"));
  EXPECT_THAT(read({"linerate", "perf", "-b"}).sentence(), HasSubstr("Unknown tool '-b'"));
}

TEST(ReadInvocation, RefusesAnEmptyArgv) { EXPECT_FALSE(read({})); }

TEST(ReadInvocation, LeavesNoWordsWhereNoneWereGiven) {
  EXPECT_THAT(read({"all_reduce_perf"})->words, IsEmpty());
}

}  // namespace
}  // namespace linerate
