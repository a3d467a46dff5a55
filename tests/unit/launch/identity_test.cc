// Which launcher is believed, for every environment that the field is known to produce.
#include "launch/identity.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <ostream>
#include <string>

namespace linerate {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

using Variables = std::map<std::string, std::string, std::less<>>;

Variables operator+(Variables left, const Variables& right) {
  for (const auto& [name, value] : right) left[name] = value;
  return left;
}
Variables without(Variables variables, const std::string& name) {
  variables.erase(name);
  return variables;
}

const Variables kMpirun{{"OMPI_COMM_WORLD_RANK", "1"}, {"OMPI_COMM_WORLD_SIZE", "4"}};
const Variables kTorch{
    {"RANK", "3"}, {"WORLD_SIZE", "16"}, {"MASTER_ADDR", "node01"}, {"MASTER_PORT", "29400"}};
const Variables kStep{{"SLURM_JOB_ID", "4711"},      {"SLURM_STEPID", "0"},
                      {"SLURM_STEP_NUM_TASKS", "2"}, {"SLURM_PROCID", "1"},
                      {"SLURM_STEP_NUM_NODES", "2"}, {"SLURM_STEP_NODELIST", "gpu-[01-02]"}};
const Variables kBatch{{"SLURM_JOB_ID", "4711"},
                       {"SLURM_PROCID", "0"},
                       {"SLURM_NTASKS", "8"},
                       {"SLURM_JOB_NODELIST", "gpu-[01-02]"}};

Identity identity_of(const Variables& variables, int nprocs = 0) {
  auto identity = detect_identity(Environment(variables), nprocs);
  EXPECT_TRUE(identity.ok()) << identity.sentence();
  return identity.ok() ? std::move(identity).value() : Identity{};
}

std::string failure_of(const Variables& variables) {
  const auto identity = detect_identity(Environment(variables), 0);
  return identity.ok() ? "no failure" : identity.sentence();
}

struct Believed {
  std::string name;
  Variables variables;
  Launcher launcher;
  int rank;
  int nranks;
};
void PrintTo(const Believed& row, std::ostream* out) { *out << row.name; }

class Believes : public ::testing::TestWithParam<Believed> {};

TEST_P(Believes, TheRightLauncher) {
  const auto identity = identity_of(GetParam().variables);

  EXPECT_EQ(name_of(identity.launcher), name_of(GetParam().launcher));
  EXPECT_EQ(identity.rank, GetParam().rank);
  EXPECT_EQ(identity.nranks, GetParam().nranks);
}

INSTANTIATE_TEST_SUITE_P(
    Detect, Believes,
    ::testing::Values(
        Believed{"NothingSet", {}, Launcher::none, 0, 1},
        Believed{"OpenMpi", kMpirun, Launcher::mpi, 1, 4},
        Believed{
            "Hydra", {{"PMI_RANK", "2"}, {"PMI_SIZE", "3"}, {"PMI_FD", "7"}}, Launcher::mpi, 2, 3},
        Believed{"PmixKnowsTheSizeItself", {{"PMIX_RANK", "2"}}, Launcher::mpi, 2, 0},
        Believed{"SrunWithPmix", kStep + Variables{{"PMIX_RANK", "1"}}, Launcher::mpi, 1, 2},
        Believed{"SrunWithPmi2", kStep + Variables{{"PMI_RANK", "1"}, {"PMI_FD", "9"}},
                 Launcher::mpi, 1, 2},
        Believed{"Mvapich",
                 {{"MV2_COMM_WORLD_RANK", "1"}, {"MV2_COMM_WORLD_SIZE", "2"}},
                 Launcher::mpi,
                 1,
                 2},
        Believed{"SrunAlone", kStep, Launcher::slurm, 1, 2},
        Believed{"SrunBeforeEnv", kStep + kTorch, Launcher::slurm, 1, 2},
        Believed{"MpirunBeforeSrunAndEnv", kStep + kTorch + kMpirun, Launcher::mpi, 1, 4},
        Believed{"TorchrunInsideSrun", kStep + kTorch + Variables{{"TORCHELASTIC_RUN_ID", "none"}},
                 Launcher::env, 3, 16},
        Believed{"BatchScript", kBatch, Launcher::none, 0, 1},
        Believed{"BatchStepById", kStep + Variables{{"SLURM_STEPID", "4294967291"}}, Launcher::none,
                 0, 1},
        Believed{"BatchStepByName", kStep + Variables{{"SLURM_STEPID", "batch"}}, Launcher::none, 0,
                 1},
        Believed{"SallocShell",
                 kStep + Variables{{"SLURM_STEP_NUM_TASKS", "1"}, {"SLURM_STEPID", "4294967290"}},
                 Launcher::none, 0, 1},
        Believed{"SrunOfOneTask", kStep + Variables{{"SLURM_STEP_NUM_TASKS", "1"}}, Launcher::none,
                 0, 1},
        Believed{"BatchScriptWithEnv", kBatch + kTorch, Launcher::env, 3, 16},
        Believed{"Env", kTorch, Launcher::env, 3, 16},
        Believed{
            "EnvOfOneRankNeedsNoMaster", {{"RANK", "0"}, {"WORLD_SIZE", "1"}}, Launcher::env, 0, 1},
        Believed{"EmptyIsUnset", {{"RANK", ""}, {"WORLD_SIZE", ""}}, Launcher::none, 0, 1},
        Believed{"MasterAloneIsNoRank",
                 {{"MASTER_ADDR", "a"}, {"MASTER_PORT", "1"}},
                 Launcher::none,
                 0,
                 1},
        Believed{"FluxRunOfOne",
                 {{"FLUX_TASK_RANK", "0"}, {"FLUX_JOB_SIZE", "1"}},
                 Launcher::none,
                 0,
                 1},
        Believed{"SettingsForALauncherAreNoTrace",
                 {{"HYDRA_HOST_FILE", "hosts"}, {"OMPI_MCA_btl", "tcp,self"}},
                 Launcher::none,
                 0,
                 1}),
    [](const auto& row) { return row.param.name; });

struct Broken {
  std::string name;
  Variables variables;
  std::string says;
};
void PrintTo(const Broken& row, std::ostream* out) { *out << row.name; }

class Refuses : public ::testing::TestWithParam<Broken> {};

TEST_P(Refuses, WithTheVariableInTheSentence) {
  EXPECT_THAT(failure_of(GetParam().variables), HasSubstr(GetParam().says));
}

INSTANTIATE_TEST_SUITE_P(
    Detect, Refuses,
    ::testing::Values(
        Broken{"RankWithoutSize", {{"RANK", "1"}}, "RANK=1 is set, but WORLD_SIZE is not"},
        Broken{"SizeWithoutRank", {{"WORLD_SIZE", "2"}}, "WORLD_SIZE=2 is set, but RANK is not"},
        Broken{"NoMaster", without(kTorch, "MASTER_ADDR"), "MASTER_ADDR is not"},
        Broken{"RankTooHigh", kTorch + Variables{{"RANK", "16"}}, "from 0 to 15"},
        Broken{"RankNegative", kTorch + Variables{{"RANK", "-1"}}, "RANK=-1"},
        Broken{"RankNoNumber", kTorch + Variables{{"RANK", "one"}}, "RANK=one makes no sense"},
        Broken{"SizeZero", kTorch + Variables{{"WORLD_SIZE", "0"}}, "WORLD_SIZE=0"},
        Broken{"SizeAbsurd", kTorch + Variables{{"WORLD_SIZE", "1000000000"}},
               "WORLD_SIZE=1000000000"},
        Broken{"SizeBeyondIntegers", kTorch + Variables{{"WORLD_SIZE", "99999999999999999999"}},
               "WORLD_SIZE=99999999999999999999"},
        Broken{"PortZero", kTorch + Variables{{"MASTER_PORT", "0"}}, "MASTER_PORT=0"},
        Broken{"PortTooHigh", kTorch + Variables{{"MASTER_PORT", "65536"}}, "MASTER_PORT=65536"},
        Broken{"MpirunWithoutSize", without(kMpirun, "OMPI_COMM_WORLD_SIZE"),
               "OMPI_COMM_WORLD_SIZE is not"},
        Broken{"MpirunRankTooHigh", kMpirun + Variables{{"OMPI_COMM_WORLD_RANK", "4"}},
               "OMPI_COMM_WORLD_RANK=4"},
        Broken{"MpirunWithoutRank", without(kMpirun, "OMPI_COMM_WORLD_RANK"),
               "mpirun seems to have started this process (OMPI_COMM_WORLD_SIZE=4)"},
        Broken{"PmiWithoutSize", {{"PMI_RANK", "0"}}, "PMI_SIZE is not"},
        Broken{"PmiWithoutRank", {{"PMI_FD", "7"}}, "PMI_FD=7"},
        Broken{"Flux", {{"FLUX_TASK_RANK", "0"}, {"FLUX_JOB_SIZE", "4"}}, "flux run"},
        Broken{"Pals", {{"PALS_RANKID", "0"}}, "PALS_RANKID=0"},
        Broken{"Alps", {{"ALPS_APP_PE", "0"}}, "aprun"},
        Broken{"Jsrun", {{"JSM_NAMESPACE_RANK", "0"}, {"JSM_NAMESPACE_SIZE", "2"}}, "jsrun"},
        Broken{"StepWithoutNumber", kStep + Variables{{"SLURM_STEPID", "x"}}, "SLURM_STEPID"},
        Broken{"StepUnset", without(kStep, "SLURM_STEPID"), "SLURM_STEPID"},
        Broken{"StepWithoutRank", without(kStep, "SLURM_PROCID"), "SLURM_PROCID"},
        Broken{"StepRankTooHigh", kStep + Variables{{"SLURM_PROCID", "2"}}, "SLURM_PROCID=2"},
        Broken{"StepWithoutHosts", without(kStep, "SLURM_STEP_NODELIST"), "SLURM_STEP_NODELIST"},
        Broken{"StepWithBrokenHosts", kStep + Variables{{"SLURM_STEP_NODELIST", "gpu-[01"}},
               "SLURM_STEP_NODELIST"},
        Broken{"StepWithoutJob", without(kStep, "SLURM_JOB_ID"), "SLURM_JOB_ID"},
        Broken{"TasksNoNumber", kStep + Variables{{"SLURM_STEP_NUM_TASKS", "2(x2)"}},
               "SLURM_STEP_NUM_TASKS=2(x2)"},
        Broken{"TaskOfAnUnknownStep", kBatch + Variables{{"SLURM_PROCID", "3"}},
               "SLURM_STEP_NUM_TASKS is not set"},
        Broken{"LongToken", {{"LINERATE_TOKEN", std::string(257, 'x')}}, "LINERATE_TOKEN"},
        Broken{"StoreWithoutHost", kTorch + Variables{{"LINERATE_STORE", ":29400"}},
               "LINERATE_STORE"},
        Broken{"StoreWithBadPort", kTorch + Variables{{"LINERATE_STORE", "a:b"}},
               "LINERATE_STORE=a:b"},
        Broken{"StoreWithOpenBracket", kTorch + Variables{{"LINERATE_STORE", "[::1"}},
               "LINERATE_STORE"}),
    [](const auto& row) { return row.param.name; });

TEST(Identity, NprocsComesFirstAndSaysWhatItIgnores) {
  const auto identity = identity_of(kMpirun, 2);

  EXPECT_EQ(identity.launcher, Launcher::nprocs);
  EXPECT_EQ(identity.nranks, 2);
  ASSERT_EQ(identity.notes.size(), 1u);
  EXPECT_THAT(identity.notes[0], HasSubstr("OMPI_COMM_WORLD_RANK=1 is ignored: --nprocs 2"));
  EXPECT_THAT(identity.notes[0], HasSubstr("each of the 4 processes that mpirun started"));
}

TEST(Identity, NprocsDoesNotCareAboutBrokenVariables) {
  EXPECT_EQ(identity_of({{"RANK", "1"}}, 3).nranks, 3);
}

TEST(Identity, SaysWhichRankIsIgnored) {
  const auto identity =
      identity_of(kMpirun + Variables{{"RANK", "0"}, {"WORLD_SIZE", "2"}, {"MASTER_ADDR", "a"}});

  EXPECT_THAT(identity.notes,
              ElementsAre("RANK=0 (rank 0 of 2) is ignored: mpirun says rank 1 of 4 "
                          "(OMPI_COMM_WORLD_RANK)"));
}

TEST(Identity, IsSilentAboutLaunchersThatAgree) {
  const Variables same{{"RANK", "1"}, {"WORLD_SIZE", "4"}, {"MASTER_ADDR", "a"}};

  EXPECT_THAT(identity_of(kMpirun + same).notes, IsEmpty());
}

TEST(Identity, TakesTheDaemonsOfMpirunForNoContradiction) {
  EXPECT_THAT(identity_of(kStep + kMpirun).notes, IsEmpty());
}

TEST(Identity, FindsTheStoreOfEnv) {
  const auto given = identity_of(kTorch);
  const auto standard = identity_of(without(kTorch, "MASTER_PORT"));

  EXPECT_EQ(given.master_host, "node01");
  EXPECT_EQ(given.master_port, 29400);
  EXPECT_EQ(standard.master_port, 29500);
}

TEST(Identity, StaysClearOfTorchrunsOwnStore) {
  const Variables agent{{"TORCHELASTIC_USE_AGENT_STORE", "True"}};

  EXPECT_EQ(identity_of(kTorch + agent).master_port, 29401);
  EXPECT_EQ(identity_of(kTorch + agent + Variables{{"MASTER_PORT", "65535"}}).master_port, 65534);
}

TEST(Identity, FindsTheStoreOfAJobStep) {
  const auto identity = identity_of(kStep);

  EXPECT_EQ(identity.master_host, "gpu-01");
  EXPECT_EQ(identity.master_port, slurm_port(4711, 0));
}

TEST(Identity, StaysOnLoopbackInAStepOfOneHost) {
  EXPECT_EQ(identity_of(kStep + Variables{{"SLURM_STEP_NUM_NODES", "1"}}).master_host, "127.0.0.1");
}

struct Override {
  std::string text;
  std::string host;
  int port;
};

TEST(Identity, LetsTheUserMoveTheStore) {
  for (const auto& [text, host, port] :
       {Override{"10.0.0.7", "10.0.0.7", 29400}, Override{"head:4000", "head", 4000},
        Override{"[fd00::1]:4000", "fd00::1", 4000}, Override{"[fd00::1]", "fd00::1", 29400},
        Override{"fd00::1", "fd00::1", 29400}}) {
    const auto identity = identity_of(kTorch + Variables{{"LINERATE_STORE", text}});

    EXPECT_EQ(identity.master_host, host) << text;
    EXPECT_EQ(identity.master_port, port) << text;
  }
}

TEST(Identity, KeepsTheToken) {
  EXPECT_EQ(identity_of(kTorch + Variables{{"LINERATE_TOKEN", "s3cret"}}).token, "s3cret");
}

TEST(Identity, TellsJobStepsAtOnePortApartByTheirTokens) {
  const auto one = identity_of(kStep + Variables{{"SLURM_JOB_ID", "4711"}, {"SLURM_STEPID", "31"}});
  const auto other =
      identity_of(kStep + Variables{{"SLURM_JOB_ID", "4718"}, {"SLURM_STEPID", "0"}});

  EXPECT_EQ(one.master_port, other.master_port);
  EXPECT_EQ(one.token, "slurm-4711-31");
  EXPECT_EQ(other.token, "slurm-4718-0");
}

TEST(Identity, PrefersTheUsersTokenToThatOfTheJobStep) {
  EXPECT_EQ(identity_of(kStep + Variables{{"LINERATE_TOKEN", "s3cret"}}).token, "s3cret");
  EXPECT_EQ(identity_of(kStep + Variables{{"LINERATE_TOKEN", ""}}).token, "slurm-4711-0");
}

TEST(SlurmPort, StaysInItsRangeAndTellsStepsApart) {
  for (std::uint64_t job = 1; job < 3000; job += 7)
    for (std::uint64_t step = 0; step < 5; ++step) {
      EXPECT_GE(slurm_port(job, step), 20000);
      EXPECT_LT(slurm_port(job, step), 30000);
    }
  EXPECT_NE(slurm_port(4711, 0), slurm_port(4711, 1));
  EXPECT_NE(slurm_port(4711, 0), slurm_port(4712, 0));
  EXPECT_GE(slurm_port(~std::uint64_t{0}, ~std::uint64_t{0}), 20000);
}

TEST(FirstHost, ExpandsTheFirstOfEachBracket) {
  EXPECT_EQ(first_host("n1"), "n1");
  EXPECT_EQ(first_host("n1,n2"), "n1");
  EXPECT_EQ(first_host("gpu-[01-04,7],head"), "gpu-01");
  EXPECT_EQ(first_host("gpu-[7,01-04]"), "gpu-7");
  EXPECT_EQ(first_host("rack[1-2]n[08-09]-ib,x"), "rack1n08-ib");
  EXPECT_EQ(first_host("a.b.example.org"), "a.b.example.org");
}

TEST(FirstHost, RefusesWhatIsNoList) {
  for (const auto* text : {"", ",n1", "n[1-2", "n]1", "n[]", "n[-2]", "n[a-b]"})
    EXPECT_EQ(first_host(text), std::nullopt) << text;
}

TEST(RanksText, NamesTheRanksOfAProcess) {
  EXPECT_EQ(ranks_text(3, 1), "rank 3");
  EXPECT_EQ(ranks_text(3, 2), "ranks 6-7");
}

}  // namespace
}  // namespace linerate
