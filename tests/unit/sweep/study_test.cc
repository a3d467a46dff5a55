// What a study runs, and how its file reads.
#include "sweep/study.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

namespace linerate::sweep {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

Study of_collectives(const std::vector<std::string>& names) {
  Study study;
  for (const auto& name : names) study.collectives.push_back(find_collective(name));
  return study;
}

std::vector<std::string> commands(const Study& study) {
  std::vector<std::string> all;
  for (const auto& one : cases_of(study)) all.push_back(command_of(study, one));
  return all;
}

TEST(Cases, AreEachCombinationOnce) {
  auto study = of_collectives({"all_reduce", "all_gather"});
  study.sizes = {{8, 1024, 2}, {1 << 20, 1 << 20, 2}};
  study.types = {"float", "half", "int8"};
  study.ranks_per_node = {1, 2};
  study.environment = {{"NCCL_ALGO", {std::nullopt, "Ring"}}};

  const auto all = commands(study);

  EXPECT_EQ(all.size(), 2U * 2 * 3 * 2 * 2);
  EXPECT_EQ(std::set<std::string>(all.begin(), all.end()).size(), all.size());
  EXPECT_EQ(most_cases(study), 48);
}

TEST(Cases, AreThereOnceWhereAListNamesAValueTwice) {
  auto study = of_collectives({"all_reduce"});
  study.types = {"float", "half", "float"};
  study.environment = {{"NCCL_ALGO", {std::nullopt, "Ring", std::nullopt}}};

  EXPECT_EQ(cases_of(study).size(), 4U);
}

TEST(Cases, HaveAnOperatorWhereTheCollectiveReduces) {
  auto study = of_collectives({"all_reduce", "all_gather"});
  study.ops = {"sum", "max"};

  EXPECT_THAT(commands(study), ElementsAre("linerate all_reduce_perf -o sum --nprocs 2",
                                           "linerate all_reduce_perf -o max --nprocs 2",
                                           "linerate all_gather_perf --nprocs 2"));
}

TEST(Cases, HaveAnAlgorithmWhereTheHostBackendMayRun) {
  auto study = of_collectives({"all_reduce"});
  study.backends = {"host", "mpi"};
  study.algorithms = {"ring", "tree"};

  EXPECT_THAT(commands(study),
              ElementsAre("linerate all_reduce_perf --backend host --algo ring --nprocs 2",
                          "linerate all_reduce_perf --backend host --algo tree --nprocs 2",
                          "linerate all_reduce_perf --backend mpi --nprocs 2"));
}

TEST(Commands, SetAndUnsetVariablesAndQuoteThem) {
  auto study = of_collectives({"all_reduce"});
  study.start = std::string(kThreads);
  study.environment = {{"A", {std::nullopt}}, {"B", {"x y"}}};

  EXPECT_THAT(commands(study), ElementsAre("env -u A B='x y' linerate all_reduce_perf -t 2"));
}

TEST(Commands, TellLaunchersTheNumbersAndMpirunTheVariables) {
  auto study = of_collectives({"all_reduce"});
  study.sizes = {{8, 64 << 20, 4}};
  study.nodes = {2};
  study.ranks_per_node = {4};
  study.environment = {{"NCCL_ALGO", {"Ring"}}};

  study.start = "mpirun --hostfile h";
  EXPECT_THAT(commands(study), ElementsAre("env NCCL_ALGO=Ring mpirun --hostfile h -np 8 --map-by "
                                           "ppr:4:node -x NCCL_ALGO linerate all_reduce_perf -b 8 "
                                           "-e 64M -f 4"));
  study.start = "srun --mpi=none";
  EXPECT_THAT(commands(study)[0],
              HasSubstr("srun --mpi=none -N 2 -n 8 --ntasks-per-node=4 linera"));
  study.start = "prun -n {ranks}";
  EXPECT_THAT(commands(study)[0], HasSubstr("prun -n 8 linerate"));
  EXPECT_THAT(commands(study)[0], Not(HasSubstr("-x ")));
}

TEST(RunSizes, AreWrittenAsTheyAreRead) {
  for (const auto* text : {"1M", "8:64M", "8:64M:4", "3:12K", "1T"}) {
    const auto sizes = parse_sizes(text);
    ASSERT_TRUE(sizes) << text;
    EXPECT_EQ(text_of(*sizes), text);
  }
  EXPECT_EQ(*parse_sizes("1MiB:4m:2"), (Sizes{1 << 20, 4 << 20, 2}));
  EXPECT_EQ(*parse_sizes("8:8:5"), *parse_sizes("8"));
}

TEST(RunSizes, AreRefusedWhereTheyMeanNothing) {
  for (const auto* text : {"", "x", "8:", "64M:8", "0", "0:8", "8:64:1", "8:64:2:3", "8:64:x"})
    EXPECT_THAT(parse_sizes(text).sentence(), HasSubstr("is no size of runs")) << text;
}

TEST(Studies, AreRefusedWhereTheyCannotRun) {
  auto study = of_collectives({"all_reduce"});
  EXPECT_FALSE(study_refusal(study));

  study.nodes = {1, 2};
  EXPECT_THAT(*study_refusal(study), HasSubstr("give --start mpirun or srun"));
  study.start = "mpirun";
  EXPECT_FALSE(study_refusal(study));
  study.start = "ssh host";
  EXPECT_THAT(*study_refusal(study), HasSubstr("says no number of ranks"));

  study = of_collectives({"all_reduce"});
  study.options = "-n 5 -b 8";
  EXPECT_THAT(*study_refusal(study), HasSubstr("has -b, which the study gives"));
  for (const auto* of_the_study : {"-b8M", "-n 5 -t4", "--op=max", "-n 5\t-b 8"}) {
    study.options = of_the_study;
    EXPECT_TRUE(study_refusal(study)) << of_the_study;
  }
  study.options = "-n 5 --order random";
  EXPECT_FALSE(study_refusal(study));
  study.options = "-n 5; rm x";
  EXPECT_THAT(*study_refusal(study), HasSubstr("more than options"));

  study = of_collectives({"all_reduce"});
  study.environment = {{"A B", {"1"}}};
  EXPECT_THAT(*study_refusal(study), HasSubstr("'A B' is no name of a variable"));
  study.environment = {};
  for (char c = 'A'; c < 'K'; ++c) study.environment[{c}] = Values(4, "x");
  EXPECT_THAT(*study_refusal(study), HasSubstr("make it several studies"));
}

TEST(SweepFiles, AreOptionsAndVariables) {
  const auto file = read_study(
      "collectives: [all_reduce, alltoall]\nsizes: [8:1M, 64M]\nranks-per-node: 2\n"
      "environment:\n  NCCL_ALGO: [~, Ring]\n  NCCL_DEBUG: INFO\n  EMPTY: ''\n");

  ASSERT_TRUE(file) << file.sentence();
  EXPECT_THAT(file->words, ElementsAre("--collectives", "all_reduce,alltoall", "--sizes",
                                       "8:1M,64M", "--ranks-per-node", "2"));
  EXPECT_THAT(file->environment.at("NCCL_ALGO"), ElementsAre(std::nullopt, "Ring"));
  EXPECT_THAT(file->environment.at("NCCL_DEBUG"), ElementsAre("INFO"));
  EXPECT_THAT(file->environment.at("EMPTY"), ElementsAre(""));
}

TEST(SweepFiles, NameTheLineOfWhatTheyCannotBe) {
  EXPECT_THAT(read_study("- 1\n").sentence(), HasSubstr("a map of options"));
  EXPECT_THAT(read_study("nodes: 1\nenvironment: [a]\n").sentence(), HasSubstr("line 2: environ"));
  EXPECT_THAT(read_study("environment:\n  A: [[1]]\n").sentence(), HasSubstr("line 2"));
  EXPECT_THAT(read_study("environment:\n  A: {b: 1}\n").sentence(), HasSubstr("line 2"));
  EXPECT_THAT(read_study("environment:\n  A: []\n").sentence(), HasSubstr("line 2"));
  EXPECT_THAT(read_study("environment:\n  A: 1\n  A: 2\n").sentence(), HasSubstr("line 3: A"));
  EXPECT_THAT(read_study("options: [-n 20, -w 5]\n").sentence(),
              HasSubstr("line 1: options stand"));
  EXPECT_FALSE(read_study("sizes: [8\n"));
}

}  // namespace
}  // namespace linerate::sweep
