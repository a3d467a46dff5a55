// Reads an emulated cluster from YAML: the argument of --emulate.
#pragma once

#include "backends/host/emulation/network.h"
#include "base/result.h"

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

namespace linerate::host {

inline constexpr std::size_t kMaxNetworkBytes = std::size_t{64} << 10;

// Strict: unknown and repeated keys, missing units, several documents and values out of their range
// are refused by what goes on behind the file's name: ", line 3: …". The keys are in
// docs/emulation.md.
Result<Network> parse_network(std::string_view text);

// The same of a file, in one sentence that names it.
Result<std::shared_ptr<const Network>> read_network(const std::string& path);

}  // namespace linerate::host
