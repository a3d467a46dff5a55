// The options of linerate tune.
#include "base/text.h"
#include "cli/option.h"
#include "cli/tokens.h"
#include "cli/tune_config.h"
#include "cli/values.h"

#include <algorithm>
#include <array>

namespace linerate {
namespace {

constexpr std::array kKinds{OpKind::all_reduce, OpKind::reduce_scatter, OpKind::reduce,
                            OpKind::all_gather, OpKind::broadcast,      OpKind::all_to_all,
                            OpKind::gather,     OpKind::scatter};
constexpr std::int64_t kMaxTunedRanks = 64;

Refusal set_nranks(const Argument& given, TuneConfig& config) {
  config.nranks.clear();
  for (const auto& word : split(given.text, ',')) {
    int nranks = 0;
    if (auto refusal = set_whole({given.label, word}, {2, kMaxTunedRanks}, nranks)) return refusal;
    config.nranks.push_back(nranks);
  }
  return {};
}

Refusal set_kinds(const Argument& given, TuneConfig& config) {
  config.kinds.assign(kKinds.begin(), kKinds.end());
  if (given.text == "all") return {};
  std::vector<std::string_view> names;
  for (const OpKind kind : kKinds) names.push_back(name_of(kind));
  config.kinds.clear();
  for (const auto& word : split(given.text, ',')) {
    const auto found = std::ranges::find(names, word);
    if (found == names.end()) return unknown_choice("collective", word, names);
    config.kinds.push_back(kKinds[static_cast<std::size_t>(found - names.begin())]);
  }
  return {};
}

constexpr auto kTuneRows = std::to_array<OptionRow>({
    {.long_name = "nranks",
     .metavar = "LIST",
     .default_text = "2,3,4,8",
     .help = "numbers of ranks, separated by commas",
     .apply = set_nranks},
    {.long_name = "collectives",
     .metavar = "NAMES",
     .default_text = "all",
     .help = "names, separated by commas, or all",
     .apply = set_kinds},
    {.short_name = 'b',
     .long_name = "minbytes",
     .metavar = "SIZE",
     .default_text = "8",
     .help = "smallest size; each is twice the one before",
     .apply = set_bytes<TuneConfig, sizeof(float), &TuneConfig::min_bytes>},
    {.short_name = 'e',
     .long_name = "maxbytes",
     .metavar = "SIZE",
     .default_text = "128M",
     .help = "largest size",
     .apply = set_bytes<TuneConfig, sizeof(float), &TuneConfig::max_bytes>},
    {.long_name = "check",
     .help = "compare the table in use with what is measured now; write nothing; exit code 3 "
             "where a choice is more than 10 % slower than the best, beyond the intervals",
     .apply = set_flag<TuneConfig, &TuneConfig::check>},
    {.long_name = "print-rows",
     .help = "print the rules as rows of the built-in table",
     .apply = set_flag<TuneConfig, &TuneConfig::print_rows>},
    {.long_name = "forget",
     .help = "remove the table of this machine: the built-in one is used again",
     .apply = set_flag<TuneConfig, &TuneConfig::forgets>},
    {.long_name = "prove",
     .metavar = "N",
     .help = "then launch each collective N times with the table and N times without, in turns, "
             "and print what it gains",
     .note = "6 or more: fewer launches can prove nothing.",
     .apply = set_whole_of<TuneConfig, 6, kMaxRuns, &TuneConfig::proofs>},
});

// `words` without WHAT, which may stand anywhere: no option takes it for a value.
Result<std::vector<std::string>> without_what(std::vector<std::string> words) {
  constexpr std::array<std::string_view, 4> kWhat{"host", "nccl", "mpi", "gloo"};
  const auto what = std::ranges::find(words, kWhat[0]);
  if (what != words.end()) {
    words.erase(what);
    return words;
  }
  if (words.empty() || words.front().starts_with('-'))
    return Failure{"linerate tune needs WHAT to tune: host, nccl, mpi or gloo."};
  return Failure{unknown_choice("backend to tune", words.front(), kWhat)};
}

Refusal check_tune(const TuneConfig& config) {
  if (config.check && config.print_rows)
    return "--check and --print-rows exclude each other: give one of them.";
  if (config.forgets && (config.check || config.print_rows || config.proofs > 0))
    return "--forget measures nothing: leave --check, --print-rows and --prove out.";
  if (config.proofs > 0 && (config.check || config.print_rows))
    return "--prove measures the table that is kept: leave --check and --print-rows out.";
  if (config.max_bytes < config.min_bytes) return "-e/--maxbytes must not be below -b/--minbytes.";
  return {};
}

}  // namespace

std::span<const OptionRow> tune_options() { return kTuneRows; }

Result<TuneConfig> parse_tune(const std::vector<std::string>& words) {
  TuneConfig config;
  const auto options = without_what(words);
  if (!options) return options.failure();
  const auto given = read_options(*options, Audience::tune, config);
  if (!given) return given.failure();
  if (const auto refusal = check_tune(config)) return Failure{*refusal};
  return config;
}

}  // namespace linerate
