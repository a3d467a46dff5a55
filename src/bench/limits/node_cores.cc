// Core masks travel as ranges, which are short for most of them.
#include "bench/limits/node_cores.h"

#include "base/error.h"
#include "base/wire.h"
#include "bench/probe/cores.h"

#include <cstddef>
#include <set>

namespace linerate {
namespace {

// Empty where the system does not tell.
CoreRanges own_ranges() {
  try {
    return ranges_of(probe::allowed_cores());
  } catch (const Error&) {
    return {};
  }
}

void add_to(std::set<int>& cores, const CoreRanges& ranges) {
  for (std::size_t i = 0; i + 1 < ranges.size(); i += 2)
    for (int core = ranges[i]; core < ranges[i + 1]; ++core) cores.insert(core);
}

}  // namespace

CoreRanges ranges_of(std::span<const int> cores) {
  CoreRanges ranges;
  for (const int core : cores) {
    if (ranges.empty() || ranges.back() != core) ranges.insert(ranges.end(), {core, core});
    ++ranges.back();
  }
  return ranges;
}

std::vector<int> cores_beside(const CoreRanges& own, std::span<const CoreRanges> all) {
  std::set<int> any, mine;
  for (const auto& ranges : all) add_to(any, ranges);
  add_to(mine, own);
  std::erase_if(any, [&](int core) { return mine.contains(core); });
  return {any.begin(), any.end()};
}

std::vector<int> cores_of_others(Session& session) {
  const int node = session.members().place().node;
  const auto own = own_ranges();
  WireWriter out;
  out.put(node).put_all(std::span<const int>(own));
  std::vector<CoreRanges> here;
  for (const auto& bytes : session.members().all_gather(out.bytes(), session.init_deadline())) {
    WireReader in(bytes);
    if (in.get<int>() == node) here.push_back(in.get_all<int>());
  }
  return cores_beside(own, here);
}

}  // namespace linerate
