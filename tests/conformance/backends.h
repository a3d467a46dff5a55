// The backends of a conformance program: each program has a list of its own.
#pragma once

#include "base/clock.h"
#include "comm/backend.h"
#include "conformance/cases.h"
#include "support/sanitized.h"

#include <memory>
#include <span>

namespace linerate::conformance {

struct BackendRow {
  const char* name;  // as the tests' names have it
  std::unique_ptr<Backend> (*make)(const Clock& clock);
  const char* algorithm = "";  // that it is told to use wherever it is defined; empty: its choice
  bool (*lacks)(const Case& c, int nranks) = nullptr;  // what it has no call for; null: nothing
};

std::span<const BackendRow> backends_under_test();
// How many ranks run every case: fewer under sanitizers, and on smaller buffers. Where a library
// chooses its own algorithms, fewer numbers do.
std::span<const int> rank_counts();
// Backends by algorithm; none where they choose alone.
std::span<const BackendRow> algorithms_under_test();

}  // namespace linerate::conformance
