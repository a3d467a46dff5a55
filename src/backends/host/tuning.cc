#include "backends/host/tuning.h"

#include "backends/host/emulation/network.h"
#include "backends/host/tuning_table.h"
#include "base/error.h"
#include "base/log.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

namespace linerate::host {
namespace {

// What this process may count on of the last-level cache: on a shared machine much of it is
// others'. `marks`: of all ranks.
std::size_t cache_bytes(const Machine& machine, const std::vector<int>& marks) {
  constexpr std::size_t kMaxOfACore = std::size_t{32} << 20;  // no processor has more of it a core
  const std::set<int> domains(marks.begin(), marks.end());
  const auto used = static_cast<std::size_t>(
      domains.contains(-1) ? machine.domains : static_cast<int>(domains.size()));
  const std::size_t ours = machine.l3_bytes / static_cast<std::size_t>(machine.domains) * used;
  return std::min(ours, static_cast<std::size_t>(machine.cores) * kMaxOfACore);
}

}  // namespace

// Speed only: where the machine cannot be described, nothing is known of it.
const Machine& TuningSource::machine() {
  std::call_once(asked_, [this] {
    try {
      machine_ = describe_whole_machine();
    } catch (const Error& error) {
      say(error.what());
    }
  });
  return machine_;
}

// The domain that this thread is bound to; -1: several.
int TuningSource::own_mark() { return machine().domains > 1 ? domain_of_this_thread() : -1; }

std::string TuningSource::table_to_tell(int rank) {
  if (rank != 0) return {};
  std::string complaint;
  const Environment none;
  const auto& environment = options_.environment != nullptr ? *options_.environment : none;
  const TuningTable table = find_tuning(environment, machine(), complaint);
  if (!complaint.empty()) say(complaint + " The built-in table is used.");
  return tuning_text(table);
}

Tuning TuningSource::agree(Bootstrap& bootstrap, bool oversubscribed, const Deadline& deadline) {
  const auto told = value_of_rank_0(bootstrap, table_to_tell(bootstrap.rank()), deadline);
  auto table = parse_tuning(told, "What rank 0 sent");
  if (!table) throw Error(table.sentence());
  Tuning tuning{
      .rules = std::make_shared<const std::vector<Rule>>(table->rules_for(oversubscribed)),
      .network = options_.network};
  tuning.marks = all_values(bootstrap, own_mark(), deadline);
  tuning.cache_bytes = cache_bytes(machine(), tuning.marks);
  if (options_.ranks_per_group > 0)
    for (std::size_t rank = 0; rank < tuning.marks.size(); ++rank)
      tuning.marks[rank] = static_cast<int>(rank) / options_.ranks_per_group;
  if (options_.network)
    for (std::size_t rank = 0; rank < tuning.marks.size(); ++rank)
      tuning.marks[rank] = options_.network->node_of(static_cast<int>(rank));
  // Where one rank is at home everywhere, groups mean nothing.
  if (std::ranges::find(tuning.marks, -1) != tuning.marks.end()) std::ranges::fill(tuning.marks, 0);
  const std::lock_guard lock(mutex_);
  text_ = table->measured.empty()
              ? fmt::format("built in, measured on {}", table->machine)
              : fmt::format("measured on {}, {}", table->machine, table->measured);
  return tuning;
}

std::string TuningSource::text() const {
  const std::lock_guard lock(mutex_);
  return text_;
}

}  // namespace linerate::host
