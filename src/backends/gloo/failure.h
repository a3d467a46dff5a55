// Gloo's exceptions as errors of ours.
#pragma once

#include <string_view>

namespace linerate::gloo {

// Throws the exception that is being handled as an Error: PeerFailure for a broken connection, with
// Gloo's own text; an Error of ours as it is. `call` is what was asked of Gloo.
// REQUIRES: an exception is being handled.
[[noreturn]] void rethrow_as_error(std::string_view call);

// "[pair.cc:598] Connection closed by peer [10.0.0.1]:4711" -> "Connection closed by peer …", and
// "[enforce fail at device.cc:87] ifa != nullptr. Unable to …" -> "Unable to …": where in its
// sources Gloo noticed it says nothing to a reader.
std::string_view without_source(std::string_view text);

}  // namespace linerate::gloo
