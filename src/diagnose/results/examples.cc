// What the page of each rule shows: an all_reduce of eight GPUs that is spoilt, and examined.
#include "base/units.h"
#include "diagnose/results/results.h"
#include "record/findings.h"

#include <algorithm>
#include <array>

namespace linerate::results {
namespace {

constexpr int kRanks = 8;

void set_time(Record& record, double us) {
  record.window.time_us = us;
  record.algbw_gbps = gbps_of(static_cast<double>(record.what.bytes), us);
  record.busbw_gbps = record.algbw_gbps * 2 * (kRanks - 1) / kRanks;
}

// 1 KiB to 256 MiB, out of place and in place in turns: 20 us, and 360 GB/s of what is large.
RunFile healthy_file() {
  RunFile file{.runs = {{.nranks = kRanks}}, .ends = {{}}};
  for (int rank = 0; rank < kRanks; ++rank)
    file.runs[0].ranks.push_back(
        {.rank = rank, .hostname = "n0", .device = rank, .device_name = "NVIDIA H100"});
  for (std::uint64_t bytes = 1 << 10; bytes <= 256U << 20U; bytes *= 4)
    for (const auto placement : {Placement::out_of_place, Placement::in_place}) {
      auto& record = file.records.emplace_back();
      record.what = {.collective = "all_reduce",
                     .type = "float",
                     .redop = "sum",
                     .placement = placement,
                     .bytes = bytes};
      set_time(record, 20 + static_cast<double>(bytes) * 1.75 / 360e3);
    }
  return file;
}

void slow_down(RunFile& file, std::size_t from, std::size_t end, double times) {
  for (auto i = from; i < end; ++i)
    set_time(file.records[i], times * file.records[i].window.time_us);
}

// That many times what the large sizes reached.
void expect(RunFile& file, double times) {
  for (auto& record : file.records)
    if (record.what.bytes >= 1 << 20)
      record.expected = {.busbw_gbps = times * record.busbw_gbps,
                         .low_gbps = 0.8 * times * record.busbw_gbps,
                         .high_gbps = 1.1 * times * record.busbw_gbps,
                         .bound_by = "NVLink"};
}

struct Example {
  std::string_view rule;
  void (*spoil)(RunFile& file);
};
constexpr auto kExamples = std::to_array<Example>({
    {"wrong-data", [](RunFile& file) { file.records[8].wrong = 3; }},
    {"failed-run",
     [](RunFile& file) {
       file.ends[0].exit_code = 4;
       file.ends[0].error = "NCCL: ncclAllReduce: unhandled system error";
     }},
    {"separate-jobs", [](RunFile& file) { file.runs[0].ranks[1].rank = 0; }},
    {"unreadable-rows",
     [](RunFile& file) { file.bad_lines = {{.number = 21, .text = "65536 16384 flo"}}; }},
    {"incomplete-run",
     [](RunFile& file) {
       file.ends.clear();
       file.torn = true;
     }},
    {"wrong-numbers", [](RunFile& file) { file.records[16].algbw_gbps *= 2; }},
    {"wrong-average", [](RunFile& file) { file.ends[0].average_busbw_gbps = 300; }},
    {"one-rank",
     [](RunFile& file) {
       file.runs[0].nranks = 1;
       file.runs[0].ranks.resize(1);
     }},
    {"slow-sizes", [](RunFile& file) { slow_down(file, 8, 10, 9); }},
    {"slow-first-size", [](RunFile& file) { slow_down(file, 0, 1, 40); }},
    {"falls-at-large-sizes", [](RunFile& file) { slow_down(file, 18, 20, 3); }},
    {"placements-differ",
     [](RunFile& file) {
       for (std::size_t i = 1; i < file.records.size(); i += 2) slow_down(file, i, i + 1, 1.8);
     }},
    {"slow-small-sizes", [](RunFile& file) { slow_down(file, 0, file.records.size(), 20); }},
    {"average-misleads", [](RunFile& file) { file.ends[0].average_busbw_gbps = 134; }},
    {"below-expected", [](RunFile& file) { expect(file, 1.5); }},
    {"above-expected", [](RunFile& file) { expect(file, 0.6); }},
});

}  // namespace

std::string example_of(std::string_view rule) {
  auto file = healthy_file();
  const auto row = std::ranges::find(kExamples, rule, &Example::rule);
  if (row == kExamples.end()) return {};
  row->spoil(file);
  auto run = runs_of("results.txt", std::move(file)).front();
  run.judged = run.results.back().expected.has_value();
  for (const auto& finding : examine(run))
    if (finding.rule == rule) return finding_text(finding);
  return {};
}

}  // namespace linerate::results
