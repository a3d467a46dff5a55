// The size of copies that the memory at all ends holds.
#pragma once

#include "bench/memcpy/copy_plan.h"

#include <cstddef>
#include <functional>
#include <span>
#include <string>

namespace linerate {

// A size of copies that the memory holds, and where there is least of it.
struct CopyFit {
  std::size_t bytes = 0;       // of each buffer; 0: no buffer fits
  int bound_by = kHostEnd;     // the end with the least room, where `bytes` is not what was wanted
  std::size_t buffers = 0;     // there
  std::size_t free_bytes = 0;  // there
};

// The largest multiple of kCopyGrain, at most `wanted`, with which the buffers of every measurement
// fit into 90 % of what free_bytes(end) yields on GPUs, and half of it on the host: what is
// page-locked there cannot be swapped, and the system kills programs where memory runs out.
CopyFit fitting_bytes(std::span<const CopyPlan> plans, std::size_t wanted,
                      const std::function<std::size_t(int)>& free_bytes);

// What became of `wanted`: "-b 512 MiB does not fit: the host has …". REQUIRES: fit.bytes < wanted.
std::string fit_text(const CopyFit& fit, std::size_t wanted);

}  // namespace linerate
