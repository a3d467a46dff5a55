#include "trainers/checkpoint/saver.h"

#include "base/error.h"
#include "base/wire.h"

#include <algorithm>
#include <chrono>
#include <functional>
#include <utility>

namespace linerate::trainers {
namespace {

template <typename T>
bool is_ready(const std::future<T>& future) {
  return future.wait_for(std::chrono::seconds(0)) == std::future_status::ready;
}

}  // namespace

Saver::Saver(Bootstrap& bootstrap, const SaverOptions& options)
    : bootstrap_(bootstrap), options_(options) {
  if (bootstrap.rank() == 0) {
    auto folder = CheckpointFolder::open(options.folder, options.step);
    if (!folder) throw Error(folder.sentence(), ExitCode::usage);
    folder_ = *std::move(folder);
  }
  bootstrap.barrier(Deadline::never());
}

void Saver::save(const std::function<Snapshot()>& take) {
  finish();
  snapshot_ = take();
  if (folder_) folder_->begin(snapshot_.manifest.step);
  bootstrap_.barrier(Deadline::never());
  written_ = std::async(std::launch::async, [this] {
    return write_chunks(partial_folder(options_.folder, snapshot_.manifest.step),
                        static_cast<std::size_t>(bootstrap_.rank()), snapshot_.parts);
  });
}

void Saver::poll() {
  if (committed_.valid() && is_ready(committed_)) committed_.get();
  if (!written_.valid()) return;
  const bool mine = is_ready(written_);
  const auto all = all_values(bootstrap_, mine, Deadline::never());
  if (std::ranges::all_of(all, std::identity())) collect();
}

void Saver::finish() {
  if (written_.valid()) collect();
  if (committed_.valid()) committed_.get();
}

// Rank 0 knows that a file is on disk when it knows the file's chunks.
void Saver::collect() {
  const auto mine = written_.get();
  complete_ = std::exchange(snapshot_, {}).manifest;
  const auto all = bootstrap_.gather(WireWriter().put(mine).bytes(), Deadline::never());
  if (!folder_) return;
  for (const auto& bytes : all) {
    const auto chunks = read_whole<std::vector<Chunk>>(bytes);
    std::uint64_t file_bytes = 0;
    for (const auto& chunk : chunks) file_bytes += chunk.bytes();
    complete_.file_bytes.push_back(file_bytes);
    complete_.chunks.insert(complete_.chunks.end(), chunks.begin(), chunks.end());
  }
  committed_ =
      std::async(std::launch::async, [this] { folder_->commit(complete_, options_.keep); });
}

}  // namespace linerate::trainers
