// NCCL's interface to tuner plugins, versions 2 to 5, as its binaries lay it out.
//
// Facts from NCCL's sources: src/include/plugin/tuner/tuner_v2.h … tuner_v5.h, nccl_common.h and
// src/plugin/tuner.cc of 2.30; src/include/nccl_tuner.h and src/enqueue.cc of 2.21. NCCL takes the
// newest version that the plugin exports and it knows itself:
//
//   NCCL         2.21   2.22, 2.23   2.24 … 2.27   2.28 and newer (2.30 would rather have 6)
//   version      2      3            4             5
//
// An error that a function yields fails the communicator or the call, whatever NCCL's own comments
// say. Neither NCCL's header nor CUDA is needed here: enums are ints.
#pragma once

#include <cstddef>
#include <cstdint>

namespace linerate::nccl::tuner {

inline constexpr int kSuccess = 0;  // of ncclResult_t

// Levels and subsystems of the log.
inline constexpr int kWarn = 2, kInfo = 3;
inline constexpr unsigned long kInitAndTuning = 0x1 | 0x40;

using LogFunction = void (*)(int level, unsigned long flags, const char* file, int line,
                             const char* format, ...);

// Called for each communicator; yields its context.
using InitV2 = int (*)(std::size_t nranks, std::size_t nnodes, LogFunction log, void** context);
// `nvl_domains` and `constants` are NCCL's structs, which nobody here reads.
using InitV5 = int (*)(void** context, std::uint64_t comm_id, std::size_t nranks,
                       std::size_t nnodes, LogFunction log, void* nvl_domains, void* constants);

// Called for each collective. `bytes`: of the larger of both buffers. In version 2 -1 in
// `algorithm` and `protocol`, and 0 in `channels`, leave the choice to NCCL; others are taken as
// they are.
using ChooseV2 = int (*)(void* context, int function, std::size_t bytes, int collnet, int nvls,
                         int operations, int* algorithm, int* protocol, int* channels);
// From version 3 on NCCL takes the cheapest cell of `costs`, which is
// float[nalgorithms][nprotocols] in spite of its type; a cell below 0 is not available. A 0 wins.
using ChooseV3 = int (*)(void* context, int function, std::size_t bytes, int operations,
                         float** costs, int nalgorithms, int nprotocols, int* channels);
using ChooseV4 = int (*)(void* context, int function, std::size_t bytes, int operations,
                         float** costs, int nalgorithms, int nprotocols, int registered,
                         int* channels);

// What a plugin exports as ncclTunerPlugin_v2 … ncclTunerPlugin_v5.
template <typename Init, typename Choose>
struct EntryPoints {
  const char* name;
  Init init;
  Choose choose;
  int (*finalize)(void* context);
};
using EntryPointsV2 = EntryPoints<InitV2, ChooseV2>;
using EntryPointsV3 = EntryPoints<InitV2, ChooseV3>;
using EntryPointsV4 = EntryPoints<InitV2, ChooseV4>;
using EntryPointsV5 = EntryPoints<InitV5, ChooseV4>;

static_assert(sizeof(EntryPointsV5) == 32 && offsetof(EntryPointsV5, finalize) == 24);

}  // namespace linerate::nccl::tuner
