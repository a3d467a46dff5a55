// The rules of NCCL's tuner plugin: a CSV file that `linerate tune nccl` writes and the plugin
// reads in every process of a job. It uses nothing but the standard library, as the plugin does.
//
//   collective,min_bytes,max_bytes,nodes,ranks,algorithm,protocol,channels
//   all_reduce,65536,1048575,1,8,Tree,LL,*
//
// A `*` is any size or number, or leaves that choice to NCCL: algorithm and protocol are given
// together or not at all. Of several rules that fit a call the first one counts. Empty lines and
// those that begin with # say nothing.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace linerate::nccl::tuner {

inline constexpr std::string_view kHeading =
    "collective,min_bytes,max_bytes,nodes,ranks,algorithm,protocol,channels";
inline constexpr std::size_t kMostRuleBytes = 1 << 20;  // of a file
inline constexpr std::size_t kMostRules = 10'000;
inline constexpr int kAny = -1;

// NCCL's numbers of what has a name here; kAny stands where the file has a `*`.
struct Rule {
  int collective = 0;
  std::uint64_t min_bytes = 0, max_bytes = std::numeric_limits<std::uint64_t>::max();
  int nodes = kAny, ranks = kAny;
  int algorithm = kAny, protocol = kAny, channels = kAny;
  std::size_t line = 0;  // of the file, from 1
};

// By NCCL's numbers: "all_reduce", "Ring", "Simple". Empty: there is no such number.
std::string_view collective_name(int number);
std::string_view algorithm_name(int number);
std::string_view protocol_name(int number);
// Whether NCCL has the collective by this algorithm, with this protocol. Names of the above.
bool exists(std::string_view collective, std::string_view algorithm, std::string_view protocol);

struct Rules {
  std::vector<Rule> rules{};
  // What is wrong with the text, as a sentence; there are no rules then.
  std::string problem{};
};

// Any text may come.
Rules read_rules(std::string_view text);

// A line of the file, without its end.
std::string rule_text(const Rule& rule);

struct Call {
  int collective = 0;
  std::uint64_t bytes = 0;
  int nodes = 1, ranks = 1;
};
// The first one that fits; null: none does.
const Rule* find_rule(std::span<const Rule> rules, const Call& call);

}  // namespace linerate::nccl::tuner
