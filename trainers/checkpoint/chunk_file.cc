#include "trainers/checkpoint/chunk_file.h"

#include "base/error.h"

#include <fmt/format.h>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include <algorithm>
#include <cassert>
#include <cerrno>
#include <cstring>
#include <utility>

namespace linerate::trainers {
namespace {

std::uint32_t crc_of(ConstView bytes) {
  const auto* data = reinterpret_cast<const Bytef*>(bytes.data());
  return static_cast<std::uint32_t>(::crc32_z(0, data, bytes.size()));
}

void write_whole(const FileDescriptor& file, ConstView bytes, const std::string& path) {
  while (!bytes.empty()) {
    const auto written = ::write(file.get(), bytes.data(), bytes.size());
    if (written < 0 && errno != EINTR) throw SystemError(errno, fmt::format("write to {}", path));
    if (written > 0) bytes = bytes.subspan(static_cast<std::size_t>(written));
  }
}

// What comes behind `done` elements of a part: a box is cut between rows.
TensorSlice next_of(const SavedPart& part, std::size_t done) {
  auto what = part.what;
  const auto run = std::max<std::size_t>(what.run, 1), most = kMaxChunkElements / run * run;
  assert(most > 0);
  what.index += what.run == 0 ? done : done / run * part.columns;
  what.count = std::min(what.count - done, most);
  return what;
}

[[noreturn]] void refuse(const std::filesystem::path& path, const std::string& why) {
  throw Error(fmt::format("'{}' is damaged: {}", path.string(), why), ExitCode::usage);
}

TensorBox common_box(const TensorBox& a, const TensorBox& b) {
  const auto row = std::max(a.row, b.row), column = std::max(a.column, b.column);
  const auto end = std::min(a.row + a.rows, b.row + b.rows);
  const auto right = std::min(a.column + a.columns, b.column + b.columns);
  if (row >= end || column >= right) return {};
  return {row, column, end - row, right - column};
}

}  // namespace

std::string chunk_file_name(std::size_t rank) { return fmt::format("rank-{:05}.bin", rank); }

std::vector<Chunk> write_chunks(const std::filesystem::path& folder, std::size_t rank,
                                std::span<const SavedPart> parts) {
  const auto path = (folder / chunk_file_name(rank)).string();
  const FileDescriptor file(
      check_system(::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666),
                   fmt::format("open {}", path)));
  std::vector<Chunk> chunks;
  std::size_t offset = 0;
  for (const auto& part : parts)
    for (std::size_t done = 0; done < part.what.count;) {
      Chunk chunk{.what = part.what, .type = part.type, .file = rank, .offset = offset};
      chunk.what = next_of(part, done);
      const auto bytes = part.bytes.subspan(done * bytes_of(part.type), chunk.bytes());
      chunk.crc = crc_of(bytes);
      write_whole(file, bytes, path);
      offset += bytes.size();
      done += chunk.what.count;
      chunks.push_back(chunk);
    }
  check_system(::fsync(file.get()), fmt::format("fsync {}", path));
  return chunks;
}

ChunkReader::ChunkReader(std::filesystem::path folder, const Manifest& manifest)
    : folder_(std::move(folder)), manifest_(manifest) {}

void ChunkReader::read(const TensorSlice& what, DataType type, View into) {
  const auto element = bytes_of(type);
  assert(into.size() == what.count * element);
  const auto columns = manifest_.tensors[what.tensor].columns();
  const auto of_tensor = std::ranges::equal_range(
      manifest_.chunks, std::pair(what.tensor, what.kind), {},
      [](const Chunk& c) { return std::pair(c.what.tensor, c.what.kind); });
  for (const auto& chunk : of_tensor)
    for (const auto& theirs : boxes_of(chunk.what, columns))
      for (const auto& own : boxes_of(what, columns)) {
        const auto box = common_box(theirs, own);
        if (box.rows == 0 || box.columns == 0) continue;
        if (chunk.type != type)
          refuse(folder_, fmt::format("it has {} where this run keeps {}.", name_of(chunk.type),
                                      name_of(type)));
        load(chunk);
        for (auto row = box.row; row < box.row + box.rows; ++row)
          std::memcpy(into.data() + what.at(row, box.column, columns) * element,
                      buffer_.data() + chunk.what.at(row, box.column, columns) * element,
                      box.columns * element);
      }
}

// Nothing but a regular file of that folder itself, of the size that the manifest says.
const FileDescriptor& ChunkReader::file(std::size_t index) {
  auto& file = files_[index];
  if (file) return file;
  const auto path = folder_ / chunk_file_name(index);
  file = FileDescriptor(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK));
  if (!file) refuse(path, fmt::format("{}.", std::strerror(errno)));
  struct stat status {};
  if (::fstat(file.get(), &status) != 0 || !S_ISREG(status.st_mode)) refuse(path, "it is no file.");
  const auto bytes = static_cast<std::uint64_t>(status.st_size);
  if (bytes != manifest_.file_bytes[index])
    refuse(path, fmt::format("it has {} bytes, and its manifest says {}.", bytes,
                             manifest_.file_bytes[index]));
  return file;
}

void ChunkReader::load(const Chunk& chunk) {
  if (loaded_ == &chunk) return;
  loaded_ = nullptr;
  buffer_.resize(chunk.bytes());
  const auto& from = file(chunk.file);
  const auto path = folder_ / chunk_file_name(chunk.file);
  for (std::size_t done = 0; done < buffer_.size();) {
    const auto got = ::pread(from.get(), buffer_.data() + done, buffer_.size() - done,
                             static_cast<off_t>(chunk.offset + done));
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) refuse(path, got < 0 ? fmt::format("{}.", std::strerror(errno)) : "it is short.");
    done += static_cast<std::size_t>(got);
  }
  bytes_read_ += buffer_.size();
  if (crc_of(buffer_) != chunk.crc)
    refuse(path, fmt::format("the CRC-32 of {} bytes from {} on is another than its manifest says.",
                             chunk.bytes(), chunk.offset));
  loaded_ = &chunk;
}

}  // namespace linerate::trainers
