// Command lines for the tests of the parser: words in, configuration or sentence out.
#pragma once

#include "cli/parse.h"

#include <map>
#include <stdexcept>
#include <string>
#include <vector>

namespace linerate {

using Words = std::vector<std::string>;
using Variables = std::map<std::string, std::string, std::less<>>;

inline constexpr Collective kTestReduce{
    .name = "all_reduce", .binary = "all_reduce_perf", .summary = "reduces"};
inline constexpr Collective kTestGather{
    .name = "gather", .binary = "gather_perf", .summary = "gathers", .rooted = true};

inline Invocation tool_call(const Collective& collective, Words words) {
  Words args{std::string("bin/") + std::string(collective.binary)};
  args.insert(args.end(), words.begin(), words.end());
  return {.command = Command::perf,
          .program = std::string(collective.binary),
          .collective = &collective,
          .args = std::move(args),
          .words = std::move(words)};
}

inline Invocation p2p_call(Words words) {
  return {.command = Command::perf,
          .program = std::string(kPairs),
          .collective = nullptr,
          .args = {},
          .words = std::move(words)};
}

inline Result<ParsedRun> parse(Words words, Variables variables = {}) {
  return parse_run(tool_call(kTestReduce, std::move(words)), Environment(std::move(variables)));
}

// Throws, and so fails the test, where the words are refused.
inline RunConfig config_of(Words words, Variables variables = {}) {
  const auto parsed = parse(std::move(words), std::move(variables));
  if (!parsed) throw std::invalid_argument(parsed.sentence());
  return parsed->config;
}

// The sentence, or nothing where the words were taken.
inline std::string sentence_of(Words words, Variables variables = {}) {
  const auto parsed = parse(std::move(words), std::move(variables));
  return parsed ? std::string() : parsed.sentence();
}

}  // namespace linerate
