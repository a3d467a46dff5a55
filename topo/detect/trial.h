// Something that may break the process, tried in another one.
#pragma once

#include <cstdint>
#include <functional>

namespace linerate::topo {

enum class Trial : std::uint8_t { yes, no, broke };

// What `what` answers in a copy of this process, which says nothing; `broke` where that dies or
// takes more than 3 s of processor time. `yes` where no process can be made. Nothing that it
// changes is seen here.
Trial try_apart(const std::function<bool()>& what);

}  // namespace linerate::topo
