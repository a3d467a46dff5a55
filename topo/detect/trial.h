// Something that may break the process, tried in another one.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>

namespace linerate::topo {

enum class Trial : std::uint8_t { yes, no, broke };

// What the other process may take.
struct TrialLimits {
  unsigned seconds = 3;  // of processor time: a busy machine does not count
  std::size_t more_bytes = std::size_t{1} << 30;  // of address space, beyond what this one has
};

// What `what` answers in a copy of this process, which says nothing; `broke` where that dies or
// takes more than its limits. `yes` where no process can be made. Nothing that it changes is seen
// here.
Trial try_apart(const std::function<bool()>& what, const TrialLimits& limits = {});

}  // namespace linerate::topo
