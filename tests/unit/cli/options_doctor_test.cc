// What `linerate doctor env`, `doctor log` and `doctor results` take, and what they refuse.
#include "cli/doctor_config.h"
#include "cli/option.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

namespace linerate {
namespace {

TEST(ParseDoctor, ReadsTheEnvironmentAsTheNewestNcclByDefault) {
  const auto config = parse_doctor_env({});

  ASSERT_TRUE(config.ok());
  EXPECT_TRUE(config->files.empty());
  EXPECT_EQ(config->format, env::Format::detected);
  EXPECT_EQ(config->nccl, env::kNewest);
  EXPECT_FALSE(config->nccl_is_given);
  EXPECT_FALSE(config->fail_on.has_value());
  const auto row = std::ranges::find(doctor_env_options(), "nccl", &OptionRow::long_name);
  EXPECT_EQ(row->default_text, env::text_of(env::kNewest));
}

TEST(ParseDoctor, TakesSeveralFilesAndStdin) {
  const auto config = parse_doctor_env(
      {"--file", "a.sh", "--file", "-", "--format", "nccl.conf", "--nccl", "2.21.5"});

  ASSERT_TRUE(config.ok()) << config.sentence();
  EXPECT_EQ(config->files, (std::vector<std::string>{"a.sh", "-"}));
  EXPECT_EQ(config->format, env::Format::nccl_conf);
  EXPECT_EQ(config->nccl, (env::Release{21, 5}));
  EXPECT_TRUE(config->nccl_is_given);
}

TEST(ParseDoctor, TakesFilesWithoutTheirOption) {
  const auto config = parse_doctor_env({"a.yaml", "-", "--format", "yaml", "--file", "b.yaml"});

  ASSERT_TRUE(config.ok()) << config.sentence();
  EXPECT_EQ(config->files, (std::vector<std::string>{"b.yaml", "a.yaml", "-"}));
}

TEST(ParseDoctor, TakesTheSeverityThatFails) {
  EXPECT_EQ(parse_doctor_env({"--fail-on", "problem"})->fail_on, Severity::problem);
  EXPECT_EQ(parse_doctor_env({"--fail-on", "warning"})->fail_on, Severity::warning);
}

TEST(ParseDoctor, RefusesInOneSentence) {
  const std::vector<std::vector<std::string>> cases{{"--more"},
                                                    {"--file", ""},
                                                    {"--format", "yaml"},
                                                    {"--file", "a", "--format", "xml"},
                                                    {"--file", "-", "--file", "-"},
                                                    {"--nccl", "1.3"},
                                                    {"--fail-on", "info"}};
  for (const auto& words : cases) {
    const auto config = parse_doctor_env(words);
    ASSERT_FALSE(config.ok()) << (words.empty() ? "" : words.back());
    EXPECT_TRUE(config.sentence().ends_with('.') || config.sentence().ends_with('?'))
        << config.sentence();
  }
}

TEST(ParseDoctorHang, TellsPidsFromFiles) {
  const auto config = parse_doctor_hang({"12", "rank_0", "--json", "./7", "12", "4194304"});

  ASSERT_TRUE(config.ok()) << config.sentence();
  EXPECT_EQ(config->pids, (std::vector<int>{12, 4194304}));
  EXPECT_EQ(config->files, (std::vector<std::string>{"rank_0", "./7"}));
  EXPECT_TRUE(config->json);
}

TEST(ParseDoctorHang, Refuses) {
  for (const auto& words : std::vector<std::vector<std::string>>{
           {}, {"0"}, {"4194305"}, {"1", "--fail-on", "info"}, {"99999999999999999999"}})
    EXPECT_FALSE(parse_doctor_hang(words).ok());
}

TEST(ParseDoctorProve, TellsTheBenchmarkFromItsOwnOptions) {
  const auto config = parse_doctor_prove(
      {"p2p", "--a", "1", "--launch", "mpirun -np 2", "--repeat", "7", "--", "-g", "2", "--a"});

  ASSERT_TRUE(config.ok()) << config.sentence();
  EXPECT_EQ(config->id, "p2p");
  EXPECT_EQ(config->a, "1");
  EXPECT_EQ(config->b, std::nullopt);
  EXPECT_EQ(config->launch, "mpirun -np 2");
  EXPECT_EQ(config->times(), 7);
  EXPECT_EQ(config->smallest, 0.05);
  EXPECT_EQ(config->benchmark, (std::vector<std::string>{"-g", "2", "--a"}));
  EXPECT_FALSE(config->has_command());
}

TEST(ParseDoctorProve, TakesAWholeCommand) {
  const auto config = parse_doctor_prove({"shm", "--", "all_gather_perf", "-g", "2"});

  ASSERT_TRUE(config.ok()) << config.sentence();
  EXPECT_TRUE(config->has_command());
}

TEST(ParseDoctorProve, RefusesInOneSentence) {
  for (const auto& words : std::vector<std::vector<std::string>>{{},
                                                                 {"--", "p2p"},
                                                                 {"p2p", "shm"},
                                                                 {"p2p", "--run", "true"},
                                                                 {"p2p", "--smallest", "0"},
                                                                 {"p2p", "--repeat", "0"}})
    EXPECT_FALSE(parse_doctor_prove(words).ok());
}

TEST(ParseDoctorLog, TakesFilesAndStdin) {
  const auto config = parse_doctor_log({"a.log", "--json", "-", "b.log", "--fail-on", "problem"});

  ASSERT_TRUE(config.ok()) << config.sentence();
  EXPECT_EQ(config->files, (std::vector<std::string>{"a.log", "-", "b.log"}));
  EXPECT_TRUE(config->json);
  EXPECT_EQ(config->fail_on, Severity::problem);
}

TEST(ParseDoctorLog, RefusesInOneSentence) {
  for (const auto& words : std::vector<std::vector<std::string>>{{},
                                                                 {"--json"},
                                                                 {"-", "-"},
                                                                 {"a", "--fail-on", "info"},
                                                                 {"a", "--nccl", "2.21"},
                                                                 {""},
                                                                 {"a", "--fail-on", "-"}})
    EXPECT_FALSE(parse_doctor_log(words).ok());
}

TEST(ParseDoctorResults, TakesFilesAndTheHardware) {
  const auto config = parse_doctor_results(
      {"a.txt", "--platform", "dgx-h100", "--nodes", "2", "--nccl", "2.21", "-"});

  ASSERT_TRUE(config.ok()) << config.sentence();
  EXPECT_EQ(config->files, (std::vector<std::string>{"a.txt", "-"}));
  EXPECT_EQ(config->platform, "dgx-h100");
  EXPECT_EQ(config->nnodes, 2);
  EXPECT_EQ(config->nccl->minor, 21);
}

TEST(ParseDoctorResults, RefusesInOneSentence) {
  for (const auto& words : std::vector<std::vector<std::string>>{
           {}, {"-", "-"}, {"a", "--nodes", "2"}, {"a", "--platform", "x", "--nodes", "0"}})
    EXPECT_FALSE(parse_doctor_results(words).ok());
}

}  // namespace
}  // namespace linerate
