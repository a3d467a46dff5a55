// See losses.h.
#include "launch/watch/losses.h"

#include <algorithm>
#include <iterator>

namespace linerate {

bool ControlLosses::add(const Loss& loss) {
  const auto known = std::ranges::find_if(losses_, [&](const Loss& other) {
    return other.kind == loss.kind && other.process == loss.process;
  });
  if (known == losses_.end()) {
    losses_.push_back(loss);
    return true;
  }
  if (known->origin <= loss.origin) return false;
  *known = loss;
  return true;
}

std::vector<Loss> ControlLosses::verdict() const {
  if (losses_.empty()) return {};
  const auto kind = std::ranges::min(losses_, {}, &Loss::kind).kind;
  std::vector<Loss> chosen;
  std::ranges::copy_if(losses_, std::back_inserter(chosen),
                       [&](const Loss& loss) { return loss.kind == kind; });
  if (kind == LossKind::missing) {
    const int origin = std::ranges::min(chosen, {}, &Loss::origin).origin;
    std::erase_if(chosen, [&](const Loss& loss) { return loss.origin != origin; });
  } else {
    std::ranges::sort(chosen, {}, &Loss::process);
  }
  return chosen;
}

}  // namespace linerate
