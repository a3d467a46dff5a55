#include "topo/graph/rules.h"

namespace linerate::topo {
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
          .most_of_a_kind = since(29, 7) ? 640
                            : since(27)  ? 576
                                         : 256};
}

}  // namespace linerate::topo
