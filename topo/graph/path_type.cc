// See path_type.h.
#include "topo/graph/path_type.h"

#include "base/text.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <utility>

namespace linerate::topo {
namespace {

constexpr std::array<std::string_view, 12> kNames{"LOC", "NVL", "NVB", "C2C", "PIX", "PXB",
                                                  "P2C", "PXN", "PHB", "SYS", "NET", "DIS"};
constexpr NcclVersion kP2cBeforePxn{2, 27, 5};

// P2C and PXN changed places.
int place(PathType type, const NcclVersion& version) {
  const auto at = static_cast<int>(type);
  if (version >= kP2cBeforePxn) return at;
  if (type == PathType::p2c) return static_cast<int>(PathType::pxn);
  if (type == PathType::pxn) return static_cast<int>(PathType::p2c);
  return at;
}

}  // namespace

std::string_view name_of(PathType type) { return kNames.at(static_cast<std::size_t>(type)); }

Result<PathType> parse_path_type(std::string_view text) {
  std::string upper(text);
  std::ranges::transform(upper, upper.begin(), [](unsigned char c) { return std::toupper(c); });
  const auto found = std::ranges::find(kNames, upper);
  if (found == kNames.end()) return Failure{unknown_choice("path type", text, kNames)};
  return static_cast<PathType>(found - kNames.begin());
}

bool nearer(PathType a, PathType b, NcclVersion version) {
  return place(a, version) < place(b, version);
}

}  // namespace linerate::topo
