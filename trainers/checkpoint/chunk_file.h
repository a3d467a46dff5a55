// The files of a checkpoint: a rank writes one, and reads from all.
#pragma once

#include "base/handle.h"
#include "comm/buffer.h"
#include "trainers/checkpoint/manifest.h"

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <span>
#include <string>
#include <vector>

namespace linerate::trainers {

// "rank-00003.bin".
std::string chunk_file_name(std::size_t rank);

// State in the host's memory, which stays while it is written.
struct SavedPart {
  TensorSlice what{};
  DataType type = DataType::float32;
  ConstView bytes{};
  std::size_t columns = 0;  // of the whole tensor, for a box
};

// Writes the file that `rank` has in `folder`, to the disk itself: what it yields is safe. Throws
// SystemError.
std::vector<Chunk> write_chunks(const std::filesystem::path& folder, std::size_t rank,
                                std::span<const SavedPart> parts);

// Used by one thread.
class ChunkReader {
 public:
  // The manifest outlives it.
  ChunkReader(std::filesystem::path folder, const Manifest& manifest);

  // `into` is as large as the slice, or box. Reads each chunk that intersects it, and none twice in
  // a row. Throws Error, exit code 2, where a file is not as the manifest says or a chunk's CRC is
  // wrong. REQUIRES: the slice is within its tensor.
  void read(const TensorSlice& what, DataType type, View into);

  std::uint64_t bytes_read() const { return bytes_read_; }

 private:
  const FileDescriptor& file(std::size_t index);
  void load(const Chunk& chunk);

  const std::filesystem::path folder_;
  const Manifest& manifest_;
  std::map<std::size_t, FileDescriptor> files_;
  std::vector<std::byte> buffer_;  // of loaded_
  const Chunk* loaded_ = nullptr;
  std::uint64_t bytes_read_ = 0;
};

}  // namespace linerate::trainers
