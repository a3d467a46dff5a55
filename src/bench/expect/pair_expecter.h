// What the memory of this host lets pairs of its ranks reach, asked right before and right after.
#pragma once

#include "bench/expect/memory_run.h"
#include "bench/expect/pair_bound.h"
#include "bench/session.h"

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <vector>

namespace linerate {

class PairExpecter {
 public:
  struct Run {
    const BenchConfig& config;  // with what became of -e
    MemoryRun memory{};
  };

  // Measures all ranks at once and some of them alone, for 0.2 s at most where nothing else
  // keeps the cores; the ranks' buffers are overwritten. Null where messages do not go through one
  // host's memory, or are too small to tell of it. Collective over all threads.
  static std::unique_ptr<PairExpecter> measure(Session& session, const Run& run);

  // Of each pair of a round, on rank 0.
  std::vector<std::optional<Expectation>> of(std::span<const PairRun> round) const;

  // Those of all ranks and those of one.
  std::vector<MemoryPoint> points() const;
  // The same once more, later. Collective over all threads.
  std::vector<MemoryPoint> measure_again(Session& session) const;

 private:
  struct Sizes {
    std::vector<std::size_t> all, lone;  // in ascending order
  };
  static Sizes sizes_of(const BenchConfig& config, int nranks, std::size_t cache_bytes);
  void probe(Session& session);

  Sizes sizes_;
  PairLimits limits_;
};

}  // namespace linerate
