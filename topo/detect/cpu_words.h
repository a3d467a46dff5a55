// How NCCL spells what it says of processors: sets of hardware threads, vendor, family and model.
#pragma once

#include "topo/system/system.h"

#include <set>
#include <string>
#include <string_view>

namespace linerate::topo {

// Hardware threads by number.
using ThreadSet = std::set<int>;

// "ff,00000000": hexadecimal words of 32 threads, the highest first, as sysfs' cpumap. Text of
// another form yields no threads.
ThreadSet threads_in_words(std::string_view words);
// "0-15,32": as sysfs' cpulist.
ThreadSet threads_in_list(std::string_view list);
// Words of eight digits: "000000ff,00000000"; of no thread: empty.
std::string words_of(const ThreadSet& threads);

// Who built the processor and which one it is, as far as /proc/cpuinfo tells: arch, vendor, family,
// model and name of a Cpu.
Cpu cpu_of_cpuinfo(std::string_view cpuinfo);

// NCCL adds the extended family as if it stood four bits higher (src/graph/xml.cc): family 25 of
// Linux, 0xf + 0xa, is 175 to it.
int nccl_family(int linux_family);

}  // namespace linerate::topo
