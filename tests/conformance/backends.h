// The backends of a conformance program: each program has a list of its own.
#pragma once

#include "base/clock.h"
#include "comm/backend.h"
#include "conformance/cases.h"

#include <memory>
#include <span>

namespace linerate::conformance {

// Sanitizers take ten times as long: under them fewer ranks run, on smaller buffers.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
inline constexpr bool kSanitized = true;
#else
inline constexpr bool kSanitized = false;
#endif

struct BackendRow {
  const char* name;  // as the tests' names have it
  std::unique_ptr<Backend> (*make)(const Clock& clock);
  const char* algorithm = "";  // that it is told to use wherever it is defined; empty: its choice
  bool (*lacks)(const Case& c, int nranks) = nullptr;  // what it has no call for; null: nothing
};

std::span<const BackendRow> backends_under_test();
// How many ranks run every case. Where a library chooses its own algorithms, fewer numbers do.
std::span<const int> rank_counts();
// Backends by algorithm; none where they choose alone.
std::span<const BackendRow> algorithms_under_test();

}  // namespace linerate::conformance
