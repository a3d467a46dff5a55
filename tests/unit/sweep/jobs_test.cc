// Jobs that run a study elsewhere: YAML that reads, scripts with the right numbers.
#include "sweep/jobs.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace linerate::sweep {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

Study two_cases() {
  return {.collectives = {find_collective("all_reduce")},
          .nodes = {1, 2},
          .ranks_per_node = {4},
          .environment = {{"NCCL_ALGO", {"Ring"}}}};
}

Job night() {
  return {.name = "My_night",
          .file = "a b.yaml",
          .text = "nodes: [1, 2] # {name}\n",
          .output = "night.db",
          .words = {"--repeat", "1"},
          .seed = 7,
          .order = {1, 0},
          .limit_s = 600};
}

TEST(Jobs, OfSlurmAskForTheLargestCaseAndGoOn) {
  const auto text = job_text(JobForm::sbatch, two_cases(), night());

  EXPECT_THAT(text, HasSubstr("#SBATCH --nodes=2\n#SBATCH --ntasks-per-node=4\n"));
  EXPECT_THAT(text, HasSubstr("# 2 runs, at most 20 min"));
  EXPECT_THAT(text, HasSubstr("exec linerate sweep 'a b.yaml' --repeat 1 -o night.db --seed 7 "
                              "--start srun\n"));
}

TEST(Jobs, KeepTheStudysOwnLauncher) {
  auto study = two_cases();
  study.start = "mpirun --mca btl tcp";
  EXPECT_THAT(job_text(JobForm::mpirun, study, night()),
              HasSubstr("--start 'mpirun --mca btl tcp'"));
  EXPECT_THAT(job_text(JobForm::sbatch, study, night()), HasSubstr("--start srun"));
  EXPECT_THAT(job_text(JobForm::mpirun, two_cases(), night()),
              HasSubstr("--start 'mpirun --hostfile hosts'"));
}

TEST(Jobs, OfKubernetesCarryTheStudyAsItIs) {
  const auto text = job_text(JobForm::mpijob, two_cases(), night());

  EXPECT_THAT(text, HasSubstr("  study.yaml: |\n    nodes: [1, 2] # {name}\n---\n"));
  EXPECT_THAT(text, HasSubstr("name: my-night\n"));
  EXPECT_THAT(text, HasSubstr(R"("/study/study.yaml","--repeat","1","-o","/results/my-night.db")"));
  EXPECT_THAT(text, Not(HasSubstr("nvidia.com")));
  auto gpus = two_cases();
  gpus.backends = {"nccl"};
  EXPECT_THAT(job_text(JobForm::mpijob, gpus, night()), HasSubstr("{nvidia.com/gpu: 4}"));
}

TEST(Jobs, OfPodsRunTheCasesInOrderOnAsManyPodsAsEachTakes) {
  for (const auto form : {JobForm::pytorchjob, JobForm::rayjob}) {
    const auto text = job_text(form, two_cases(), night());
    EXPECT_THAT(text, HasSubstr("run 1 2 env NCCL_ALGO=Ring linerate all_reduce_perf -t 4\n"
                                "    run 2 1 env NCCL_ALGO=Ring linerate all_reduce_perf -t 4\n"));
    EXPECT_THAT(text, HasSubstr("timeout 600 \"$@\""));
    EXPECT_THAT(text, HasSubstr("[{name: study, mountPath: /study}"));
  }
}

// The file of a mark that a case has ended.
std::string mark_of(const Job& job) {
  const auto text = job_text(JobForm::pytorchjob, two_cases(), job);
  const auto begin = text.find("/results/my-night-");
  return text.substr(begin, text.find('"', begin) - begin);
}

TEST(Jobs, OfPodsPassNoCaseOverForTheMarkOfAnother) {
  auto other = night();
  other.order = {0, 1};
  EXPECT_EQ(mark_of(night()), mark_of(night()));
  EXPECT_NE(mark_of(night()), mark_of(other));
}

}  // namespace
}  // namespace linerate::sweep
