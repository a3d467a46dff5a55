// Open MPI's settings, and Gloo's. Names, numbers and limits of algorithms are those that
// `ompi_info --param coll tuned --level 9` of 4.1 lists; the numbers are the same since 4.0.
#include "tune/settings.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace linerate::tuning {
namespace {

constexpr auto kMpiRows = std::to_array<ProcessRow>({
    {"OMPI_MCA_btl_vader_eager_limit", "16384 65536", Needs::ranks_of_a_node},
    {"OMPI_MCA_btl_vader_max_send_size", "131072", Needs::ranks_of_a_node},
    {"OMPI_MCA_btl_vader_single_copy_mechanism", "none", Needs::ranks_of_a_node},
    {"OMPI_MCA_coll_sm_priority", "90", Needs::one_node},
    {"OMPI_MCA_coll_han_priority", "90", Needs::nodes},
    {"OMPI_MCA_coll_hcoll_enable", "0", Needs::infiniband},
    {"OMPI_MCA_btl_tcp_eager_limit", "262144", Needs::sockets},
    {"OMPI_MCA_btl_tcp_links", "2 4", Needs::sockets},
});

enum class Only : std::uint8_t { any, two_ranks, even_ranks, power_of_two };

struct Algorithm {
  std::string_view collective;
  int number;
  std::string_view name;
  std::size_t segment_bytes = 0;
  Only only = Only::any;
};
constexpr std::size_t kSegment = 65536;  // 16 pages, and a part of every core's L2 cache
constexpr auto kAlgorithms = std::to_array<Algorithm>({
    {"all_reduce", 1, "basic_linear"},
    {"all_reduce", 2, "nonoverlapping"},
    {"all_reduce", 3, "recursive_doubling"},
    {"all_reduce", 4, "ring"},
    {"all_reduce", 5, "segmented_ring", kSegment},
    {"all_reduce", 6, "rabenseifner"},
    {"all_gather", 1, "linear"},
    {"all_gather", 2, "bruck"},
    {"all_gather", 3, "recursive_doubling", 0, Only::power_of_two},
    {"all_gather", 4, "ring"},
    {"all_gather", 5, "neighbor", 0, Only::even_ranks},
    {"all_gather", 6, "two_proc", 0, Only::two_ranks},
    {"reduce_scatter", 1, "basic_linear"},
    {"reduce_scatter", 2, "recursive_doubling"},
    {"reduce_scatter", 3, "recursive_halving", 0, Only::power_of_two},
    {"reduce_scatter", 4, "butterfly"},
    {"broadcast", 1, "basic_linear"},
    {"broadcast", 2, "chain", kSegment},
    {"broadcast", 3, "pipeline", kSegment},
    {"broadcast", 4, "split_binary_tree", kSegment},
    {"broadcast", 5, "binary_tree", kSegment},
    {"broadcast", 6, "binomial"},
    {"broadcast", 7, "knomial"},
    {"broadcast", 8, "scatter_allgather"},
    {"broadcast", 9, "scatter_allgather_ring"},
    {"reduce", 1, "linear"},
    {"reduce", 2, "chain", kSegment},
    {"reduce", 3, "pipeline", kSegment},
    {"reduce", 4, "binary", kSegment},
    {"reduce", 5, "binomial"},
    {"reduce", 6, "in-order_binary", kSegment},
    {"reduce", 7, "rabenseifner"},
    {"all_to_all", 1, "linear"},
    {"all_to_all", 2, "pairwise"},
    {"all_to_all", 3, "modified_bruck"},
    {"all_to_all", 4, "linear_sync"},
    {"all_to_all", 5, "two_proc", 0, Only::two_ranks},
    {"gather", 1, "basic_linear"},
    {"gather", 2, "binomial"},
    {"gather", 3, "linear_sync", 1024},
    {"scatter", 1, "basic_linear"},
    {"scatter", 2, "binomial"},
    {"scatter", 3, "linear_nb"},
});

// As Open MPI's parameters name it.
constexpr auto kParameters = std::to_array<std::pair<std::string_view, std::string_view>>(
    {{"all_reduce", "allreduce"},
     {"all_gather", "allgather"},
     {"reduce_scatter", "reduce_scatter_block"},
     {"broadcast", "bcast"},
     {"reduce", "reduce"},
     {"all_to_all", "alltoall"},
     {"gather", "gather"},
     {"scatter", "scatter"}});

std::string why_no_algorithm(Only only, int nranks) {
  const auto n = static_cast<unsigned>(nranks);
  if (only == Only::two_ranks && n != 2) return fmt::format("it is for 2 ranks, not {}", n);
  if (only == Only::even_ranks && n % 2 != 0)
    return fmt::format("it is for even numbers of ranks, not {}", n);
  if (only == Only::power_of_two && (n & (n - 1)) != 0)
    return fmt::format("it is for powers of two, not {} ranks", n);
  return {};
}

void add_algorithms(const Facts& facts, const Collective& collective, Candidates& to) {
  constexpr std::string_view kTuned = "OMPI_MCA_coll_tuned_";
  const auto name = std::ranges::find(kParameters, collective.name,
                                      &std::pair<std::string_view, std::string_view>::first);
  if (name == kParameters.end()) {
    to.left_out.push_back({fmt::format("{}: algorithms", collective.name),
                           "linerate makes it of sends and receives, or coll_tuned has no choice"});
    return;
  }
  const auto parameter = fmt::format("{}{}_algorithm", kTuned, name->second);
  for (const auto& row : kAlgorithms) {
    if (row.collective != collective.name) continue;
    auto words = fmt::format("{} {}", row.number, row.name);
    if (auto why = why_no_algorithm(row.only, facts.nranks()); !why.empty()) {
      to.left_out.push_back({fmt::format("{}: {}", collective.name, words), std::move(why)});
      continue;
    }
    Arm arm{.words = std::move(words),
            .variables = {{fmt::format("{}use_dynamic_rules", kTuned), "1"},
                          {parameter, fmt::to_string(row.number)}},
            .collective = &collective,
            .number = row.number,
            .segment_bytes = row.segment_bytes};
    if (row.segment_bytes > 0)
      arm.variables[parameter + "_segmentsize"] = fmt::to_string(row.segment_bytes);
    to.arms.push_back(std::move(arm));
  }
}

}  // namespace

std::span<const ProcessRow> mpi_process_rows() { return kMpiRows; }

Candidates mpi_candidates(const Facts& facts, const Collectives& collectives) {
  constexpr std::array<std::string_view, 3> kChosen{"OMPI_MCA_coll",
                                                    "OMPI_MCA_coll_tuned_use_dynamic_rules",
                                                    "OMPI_MCA_coll_tuned_dynamic_rules_filename"};
  Candidates all;
  add_process_rows(kMpiRows, facts, all);
  if (const auto chosen = set_already(facts, kChosen); !chosen.empty()) {
    all.left_out.push_back({"algorithms of coll_tuned", chosen});
    return all;
  }
  for (const auto* collective : collectives) add_algorithms(facts, *collective, all);
  return all;
}

// Its algorithms are chosen by whoever calls it; what is left is the interface.
Candidates gloo_candidates(const Facts& facts) {
  Candidates all;
  all.left_out.push_back({"algorithms", "Gloo's are arguments of its calls, and no setting"});
  constexpr std::array<std::string_view, 1> kInterface{"GLOO_SOCKET_IFNAME"};
  auto why = set_already(facts, kInterface);
  if (why.empty() && facts.interfaces.empty()) why = "no interface but loopback is up";
  if (why.empty() && facts.nodes > 1 && facts.interfaces.size() == 1)
    why = fmt::format("{} is the only one that reaches other nodes", facts.interfaces[0]);
  if (!why.empty()) {
    all.left_out.push_back({std::string(kInterface[0]), why});
    return all;
  }
  for (const auto& interface : facts.interfaces)
    all.arms.push_back({.words = fmt::format("{}={}", kInterface[0], interface),
                        .variables = {{std::string(kInterface[0]), interface}}});
  return all;
}

}  // namespace linerate::tuning
