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
  MachineTexts machine;
  ViewTexts view;
  PredictTexts prediction;
};

void describe_topo(CLI::App& app, TopoTexts& texts) {
  app.name("linerate topo");
  describe_machine_words(app, texts.machine);
  describe_views(app, texts.view, texts.prediction);
  describe_range(app, texts.prediction);
}

Refusal read_source(const CLI::App& app, const TopoTexts& texts, TopoConfig& config) {
  return read_machine(app, texts.machine, config.machine);
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
  for (const auto read : {read_source, read_shown, read_predicted})
    if (auto refusal = read(app, texts, config)) return Failure{*refusal};
  return config;
}

}  // namespace linerate
