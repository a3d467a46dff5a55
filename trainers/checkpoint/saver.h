// Saves beside the training: ranks write at once, each on a thread of its own, from a copy of their
// state; when all have written, rank 0 completes the checkpoint.
#pragma once

#include "comm/bootstrap.h"
#include "trainers/checkpoint/chunk_file.h"
#include "trainers/checkpoint/manifest.h"
#include "trainers/checkpoint/step_folder.h"
#include "trainers/memory/arena.h"

#include <cstdint>
#include <functional>
#include <future>
#include <optional>
#include <string>
#include <vector>

namespace linerate::trainers {

// What a rank writes of a step: a copy, so that training goes on.
struct Snapshot {
  Manifest manifest{};  // without files and chunks; the same on all ranks
  Block memory{};       // of the parts
  std::vector<SavedPart> parts{};
};

struct SaverOptions {
  std::string folder{};
  std::int64_t keep = 0;  // newest checkpoints; 0: all
  std::int64_t step = 0;  // that the run goes on from
};

// Used by the rank's thread. Collective: all ranks make the same calls. They throw what a rank
// could not write.
class Saver {
 public:
  // Throws Error, exit code 2, where the folder must not be written to. `bootstrap` outlives it,
  // and so does the arena of the snapshots.
  Saver(Bootstrap& bootstrap, const SaverOptions& options);

  // Waits for the save under way, if any; then takes the snapshot, so that there is one copy at a
  // time, and begins to write it.
  void save(const std::function<Snapshot()>& take);
  // Between steps: goes on with the save under way, and does not wait for any file.
  void poll();
  // Waits until the save under way is complete.
  void finish();

 private:
  void collect();

  Bootstrap& bootstrap_;
  const SaverOptions options_;
  std::optional<CheckpointFolder> folder_;  // rank 0 has it
  // Threads come last, so that they end before what they work on does.
  Snapshot snapshot_;
  std::future<std::vector<Chunk>> written_;  // valid on all ranks, or on none
  Manifest complete_;
  std::future<void> committed_;  // of rank 0
};

}  // namespace linerate::trainers
