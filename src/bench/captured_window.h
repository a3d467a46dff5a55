// The calls of a window as graphs (-G): captured once, launched many times.
#pragma once

#include "bench/launcher.h"
#include "bench/session.h"
#include "bench/window.h"

#include <memory>
#include <vector>

namespace linerate {

// One graph for each of this thread's ranks. The launcher outlives it.
class CapturedWindow {
 public:
  // Captures the calls of `plan`; none is done yet. Collective over all threads.
  CapturedWindow(Session& session, CaseLauncher& launcher, const WindowPlan& plan);

  // Enqueues all calls once.
  void launch();

 private:
  Session& session_;
  std::vector<std::unique_ptr<Graph>> graphs_;
};

// Aligns all threads, then times `launches` launches and the wait for them. Collective.
WindowTime run_launches(Session& session, CaseLauncher& launcher, CapturedWindow& captured,
                        int launches);

}  // namespace linerate
