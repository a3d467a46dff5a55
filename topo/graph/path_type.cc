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
PathType exchanged(PathType type, const NcclVersion& version) {
  if (version >= kP2cBeforePxn) return type;
  if (type == PathType::p2c) return PathType::pxn;
  if (type == PathType::pxn) return PathType::p2c;
  return type;
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
  return place_of(a, version) < place_of(b, version);
}

int place_of(PathType type, const NcclVersion& version) {
  return static_cast<int>(exchanged(type, version));
}

PathType type_at(int place, const NcclVersion& version) {
  return exchanged(static_cast<PathType>(place), version);
}

bool has_path_type(PathType type, const NcclVersion& version) {
  if (type == PathType::c2c) return version >= NcclVersion{2, 26, 0};
  if (type == PathType::p2c) return version >= NcclVersion{2, 27, 0};
  return true;
}

}  // namespace linerate::topo
