// See topo_view_words.h.
#include "cli/topo_view_words.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace linerate {
namespace {

struct ViewRow {
  const char* option;
  TopoView view;
};
constexpr std::array kViews{
    ViewRow{"--matrix", TopoView::matrix},
    ViewRow{"--dot", TopoView::dot},
    ViewRow{"--svg", TopoView::svg},
    ViewRow{"--json", TopoView::json},
    ViewRow{"--export-nccl", TopoView::nccl_xml},
    ViewRow{"--explain", TopoView::explanation},
    ViewRow{"--lint", TopoView::lint},
    ViewRow{"--predict", TopoView::prediction},
    ViewRow{"--measure", TopoView::measurement},
    ViewRow{"--list-platforms", TopoView::platforms},
};

Refusal read_one_view(const CLI::App& app, const ViewTexts& texts, TopoConfig& config) {
  const bool has_rows = app.count("--predict") > 0 || app.count("--measure") > 0;
  std::vector<const char*> given;
  for (const auto& row : kViews)
    if (app.count(row.option) > 0 && !(row.view == TopoView::json && has_rows)) {
      given.push_back(row.option);
      config.view = row.view;
    }
  config.as_json = texts.json;
  config.gbps = app.count("--gbps") > 0;
  config.all_hosts = app.count("--all-hosts") > 0;
  config.out_file = texts.out_file;
  return at_most_one(given, "view");
}

Refusal read_ends(const ViewTexts& texts, TopoConfig& config) {
  if (config.view != TopoView::explanation) return {};
  if (texts.ends.size() != 2)
    return "--explain is between two devices: give both, as in --explain GPU3 mlx5_2.";
  config.ends = {texts.ends[0], texts.ends[1]};
  return {};
}

// Options that say more about one view.
struct Belonging {
  const char* option;
  TopoView view;
  const char* to;
};
constexpr std::array kBelongings{
    Belonging{"--gbps", TopoView::matrix, "--matrix"},
    Belonging{"--all-hosts", TopoView::matrix, "--matrix"},
    Belonging{"--minbytes", TopoView::prediction, "--predict COLLECTIVE"},
    Belonging{"--maxbytes", TopoView::prediction, "--predict COLLECTIVE"},
    Belonging{"--stepfactor", TopoView::prediction, "--predict COLLECTIVE"},
    Belonging{"--datatype", TopoView::prediction, "--predict COLLECTIVE"},
    Belonging{"--op", TopoView::prediction, "--predict COLLECTIVE"},
    Belonging{"--nodes", TopoView::prediction, "--predict COLLECTIVE"},
};

// Views to which NCCL's version, or another machine, makes no difference.
constexpr std::array kWithoutVersion{TopoView::lint, TopoView::nccl_xml, TopoView::measurement,
                                     TopoView::platforms};

Refusal refuse_useless(const CLI::App& app, const TopoConfig& config) {
  for (const auto& row : kBelongings)
    if (app.count(row.option) > 0 && config.view != row.view)
      return fmt::format("{} belongs to {}: give both, or leave it out.", row.option, row.to);
  const auto shown = std::ranges::find(kViews, config.view, &ViewRow::view);
  if (app.count("--nccl") > 0 && std::ranges::count(kWithoutVersion, config.view) > 0)
    return fmt::format("--nccl makes no difference to {}: leave it out.", shown->option);
  if (config.machine.source == MachineSource::this_machine) return {};
  if (config.view == TopoView::measurement)
    return "--measure measures this machine: leave the other one out.";
  if (config.view == TopoView::platforms)
    return "--list-platforms lists them all: leave the machine out.";
  return {};
}

// A flag that is asked for by its name. CLI11 takes no text's literal here.
void add_word(CLI::App& app, const char* name, const std::string& help) {
  app.add_flag(name, help);
}

}  // namespace

void describe_views(CLI::App& app, ViewTexts& texts, PredictTexts& prediction) {
  add_word(app, "--matrix", "path types between GPUs and NICs, and their cores");
  add_word(app, "--gbps", "--matrix: bandwidths instead of path types");
  add_word(app, "--all-hosts", "--matrix: every host of a rack, not one of those that look alike");
  add_word(app, "--dot", "the graph for Graphviz");
  app.add_option("--svg", texts.out_file, "write a picture into FILE")->type_name("FILE");
  app.add_flag("--json", texts.json,
               "system, links and paths, or with --predict its rows, as JSON");
  app.add_option("--export-nccl", texts.out_file,
                 "write a topology file that NCCL accepts as NCCL_TOPO_FILE")
      ->type_name("FILE");
  app.add_option("--explain", texts.ends,
                 "the path between two devices, hop by hop, such as GPU3 mlx5_2")
      ->type_name("DEVICE")
      ->expected(-1);
  add_word(app, "--lint", "what looks wrong; exit code 3 where something does");
  describe_collective(app, prediction);
  add_word(app, "--measure",
           "what this machine gives, by measuring for some seconds: bandwidth by size and by "
           "cores, the way of a cache line; as a job on several nodes, TCP between them; with "
           "--json as JSON");
  add_word(app, "--list-platforms", "the built-in nodes");
}

Refusal read_view(const CLI::App& app, const ViewTexts& texts, TopoConfig& config) {
  if (auto refusal = read_one_view(app, texts, config)) return refusal;
  if (auto refusal = read_ends(texts, config)) return refusal;
  return refuse_useless(app, config);
}

}  // namespace linerate
