// See topo_words.h.
#include "cli/topo_words.h"

#include "base/text.h"
#include "cli/sub_command.h"
#include "cli/topo_predict_words.h"
#include "cli/topo_view_words.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>

namespace linerate {
namespace {

// The words as they were typed.
struct TopoTexts {
  std::string source;  // whichever it is
  std::string version = "2.28";
  ViewTexts view;
  PredictTexts prediction;
};

struct SourceRow {
  const char* option;
  TopoSource source;
  const char* type;
  const char* help;
};
constexpr std::array kSources{
    SourceRow{"--root", TopoSource::saved_root, "DIR",
              "a saved copy of another machine's /sys and /proc"},
    SourceRow{"--hwloc", TopoSource::hwloc_file, "FILE",
              "a machine as hwloc wrote it (lstopo FILE.xml)"},
    SourceRow{"--nccl-xml", TopoSource::nccl_file, "FILE",
              "a machine as NCCL wrote it (NCCL_TOPO_DUMP_FILE), or a file made by hand"},
    SourceRow{"--platform", TopoSource::platform, "NAME",
              "a built-in node; --list-platforms names them"},
    SourceRow{"--cluster", TopoSource::cluster, "FILE", "many nodes and their network, in YAML"},
};

void describe_sources(CLI::App& app, TopoTexts& texts) {
  for (const auto& row : kSources)
    app.add_option(row.option, texts.source, row.help)->type_name(row.type);
}

void describe_topo(CLI::App& app, TopoTexts& texts) {
  app.name("linerate topo");
  describe_sources(app, texts);
  describe_views(app, texts.view, texts.prediction);
  app.add_option("--nccl", texts.version, "the version of NCCL that is asked for")
      ->type_name("VERSION")
      ->capture_default_str();
  describe_range(app, texts.prediction);
}

Refusal read_source(const CLI::App& app, const TopoTexts& texts, TopoConfig& config) {
  std::vector<const char*> given;
  for (const auto& row : kSources)
    if (app.count(row.option) > 0) {
      given.push_back(row.option);
      config.source = row.source;
    }
  config.source_name = texts.source;
  return at_most_one(given, "machine");
}

Refusal read_version(const CLI::App&, const TopoTexts& texts, TopoConfig& config) {
  const auto version = topo::parse_nccl_version(texts.version);
  if (!version) return "--nccl: " + version.sentence();
  config.version = *version;
  return {};
}

Refusal read_shown(const CLI::App& app, const TopoTexts& texts, TopoConfig& config) {
  return read_view(app, texts.view, config);
}

Refusal read_predicted(const CLI::App& app, const TopoTexts& texts, TopoConfig& config) {
  if (config.view != TopoView::prediction) return {};
  return read_prediction(app, texts.prediction, config);
}

// Options that this command lacks may be those of `place`, which goes first.
std::string refusal_of(const WordsRead& asked) {
  constexpr std::array<std::string_view, 1> kPlace{"place"};
  if (std::ranges::count(asked.strays, "place") > 0)
    return "'place' goes first: linerate topo place, and its options behind it.";
  for (const auto& word : asked.strays)
    if (!nearest_match(word, kPlace).empty())
      return fmt::format("linerate topo has no '{}'. Did you mean 'place'?", word);
  return asked.refusal;
}

}  // namespace

std::string topo_markdown() {
  CLI::App app;
  TopoTexts texts;
  describe_topo(app, texts);
  return "## linerate topo\n\n"
         "What this machine, another one or a built-in node is made of, and what NCCL makes of it: "
         "[topology](topology.md).\n\n" +
         options_markdown(app);
}

Result<TopoConfig> parse_topo(const std::vector<std::string>& words) {
  CLI::App app(
      "What this machine is made of, how its parts are linked, and how fast NCCL should "
      "be on it. `linerate topo place --help`: how ranks are bound to it.");
  TopoTexts texts;
  TopoConfig config;
  describe_topo(app, texts);
  const auto asked = read_words(app, words, "linerate topo");
  if (!asked.refusal.empty()) return Failure{refusal_of(asked)};
  config.help_text = asked.help;
  if (!config.help_text.empty()) return config;
  for (const auto read : {read_source, read_shown, read_version, read_predicted})
    if (auto refusal = read(app, texts, config)) return Failure{*refusal};
  return config;
}

}  // namespace linerate
