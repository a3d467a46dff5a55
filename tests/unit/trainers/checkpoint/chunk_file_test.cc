// Chunks as ranks write them, and slices read across them, whole or damaged.
#include "trainers/checkpoint/chunk_file.h"

#include "base/error.h"
#include "unit/trainers/checkpoint/sample.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

namespace linerate::trainers {
namespace {

std::vector<float> read_floats(ChunkReader& reader, const TensorSlice& what) {
  std::vector<float> values(what.count);
  reader.read(what, DataType::float32, std::as_writable_bytes(std::span(values)));
  return values;
}

// A sorted manifest, as readers need it.
Manifest files_of(const TemporaryFolder& folder) {
  auto manifest = write_sample_files(folder.root());
  return *parse_manifest(manifest_text(manifest));
}

std::string damage(const TemporaryFolder& folder, const Manifest& manifest) {
  ChunkReader reader(folder.root(), manifest);
  try {
    (void)read_floats(reader, {.tensor = 0, .index = 5, .count = 5});
  } catch (const Error& error) {
    EXPECT_EQ(error.exit_code(), ExitCode::usage);
    return error.what();
  }
  return "read";
}

TEST(ChunkReader, ReadsAnySliceOfWhatAnyRanksWrote) {
  const TemporaryFolder folder;
  const auto manifest = files_of(folder);
  ChunkReader reader(folder.root(), manifest);
  for (std::size_t tensor = 0; tensor < 2; ++tensor)
    for (const auto kind : kStateKinds)
      for (std::size_t index = 0; index < manifest.tensors[tensor].count(); ++index)
        for (std::size_t end = index + 1; end <= manifest.tensors[tensor].count(); ++end) {
          const TensorSlice what{
              .tensor = tensor, .kind = kind, .index = index, .count = end - index};
          EXPECT_EQ(read_floats(reader, what), sample_values(what));
        }
}

// What one rank wrote of all columns but the last, another one of that.
TEST(ChunkReader, ReadsAnySliceAndBoxOfBoxes) {
  const TemporaryFolder folder;
  auto manifest = sample_manifest();
  manifest.tensors.pop_back();
  const auto box = [](std::size_t row, std::size_t column, std::size_t rows, std::size_t columns) {
    return TensorSlice{.index = row * 3 + column, .count = rows * columns, .run = columns};
  };
  const auto values_of = [](const TensorSlice& what) {
    std::vector<float> values;
    for (const auto& of : boxes_of(what, 3))
      for (auto row = of.row; row < of.row + of.rows; ++row)
        for (auto column = of.column; column < of.column + of.columns; ++column)
          values.push_back(sample_value(0, what.kind, row * 3 + column));
    return values;
  };
  for (std::size_t rank = 0; rank < 2; ++rank) {
    std::vector<std::vector<float>> values;
    std::vector<SavedPart> parts;
    for (const auto kind : kStateKinds) {
      auto what = rank == 0 ? box(0, 0, 5, 2) : box(0, 2, 5, 1);
      what.kind = kind;
      values.push_back(values_of(what));
      parts.push_back({.what = what, .columns = 3});
    }
    for (std::size_t i = 0; i < parts.size(); ++i)
      parts[i].bytes = std::as_bytes(std::span(values[i]));
    const auto chunks = write_chunks(folder.root(), rank, parts);
    manifest.chunks.insert(manifest.chunks.end(), chunks.begin(), chunks.end());
    manifest.file_bytes.push_back(std::filesystem::file_size(folder.path(chunk_file_name(rank))));
  }
  const auto read = parse_manifest(manifest_text(manifest));
  ASSERT_TRUE(read.ok()) << read.sentence();
  ChunkReader reader(folder.root(), *read);
  for (std::size_t index = 0; index < 15; ++index)
    for (std::size_t end = index + 1; end <= 15; ++end) {
      const TensorSlice what{.kind = StateKind::m, .index = index, .count = end - index};
      EXPECT_EQ(read_floats(reader, what), sample_values(what));
    }
  for (std::size_t row = 0; row < 5; ++row)
    for (std::size_t column = 0; column < 3; ++column)
      for (std::size_t rows = 1; row + rows <= 5; ++rows)
        for (std::size_t columns = 1; column + columns <= 3; ++columns) {
          const auto what = box(row, column, rows, columns);
          EXPECT_EQ(read_floats(reader, what), values_of(what));
        }
}

TEST(ChunkReader, ReadsOnlyWhatIntersects) {
  const TemporaryFolder folder;
  const auto manifest = files_of(folder);
  ChunkReader reader(folder.root(), manifest);

  (void)read_floats(reader, {.tensor = 0, .index = 7, .count = 1});
  EXPECT_EQ(reader.bytes_read(), 8 * sizeof(float));
  (void)read_floats(reader, {.tensor = 0, .index = 8, .count = 7});
  EXPECT_EQ(reader.bytes_read(), 8 * sizeof(float));  // the same chunk
  (void)read_floats(reader, {.tensor = 0, .index = 6, .count = 2});
  EXPECT_EQ(reader.bytes_read(), (8 + 7 + 8) * sizeof(float));
}

TEST(WriteChunks, CutsWhatIsLargerThanAReaderHolds) {
  const TemporaryFolder folder;
  const TensorSlice what{.index = 3, .count = kMaxChunkElements + 5};
  const auto values = sample_values(what);

  const auto chunks = write_chunks(
      folder.root(), 2,
      std::vector<SavedPart>{{.what = what, .bytes = std::as_bytes(std::span(values))}});

  ASSERT_EQ(chunks.size(), 2u);
  EXPECT_EQ(chunks[0].what.count, kMaxChunkElements);
  EXPECT_EQ(chunks[1].what.index, 3 + kMaxChunkElements);
  EXPECT_EQ(chunks[1].what.count, 5u);
  EXPECT_EQ(chunks[1].offset, kMaxChunkElements * sizeof(float));
  EXPECT_EQ(std::filesystem::file_size(folder.root() / "rank-00002.bin"),
            what.count * sizeof(float));
}

TEST(WriteChunks, CutsABoxBetweenRows) {
  const TemporaryFolder folder;
  constexpr std::size_t kColumns = 3000, kRun = 1000, kRows = 1500;
  const std::vector<float> values(kRun * kRows);

  const auto chunks =
      write_chunks(folder.root(), 0,
                   std::vector<SavedPart>{{.what = {.index = 5, .count = kRun * kRows, .run = kRun},
                                           .bytes = std::as_bytes(std::span(values)),
                                           .columns = kColumns}});

  ASSERT_EQ(chunks.size(), 2u);
  EXPECT_EQ(chunks[0].what.count, 1048 * kRun);
  EXPECT_EQ(chunks[1].what.index, 5 + 1048 * kColumns);
  EXPECT_EQ(chunks[1].what.count, (kRows - 1048) * kRun);
  EXPECT_EQ(chunks[1].what.run, kRun);
}

// As Python's zlib.crc32 gives it, of two floats' bytes.
TEST(WriteChunks, WritesTheCrcThatEverybodyComputes) {
  const TemporaryFolder folder;
  const std::string text = "12345678";
  const auto chunks = write_chunks(
      folder.root(), 0,
      std::vector<SavedPart>{{.what = {.count = 2}, .bytes = std::as_bytes(std::span(text))}});
  EXPECT_EQ(chunks[0].crc, 0x9ae0daafu);
}

TEST(ChunkReader, RefusesABitThatWasTurned) {
  const TemporaryFolder folder;
  const auto manifest = files_of(folder);
  for (const std::size_t at : {0u, 27u}) {
    auto bytes = folder.read("rank-00000.bin");
    bytes[at] = static_cast<char>(bytes[at] ^ 0x10);
    std::ofstream(folder.path("rank-00000.bin")) << bytes;
    EXPECT_EQ(damage(folder, manifest),
              "'" + folder.path("rank-00000.bin") +
                  "' is damaged: the CRC-32 of 28 bytes from 0 on is another than its manifest "
                  "says.");
    bytes[at] = static_cast<char>(bytes[at] ^ 0x10);
    std::ofstream(folder.path("rank-00000.bin")) << bytes;
    EXPECT_EQ(damage(folder, manifest), "read");
  }
}

TEST(ChunkReader, RefusesAFileOfAnotherSizeALinkAndNoFile) {
  const TemporaryFolder folder, elsewhere;
  const auto manifest = files_of(folder);
  const auto path = folder.path("rank-00001.bin");
  std::filesystem::rename(path, elsewhere.path("rank-00001.bin"));
  EXPECT_EQ(damage(folder, manifest), "'" + path + "' is damaged: No such file or directory.");
  std::filesystem::create_symlink(elsewhere.path("rank-00001.bin"), path);
  EXPECT_EQ(damage(folder, manifest),
            "'" + path + "' is damaged: Too many levels of symbolic links.");
  std::filesystem::remove(path);
  std::filesystem::create_directory(path);
  EXPECT_EQ(damage(folder, manifest), "'" + path + "' is damaged: it is no file.");
  std::filesystem::remove(path);
  std::ofstream(path) << std::string(143, 'x');
  EXPECT_EQ(damage(folder, manifest),
            "'" + path + "' is damaged: it has 143 bytes, and its manifest says 144.");
}

TEST(ChunkReader, RefusesAnotherType) {
  const TemporaryFolder folder;
  const auto manifest = files_of(folder);
  ChunkReader reader(folder.root(), manifest);
  std::vector<double> values(4);
  EXPECT_THROW(reader.read({.tensor = 1, .count = 4}, DataType::float64,
                           std::as_writable_bytes(std::span(values))),
               Error);
}

}  // namespace
}  // namespace linerate::trainers
