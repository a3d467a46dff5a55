// See tune_words.h.
#include "cli/tune_words.h"

#include "base/text.h"
#include "base/units.h"
#include "cli/sub_command.h"
#include "cli/values.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace linerate {
namespace {

constexpr std::array kKinds{OpKind::all_reduce, OpKind::reduce_scatter, OpKind::reduce,
                            OpKind::all_gather, OpKind::broadcast,      OpKind::all_to_all,
                            OpKind::gather,     OpKind::scatter};
constexpr std::int64_t kMaxTunedRanks = 64;

// The words as they were typed.
struct Texts {
  std::string what;
  std::string nranks = "2,3,4,8";
  std::string collectives = "all";
  std::string min_bytes = "8";
  std::string max_bytes = "128M";
};

void describe(CLI::App& app, Texts& texts, TuneConfig& config) {
  app.name("linerate tune");
  app.add_option("WHAT", texts.what, "host: the host backend is the one with a choice")->required();
  app.add_option("--nranks", texts.nranks, "numbers of ranks, separated by commas")
      ->capture_default_str();
  app.add_option("--collectives", texts.collectives, "names, separated by commas, or all")
      ->capture_default_str();
  app.add_option("-b,--minbytes", texts.min_bytes, "smallest size; each is twice the one before")
      ->capture_default_str();
  app.add_option("-e,--maxbytes", texts.max_bytes, "largest size")->capture_default_str();
  app.add_flag("--check", config.check,
               "compare the table in use with what is measured now; write nothing; exit code 3 "
               "where a choice is more than 10 % slower than the best, beyond the intervals");
  app.add_flag("--print-rows", config.print_rows, "print the rules as rows of the built-in table");
}

Refusal read_nranks(const std::string& text, TuneConfig& config) {
  config.nranks.clear();
  for (const auto& word : split(text, ',')) {
    int nranks = 0;
    if (auto refusal = set_whole({"--nranks", word}, {2, kMaxTunedRanks}, nranks)) return refusal;
    config.nranks.push_back(nranks);
  }
  return {};
}

Refusal read_kinds(const std::string& text, TuneConfig& config) {
  config.kinds.assign(kKinds.begin(), kKinds.end());
  if (text == "all") return {};
  std::vector<std::string_view> names;
  for (const OpKind kind : kKinds) names.push_back(name_of(kind));
  config.kinds.clear();
  for (const auto& word : split(text, ',')) {
    const auto found = std::ranges::find(names, word);
    if (found == names.end()) return unknown_choice("collective", word, names);
    config.kinds.push_back(kKinds[static_cast<std::size_t>(found - names.begin())]);
  }
  return {};
}

Refusal read_sizes(const Texts& texts, TuneConfig& config) {
  const auto least = parse_bytes("-b/--minbytes", texts.min_bytes);
  if (!least) return least.sentence();
  const auto most = parse_bytes("-e/--maxbytes", texts.max_bytes);
  if (!most) return most.sentence();
  config.min_bytes = *least;
  config.max_bytes = *most;
  if (*least < 4) return "-b/--minbytes must be at least 4: one float.";
  if (*most < *least) return "-e/--maxbytes must not be below -b/--minbytes.";
  return {};
}

}  // namespace

std::string tune_markdown() {
  CLI::App app;
  Texts texts;
  TuneConfig config;
  describe(app, texts, config);
  return "## linerate tune host\n\n" + options_markdown(app);
}

Result<TuneConfig> parse_tune(const std::vector<std::string>& words) {
  TuneConfig config;
  Texts texts;
  CLI::App app(
      "Measures every algorithm of the host backend by collective, ranks and size, and "
      "keeps the fastest in a table that later runs on this machine use.");
  describe(app, texts, config);
  const auto read = read_words(app, words, "linerate tune");
  if (!read.refusal.empty()) return Failure{read.refusal};
  config.help_text = read.help;
  if (!config.help_text.empty()) return config;
  constexpr std::array<std::string_view, 1> kWhat{"host"};
  if (texts.what != kWhat[0]) return Failure{unknown_choice("backend to tune", texts.what, kWhat)};
  if (config.check && config.print_rows)
    return Failure{"--check and --print-rows exclude each other: give one of them."};
  for (const auto& refusal : {read_nranks(texts.nranks, config),
                              read_kinds(texts.collectives, config), read_sizes(texts, config)})
    if (refusal) return Failure{*refusal};
  return config;
}

}  // namespace linerate
