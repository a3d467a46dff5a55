// See fake_log.h.
#include "support/gpu/fake_log.h"

#include <algorithm>
#include <mutex>

namespace linerate {
namespace {

std::mutex mutex;
bool lives = false;
std::vector<std::string> calls_so_far;

}  // namespace

FakeLog::FakeLog() {
  const std::lock_guard lock(mutex);
  lives = true;
  calls_so_far.clear();
}

FakeLog::~FakeLog() {
  const std::lock_guard lock(mutex);
  lives = false;
}

std::vector<std::string> FakeLog::calls(const std::vector<std::string>& names) const {
  const std::lock_guard lock(mutex);
  std::vector<std::string> found;
  for (const auto& call : calls_so_far)
    if (std::ranges::any_of(names, [&](const auto& name) { return call.starts_with(name); }))
      found.push_back(call);
  return found;
}

void log_fake_call(const std::string& call) {
  const std::lock_guard lock(mutex);
  if (lives) calls_so_far.push_back(call);
}

}  // namespace linerate
