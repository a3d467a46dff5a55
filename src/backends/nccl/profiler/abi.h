// NCCL's interface to profiler plugins, versions 2 to 5, as its binaries lay it out.
//
// Facts from NCCL's sources: src/include/plugin/profiler/profiler_v2.h … profiler_v5.h and
// src/plugin/profiler.cc of 2.28.9; src/include/nccl_profiler.h and src/misc/profiler.cc of 2.24.3.
// NCCL takes the newest version that the plugin exports and it knows itself:
//
//   NCCL         2.24, 2.25   2.26   2.27   2.28 and newer (2.29 would rather have 6)
//   version      2            3      4      5
//
// 2.23 knows version 1 only, which has numbers instead of names. A plugin sets the mask of the
// events it wants through the pointer that it was given, at any time; NCCL reads it for each call.
#pragma once

#include <nccl.h>

#include <cstddef>
#include <cstdint>

namespace linerate::nccl::profiler {

// Bits of the mask, and types of events. Others exist: proxy, network, kernel, calls of the API.
inline constexpr int kGroup = 1 << 0;  // sent with either of the next two
inline constexpr int kCollective = 1 << 1;
inline constexpr int kMessage = 1 << 2;  // one send or receive

// What became of a collective. Texts live as long as NCCL. Before version 4 there is only an upper
// bound of the channels; from then on it is what the call got, or 0 (CollNet, NVLS between hosts).
struct CollectiveV2 {
  const char* comm_name;
  std::uint64_t comm_hash;
  std::uint64_t sequence;
  const char* function;
  const void* send;
  void* recv;
  std::size_t count;
  int root;
  const char* data_type;
  std::size_t traffic_bytes;
  std::uint8_t most_channels;
  std::uint8_t warps;
  const char* algorithm;
  const char* protocol;
};

struct CollectiveV3 {
  const char* comm_name;
  std::uint64_t comm_hash;
  std::uint64_t sequence;
  const char* function;
  const void* send;
  void* recv;
  std::size_t count;
  int root;
  const char* data_type;
  std::uint8_t most_channels;
  std::uint8_t warps;
  const char* algorithm;
  const char* protocol;
};

struct CollectiveV4 {
  std::uint64_t sequence;
  const char* function;
  const void* send;
  void* recv;
  std::size_t count;
  int root;
  const char* data_type;
  std::uint8_t channels;
  std::uint8_t warps;
  const char* algorithm;
  const char* protocol;
};

struct MessageV2 {
  const char* comm_name;
  std::uint64_t comm_hash;
  const char* function;
  void* buffer;
  const char* data_type;
  std::size_t count;
  int peer;
};
using MessageV3 = MessageV2;

struct MessageV4 {
  const char* function;
  void* buffer;
  const char* data_type;
  std::size_t count;
  int peer;
  std::uint8_t channels;
};

// `rank` is the caller's in its communicator. The union has more members, and those of version 5
// end with the handle of their group: nobody here reads either.
template <typename TypeBits, typename Collective, typename Message>
struct Event {
  TypeBits type = 0;
  void* parent = nullptr;
  int rank = 0;
  union {
    Collective collective{};
    Message message;
  };
};
using EventV2 = Event<std::uint8_t, CollectiveV2, MessageV2>;
using EventV3 = Event<std::uint8_t, CollectiveV3, MessageV3>;
using EventV4 = Event<std::uint8_t, CollectiveV4, MessageV4>;
using EventV5 = Event<std::uint64_t, CollectiveV4, MessageV4>;

static_assert(sizeof(EventV2) == 128 && offsetof(EventV2, collective.algorithm) == 112);
static_assert(offsetof(EventV2, collective.send) == 56 && offsetof(EventV2, message.buffer) == 48);
static_assert(sizeof(EventV3) == 120 && offsetof(EventV3, collective.algorithm) == 104);
static_assert(offsetof(EventV3, collective.send) == 56 && offsetof(EventV3, message.buffer) == 48);
static_assert(sizeof(EventV4) == 104 && offsetof(EventV4, collective.channels) == 80);
static_assert(offsetof(EventV4, collective.send) == 40 && offsetof(EventV4, message.buffer) == 32);
static_assert(offsetof(EventV4, message.channels) == 60 && offsetof(EventV4, rank) == 16);
static_assert(offsetof(EventV5, rank) == 16 && offsetof(EventV5, collective.protocol) == 96);
static_assert(offsetof(EventV5, message.buffer) == 32 && offsetof(EventV5, message.channels) == 60);

using LogFunction = void (*)(int level, unsigned long flags, const char* file, int line,
                             const char* format, ...);
// Called for each communicator; yields its context.
using InitV2 = ncclResult_t (*)(void** context, int* mask);
using InitV4 = ncclResult_t (*)(void** context, int* mask, const char* comm_name,
                                std::uint64_t comm_hash, int nnodes, int nranks, int rank,
                                LogFunction log);
using InitV5 = ncclResult_t (*)(void** context, std::uint64_t comm_id, int* mask,
                                const char* comm_name, int nnodes, int nranks, int rank,
                                LogFunction log);

// What a plugin exports as ncclProfiler_v2 … ncclProfiler_v5. A null handle of an event means that
// nobody waits for its end; but below 2.28 a group without one has no further events.
template <typename Init, typename EventVn>
struct EntryPoints {
  const char* name;
  Init init;
  ncclResult_t (*start_event)(void* context, void** handle, EventVn* event);
  ncclResult_t (*stop_event)(void* handle);
  ncclResult_t (*record_event_state)(void* handle, int state, void* arguments);
  ncclResult_t (*finalize)(void* context);
};
using EntryPointsV2 = EntryPoints<InitV2, EventV2>;
using EntryPointsV3 = EntryPoints<InitV2, EventV3>;
using EntryPointsV4 = EntryPoints<InitV4, EventV4>;
using EntryPointsV5 = EntryPoints<InitV5, EventV5>;

static_assert(sizeof(EntryPointsV5) == 48 && offsetof(EntryPointsV5, finalize) == 40);

}  // namespace linerate::nccl::profiler
