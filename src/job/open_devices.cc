// All ranks hear of each rank's device before any of them throws.
#include "job/open_devices.h"

#include "base/error.h"
#include "base/wire.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <string>

namespace linerate {
namespace {

// One rank's device as all ranks hear of it.
struct Opened {
  WantedDevice wanted{};
  std::string hostname{};
  std::string problem{};  // empty: it is here
};

void put(WireWriter& out, const Opened& opened) {
  out.put(opened.wanted);
  out.put_text(opened.hostname);
  out.put_text(opened.problem);
}

Opened get_opened(WireReader& in) {
  Opened opened{.wanted = in.get<WantedDevice>()};
  opened.hostname = in.get_text();
  opened.problem = in.get_text();
  return opened;
}

std::string map_text(std::span<const Opened> all) {
  constexpr std::size_t kMaxListed = 64;
  std::vector<std::string> words;
  for (const auto& one : all.first(std::min(all.size(), kMaxListed)))
    words.push_back(fmt::format("rank {}: {} device {}{}", one.wanted.rank, one.hostname,
                                one.wanted.index, one.problem.empty() ? "" : " (missing)"));
  if (all.size() > kMaxListed) words.emplace_back("…");
  return fmt::format(" Ranks and their devices: {}.", fmt::join(words, ", "));
}

void throw_where_missing(std::span<const Opened> all) {
  const auto is_missing = [](const Opened& one) { return !one.problem.empty(); };
  const auto first = std::ranges::find_if(all, is_missing);
  if (first == all.end()) return;
  const bool none_is_here = std::ranges::all_of(all, is_missing);
  throw Unavailable(first->problem + (none_is_here ? "" : map_text(all)));
}

}  // namespace

std::vector<std::unique_ptr<Device>> open_devices(Backend& backend,
                                                  std::span<const WantedDevice> wanted,
                                                  Bootstrap& members, const Deadline& deadline) {
  std::vector<std::unique_ptr<Device>> devices;
  WireWriter mine;
  for (const auto& one : wanted) {
    Opened opened{.wanted = one, .hostname = members.place().hostname};
    try {
      devices.push_back(backend.open_device(one.index));
    } catch (const Unavailable& error) {
      opened.problem = error.what();
    }
    put(mine, opened);
  }
  std::vector<Opened> all;
  for (const auto& bytes : members.all_gather(mine.bytes(), deadline)) {
    WireReader in(bytes);
    while (!in.empty()) all.push_back(get_opened(in));
  }
  throw_where_missing(all);
  return devices;
}

}  // namespace linerate
