// Threads as members of the job: one Bootstrap for each thread of each process.
#pragma once

#include "comm/bootstrap.h"

#include <functional>
#include <string>

namespace linerate {

// Runs `body` on `nthreads` threads (the caller's among them); each gets a Bootstrap over all
// threads of all processes: rank = process.rank() * nthreads + thread. Every process must use the
// same `nthreads`. When a body throws, members that wait in a Bootstrap call throw PeerFailure, and
// the exception of the lowest thread that failed first is rethrown after all threads have ended;
// `on_failure` (may be null) is called once, at once, from the failing thread with the sentence of
// its exception, so that calls which wait elsewhere (communicators) can be aborted.
void run_rank_threads(Bootstrap& process, int nthreads, const std::function<void(Bootstrap&)>& body,
                      const std::function<void(const std::string&)>& on_failure = nullptr);

// The same for bodies that report what they throw before they unwind: `report`, called in a
// handler, does at once what else the end of the body does. So calls of other threads can be ended
// before memory is freed that they use.
using ReportingBody = std::function<void(Bootstrap& member, const std::function<void()>& report)>;
void run_rank_threads(Bootstrap& process, int nthreads, const ReportingBody& body,
                      const std::function<void(const std::string&)>& on_failure = nullptr);

}  // namespace linerate
