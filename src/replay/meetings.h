// Which calls of several ranks are one, and whether all of them can end: for plan.h.
#pragma once

#include "replay/plan.h"

#include <map>
#include <string>
#include <vector>

namespace linerate::replay {

// A rank's place in each of its groups.
using Places = std::vector<std::map<std::size_t, int>>;
Places places_of(const std::vector<Group>& groups, std::size_t nranks);

// Sets Unit::instance. Yields why the calls cannot be made: ranks that disagree on a collective, a
// message that nobody receives, calls that wait for each other in a circle. Empty: they can, since
// they have been, in the order in which the replay makes them, on ranks that wait for each other
// in every call. REQUIRES: each call is in a group of its rank.
std::string meet(Plan& plan, const Places& places);

}  // namespace linerate::replay
