// Each kind of failure and the exception that it came from, and becomes again.
#include "launch/job_failure.h"

namespace linerate {

JobFailure JobFailure::lost(std::string sentence, std::vector<int> ranks) {
  return {Kind::peer, std::move(sentence), std::move(ranks), ExitCode::lost};
}

JobFailure JobFailure::timed_out(std::string sentence) {
  return {Kind::timeout, std::move(sentence), {}, ExitCode::lost};
}

JobFailure JobFailure::current() {
  try {
    throw;
  } catch (const Aborted& error) {
    return {Kind::aborted, error.what(), error.ranks(), error.exit_code()};
  } catch (const PeerFailure& error) {
    return lost(error.what(), error.ranks());
  } catch (const TimeoutError& error) {
    return timed_out(error.what());
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

void JobFailure::raise() const {
  switch (kind) {
    case Kind::peer:
      throw PeerFailure(sentence, ranks);
    case Kind::aborted:
      throw Aborted(sentence, ranks);
    case Kind::timeout:
      throw TimeoutError(sentence);
    case Kind::unavailable:
      throw Unavailable(sentence);
    case Kind::other:
      break;
  }
  throw Error(sentence, exit_code);
}

}  // namespace linerate
