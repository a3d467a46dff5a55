// See machine_words.h.
#include "cli/machine_words.h"

#include "cli/sub_command.h"

#include <array>
#include <vector>

namespace linerate {
namespace {

struct SourceRow {
  const char* option;
  MachineSource source;
  const char* type;
  const char* help;
};
constexpr std::array kSources{
    SourceRow{"--root", MachineSource::saved_root, "DIR",
              "a saved copy of another machine's /sys and /proc"},
    SourceRow{"--hwloc", MachineSource::hwloc_file, "FILE",
              "a machine as hwloc wrote it (lstopo FILE.xml)"},
    SourceRow{"--nccl-xml", MachineSource::nccl_file, "FILE",
              "a machine as NCCL wrote it (NCCL_TOPO_DUMP_FILE), or a file made by hand"},
    SourceRow{"--platform", MachineSource::platform, "NAME",
              "a built-in node; linerate topo --list-platforms names them"},
    SourceRow{"--cluster", MachineSource::cluster, "FILE", "many nodes and their network, in YAML"},
};

}  // namespace

void describe_machine_words(CLI::App& app, MachineTexts& texts) {
  for (const auto& row : kSources)
    app.add_option(row.option, texts.name, row.help)->type_name(row.type);
  app.add_option("--nccl", texts.version, "the version of NCCL that is asked for")
      ->type_name("VERSION")
      ->capture_default_str();
}

Refusal read_machine(const CLI::App& app, const MachineTexts& texts, MachineChoice& choice) {
  std::vector<const char*> given;
  for (const auto& row : kSources)
    if (app.count(row.option) > 0) {
      given.push_back(row.option);
      choice.source = row.source;
    }
  choice.name = texts.name;
  if (auto refusal = at_most_one(given, "machine")) return refusal;
  const auto version = topo::parse_nccl_version(texts.version);
  if (!version) return "--nccl: " + version.sentence();
  choice.version = *version;
  return {};
}

}  // namespace linerate
