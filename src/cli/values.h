// Reads option values strictly: each function yields the value or writes it, or refuses it in a
// sentence.
#pragma once

#include "base/text.h"
#include "cli/option.h"
#include "cli/run_config.h"

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace linerate {

// Limits of a whole number, both included.
struct WholeRange {
  std::int64_t first = 0;
  std::int64_t last = std::numeric_limits<std::int64_t>::max();
};

// Limits that keep products and tables finite, far above what a run can use.
constexpr std::int64_t kMaxRepeats = 1'000'000'000'000;  // iterations, cycles
constexpr std::int64_t kMaxAtOnce = 1'000'000;           // calls in a group, check rounds
constexpr std::int64_t kMaxRuns = 10'000;                // processes one after the other
constexpr std::int64_t kMaxRanks = 4096;                 // ranks of one process or host

// A decimal, 0x or 0b number within the range. A leading zero is refused: C reads 010 as 8.
Result<std::int64_t> whole_number(const Argument& given, WholeRange range);

// Writes what was read into `out`, or passes the refusal on.
template <typename T, typename Out>
Refusal set_read(const Result<T>& read, Out& out) {
  if (!read) return read.sentence();
  out = static_cast<Out>(*read);
  return {};
}

template <typename T>
Refusal set_whole(const Argument& given, WholeRange range, T& out) {
  return set_read(whole_number(given, range), out);
}

// A size with suffix, at least `least` bytes; fractions of a byte and leading zeros are refused.
Result<std::size_t> whole_bytes(const Argument& given, std::size_t least);

// Seconds, with or without a unit; not negative.
Refusal set_seconds(const Argument& given, double& out);

// A number between the bounds, both included.
struct NumberRange {
  double min = 0;
  double max = 0;
};
Result<double> number_within(const Argument& given, NumberRange limits);

// The name of a file to write or read: not empty, and not "-", because stdout is the table's.
Refusal set_file(const Argument& given, std::string& out);

template <typename T>
struct Choice {
  std::string_view text;
  T value;
};
inline constexpr Choice<bool> kSwitch[] = {{"0", false}, {"1", true}};
inline constexpr Choice<std::string_view> kBackends[] = {{"auto", "auto"}, {"host", "host"},
                                                         {"mpi", "mpi"},   {"gloo", "gloo"},
                                                         {"nccl", "nccl"}, {"fake", "fake"}};

// For rows whose value goes into one member. `Path` leads to it from the configuration:
// &RunConfig::iters, or &RunConfig::gpu, &GpuOptions::cudagraph.
template <auto... Path>
constexpr auto& member_of(auto& config) {
  return (config.*....*Path);
}

template <typename Config, auto... Path>
Refusal set_flag(const Argument&, Config& config) {
  member_of<Path...>(config) = true;
  return {};
}
template <typename Config, auto... Path>
Refusal set_text(const Argument& given, Config& config) {
  member_of<Path...>(config) = given.text;
  return {};
}
template <typename Config, auto... Path>
Refusal set_file_of(const Argument& given, Config& config) {
  return set_file(given, member_of<Path...>(config));
}
template <typename Config, std::int64_t kFirst, std::int64_t kLast, auto... Path>
Refusal set_whole_of(const Argument& given, Config& config) {
  return set_whole(given, {kFirst, kLast}, member_of<Path...>(config));
}
template <typename Config, std::size_t kLeast, auto... Path>
Refusal set_bytes(const Argument& given, Config& config) {
  return set_read(whole_bytes(given, kLeast), member_of<Path...>(config));
}
template <typename Config, int kMin, int kMax, auto... Path>
Refusal set_number(const Argument& given, Config& config) {
  return set_read(number_within(given, {kMin, kMax}), member_of<Path...>(config));
}
// What one of the texts stands for, to the letter.
template <typename Config, const auto& kChoices, auto... Path>
Refusal set_choice(const Argument& given, Config& config) {
  std::vector<std::string_view> texts;
  for (const auto& [text, value] : kChoices) {
    if (text == given.text) {
      member_of<Path...>(config) = value;
      return {};
    }
    texts.push_back(text);
  }
  return unknown_choice(std::string(given.label) + " value", given.text, texts);
}

// Numbers of nodes: "4"; "1,2,8"; "1:4096", which is 1, 2, 4, ... and ends with 4096; or lists of
// both. Ascending, each once.
Refusal set_node_counts(const Argument& given, WholeRange range, std::vector<int>& out,
                        std::string_view of = "nodes");

// Names of collectives, in the order typed; all leaves the list empty.
Refusal set_collectives(const Argument& given, std::vector<const Collective*>& out);

// One type or operator, or all.
Refusal set_types(const Argument& given, std::vector<DataType>& out);
Refusal set_ops(const Argument& given, std::vector<RedOp>& out);

// "ci=1%,max=5s", either part or both, each once.
Refusal set_stop_rule(const Argument& given, StopRule& out);

// "uniform:50us", in us, ms or s; or a file's name.
Refusal set_skew(const Argument& given, SkewOptions& out);

// "gemm:512", "memory:64M", "all_gather:4M:MOD2"; sizes have defaults.
Refusal set_load(const Argument& given, LoadOptions& out);

// "MOD8", "&0x3", … : an operator and a value.
Refusal set_split(const Argument& given, SplitRule& out);
// A hexadecimal mask, with or without 0x.
Refusal set_split_mask(const Argument& given, SplitRule& out);

}  // namespace linerate
