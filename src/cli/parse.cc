// See parse.h.
#include "cli/parse.h"

#include "cli/checks.h"
#include "cli/option_table.h"
#include "cli/tokens.h"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>

namespace linerate {
namespace {

bool holds(std::span<const Token> tokens, std::string_view long_name) {
  return std::any_of(tokens.begin(), tokens.end(),
                     [&](const Token& token) { return token.row->long_name == long_name; });
}

Refusal foreign_option(const OptionRow& row, const Invocation& call) {
  if (has_option(call.audience(), row)) return {};
  if (call.audience() == Audience::p2p)
    return fmt::format(
        "{} has no {}: it times latency at -b and bandwidth at -e. -h lists its options.",
        call.program, row.label());
  return fmt::format("{} has no {}: it belongs to {}.", call.program, row.label(), kPairs);
}

// RunConfig's defaults are the collectives'; p2p_perf's own options have theirs in the table.
void set_p2p_defaults(RunConfig& config) {
  for (const auto& row : pair_options()) {
    if (row.default_text.empty()) continue;
    [[maybe_unused]] const auto refusal = row.apply({row.long_name, row.default_text}, config);
    assert(!refusal);
  }
}

Refusal apply_variables(const Environment& environment, RunConfig& config) {
  for (const auto& row : variables()) {
    const auto text = environment.get(row.name);
    if (!text || text->empty()) continue;
    if (auto refusal = row.apply({row.name, *text}, config)) return refusal;
  }
  return {};
}

Refusal apply_options(std::span<const Token> tokens, RunConfig& config) {
  for (const auto& token : tokens) {
    if (token.row->apply == nullptr) continue;
    const auto label = token.row->label();
    if (auto refusal = token.row->apply({label, token.text}, config)) return refusal;
  }
  return {};
}

}  // namespace

Result<ParsedRun> parse_run(const Invocation& call, const Environment& environment) {
  assert(call.command == Command::perf);
  const auto tokens = tokenise(call.words, call.audience());
  if (!tokens) return tokens.failure();
  ParsedRun parsed;
  auto& config = parsed.config;
  config.program = call.program;
  config.args = call.args;
  config.collective = call.collective;
  if (call.audience() == Audience::p2p) set_p2p_defaults(config);
  if (holds(*tokens, "help") || holds(*tokens, "version")) {
    parsed.intent = holds(*tokens, "help") ? Intent::help : Intent::version;
    return parsed;
  }
  for (const auto& token : *tokens)
    if (const auto refusal = foreign_option(*token.row, call)) return Failure{*refusal};
  if (const auto refusal = apply_variables(environment, config)) return Failure{*refusal};
  if (const auto refusal = apply_options(*tokens, config)) return Failure{*refusal};
  if (const auto refusal = contradiction(config)) return Failure{*refusal};
  return parsed;
}

}  // namespace linerate
