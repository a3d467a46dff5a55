// Settings on which a library's speed may depend: which of them can matter here, a search for those
// that gain something, and the files by which the library gets them. `linerate tune nccl|mpi|gloo`.
//
//   settings.h  the candidates, and what was left out with the reason; settings_*.cc: the tables
//   search.h    successive halving, and the confirmation of what is left
//   rules.h     confirmed sizes -> rules: collective, sizes, nodes and ranks -> setting
//   files.h     nccl.conf, tuner.csv, Open MPI's parameters and rules, shell exports
//   text.h      all of it for a terminal
// Pure: who starts the runs hands in a function that measures.
#pragma once

#include "base/result.h"
#include "collectives/collective.h"
#include "diagnose/env/registry.h"

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace linerate::tuning {

enum class Library : std::uint8_t { nccl, mpi, gloo };
std::string_view backend_of(Library library);  // "nccl", as --backend has it

// What decides which settings can matter.
struct Facts {
  int nodes = 1, ranks_per_node = 2;
  int infiniband = 0;                     // adapters of this host
  std::vector<std::string> interfaces{};  // of this host that carry TCP, without loopback
  env::Release nccl = env::kNewest;
  std::map<std::string, std::string> set{};  // variables that are set, and where: "environment"

  int nranks() const { return nodes * ranks_per_node; }
};

using Collectives = std::vector<const Collective*>;
using Variables = std::map<std::string, std::string>;

// One setting to try. What chooses for each call has a collective, and what a library's table of
// rules says of it; the rest holds for all that a process does.
struct Arm {
  std::string words{};    // "Tree with LL", "NCCL_BUFFSIZE=8388608"
  Variables variables{};  // of its runs
  const Collective* collective = nullptr;
  std::string algorithm{}, protocol{};  // NCCL's; empty: it chooses
  int channels = 0;                     // 0: NCCL chooses
  int number = 0;                       // of Open MPI's algorithm
  std::size_t segment_bytes = 0;        // of it; 0: it does not cut messages
};

struct LeftOut {
  std::string words{}, why{};
};

struct Candidates {
  std::vector<Arm> arms{};
  std::vector<LeftOut> left_out{};
};

// All that may matter for these collectives. `tried`: NAME=VALUE of the user's, which are tried
// too; refused is what nobody should run with, and what has no such form.
Result<Candidates> candidates(Library library, const Facts& facts, const Collectives& collectives,
                              std::span<const std::string> tried = {});

// Why nobody should run with this value; empty: nothing is known against it.
std::string_view danger_of(std::string_view name, std::string_view value);

// The tables of one library each.
Candidates nccl_candidates(const Facts& facts, const Collectives& collectives);
Candidates mpi_candidates(const Facts& facts, const Collectives& collectives);
Candidates gloo_candidates(const Facts& facts);

// A setting of the whole process, and when it can matter.
enum class Needs : std::uint8_t { nothing, ranks_of_a_node, nodes, infiniband, sockets, one_node };
struct ProcessRow {
  std::string_view name;
  std::string_view values;  // with blanks between them
  Needs needs = Needs::nothing;
};
std::span<const ProcessRow> nccl_process_rows();
std::span<const ProcessRow> mpi_process_rows();
// Adds each value of the rows, or why it is left out.
void add_process_rows(std::span<const ProcessRow> rows, const Facts& facts, Candidates& to);

// "NCCL_ALGO is set (environment): unset it to have it tuned"; empty: none of them is set.
std::string set_already(const Facts& facts, std::span<const std::string_view> names);

}  // namespace linerate::tuning
