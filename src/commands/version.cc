// See version.h.
#include "commands/version.h"

namespace linerate {

std::string_view version() { return LINERATE_VERSION; }

std::string version_text() { return "linerate " + std::string(version()); }

}  // namespace linerate
