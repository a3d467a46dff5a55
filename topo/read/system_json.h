// A system as JSON that gives it back, so that it can be looked at elsewhere.
#pragma once

#include "base/result.h"
#include "record/json_io.h"
#include "topo/system/system.h"

namespace linerate::topo {

// All but what names the machine or its ports to others: hashes of hosts, GUIDs, and the source;
// and links between PCI switches.
json::Json json_of(const System& system);

// Any object may come: one that is too large, too deep or out of range is refused, in words that go
// on behind its name and a blank.
Result<System> system_of_json(const nlohmann::json& object);

}  // namespace linerate::topo
