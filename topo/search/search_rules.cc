// Tables and dates from the tags v2.18.6-1 to v2.30.7-1 of NCCL.
#include "topo/search/search_rules.h"

#include <algorithm>
#include <array>
#include <ranges>

namespace linerate::topo {
namespace {

constexpr float kIntra[] = {40, 30, 20, 18, 15, 12, 10, 9, 7, 6, 5, 4, 3};
constexpr float kInter[] = {48, 30, 28, 24, 20, 18,   15,   12,    10,   9,
                            7,  6,  5,  4,  3,  2.4f, 1.2f, 0.24f, 0.12f};

constexpr float kSm90Intra218[] = {60, 40, 30, 24, 20, 15, 12, 6, 3};
constexpr float kSm90Intra219[] = {60, 50, 40, 30, 24, 20, 15, 12, 6, 3};
constexpr float kSm90Intra[] = {60, 50, 40, 30, 24, 20, 15, 12, 11, 6, 3};
constexpr float kSm90Inter218[] = {48, 45, 42, 40, 30,   24,   20,    17.5f,
                                   15, 12, 6,  3,  2.4f, 1.2f, 0.24f, 0.12f};
constexpr float kSm90Inter[] = {48, 45, 42, 40, 30,   24,   22,    20,   17.5f,
                                15, 12, 6,  3,  2.4f, 1.2f, 0.24f, 0.12f};

constexpr float kSm100Intra225[] = {90, 80, 70, 60, 50, 40, 30, 24, 20, 19};
constexpr float kSm100Intra227[] = {90, 80, 70, 60, 50, 40, 30, 24, 20, 19, 18};
constexpr float kSm100Intra[] = {90, 80, 70, 60, 50, 45, 40, 30, 24, 20, 19, 18};
constexpr float kSm100Inter225[] = {48, 45, 42, 40, 30,   24,   22,    20,   17.5f,
                                    15, 12, 6,  3,  2.4f, 1.2f, 0.24f, 0.12f};
constexpr float kSm100Inter2273[] = {47.9f, 45, 42, 40, 30,   24,   22,    20,   17.5f,
                                     15,    12, 6,  3,  2.4f, 1.2f, 0.24f, 0.12f};
constexpr float kSm100Inter2275[] = {48, 45.1f, 42, 40, 30,   24,   22,    20,   17.5f,
                                     15, 12,    6,  3,  2.4f, 1.2f, 0.24f, 0.12f};
constexpr float kSm100Inter2276[] = {96,    48, 45.1f, 42, 40, 30,   24,   22,    20,
                                     17.5f, 15, 12,    6,  3,  2.4f, 1.2f, 0.24f, 0.12f};
constexpr float kSm100Inter2297[] = {96,    80, 48, 45.1f, 42, 40,   30,   24,    22,   20,
                                     17.5f, 15, 12, 6,     3,  2.4f, 1.2f, 0.24f, 0.12f};
constexpr float kSm100Inter[] = {96, 86,    80, 48, 45.1f, 42, 40,   30,   24,    22,
                                 20, 17.5f, 15, 12, 6,     3,  2.4f, 1.2f, 0.24f, 0.12f};

struct SpeedTable {
  NcclVersion since;
  int sm;
  bool multi_node;
  std::span<const float> speeds;
};

// Of the rows that a question reaches, the last one answers.
constexpr std::array<SpeedTable, 16> kSpeedTables{{{{2, 0, 0}, 0, false, kIntra},
                                                   {{2, 0, 0}, 0, true, kInter},
                                                   {{2, 18, 0}, 90, false, kSm90Intra218},
                                                   {{2, 19, 0}, 90, false, kSm90Intra219},
                                                   {{2, 21, 0}, 90, false, kSm90Intra},
                                                   {{2, 18, 0}, 90, true, kSm90Inter218},
                                                   {{2, 19, 3}, 90, true, kSm90Inter},
                                                   {{2, 25, 0}, 100, false, kSm100Intra225},
                                                   {{2, 27, 0}, 100, false, kSm100Intra227},
                                                   {{2, 29, 0}, 100, false, kSm100Intra},
                                                   {{2, 25, 0}, 100, true, kSm100Inter225},
                                                   {{2, 27, 0}, 100, true, kSm100Inter2273},
                                                   {{2, 27, 5}, 100, true, kSm100Inter2275},
                                                   {{2, 27, 6}, 100, true, kSm100Inter2276},
                                                   {{2, 29, 7}, 100, true, kSm100Inter2297},
                                                   {{2, 30, 0}, 100, true, kSm100Inter}}};

SwitchOrder switch_order(const NcclVersion& version) {
  if (version >= NcclVersion{2, 21, 0}) return SwitchOrder::neighbours_only;
  return version >= NcclVersion{2, 19, 0} ? SwitchOrder::neighbours_first : SwitchOrder::any;
}

}  // namespace

SearchRules search_rules(const NcclVersion& version) {
  constexpr int kBudget = 1 << 19, kBudget218 = 5 << 16;
  constexpr int kChannels = 64, kChannels224 = 32;
  const auto since = [&](int minor, int patch = 0) {
    return version >= NcclVersion{2, minor, patch};
  };
  return {.max_channels = since(25) ? kChannels : kChannels224,
          .step_budget = since(19) ? kBudget : kBudget218,
          .switch_order = switch_order(version),
          .types_from_graph = since(25),
          .far_nics_before_sm90 = since(29),
          .pairs_rings = since(23),
          .replays_only = since(27, 5),
          .asks_nearest_gpus = since(27),
          .takes_turns = since(19),
          .asks_behind_switch = !since(19),
          .gpus_first = since(27, 5),
          .splits_need_two = since(26),
          .caps_heads = since(25),
          .min_nvls_gpus = since(28, 7) ? 2 : 3,
          .nvls_between_nodes = !since(20) || since(21),
          .keeps_amd_channels = since(19),
          .raises_rings = since(19),
          .alarm_tells_nets = since(29),
          .skips_used_heads = since(22),
          .alternates_nics = since(20),
          .counts_gpu_hops = since(30),
          .shuns_crossing = !since(20)};
}

std::span<const float> candidate_speeds(const NcclVersion& version, int sm, bool multi_node) {
  const auto answers = [&](const SpeedTable& row) {
    return version >= row.since && sm >= row.sm && multi_node == row.multi_node;
  };
  const auto newest_first = std::views::reverse(kSpeedTables);
  const auto found = std::ranges::find_if(newest_first, answers);
  return found == newest_first.end() ? std::span<const float>(kIntra) : found->speeds;
}

}  // namespace linerate::topo
