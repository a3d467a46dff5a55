#include "topo/graph/rules.h"

#include <array>

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

namespace {

P2cRule p2c_rule(const NcclVersion& version) {
  if (version >= NcclVersion{2, 29, 0}) return P2cRule::of_near;
  if (version >= NcclVersion{2, 27, 5}) return P2cRule::of_all;
  return version >= NcclVersion{2, 27, 0} ? P2cRule::of_phb : P2cRule::none;
}

}  // namespace

GraphRules graph_rules(const NcclVersion& version) {
  const auto since = [&](int minor, int patch = 0) {
    return version >= NcclVersion{2, minor, patch};
  };
  return {.merges_nic_functions = !since(24),
          .flattens_gen5 = since(20),
          .links_switches = since(22),
          .c2c_link = since(26),
          .prefers_type = since(30, 7),
          .p2p_through_cpu = !since(23),
          .p2c = p2c_rule(version),
          .pxn_reach = since(28) ? PathType::p2c : PathType::pxb,  // NCCL_PXN_C2C
          .pxn_beyond = since(27, 5) ? PathType::pxn : PathType::pxb,
          .pxn_needs_gdr = since(30),
          .stages_far_nics = !since(21),
          .numbers_near_gpus = since(30, 7),
          .max_of_a_kind = since(29, 7) ? 640
                           : since(27)  ? 576
                                        : 256};
}

}  // namespace linerate::topo
