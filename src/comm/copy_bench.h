// Plain copies between memories, timed where they run: what memcpy_perf measures.
#pragma once

#include "comm/content.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace linerate {

// Where memory lies, or who copies: a GPU by its number, or the host.
inline constexpr int kHostEnd = -1;

// A GPU's copy engine, a kernel on its multiprocessors, or a thread of the host.
enum class CopyEngine : std::uint8_t { ce, sm, cpu };

// Copies that follow each other, from one buffer to another.
struct CopyStream {
  int from = kHostEnd;
  int to = kHostEnd;
  int by = kHostEnd;
  CopyEngine engine = CopyEngine::ce;

  bool operator==(const CopyStream&) const = default;
};

// What the source of stream `index` holds: of no two streams alike, as max makes it of ranks.
inline Content copy_content(int index) {
  return {.type = DataType::uint64, .op = RedOp::max, .rank = index, .nranks = index + 1};
}

// What targets hold before the first copy: no source does.
inline constexpr Content kCopyPoison{.kind = Content::Kind::poison, .type = DataType::uint64};

// One measurement of all streams of a run.
struct CopyTiming {
  double interval_us = 0;           // from the first start to the last end
  std::vector<double> stream_us{};  // of each stream, from its start to its end
};

// Streams with buffers of their own. Used by one thread. Every call throws TimeoutError where a GPU
// does not answer within the job's limit: run and bench may then only be destroyed, which asks and
// frees nothing, and the process must end without exit handlers, because the libraries' own wait.
class CopyRun {
 public:
  virtual ~CopyRun() = default;

  // Stream s makes copies[s] copies of its whole buffer. All streams start together, behind a gate
  // that opens when everything is enqueued, so that enqueueing is not timed.
  // REQUIRES: one number for each stream, each at least 1.
  virtual CopyTiming measure(std::span<const std::uint64_t> copies) = 0;

  // Of each stream: what its target holds, compared with its source, as 64-bit elements.
  virtual std::vector<Comparison> verify() = 0;
};

// What prepares a run.
struct CopyJob {
  std::span<const CopyStream> streams;
  std::size_t bytes = 0;  // of each buffer: a multiple of kCopyGrain
  double limit_s = 0;     // longest wait for a GPU; 0: any
};

inline constexpr std::size_t kCopyGrain = 16;

// A GPU as results name it.
struct CopyGpu {
  std::string name{};
  std::string bus_id{};  // "0000:18:00"
};

// The memories of this process' machine and what copies between them. Used by one thread.
class CopyBench {
 public:
  virtual ~CopyBench() = default;

  virtual std::string version() const = 0;  // of the library underneath; empty: none
  virtual int gpus() const = 0;             // that this process may use
  virtual CopyGpu describe(int gpu) = 0;
  virtual std::size_t free_bytes(int gpu) = 0;
  // Whether each of the two GPUs can access the other's memory.
  virtual bool reach_each_other(int gpu, int peer) = 0;
  // Allocates the buffers; sources get content of their own, targets a pattern that no source has.
  // The bench outlives the run. Throws Error where memory is short, and as the run does.
  virtual std::unique_ptr<CopyRun> prepare(const CopyJob& job) = 0;
};

}  // namespace linerate
