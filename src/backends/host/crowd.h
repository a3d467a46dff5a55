// Whether the ranks of a job have a core each.
#pragma once

#include <bitset>
#include <span>

namespace linerate::host {

// Cores that a thread may run on, by number.
using CoreSet = std::bitset<1024>;

// Of the calling thread. All cores where the machine has more than the set can hold.
CoreSet usable_cores();

// True when the ranks, or those of one process, outnumber the cores that they may use between them.
// `cores` and `processes` hold one entry for each rank.
bool crowded(std::span<const CoreSet> cores, std::span<const int> processes);

}  // namespace linerate::host
