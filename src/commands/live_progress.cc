#include "commands/live_progress.h"

#include "bench/probe/cores.h"
#include "launch/quiet_thread.h"

#include <chrono>
#include <utility>

namespace linerate {
namespace {

constexpr auto kBetweenDrawings = std::chrono::milliseconds(750);

}  // namespace

LiveProgress::LiveProgress(std::optional<bool> forced, std::string name, std::string counted)
    : style_(progress_style(forced, TextFile::standard_error().terminal())),
      cores_(shows() ? probe::allowed_cores() : std::vector<int>()),
      line_(clock_, TextFile::standard_error(), style_, std::move(counted)) {
  line_.name(std::move(name));
}

void LiveProgress::start() {
  if (!shows()) return;
  {
    const std::lock_guard lock(mutex_);
    wanted_ = true;
  }
  wakes_.notify_one();
  if (thread_.joinable()) return;
  line_.begin();
  try {
    thread_ = quiet_thread([this] { draw_until_end(); });
  } catch (const Error&) {  // the line is not worth the run
  }
}

void LiveProgress::end() {
  {
    const std::lock_guard lock(mutex_);
    ends_ = true;
  }
  wakes_.notify_one();
  if (thread_.joinable()) thread_.join();
  line_.hide();
}

void LiveProgress::draw_until_end() {
  (void)probe::move_to_any(cores_);
  std::unique_lock lock(mutex_);
  while (!ends_) {
    wakes_.wait_for(lock, kBetweenDrawings, [this] { return ends_ || wanted_; });
    wanted_ = false;
    if (ends_) return;
    lock.unlock();
    line_.tick();
    lock.lock();
  }
}

}  // namespace linerate
