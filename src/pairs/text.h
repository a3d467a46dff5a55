// The outcome of a search for a terminal and as JSON, and lists of the hosts to leave out: printed,
// never executed.
#pragma once

#include "pairs/search.h"
#include "record/record.h"

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace linerate::pairs {

// What was searched. `ranks` are those of the layout, in their order.
struct Searched {
  const Layout& layout;
  std::span<const RankInfo> ranks;
  const Outcome& outcome;
  std::size_t bytes = 0;  // of a message
  double limit = 0;       // share
  std::uint64_t seed = 0;
  bool interrupted = false;
};

// Each fault in a row with its evidence, what was measured, and the hosts to leave out.
std::string report_text(const Searched& searched);
std::string report_json(const Searched& searched);

// Hosts of faulty nodes and ranks, each once. A link or rail accuses no host.
std::vector<std::string> bad_hosts(const Searched& searched);

inline constexpr std::size_t kMostHostfileBytes = std::size_t{16} << 20;
// A hostfile with the lines of these hosts commented out: "# host2 slots=8". Other lines stay byte
// for byte. A host is the first word of a line, up to ':', with or without its domain.
std::string without_hosts(std::string_view hostfile, std::span<const std::string> hosts);

// That of the bad hosts, below a heading, and which of them it does not name.
std::string hostfile_text(const Searched& searched, std::string_view hostfile);

}  // namespace linerate::pairs
