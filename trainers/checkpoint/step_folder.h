// The folder of a run's checkpoints: one appears in it complete or not at all.
#pragma once

#include "base/handle.h"
#include "base/result.h"
#include "trainers/checkpoint/manifest.h"

#include <cstdint>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

namespace linerate::trainers {

// DIR/step-000100, and its name while it is written or removed.
std::filesystem::path step_folder(const std::filesystem::path& dir, std::int64_t step);
std::filesystem::path partial_folder(const std::filesystem::path& dir, std::int64_t step);

// Steps of the complete checkpoints, ascending. None where there is no such folder.
std::vector<std::int64_t> steps_in(const std::filesystem::path& dir);

struct Checkpoint {
  std::filesystem::path folder{};
  Manifest manifest{};
};

// The sentence says what is wrong with the manifest, or which file is missing or of another size.
Result<Checkpoint> open_checkpoint(const std::filesystem::path& folder);

// Rank 0's hold on the folder. Not for several threads at once.
class CheckpointFolder {
 public:
  // Makes the folder where there is none, and removes what a killed run left incomplete. The
  // sentence says why it cannot be written to, that another run does, or that it holds steps behind
  // `step`, from which this run goes on: --resume auto would take them for this run's.
  static Result<CheckpointFolder> open(const std::string& path, std::int64_t step);

  // An empty partial_folder(). Throws Error.
  void begin(std::int64_t step);
  // Once all files of the manifest are on disk in the partial folder: the checkpoint is complete on
  // return. Then removes the oldest ones but for `keep`; 0 removes none. Throws Error.
  void commit(Manifest& manifest, std::int64_t keep);

 private:
  CheckpointFolder(std::filesystem::path path, FileDescriptor fd)
      : path_(std::move(path)), fd_(std::move(fd)) {}
  void remove(std::int64_t step);

  std::filesystem::path path_;
  FileDescriptor fd_;  // of the folder, locked
};

}  // namespace linerate::trainers
