// The backends of a conformance program: each program has a list of its own.
#pragma once

#include "base/clock.h"
#include "comm/backend.h"

#include <memory>
#include <span>

namespace linerate::conformance {

struct BackendRow {
  const char* name;  // as the tests' names have it
  std::unique_ptr<Backend> (*make)(const Clock& clock);
};

std::span<const BackendRow> backends_under_test();

}  // namespace linerate::conformance
