// See tuning.h.
#include "backends/host/tuning.h"

#include "backends/host/emulation/network.h"
#include "backends/host/tuning_table.h"
#include "base/error.h"
#include "base/log.h"
#include "base/wire.h"

#include <fmt/format.h>

#include <algorithm>

namespace linerate::host {
namespace {

struct Card {
  int mark = 0;
  std::size_t cache_bytes = 0;
};

}  // namespace

const Machine& TuningSource::machine() {
  std::call_once(asked_, [this] { machine_ = describe_machine(); });
  return machine_;
}

// What this process may count on of the last-level cache: on a shared machine much of it is
// others'.
std::size_t TuningSource::cache_bytes() {
  constexpr std::size_t kMostOfACore = std::size_t{32} << 20;  // no processor has more of it a core
  return std::min(machine().l3_bytes, static_cast<std::size_t>(machine().cores) * kMostOfACore);
}

int TuningSource::mark_of(int rank) {
  if (options_.network) return options_.network->node_of(rank);
  if (options_.ranks_per_group > 0) return rank / options_.ranks_per_group;
  return machine().domains > 1 ? domain_of_this_thread() : -1;
}

Bytes TuningSource::table_to_tell(int rank) {
  if (rank != 0) return {};
  std::string complaint;
  const Environment none;
  const auto& environment = options_.environment != nullptr ? *options_.environment : none;
  const TuningTable table = find_tuning(environment, machine(), complaint);
  if (!complaint.empty()) say(complaint + " The built-in table is used.");
  return WireWriter().put_text(tuning_text(table)).take();
}

Tuning TuningSource::agree(Bootstrap& members, const Deadline& deadline) {
  const Bytes told = members.broadcast(table_to_tell(members.rank()), 0, deadline);
  auto table = parse_tuning(WireReader(told).get_text(), "What rank 0 sent");
  if (!table) throw Error(table.sentence());
  Tuning tuning{.rules = std::make_shared<const std::vector<Rule>>(table->rules),
                .cache_bytes = cache_bytes(),
                .marks = {},
                .network = options_.network};
  const Card own{mark_of(members.rank()), tuning.cache_bytes};
  for (const Bytes& bytes : members.all_gather(WireWriter().put(own).bytes(), deadline)) {
    const auto card = WireReader(bytes).get<Card>();
    tuning.marks.push_back(card.mark);
    tuning.cache_bytes = std::min(tuning.cache_bytes, card.cache_bytes);
  }
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
