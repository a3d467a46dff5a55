// linerate tune host --prove: fresh launches with the table and with the built-in one, in turns.
#include "backends/host/tuning_table.h"
#include "commands/tune_host.h"
#include "commands/tune_launch.h"
#include "output/text_file.h"
#include "topo/machine.h"
#include "tune/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>

namespace linerate {
namespace {

constexpr const char* kCache = "XDG_CACHE_HOME";  // where runs look for a table

sweep::Study study_of(const TuneConfig& config, int nranks) {
  sweep::Study study{.sizes = {{config.min_bytes, config.max_bytes}},
                     .ranks_per_node = {nranks},
                     .backends = {"host"},
                     .start = std::string(sweep::kThreads),
                     .options = "--expect off --stop max=0.05s"};
  for (const OpKind kind : config.kinds)
    study.collectives.push_back(find_collective(name_of(kind)));
  return study;
}

std::string proof_text(const tuning::Searched& found, int nranks) {
  std::vector<tuning::Kept> rows;
  for (const auto& one : found.judged) rows.push_back({{.words = "measured table"}, one});
  const auto count = [&](stats::Difference verdict) {
    return std::ranges::count(found.judged, verdict, &tuning::Judged::verdict);
  };
  return tuning::table_text(rows) +
         fmt::format(
             "# {} ranks: with the table {} of {} cases are FASTER, {} SLOWER, in {} "
             "launches\n",
             nranks, count(stats::Difference::faster), found.judged.size(),
             count(stats::Difference::slower), found.launches);
}

}  // namespace

ExitCode prove_host_table(const CommandInput& input, const TuneConfig& config,
                          const std::filesystem::path& table) {
  const ScratchFolder empty;  // a cache without a table
  const tuning::Variables without{{kCache, empty.path().string()}};
  const tuning::Variables with{{kCache, table.parent_path().parent_path().string()}};
  for (const int nranks : config.nranks) {
    const auto study = study_of(config, nranks);
    const tuning::Effort effort{.confirmations = config.proofs};
    const std::size_t launches =
        2 * study.collectives.size() * static_cast<std::size_t>(config.proofs);
    TuneLauncher launcher(input, study, 0,
                          {"linerate tune host",
                           {launches},
                           progress_style({}, TextFile::standard_error().terminal())});
    const auto found = tuning::confirm(with, study.collectives, effort, launcher.with(without));
    if (!found.failure.empty()) throw Error(found.failure);
    if (!found.dropped.empty()) throw Error(found.dropped[0].why);
    TextFile::standard_output().write(proof_text(found, nranks));
  }
  return ExitCode::ok;
}

}  // namespace linerate
