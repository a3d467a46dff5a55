// NCCL's side of profiler plugins, for the fake: finds the plugin as NCCL does, and tells it of
// calls as the NCCL of that version would.
#pragma once

#include "support/gpu/fake_world.h"

#include <cstddef>

namespace linerate::nccl::fake {

// What the fake pretends that it chose.
struct Choice {
  const char* algorithm;
  const char* protocol;
  int channels;
};
Choice choice_for(std::size_t bytes);
int message_channels(std::size_t bytes);

// The version of the library from now on; it decides which of the plugin's entry points are taken.
void set_library_version(int version);
int library_version();

// A communicator begins: the first one loads the plugin that NCCL_PROFILER_PLUGIN names.
void profile_begin(const Member& member);
// The call is launched: told to the plugin if it has asked for events.
void profile(const Member& member, const Call& call);
// A communicator ends; with the last one the plugin is forgotten.
void profile_end(const Member& member);

// How many events any plugin was told of since the process began.
int events_told();

}  // namespace linerate::nccl::fake
