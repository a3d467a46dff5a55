// What the page of each finding shows: dumps of two ranks, their processes, and answers of RAS,
// made up and examined.
#include "base/text.h"
#include "diagnose/hang/hang.h"
#include "record/findings.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace linerate::hang {
namespace {

// A call of each rank in group 0, as "sequence|operation|elements|state"; empty: none. No dump:
// null.
struct OfDumps {
  std::string_view rule;
  const char *rank0, *rank1;
};
constexpr auto kOfDumps = std::to_array<OfDumps>({
    {"missing-in-collective", "7|all_reduce|1024|started", "6|all_reduce|1024|completed"},
    {"calls-differ", "7|all_reduce|1024|started", "7|broadcast|1024|started"},
    {"tensors-differ", "7|all_reduce|1024|started", "7|all_reduce|1000|started"},
    {"unmatched-send", "1|send 0->1|1024|started", ""},
    {"collective-does-not-end", "7|all_reduce|1024|started", "7|all_reduce|1024|started"},
    {"no-dump", "7|all_reduce|1024|started", nullptr},
});

std::string dump_of(std::string_view call) {
  constexpr std::string_view kDump =
      R"({{"pg_config":{{"0":{{"desc":"default_pg","ranks":"[0, 1]"}}}},"entries":[{}]}})";
  if (call.empty()) return fmt::format(kDump, "");
  const auto words = split(call, '|');
  return fmt::format(
      kDump,
      fmt::format(R"({{"process_group":["0","default_pg"],"collective_seq_id":{},)"
                  R"("profiling_name":"nccl:{}","input_sizes":[[{}]],"input_dtypes":["Float"],)"
                  R"("output_sizes":[[{}]],"output_dtypes":["Float"],"state":"{}"}})",
                  words[0], words[1], words[2], words[2], words[3]));
}

std::vector<Finding> found_in(const OfDumps& row) {
  Dumps dumps;
  (void)dumps.add("trace_0.json", dump_of(row.rank0));
  if (row.rank1 != nullptr) (void)dumps.add("trace_1.json", dump_of(row.rank1));
  return examine(dumps);
}

// Of two processes that wait, what is different.
struct OfProcesses {
  std::string_view rule;
  void (*change)(std::span<Observed> ranks);
};
constexpr auto kOfProcesses = std::to_array<OfProcesses>({
    {"stopped", [](std::span<Observed> ranks) { ranks[1].after.state = 'T'; }},
    {"ended", [](std::span<Observed> ranks) { ranks[1].after.state = 'Z'; }},
    {"waits-in-kernel",
     [](std::span<Observed> ranks) {
       for (auto* look : {&ranks[1].before, &ranks[1].after})
         look->threads[0] = {.tid = 4712, .name = "python", .state = 'D', .waits_in = "nfs_wait"};
     }},
    {"no-acknowledgement",
     [](std::span<Observed> ranks) {
       ranks[1].after.connections = {
           {.peer = "10.0.0.2:29500", .unsent_bytes = 4096, .retransmits = 7}};
     }},
    {"same-rank", [](std::span<Observed> ranks) { ranks[1].after.variables["RANK"] = "0"; }},
    {"settings-differ",
     [](std::span<Observed> ranks) {
       for (auto& rank : ranks)
         rank.after.variables["MASTER_PORT"] = rank.after.pid == 4711 ? "29500" : "29501";
     }},
    {"spins", [](std::span<Observed> ranks) { ranks[1].after.threads[0].user_s = 1; }},
    {"waits", [](std::span<Observed>) {}},
    {"works", [](std::span<Observed> ranks) { ranks[1].after.threads[0].user_s = 0.5; }},
});

std::vector<Finding> found_in(const OfProcesses& row) {
  std::array<Observed, 2> ranks;
  for (int rank = 0; rank < 2; ++rank) {
    auto& seen = ranks[static_cast<std::size_t>(rank)].before;
    seen = {.pid = 4711 + rank, .name = "python", .state = 'S'};
    seen.variables["RANK"] = fmt::to_string(rank);
    seen.threads = {{.tid = seen.pid, .name = "python", .state = 'S', .waits_in = "futex_do_wait"}};
    ranks[static_cast<std::size_t>(rank)].after = seen;
  }
  row.change(ranks);
  return examine(ranks);
}

// Blocks of RAS' answer, the same twice.
struct OfRas {
  std::string_view rule, block;
};
constexpr auto kOfRas = std::to_array<OfRas>({
    {"ras-behind",
     "#0-0 (00aa) MISMATCH\n  Communicator ranks have different AllReduce operation counts\n  3 "
     "ranks have launched up to operation 42\n  Rank 3 has launched up to operation 41 -- GPU 3 "
     "managed by process 17 on node 10.0.0.3\n\n"},
    {"ras-status",
     "#0-0 (00aa) MISMATCH\n  Communicator ranks have different status\n  3 ranks have status "
     "RUNNING\n  Rank 2 has status NOCOMM -- GPU 2 managed by process 3 on node node0\n\n"},
    {"ras-incomplete",
     "#0-0 (00aa) INCOMPLETE\n  Missing communicator data from 1 rank\n  Rank 3 -- GPU 3 managed "
     "by process 17 on node 10.0.0.3\n\n"},
    {"ras-dead",
     "DEAD\n  1 job process is considered dead (unreachable via the RAS network)\n  Process 17 on "
     "node 10.0.0.3 managing GPU 3\n\n"},
    {"ras-error",
     "#1-0 (00bb) ERROR\n  Asynchronous error on 1 rank\n  Rank 2 reported Remote process error -- "
     "GPU 2 managed by process 3 on node node0\n\n"},
    {"ras-timeout",
     "TIMEOUT\n  Encountered 1 communication timeout while gathering communicator data\n\n"},
    {"ras-agrees", ""},
});

std::vector<Finding> found_in(const OfRas& row) {
  const auto answer = fmt::format(
      "Job summary\n===========\n\n    0  1  1  4  4  4   RUNNING  OK\n\nErrors\n======\n\n"
      "{}Warnings\n========\n\n",
      row.block);
  return examine(RasAnswers{"node0:28028", answer, answer, 2});
}

std::string printed(const auto& rows, std::string_view rule) {
  const auto row = std::ranges::find_if(rows, [&](const auto& one) { return one.rule == rule; });
  if (row == rows.end()) return {};
  for (const auto& finding : found_in(*row))
    if (finding.rule == rule) return finding_text(finding);
  return {};
}

std::string example_of_cut_dump() {
  const std::string file = "nccl_trace_rank_1";
  const auto whole = dump_of("7|all_reduce|1024|started");
  const auto why = Dumps().add(file, std::string_view(whole).substr(0, whole.size() / 2));
  return finding_text(left_out({file + why.value_or("")}, 2));
}

}  // namespace

std::string example_of(std::string_view rule) {
  if (rule == "dump-left-out") return example_of_cut_dump();
  return printed(kOfDumps, rule) + printed(kOfProcesses, rule) + printed(kOfRas, rule);
}

}  // namespace linerate::hang
