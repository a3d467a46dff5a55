// What is wrong with results that a benchmark printed: rules over the runs that src/compare reads.
//
//   results.cc     runs of a file as rules see them; the table of rules
//   rules_file.cc  whether the file tells the truth: wrong data, cut tables, numbers that disagree
//   rules_shape.cc how times and bandwidths go from size to size
//   expected.cc    what named hardware should reach, by diagnose/nccl_model
//   report.cc      text and JSON
//   examples.cc    what the pages of rules show: a healthy run, spoilt for each
// Pure. A new rule is a function, its declaration below, a row in results.cc and one in
// examples.cc, of which `make docs` makes its page.
#pragma once

#include "compare/runs.h"
#include "record/json_lines.h"
#include "record/rule_text.h"
#include "topo/system/system.h"
#include "topo/version.h"

#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace linerate::results {

struct SizeTime {
  std::uint64_t bytes = 0;
  double us = 0;          // median of what was measured at this size
  double busbw_gbps = 0;  // likewise
};
// By size, ascending; of one case in one placement.
using Series = std::vector<SizeTime>;

struct Run {
  std::string name{};  // of the file, and which of its runs
  RunInfo info{};
  std::vector<Record> results{};
  std::optional<EndInfo> end{};        // nothing: its last lines are missing
  std::vector<Finding> findings{};     // that the run itself reported
  std::vector<BadLine> bad_lines{};    // of the file, at its first run
  bool torn = false;                   // likewise: its last line was cut
  bool judged = false;                 // by add_expectations()
  std::string not_judged{};            // why it could not be; words that follow a colon
  std::map<CaseKey, Series> series{};  // by the case without bytes; not of pairs and copies

  int nranks = 0;          // of a job; 0: not told
  std::size_t jobs = 1;    // that print into each other's table
  std::size_t nhosts = 0;  // 0: not told
  bool on_gpus = false;
};

// Of a file that compare/import.h has read. `name` is safe to show.
std::vector<Run> runs_of(const std::string& name, RunFile file);

struct Seen {
  std::string subject{};               // of the run; empty: all of it
  std::string evidence{};              // a sentence with the numbers that show it
  std::optional<Severity> severity{};  // else that of the rule
};

struct Rule {
  std::string_view id;
  Severity severity;
  std::string_view finds;   // a phrase
  std::string_view speaks;  // "if …", with the numbers
  std::string_view why;     // sentences
  std::string_view remedy;
  std::vector<Seen> (*look)(const Run&);
};
// What destroys trust in the others comes first.
std::span<const Rule> all_rules();
std::vector<RuleText> rule_texts();
std::string example_of(std::string_view rule);  // as it is printed

// What all rules find, and what the run said of itself; the worst first.
std::vector<Finding> examine(const Run& run);

// Of a file that holds no result, because the program failed.
Finding failed_before_results(const std::string& name, std::string_view line);

struct Hardware {
  topo::System system{};                    // of a node
  int nnodes = 0;                           // 0: as many as hosts are named, else one
  std::optional<topo::NcclVersion> nccl{};  // else that of the run, else the model's own default
};
// Gives each result what this hardware should reach, or says why not.
void add_expectations(Run& run, const Hardware& hardware);

// "all_reduce of float, 8 ranks on 1 host, 8 B to 128 MiB, 50 results"
std::string run_text(const Run& run);
// For people: a line for each run, what each size should reach where that is known, the findings.
std::string report_text(std::span<const Run> runs, std::span<const Finding> findings);
// One indented object: docs/output-format.md lists its keys.
std::string report_json(std::span<const Run> runs, std::span<const Finding> findings);

// "1 MiB out of place"
std::string size_text(const Record& record);

namespace rules {
// rules_file.cc
std::vector<Seen> wrong_data(const Run& run);
std::vector<Seen> failed_run(const Run& run);
std::vector<Seen> separate_jobs(const Run& run);
std::vector<Seen> unreadable_rows(const Run& run);
std::vector<Seen> incomplete_run(const Run& run);
std::vector<Seen> wrong_numbers(const Run& run);
std::vector<Seen> wrong_average(const Run& run);
std::vector<Seen> one_rank(const Run& run);
// rules_shape.cc
std::vector<Seen> slow_sizes(const Run& run);
std::vector<Seen> slow_first_size(const Run& run);
std::vector<Seen> falls_at_large_sizes(const Run& run);
std::vector<Seen> placements_differ(const Run& run);
std::vector<Seen> slow_small_sizes(const Run& run);
std::vector<Seen> average_misleads(const Run& run);
// expected.cc
std::vector<Seen> below_expected(const Run& run);
std::vector<Seen> above_expected(const Run& run);
}  // namespace rules

}  // namespace linerate::results
