// What joins GPUs and processors beside the PCI tree, in words.
#pragma once

#include "topo/show/facts.h"

#include <string>
#include <vector>

namespace linerate::topo {

// "2 NUMA nodes, 8 GPUs, 8 NIC ports", with the hosts where there are several.
std::string summary_text(const Facts& facts);

// "18 NVLinks to 4 NVSwitches, 371 GB/s"; "4 NVLinks each to GPU1-GPU3, 80 GB/s each"; "17 of 18
// NVLinks" where some are down; empty: the GPU has none.
std::string nvlinks_text(const Facts& facts, int gpu);
bool lacks_nvlinks(const Gpu& gpu);  // fewer are active than the model has

std::string c2c_text(const Gpu& gpu);  // "C2C to its CPU, 224 GB/s"; empty: it has none

// Of the node that stands for all NVSwitches: "4 NVSwitches", and "18 NVLinks, 371 GB/s from each
// of GPU0-GPU7". REQUIRES: the graph has one.
std::string nvswitch_label(const Facts& facts);
std::string nvswitch_text(const Facts& facts);

// Of one host: "CPU0-CPU3 each to each, 16 GB/s", or every pair where they differ.
std::vector<std::string> processor_link_texts(const Facts& facts, int host);

}  // namespace linerate::topo
