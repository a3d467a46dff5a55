// How Linux and NCCL spell processors and network ports.
#pragma once

#include "topo/system/system.h"

#include <cstdint>
#include <set>
#include <string>
#include <string_view>

namespace linerate::topo {

// How NCCL spells what it says of processors: sets of hardware threads, vendor, family and model.

// Hardware threads by number.
using ThreadSet = std::set<int>;

// "ff,00000000": hexadecimal words of 32 threads, the highest first, as sysfs' cpumap. Text of
// another form yields no threads.
ThreadSet threads_in_mask(std::string_view words);
// "0-15,32": as sysfs' cpulist.
ThreadSet threads_in_list(std::string_view list);
// Words of eight digits: "000000ff,00000000"; of no thread: empty.
std::string mask_text(const ThreadSet& threads);

// Who built the processor and which one it is, as far as /proc/cpuinfo tells: arch, vendor, family,
// model and name of a Cpu.
Cpu cpu_of_cpuinfo(std::string_view cpuinfo);

// NCCL adds the extended family as if it stood four bits higher (src/graph/xml.cc): family 25 of
// Linux, 0xf + 0xa, is 175 to it.
int nccl_family(int linux_family);

// How Linux spells what it tells of a network port.

// Mb/s of "400 Gb/sec (4X NDR)"; 0 of other texts.
double rate_mbps(std::string_view rate);

// "0c42:a103:00ab:12cd" as one number; 0 of other texts.
std::uint64_t guid_of(std::string_view text);

}  // namespace linerate::topo
