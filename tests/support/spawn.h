// Ranks as threads in tests: spawn(n, body) runs body(member) on n threads of one job.
#pragma once

#include "comm/bootstrap.h"
#include "launch/solo_bootstrap.h"
#include "launch/threads/rank_threads.h"

#include <functional>

namespace linerate {

inline void spawn(int nranks, const std::function<void(Bootstrap&)>& body) {
  const auto process = solo_bootstrap();
  run_rank_threads(*process, nranks, body);
}

}  // namespace linerate
