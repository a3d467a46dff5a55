// Files of PyTorch: names, splits, groups, times, and what is left out or refused.
#include "replay/pytorch.h"

#include "replay/files.h"
#include "unit/replay/traces.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

namespace linerate::replay {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

PytorchTrace read(const std::string& text) {
  const auto trace = read_pytorch(text);
  EXPECT_TRUE(trace.ok()) << trace.sentence();
  return trace.ok() ? *trace : PytorchTrace();
}

Call call_of(std::string_view name, int in, int out, std::string_view more = "") {
  const auto trace = read(profile(0, {event(name, in, out, more)}));
  EXPECT_EQ(trace.calls.calls.size(), 1u) << name;
  return trace.calls.calls.empty() ? Call() : trace.calls.calls.front();
}

TEST(Profiles, NameCallsInPytorchsWords) {
  EXPECT_EQ(call_of("allreduce", 8, 8).kind, OpKind::all_reduce);
  EXPECT_EQ(call_of("allreduce", 8, 8).type, DataType::bfloat16);
  EXPECT_EQ(call_of("_allgather_base", 8, 16).kind, OpKind::all_gather);
  EXPECT_EQ(call_of("_allgather_base", 8, 16).count, 8u);
  EXPECT_EQ(call_of("_reduce_scatter_base", 16, 8).kind, OpKind::reduce_scatter);
  EXPECT_EQ(call_of("_reduce_scatter_base", 16, 8).count, 8u);
  EXPECT_EQ(call_of("broadcast", 8, 8, R"(,"Rank":1)").peer, 1);
  EXPECT_EQ(call_of("all_to_allv", 8, 8).kind, OpKind::all_to_all);
  EXPECT_EQ(call_of("all_to_allv", 8, 8).count, 4u);
  EXPECT_EQ(call_of("recv", 0, 8, R"(,"Rank":1)").count, 8u);
  EXPECT_EQ(call_of("barrier", 0, 0).count, 1u);
  EXPECT_EQ(call_of("allreduce", 8, 8).purpose, "default_pg");
}

TEST(Profiles, SplitsAreOfTheFirstDimension) {
  const auto call =
      call_of("all_to_allv", 12, 30, R"(,"In split size":"[1, 3]","Out split size":"[2, 8]")");

  EXPECT_EQ(call.kind, OpKind::all_to_all_v);
  EXPECT_THAT(call.send_counts, ElementsAre(3, 9));
  EXPECT_THAT(call.recv_counts, ElementsAre(6, 24));
}

TEST(Profiles, SplitsThatAreNotGivenAreEven) {
  const auto call = call_of("all_to_allv", 12, 30, R"(,"Out split size":"[2, 8]")");

  EXPECT_EQ(call.kind, OpKind::all_to_all_v);
  EXPECT_THAT(call.send_counts, ElementsAre(6, 6));
  EXPECT_THAT(call.recv_counts, ElementsAre(6, 24));
}

TEST(Profiles, CountWhatCannotBeReplayed) {
  const auto trace =
      read(profile(0, {event("wait", 0, 0), event("send_object", 0, 0), event("send_object", 0, 0),
                       event("allreduce", 8, 8, R"(,"dtype":"Short")"),
                       event("all_to_allv", 4, 4, R"(,"In split size":"[1, ..., 1]")"),
                       event("allreduce", 8, 8)}));

  EXPECT_EQ(trace.calls.calls.size(), 2u);
  EXPECT_EQ(trace.left_out.at("send_object"), 2u);
  EXPECT_FALSE(trace.left_out.contains("wait"));  // moves no data
  EXPECT_EQ(trace.left_out.at("allreduce of Short"), 1u);
}

TEST(Profiles, TakeTimesFromKernels) {
  const auto call = read(profile(0, {event("allreduce", 8, 8),
                                     R"({"ph":"X","cat":"kernel","name":"ncclDevKernel_AllReduce",)"
                                     R"("ts":140.0,"dur":33.5,"args":{"External id":7}})",
                                     R"({"ph":"X","cat":"user_annotation","name":"ProfilerStep#3",)"
                                     R"("ts":90,"dur":500,"args":{}})"}))
                        .calls;

  EXPECT_EQ(call.calls.at(0).start_us, 140.0);
  EXPECT_EQ(call.calls.at(0).time_us, 33.5);
  EXPECT_EQ(call.steps.at(0).time_us, 500);
  EXPECT_FALSE(call_of("allreduce", 8, 8).time_us);
}

// ROCm's kernels of calls from before the profile have no id.
TEST(Profiles, TakeNoTimesFromKernelsWithoutAnId) {
  auto call = event("allreduce", 8, 8);
  const std::string_view id = R"("External id":7,)";
  call.erase(call.find(id), id.size());

  const auto calls =
      read(profile(0, {call, R"({"ph":"X","cat":"kernel","name":"ncclDevKernel_Generic",)"
                             R"("ts":140.0,"dur":33.5,"args":{"stream":4}})"}))
          .calls.calls;

  ASSERT_EQ(calls.size(), 1u);
  EXPECT_FALSE(calls[0].time_us);
}

// PyTorch before 2.5 has no "Rank".
std::string old_event(std::string_view name, std::string_view more = "") {
  auto text = event(name, 8, 8, more);
  const std::string_view rank = R"(,"Rank":0)";
  return text.erase(text.find(rank), rank.size());
}

TEST(Profiles, OfOldTellPeersAmongTheInputs) {
  const auto trace =
      read(profile(0, {old_event("broadcast", R"(,"Concrete Inputs":["","","","1","","[]"])")}));

  EXPECT_EQ(trace.calls.calls.at(0).peer, 1);
  EXPECT_TRUE(trace.assumed.empty());
}

TEST(Profiles, OfOldAreToldWithRankZeroAsRoot) {
  const auto trace = read(profile(
      0, {old_event("broadcast"), old_event("broadcast", R"(,"Concrete Inputs":["","",""])"),
          old_event("send"), old_event("allreduce"),
          old_event("broadcast", R"(,"Group size":1,"Global rank start":0)")}));

  EXPECT_EQ(trace.calls.calls.size(), 4u);
  EXPECT_EQ(trace.calls.calls.at(0).peer, 0);
  EXPECT_THAT(trace.assumed, ElementsAre(testing::Pair("the root of broadcast", 2)));
  EXPECT_THAT(trace.left_out,
              ElementsAre(testing::Pair("send whose peer the file does not tell", 1)));
}

// The kernel of the first call begins after the second call was recorded.
TEST(Profiles, KeepTheOrderOfAGroupsCalls) {
  const auto calls =
      read(profile(0,
                   {R"({"name":"record_param_comms","ts":110,"args":{"External id":8,)"
                    R"("Collective name":"allreduce","In msg nelems":9,"Group size":2,)"
                    R"("dtype":"Float","Process Group Name":"0",)"
                    R"("Process Group Description":"default_pg","Process Group Ranks":"[0, 1]"}})",
                    event("allreduce", 8, 8),
                    R"({"ph":"X","cat":"kernel","name":"ncclDevKernel_AllReduce",)"
                    R"("ts":140.0,"dur":33.5,"args":{"External id":7}})"}))
          .calls.calls;

  ASSERT_EQ(calls.size(), 2u);
  EXPECT_EQ(calls[0].count, 8u);
  EXPECT_EQ(calls[1].count, 9u);
  EXPECT_EQ(calls[1].start_us, 140.0);
}

TEST(Profiles, FindTheRanksOfAGroup) {
  const auto ranks_of = [](std::string_view more, int nranks = 2) {
    const auto trace = read(profile(0, {event("allreduce", 8, 8, more)}, nranks));
    return trace.groups.empty() ? std::vector<int>() : trace.groups.front().second.ranks;
  };

  EXPECT_THAT(ranks_of(""), ElementsAre(0, 1));
  EXPECT_THAT(ranks_of(R"(,"Process Group Ranks":"[1, 0]")"), ElementsAre(1, 0));
  EXPECT_THAT(ranks_of(R"(,"Process Group Ranks":"[0, ..., 1]","Process Group Name":"5")"),
              ElementsAre(1, 0));
  EXPECT_THAT(ranks_of(R"(,"Process Group Ranks":"[]")"), ElementsAre(0, 1));
  EXPECT_THAT(
      ranks_of(R"(,"Process Group Ranks":"","Global rank start":1,"Global rank stride":4)", 8),
      ElementsAre(1, 5));
  EXPECT_THAT(ranks_of(R"(,"Process Group Ranks":"")", 8), ElementsAre());
  EXPECT_THAT(ranks_of(R"(,"Process Group Ranks":"","Group size":1,"Global rank start":3)", 8),
              ElementsAre(3));
}

TEST(Profiles, TellGroupsWithoutADescriptionByTheirStride) {
  const auto purpose_of = [](std::string_view about, std::string_view ranks) {
    return call_of("allreduce", 8, 8,
                   fmt::format(R"(,"Process Group Description":"{}","Process Group Ranks":"{}",)"
                               R"("Group size":{})",
                               about, ranks, std::ranges::count(ranks, ',') + 1))
        .purpose;
  };

  EXPECT_EQ(purpose_of("mesh_tp", "[0, 1]"), "mesh_tp");
  EXPECT_EQ(purpose_of("undefined", "[0, 1]"), "stride 1");
  EXPECT_EQ(purpose_of("", "[1, 9, 17]"), "stride 8");
  EXPECT_EQ(purpose_of("undefined", "[0, 1, 3]"), "0");  // its name
  EXPECT_EQ(purpose_of("undefined", "[0]"), "0");
}

TEST(ExecutionTraces, AreReadFromTheirNodes) {
  const std::string node =
      R"({"id":9,"name":"record_param_comms","inputs":{"values":[[[1,2,0,8,4,"cuda:0"]],[3,false],)"
      R"(["0","default_pg"],1,"broadcast",[],[],0,1,2]},"attrs":[{"name":"collective_name",)"
      R"("type":"string","value":"broadcast"},{"name":"dtype","type":"string","value":"Float"},)"
      R"({"name":"in_msg_nelems","type":"uint64","value":8},{"name":"out_msg_nelems","type":)"
      R"("uint64","value":8},{"name":"pg_name","type":"string","value":"0"},{"name":"pg_size",)"
      R"("type":"uint64","value":2}]})";
  const std::string groups = R"({"id":2,"name":"## process_group:init ##","inputs":{"values":)"
                             R"(["[{\"pg_name\": \"0\", \"ranks\": [1, 0]}]"]},"attrs":[]})";

  const auto trace =
      read(R"({"schema":"1.1.1-chakra.0.0.4","pid":1,"nodes":[)" + groups + "," + node + "]}");

  const auto& call = trace.calls.calls.at(0);
  EXPECT_EQ(call.kind, OpKind::broadcast);
  EXPECT_EQ(call.count, 8u);
  EXPECT_EQ(call.peer, 1);
  EXPECT_FALSE(call.time_us);
  EXPECT_THAT(trace.groups.at(0).second.ranks, ElementsAre(1, 0));
  EXPECT_FALSE(trace.rank);
}

TEST(ExecutionTraces, TellTheRanksOfAGroupByFirstAndStride) {
  const auto node = [](int nranks) {
    return fmt::format(
        R"({{"nodes":[{{"id":9,"name":"record_param_comms","inputs":{{"values":[]}},"attrs":[)"
        R"({{"name":"collective_name","value":"allreduce"}},{{"name":"dtype","value":"Float"}},)"
        R"({{"name":"in_msg_nelems","value":8}},{{"name":"pg_name","value":"3"}},)"
        R"({{"name":"pg_size","value":{}}},{{"name":"global_rank_start","value":2}},)"
        R"({{"name":"global_rank_stride","value":4}}]}}]}})",
        nranks);
  };

  EXPECT_THAT(read(node(2)).groups.at(0).second.ranks, ElementsAre(2, 6));
  EXPECT_EQ(read(node(70'000)).left_out.at("allreduce in a group of 70000 ranks"), 1u);
}

TEST(Profiles, OfSomethingElseAreRefused) {
  const auto refusal = [](const std::string& text) {
    const auto trace = read_pytorch(text);
    return trace ? "" : trace.sentence();
  };
  const auto whole = profile(0, {event("allreduce", 8, 8)});

  for (std::size_t kept = 0; kept < whole.size(); ++kept)
    EXPECT_THAT(refusal(whole.substr(0, kept)), HasSubstr("is not JSON")) << kept;
  EXPECT_THAT(refusal("{}"), HasSubstr("neither traceEvents"));
  EXPECT_THAT(refusal(profile(0, {})), HasSubstr("names no collectives"));
  EXPECT_THAT(refusal(std::string(1000, '[')), HasSubstr("is not JSON"));
}

TEST(Files, OfRanksAreJoined) {
  const auto file = [](int rank) {
    return std::pair("rank" + std::to_string(rank),
                     read(profile(rank, {event("allreduce", 8, 8)})));
  };

  const auto trace = joined({file(1), file(0)});

  ASSERT_TRUE(trace.ok()) << trace.sentence();
  EXPECT_EQ(trace->ranks.size(), 2u);
  EXPECT_EQ(trace->groups.size(), 1u);
  EXPECT_EQ(joined({file(1)}).sentence(), "Rank 0 of 2 is missing: give the files of all ranks.");
  EXPECT_EQ(joined({file(1), file(1)}).sentence(),
            "rank1 and rank1 are both of rank 1: give one file of each rank.");
}

}  // namespace
}  // namespace linerate::replay
