// What `linerate tune nccl|mpi|gloo` takes, and what it refuses.
#include "cli/tune_library_config.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace linerate {
namespace {

TEST(ParseTuneLibrary, StartsRanksAsTheLibraryIsStarted) {
  const auto start = [](const std::string& library) {
    return parse_tune_library({library})->study.start;
  };
  EXPECT_EQ(start("nccl"), "threads");
  EXPECT_EQ(start("mpi"), "mpirun");
  EXPECT_EQ(start("gloo"), "processes");
  EXPECT_EQ(parse_tune_library({"nccl", "--start", "srun -p x"})->study.start, "srun -p x");
}

TEST(ParseTuneLibrary, HasDefaultsThatCanProveAGain) {
  const auto config = parse_tune_library({"mpi"});

  ASSERT_TRUE(config.ok());
  EXPECT_EQ(config->study.collectives.size(), 4u);
  EXPECT_EQ(config->study.backends, std::vector<std::string>{"mpi"});
  EXPECT_EQ(sweep::text_of(config->study.sizes.front()), "1K:4M:4");
  EXPECT_DOUBLE_EQ(config->effort.rule.smallest, 0.03);
  EXPECT_EQ(config->effort.confirmations, 10);
}

TEST(ParseTuneLibrary, ReadsWhatIsGiven) {
  const auto config = parse_tune_library({"--collectives",
                                          "all",
                                          "--sizes",
                                          "8:64:2",
                                          "nccl",
                                          "--nodes",
                                          "2",
                                          "--ranks-per-node",
                                          "8",
                                          "--start",
                                          "srun",
                                          "--try",
                                          "NCCL_A=1",
                                          "--try",
                                          "NCCL_B=2",
                                          "--smallest",
                                          "5%",
                                          "--nccl",
                                          "2.21.5",
                                          "--repeat",
                                          "20",
                                          "-o",
                                          "x"});

  ASSERT_TRUE(config.ok()) << config.sentence();
  EXPECT_GT(config->study.collectives.size(), 8u);
  EXPECT_EQ(config->study.nodes, std::vector<int>{2});
  EXPECT_EQ(config->tried, (std::vector<std::string>{"NCCL_A=1", "NCCL_B=2"}));
  EXPECT_DOUBLE_EQ(config->effort.rule.smallest, 0.05);
  EXPECT_EQ(env::text_of(config->nccl), "2.21.5");
  EXPECT_EQ(config->folder, "x");
}

TEST(ParseTuneLibrary, RefusesInOneSentence) {
  const std::vector<std::vector<std::string>> cases{
      {"mpi", "more"},           {"mpi", "--repeat", "5"},     {"mpi", "--ranks-per-node", "1"},
      {"nccl", "--nodes", "2"},  {"gloo", "--nccl", "2.2"},    {"mpi", "--sizes", "1M:1K"},
      {"mpi", "--sizes", "x"},   {"mpi", "--smallest", "0%"},  {"mpi", "--nodes", "1,2"},
      {"mpi", "--start", "ssh"}, {"mpi", "--options", "-t 2"}, {"nccl", "--nccl", "9"}};
  for (const auto& words : cases) {
    const auto config = parse_tune_library(words);
    ASSERT_FALSE(config.ok()) << words.back();
    EXPECT_TRUE(config.sentence().ends_with('.') || config.sentence().ends_with('?'))
        << config.sentence();
  }
}

TEST(LibraryToTune, StandsAnywhere) {
  EXPECT_EQ(library_to_tune({"--dry-run", "gloo"}), tuning::Library::gloo);
  EXPECT_EQ(library_to_tune({"host"}), std::nullopt);
}

TEST(LibraryToTune, IsNoValueOfAnOptionBehindIt) {
  EXPECT_EQ(library_to_tune({"gloo", "-o", "mpi"}), tuning::Library::gloo);
  EXPECT_EQ(parse_tune_library({"mpi", "-o", "nccl"})->folder, "nccl");
  EXPECT_EQ(library_to_tune({"host", "--collectives", "mpi"}), std::nullopt);
}

}  // namespace
}  // namespace linerate
