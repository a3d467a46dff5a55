// See lane_job.h.
#include "launch/lane_job.h"

#include <chrono>

namespace linerate {

LaneFailure LaneFailure::current() {
  try {
    throw;
  } catch (const PeerFailure& error) {
    return {Kind::peer, error.what(), error.ranks(), error.exit_code()};
  } catch (const TimeoutError& error) {
    return {Kind::timeout, error.what(), {}, error.exit_code()};
  } catch (const Unavailable& error) {
    return {Kind::unavailable, error.what(), {}, error.exit_code()};
  } catch (const Error& error) {
    return {Kind::other, error.what(), {}, error.exit_code()};
  } catch (const std::exception& error) {
    return {Kind::other, error.what(), {}, ExitCode::failed};
  } catch (...) {
    return {Kind::other, "an exception of an unknown type", {}, ExitCode::failed};
  }
}

void LaneFailure::raise() const {
  switch (kind) {
    case Kind::peer:
      throw PeerFailure(sentence, ranks);
    case Kind::timeout:
      throw TimeoutError(sentence);
    case Kind::unavailable:
      throw Unavailable(sentence);
    case Kind::other:
      break;
  }
  throw Error(sentence, exit_code);
}

void LaneJob::throw_if_failed() const {
  if (failure) throw LaneWoken(failure->sentence, failure->ranks);
}

void LaneJob::sleep(std::unique_lock<std::mutex>& lock, const Deadline& deadline) {
  // A clock that is moved by hand does not wake a sleeper: look at it from time to time.
  constexpr int kLongestSleepMs = 100;
  if (deadline.bounded())
    changed.wait_for(lock,
                     std::chrono::milliseconds(std::min(deadline.poll_ms(), kLongestSleepMs)));
  else
    changed.wait(lock);
}

}  // namespace linerate
