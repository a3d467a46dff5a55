// How Linux spells what it tells of a network port.
#pragma once

#include <cstdint>
#include <string_view>

namespace linerate::topo {

// Mb/s of "400 Gb/sec (4X NDR)"; 0 of other texts.
double rate_mbps(std::string_view rate);

// "0c42:a103:00ab:12cd" as one number; 0 of other texts.
std::uint64_t guid_of(std::string_view text);

}  // namespace linerate::topo
