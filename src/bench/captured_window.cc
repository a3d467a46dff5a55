// See captured_window.h.
#include "bench/captured_window.h"

namespace linerate {

CapturedWindow::CapturedWindow(Session& session, CaseLauncher& launcher, const WindowPlan& plan)
    : session_(session) {
  session.align();
  for (auto& local : session.ranks()) local.stream->begin_capture();
  enqueue_window(session, launcher, plan);
  for (auto& local : session.ranks()) graphs_.push_back(local.stream->end_capture());
}

void CapturedWindow::launch() {
  for (std::size_t i = 0; i < graphs_.size(); ++i) graphs_[i]->launch(*session_.ranks()[i].stream);
}

WindowTime run_launches(Session& session, CaseLauncher& launcher, CapturedWindow& captured,
                        int launches) {
  const Clock& clock = session.clock();
  session.align();
  const auto start_ns = clock.now_ns();
  for (int i = 0; i < launches; ++i) captured.launch();
  const auto enqueued_ns = clock.now_ns();
  launcher.synchronize();
  const auto end_ns = clock.now_ns();
  return {.elapsed_ns = end_ns - start_ns, .enqueue_ns = enqueued_ns - start_ns, .lost_ns = {}};
}

}  // namespace linerate
