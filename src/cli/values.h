// Reads option values strictly: each function writes `out`, or yields the sentence that refuses.
#pragma once

#include "base/text.h"
#include "cli/option.h"
#include "cli/run_config.h"

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
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
constexpr std::int64_t kMaxRanks = 4096;                 // ranks of one process or host

// A decimal, 0x or 0b number within the range. A leading zero is refused: C reads 010 as 8.
Result<std::int64_t> whole_number(const Argument& given, WholeRange range);

template <std::integral T>
Refusal set_whole(const Argument& given, WholeRange range, T& out) {
  const auto value = whole_number(given, range);
  if (!value) return value.sentence();
  out = static_cast<T>(*value);
  return {};
}

template <typename T>
struct Choice {
  std::string_view text;
  T value;
};

// One of the texts, to the letter.
template <typename T>
Refusal set_choice(const Argument& given, std::span<const Choice<T>> choices, T& out) {
  std::vector<std::string_view> texts;
  for (const auto& choice : choices) {
    if (choice.text == given.text) {
      out = choice.value;
      return {};
    }
    texts.push_back(choice.text);
  }
  return unknown_choice(std::string(given.label) + " value", given.text, texts);
}

// For rows whose value goes into one field.
template <typename Config, auto Field>
Refusal set_flag(const Argument&, Config& config) {
  config.*Field = true;
  return {};
}
template <typename Config, auto Field, std::int64_t kFirst, std::int64_t kLast>
Refusal set_whole_of(const Argument& given, Config& config) {
  return set_whole(given, {kFirst, kLast}, config.*Field);
}
template <typename Config, auto Field>
Refusal set_text(const Argument& given, Config& config) {
  config.*Field = given.text;
  return {};
}

// 0 or 1.
Refusal set_switch(const Argument& given, bool& out);

// A size with suffix, at least `least` bytes; fractions of a byte and leading zeros are refused.
Refusal set_bytes(const Argument& given, std::size_t least, std::size_t& out);

// Seconds, with or without a unit; not negative.
Refusal set_seconds(const Argument& given, double& out);

// A number between the bounds, both included.
struct NumberRange {
  double min = 0;
  double max = 0;
};
Refusal set_number(const Argument& given, NumberRange limits, double& out);

// The name of a file to write or read: not empty, and not "-", because stdout is the table's.
Refusal set_file(const Argument& given, std::string& out);

// Numbers of nodes: "4"; "1,2,8"; "1:4096", which is 1, 2, 4, ... and ends with 4096; or lists of
// both. Ascending, each once.
Refusal set_node_counts(const Argument& given, WholeRange range, std::vector<int>& out);

// One type or operator, or all.
Refusal set_types(const Argument& given, std::vector<DataType>& out);
Refusal set_ops(const Argument& given, std::vector<RedOp>& out);

// "ci=1%,max=5s", either part or both, each once.
Refusal set_stop_rule(const Argument& given, StopRule& out);

// "MOD8", "&0x3", … : an operator and a value.
Refusal set_split(const Argument& given, SplitRule& out);
// A hexadecimal mask, with or without 0x.
Refusal set_split_mask(const Argument& given, SplitRule& out);

}  // namespace linerate
