// The tests of memcpy_perf: one row for a kind of copy, by copy engine and by kernel.
#pragma once

#include "base/result.h"
#include "comm/copy_bench.h"

#include <array>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace linerate {

// Between which memories, and how many streams at once.
enum class CopyEnds : std::uint8_t {
  host,      // the host and one GPU, each GPU alone
  all_host,  // the host and all GPUs at once
  local,     // within a GPU, each alone
  pair,      // two GPUs, each pair alone
  into_one,  // from all other GPUs into one, for each GPU
  from_one,  // from one GPU into all others, for each GPU
  thread,    // within the host's memory, one thread
  threads,   // the same with a thread for each core
};

// Which way the data goes: `down` is from the host to GPUs, and between GPUs from row to column.
enum class CopyWay : std::uint8_t { down, up, both };

// Who copies between two GPUs: the one that has the target reads, the one with the source writes.
enum class CopyAccess : std::uint8_t { own, read, write };

struct CopyKind {
  std::string_view name{};
  // The names of nvbandwidth 0.8 for the same, without _ce and _sm; may be empty.
  std::array<std::string_view, 2> aliases{};
  std::string_view summary{};  // what a cell is; heads the matrix
  CopyEnds ends = CopyEnds::host;
  CopyWay way = CopyWay::down;
  CopyAccess access = CopyAccess::own;

  bool needs_gpu() const { return ends != CopyEnds::thread && ends != CopyEnds::threads; }
  // Within one memory, where each byte copied is two bytes of its traffic.
  bool in_one_memory() const { return ends == CopyEnds::local || !needs_gpu(); }
};

// A kind by one engine.
struct CopyTest {
  std::string name{};  // "h2d_ce"
  std::vector<std::string> aliases{};
  const CopyKind* kind = nullptr;
  CopyEngine engine = CopyEngine::ce;
};

std::span<const CopyTest> all_copy_tests();

std::string_view name_of(CopyEngine engine);  // "ce", "sm", "cpu"

// What a cell of its matrix is: "host to GPU, by copy engine".
std::string summary_of(const CopyTest& test);

// The tests of a list with commas, in the table's order: each word is a name, one of nvbandwidth's,
// the beginning of either up to a `_` (h2d, d2d_read), or all. `gpus`: those that need GPUs, else
// those that need none. The sentence of a failure has the choices and the nearest match, or why a
// test of nvbandwidth's has none here.
Result<std::vector<const CopyTest*>> find_copy_tests(std::string_view list, bool gpus);

}  // namespace linerate
