// Which settings are tried, which are left out and why, and which are refused.
#include "tune/settings.h"

#include "unit/tune/made_up.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

namespace linerate::tuning {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::Not;

std::vector<std::string> words_of(const Candidates& all) {
  std::vector<std::string> words;
  for (const auto& arm : all.arms) words.push_back(arm.words);
  return words;
}

// Empty: it was not left out.
std::string why(const Candidates& all, std::string_view words) {
  const auto found = std::ranges::find_if(
      all.left_out, [&](const LeftOut& one) { return one.words.starts_with(words); });
  return found == all.left_out.end() ? std::string() : found->why;
}

const Collectives kAllReduce{&all_reduce()};

TEST(SettingsOfNccl, OfOneNodeHaveNoNetwork) {
  const auto all = nccl_candidates({.nodes = 1, .ranks_per_node = 8}, kAllReduce);

  EXPECT_THAT(why(all, "NCCL_IB_QPS_PER_CONNECTION"), HasSubstr("there is one node"));
  EXPECT_THAT(why(all, "NCCL_SOCKET_NTHREADS"), HasSubstr("there is one node"));
  EXPECT_THAT(why(all, "all_reduce: NVLSTree"), HasSubstr("several nodes"));
  EXPECT_THAT(why(all, "all_reduce: CollNetChain"), HasSubstr("one node"));
  EXPECT_THAT(words_of(all), Contains("NCCL_P2P_LEVEL=SYS"));
  EXPECT_THAT(words_of(all), Contains("NVLS with Simple"));
  EXPECT_THAT(words_of(all), Contains("8 channels"));
}

TEST(SettingsOfNccl, FollowTheNetworkThatIsThere) {
  const auto ib = nccl_candidates({.nodes = 2, .ranks_per_node = 1, .infiniband = 2}, kAllReduce);
  const auto tcp = nccl_candidates({.nodes = 2, .ranks_per_node = 1}, kAllReduce);

  EXPECT_THAT(words_of(ib), Contains("NCCL_IB_QPS_PER_CONNECTION=4"));
  EXPECT_THAT(why(ib, "NCCL_NSOCKS_PERTHREAD"), HasSubstr("InfiniBand carries the data"));
  EXPECT_THAT(words_of(tcp), Contains("NCCL_NSOCKS_PERTHREAD=4"));
  EXPECT_THAT(why(tcp, "NCCL_IB_QPS_PER_CONNECTION"), HasSubstr("no InfiniBand"));
  EXPECT_THAT(why(tcp, "NCCL_P2P_LEVEL"), HasSubstr("each node has one rank"));
  EXPECT_THAT(why(tcp, "all_reduce: NVLS with"), HasSubstr("each node has one rank"));
}

TEST(SettingsOfNccl, AreThoseThatTheReleaseReads) {
  const auto old = nccl_candidates({.ranks_per_node = 8, .nccl = {16, 2}}, kAllReduce);

  EXPECT_EQ(why(old, "numbers of channels"), "NCCL 2.16.2 has no NCCL_MIN_CTAS");
  EXPECT_EQ(why(old, "NCCL_NVLS_CHUNKSIZE"), "NCCL 2.16.2 does not read it");
}

TEST(SettingsOfNccl, ForceNothingThatIsUnsafe) {
  const auto all = nccl_candidates({.ranks_per_node = 8}, kAllReduce);

  EXPECT_THAT(why(all, "all_reduce: Ring with LL128"), HasSubstr("unsafe"));
  for (const auto& arm : all.arms)
    for (const auto& [name, value] : arm.variables) EXPECT_EQ(danger_of(name, value), "") << name;
}

TEST(SettingsOfNccl, LeaveAloneWhatTheUserHasSet) {
  const auto all = nccl_candidates(
      {.ranks_per_node = 8, .set = {{"NCCL_ALGO", "environment"}, {"NCCL_BUFFSIZE", "x.conf:2"}}},
      kAllReduce);

  EXPECT_EQ(why(all, "algorithms"), "NCCL_ALGO is set (environment): unset it to have it tuned");
  EXPECT_THAT(why(all, "NCCL_BUFFSIZE"), HasSubstr("x.conf:2"));
  EXPECT_THAT(words_of(all), Not(Contains(HasSubstr("Tree"))));
}

TEST(SettingsOfNccl, OfOtherCollectivesHaveNoChoice) {
  const auto all = nccl_candidates({.ranks_per_node = 8}, {find_collective("all_to_all")});

  EXPECT_THAT(why(all, "all_to_all"), HasSubstr("sends and receives"));
}

TEST(SettingsOfNccl, HaveValuesThatTheRegistryKnows) {
  for (const auto& row : nccl_process_rows()) {
    const auto* known = env::find_variable(row.name);
    if (env::find_undocumented(row.name) != nullptr) continue;
    ASSERT_NE(known, nullptr) << row.name;
    if (known->kind != env::Kind::whole && known->kind != env::Kind::flag) continue;
    for (std::string_view rest = row.values; !rest.empty();) {
      const auto value = std::stoll(std::string(rest.substr(0, rest.find(' '))));
      EXPECT_GE(value, known->least) << row.name;
      EXPECT_LE(value, known->most) << row.name;
      rest.remove_prefix(std::min(rest.find(' '), rest.size() - 1) + 1);
    }
  }
}

TEST(SettingsOfOpenMpi, AreForTheirNumbersOfRanks) {
  const Collectives gathers{&all_gather()};
  const auto of = [&](int nranks) { return mpi_candidates({.ranks_per_node = nranks}, gathers); };

  EXPECT_THAT(words_of(of(2)), Contains("6 two_proc"));
  EXPECT_EQ(why(of(4), "all_gather: 6 two_proc"), "it is for 2 ranks, not 4");
  EXPECT_EQ(why(of(3), "all_gather: 5 neighbor"), "it is for even numbers of ranks, not 3");
  EXPECT_EQ(why(of(6), "all_gather: 3 rec"), "it is for powers of two, not 6 ranks");
}

TEST(SettingsOfOpenMpi, ForceOneAlgorithmOfTheRun) {
  const auto all = mpi_candidates({.ranks_per_node = 4}, {find_collective("broadcast")});
  const auto arm = std::ranges::find(all.arms, "3 pipeline", &Arm::words);

  ASSERT_NE(arm, all.arms.end());
  EXPECT_EQ(arm->variables,
            (Variables{{"OMPI_MCA_coll_tuned_use_dynamic_rules", "1"},
                       {"OMPI_MCA_coll_tuned_bcast_algorithm", "3"},
                       {"OMPI_MCA_coll_tuned_bcast_algorithm_segmentsize", "65536"}}));
  EXPECT_EQ(arm->number, 3);
}

TEST(SettingsOfOpenMpi, LeaveAloneRulesOfTheUsers) {
  const auto all = mpi_candidates(
      {.set = {{"OMPI_MCA_coll_tuned_dynamic_rules_filename", "environment"}}}, kAllReduce);

  EXPECT_THAT(why(all, "algorithms of coll_tuned"), HasSubstr("is set (environment)"));
}

TEST(SettingsOfGloo, AreInterfaces) {
  EXPECT_THAT(why(gloo_candidates({}), "GLOO_SOCKET_IFNAME"), HasSubstr("no interface"));
  EXPECT_THAT(why(gloo_candidates({.nodes = 2, .interfaces = {"eth0"}}), "GLOO_SOCKET_IFNAME"),
              HasSubstr("only one that reaches other nodes"));
  EXPECT_THAT(words_of(gloo_candidates({.interfaces = {"eth0"}})),
              Contains("GLOO_SOCKET_IFNAME=eth0"));
}

TEST(TriedSettings, AreAddedOrRefusedInASentence) {
  const auto tried = [&](Library library, std::vector<std::string> texts) {
    return candidates(library, {}, kAllReduce, texts);
  };
  const auto good = tried(Library::nccl, {"NCCL_NTHREADS=256"});
  ASSERT_TRUE(good);
  EXPECT_THAT(words_of(*good), Contains("NCCL_NTHREADS=256"));
  for (const auto* safe : {"NCCL_PROTO=Simple", "NCCL_PROTO=^LL128", "NCCL_GDR_FLUSH_DISABLE=0"})
    EXPECT_TRUE(tried(Library::nccl, {safe})) << safe;

  const struct {
    Library library;
    std::string text, sentence;
  } kRefused[] = {
      {Library::nccl, "NCCL_PROTO=LL128", "is refused: forced"},
      {Library::nccl, "NCCL_PROTO=simple,ll128", "is refused"},
      {Library::nccl, "NCCL_PROTO=^LL", "is refused"},
      {Library::nccl, "NCCL_PROTO=Simple;allreduce:LL,LL128", "is refused"},
      {Library::nccl, "NCCL_GDR_FLUSH_DISABLE=2", "is refused"},
      {Library::mpi, "OMPI_MCA_mpi_param_check=false", "is refused"},
      {Library::nccl, "NCCL_IB_TIMEOUT=14", "is refused: it decides when a fault"},
      {Library::mpi, "OMPI_MCA_mpi_leave_pinned=1", "is refused"},
      {Library::nccl, "OMPI_MCA_btl=tcp", "is no setting of nccl"},
      {Library::mpi, "OMPI_MCA_btl", "give NAME=VALUE"},
      {Library::gloo, "GLOO_=x", "begins with GLOO_"},
  };
  for (const auto& [library, text, sentence] : kRefused) {
    const auto refused = tried(library, {text});
    ASSERT_FALSE(refused) << text;
    EXPECT_THAT(refused.sentence(), HasSubstr(sentence));
  }
}

}  // namespace
}  // namespace linerate::tuning
