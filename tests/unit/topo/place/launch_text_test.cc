// Plans in the words of Open MPI, Slurm and CUDA.
#include "topo/cluster/platforms.h"
#include "topo/place/plan_text.h"
#include "unit/topo/place/two_sockets.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace linerate::topo {
namespace {

using testing::HasSubstr;
using testing::Not;

Plan plan(const Graph& graph, int nranks, std::vector<std::string> hosts = {}) {
  return plan_of(graph, {.nranks = nranks, .hosts = std::move(hosts)}).value();
}

Plan plan_on(std::string_view platform, int nranks) {
  return plan(build_graph(built_in_platform(platform).value()), nranks);
}

TEST(Rankfiles, NameHwlocsCores) {
  const auto text = rankfile_text(plan(build_graph(two_sockets()), 4)).value();

  EXPECT_THAT(text, HasSubstr("\nrank 0=localhost slot=0-1\n"));
  EXPECT_THAT(text, HasSubstr("\nrank 3=localhost slot=6-7\n"));
  EXPECT_THAT(text, Not(HasSubstr("physical")));
}

TEST(Rankfiles, NameTheHostsThatWereGiven) {
  const auto text = rankfile_text(plan(build_graph(two_sockets()), 4, {"node07"})).value();

  EXPECT_THAT(text, HasSubstr("\nrank 3=node07 slot=6-7\n"));
}

TEST(Rankfiles, OfSeveralNodesCountThem) {
  const auto text = rankfile_text(plan_on("dgx-h100", 16)).value();

  EXPECT_THAT(text, HasSubstr("rmaps_rank_file_physical 1"));  // no cores are told
  EXPECT_THAT(text, HasSubstr("\nrank 0=+n0 slot=0-27\n"));
  EXPECT_THAT(text, HasSubstr("\nrank 15=+n1 slot=196-223\n"));
}

TEST(Rankfiles, OfARackNameItsHosts) {
  const auto text = rankfile_text(plan_on("gb200-nvl72", 72)).value();

  EXPECT_THAT(text, HasSubstr("\nrank 71=+n17 "));
}

TEST(MpirunText, CountRanksAndCoresOfMemoryNodes) {
  EXPECT_EQ(mpirun_text(plan(build_graph(two_sockets()), 4)).value(),
            "-np 4 --map-by ppr:2:numa:PE=2 --bind-to core\n");
  EXPECT_EQ(mpirun_text(plan_on("dgx-h100", 16)).value(),
            "-np 16 --use-hwthread-cpus --map-by ppr:4:numa:PE=28 --bind-to hwthread\n");
}

TEST(MpirunText, CountTheHostsInUse) {
  EXPECT_THAT(mpirun_text(plan_on("gb200-nvl72", 36)).value(), HasSubstr("-np 36 "));
  EXPECT_THAT(mpirun_text(plan_on("gb200-nvl72", 34)).sentence(), HasSubstr("different numbers"));
}

TEST(MpirunText, AreRefusedWhereTheyWouldFillMemoryNodesInAnotherOrder) {
  auto swapped = built_in_platform("dgx-h100").value();  // the first GPUs on memory node 1
  std::swap(swapped.cpus[0].numa, swapped.cpus[1].numa);
  auto renamed = swapped;
  std::swap(swapped.cpus[0].affinity, swapped.cpus[1].affinity);
  auto turned = two_sockets();
  std::swap(turned.cpus[0], turned.cpus[1]);

  for (const auto& system : {swapped, renamed})
    EXPECT_THAT(mpirun_text(plan(build_graph(system), 8)).sentence(),
                HasSubstr("not in the order of memory nodes"));
  EXPECT_THAT(mpirun_text(plan(build_graph(turned), 2)).sentence(),
              HasSubstr("not in the order of memory nodes"));
}

TEST(MpirunText, AreRefusedForWhatTheyCannotSay) {
  EXPECT_THAT(mpirun_text(plan(build_graph(two_sockets()), 3)).sentence(),
              HasSubstr("different numbers"));
  EXPECT_THAT(mpirun_text(plan(build_graph(two_sockets()), 1)).sentence(),
              HasSubstr("several memory nodes"));
  EXPECT_THAT(mpirun_text(plan_on("dgx-h100", 4)).sentence(),
              HasSubstr("Memory nodes have different numbers of ranks"));
}

TEST(SrunText, HaveAMaskForEachTaskOfANode) {
  EXPECT_EQ(srun_text(plan(build_graph(two_sockets()), 4)).value(),
            "--nodes=1 --ntasks=4 --ntasks-per-node=4 --exclusive --distribution=block "
            "--cpu-bind=mask_cpu:0x303,0xc0c,0x3030,0xc0c0\n");
}

TEST(SrunText, CountTheHostsOfRacks) {
  const auto words = srun_text(plan_on("gb200-nvl72", 144)).value();

  EXPECT_THAT(words, HasSubstr("--nodes=36 --ntasks=144 --ntasks-per-node=4 "));
  EXPECT_THAT(srun_text(plan_on("gb200-nvl72", 8)).value(), HasSubstr("--nodes=2 "));
  EXPECT_THAT(srun_text(plan_on("gb200-nvl72", 6)).sentence(), HasSubstr("same ranks"));
}

TEST(Environments, OrderTheGpusByTheBus) {
  EXPECT_EQ(environment_text(plan_on("dgx-h100", 16)).value(),
            "CUDA_DEVICE_ORDER=PCI_BUS_ID\nCUDA_VISIBLE_DEVICES=0,1,2,3,4,5,6,7\n");
  EXPECT_THAT(environment_text(plan(build_graph(two_sockets()), 2)).sentence(),
              HasSubstr("no GPUs"));
}

TEST(Machines, WithoutToldCoresHaveNothingToBindTo) {
  System system;
  system.cpus.resize(1);
  system.cpus[0].devices.push_back({.bus_id = {.bus = 1}, .class_code = 0x030200, .gpu = Gpu{}});
  const auto bare = plan(build_graph(system), 1);

  for (const auto& words : {rankfile_text(bare), mpirun_text(bare), srun_text(bare)}) {
    ASSERT_FALSE(words);
    EXPECT_THAT(words.sentence(), HasSubstr("does not tell the cores"));
  }
}

}  // namespace
}  // namespace linerate::topo
