#include "pairs/text.h"

#include "base/text.h"
#include "base/units.h"
#include "record/json_io.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace linerate::pairs {
namespace {

using json::Json;

const RankInfo& info_of(const Searched& searched, int rank) {
  return searched.ranks[static_cast<std::size_t>(rank)];
}

std::string host_of(const Searched& searched, int rank) {
  return plain_text(info_of(searched, rank).hostname);
}

bool shares_host(const Searched& searched) {
  return searched.layout.one_host || searched.layout.nrails() > 1;
}

// "rank 5 (host1)", with its device where ranks share a node.
std::string rank_text(const Searched& searched, int rank) {
  const auto& info = info_of(searched, rank);
  const auto device =
      shares_host(searched) ? fmt::format(", device {}", info.device) : std::string();
  return fmt::format("rank {} ({}{})", rank, host_of(searched, rank), device);
}

bool is_node(const Searched& searched, const Fault& fault) {
  return fault.kind == FaultKind::node || (fault.kind == FaultKind::rank && !shares_host(searched));
}

std::string_view kind_of(const Searched& searched, const Fault& fault) {
  return is_node(searched, fault) ? name_of(FaultKind::node) : name_of(fault.kind);
}

std::string where(const Searched& searched, const Fault& fault) {
  if (is_node(searched, fault)) return host_of(searched, fault.ranks.front());
  if (fault.kind == FaultKind::rail) return fmt::format("rail {}, of all nodes", fault.rail);
  if (fault.kind == FaultKind::rank) return rank_text(searched, fault.ranks.front());
  return fmt::format("{} and {}", rank_text(searched, fault.ranks[0]),
                     rank_text(searched, fault.ranks[1]));
}

std::string evidence(const Searched& searched, const Fault& fault) {
  constexpr std::size_t kMostPartners = 6;
  std::string text = fmt::format("{} of {} tests low", fault.low, fault.tests);
  if (fault.intermittent) text += ", at times only";
  if (fault.alone_gbps > 0) text += fmt::format("; by itself {:.4g}", fault.alone_gbps);
  if (fault.send_gbps > 0)
    text += fmt::format("; sends {:.4g}, receives {:.4g}", fault.send_gbps, fault.receive_gbps);
  if (fault.kind == FaultKind::link) text += "; both ends are fine with others";
  for (std::size_t i = 0; i < std::min(kMostPartners, fault.partners.size()); ++i) {
    const auto& [rank, gbps] = fault.partners[i];
    const auto name =
        shares_host(searched) ? fmt::format("rank {}", rank) : host_of(searched, rank);
    text += fmt::format("{}{} {:.4g}", i == 0 ? "; with " : ", ", name, gbps);
  }
  return text;
}

std::string heading(const Searched& searched) {
  const auto& [layout, ranks, outcome, bytes, limit, seed, interrupted] = searched;
  const auto nodes = static_cast<std::size_t>(layout.nnodes());
  auto text =
      fmt::format("# pairs of {}, {}, --seed {}\n",
                  layout.one_host ? counted(nodes, "rank") + " on one node"
                                  : counted(ranks.size(), "rank") + " on " + counted(nodes, "node"),
                  bytes_text(bytes), seed);
  text += fmt::format("# {} tests of pairs in {}; there are {} pairs of nodes\n", outcome.pairs,
                      counted(outcome.slots, "measurement"), nodes * (nodes - 1) / 2);
  if (outcome.alone_gbps > 0)
    text += fmt::format(
        "# a pair reaches {:.4g} GB/s undisturbed ({:.1f} % noise), {:.4g} beside others{}\n",
        outcome.alone_gbps, 100 * outcome.noise, outcome.at_once_gbps,
        outcome.parts > 1 ? fmt::format(", in rounds of {} parts", outcome.parts) : "");
  if (outcome.crowded) text += "# pairs were in each other's way in all rounds\n";
  if (outcome.not_measured > 0)
    text += fmt::format("# {} not measured: no partner on the same rail in any round\n",
                        counted(outcome.not_measured, "rank"));
  if (outcome.left_out > 0)
    text += fmt::format("# {} not tested: too many\n", counted(outcome.left_out, "suspect"));
  if (!outcome.cleared.empty())
    text +=
        fmt::format("# {} fine when tested again\n", counted(outcome.cleared.size(), "suspect"));
  if (!outcome.unclear.empty())
    text += fmt::format("# {} neither clearly bad nor fine\n",
                        counted(outcome.unclear.size(), "suspect"));
  if (interrupted) text += "# interrupted: not everything was measured\n";
  return text;
}

std::string nothing_text(const Searched& searched) {
  constexpr double kTooNoisy = 0.7;
  const double visible = searched.outcome.visible_share;
  if (visible <= 0) return {};
  auto text = fmt::format("# nothing bad was found; what reaches less than {:.0f} % would be\n",
                          100 * visible);
  if (visible < kTooNoisy)
    text += "# that is noisy: take more messages (-n), larger ones (-e), or an idle machine\n";
  return text;
}

std::string rows_text(const Searched& searched) {
  const auto& faults = searched.outcome.faults;
  if (faults.empty()) return nothing_text(searched);
  std::size_t width = 5;
  for (const auto& fault : faults) width = std::max(width, columns_of(where(searched, fault)));
  auto text = fmt::format("# {:<4}  {:<{}}  {:>8}  {:>8}  {:>6}  {:>10}  {}\n", "kind", "where",
                          width, "GB/s", "expected", "share", "confidence", "evidence");
  for (const auto& fault : faults)
    text +=
        fmt::format("  {:<4}  {:<{}}  {:>8.4g}  {:>8.4g}  {:>6.2f}  {:>10.2f}  {}\n",
                    kind_of(searched, fault), where(searched, fault), width, fault.gbps,
                    fault.expected_gbps, fault.share, fault.confidence, evidence(searched, fault));
  constexpr std::ptrdiff_t kSeveral = 3;
  const auto links = std::ranges::count(faults, FaultKind::link, &Fault::kind);
  if (links >= kSeveral) text += "# several links: they may share a cable or a port of a switch\n";
  return text;
}

std::string exclude_text(const std::vector<std::string>& hosts) {
  if (hosts.empty()) return {};
  std::string list;
  for (const auto& host : hosts) list += (list.empty() ? "" : ",") + host;
  auto text = fmt::format(
      "# to leave them out, under Slurm:\n  --exclude={}\n"
      "# under Kubernetes (a pod's node: kubectl get pod NAME -o wide):\n",
      shell_word(list));
  for (const auto& host : hosts) text += fmt::format("  kubectl cordon {}\n", shell_word(host));
  return text;
}

std::string wrong_text(const Searched& searched) {
  std::string text;
  for (const auto& [a, b] : searched.outcome.wrong)
    text += fmt::format("# wrong data between {} and {}\n", rank_text(searched, a),
                        rank_text(searched, b));
  return text;
}

Json json_of(const Searched& searched, const Fault& fault) {
  Json partners = Json::array();
  for (const auto& [rank, gbps] : fault.partners)
    partners.push_back({{"rank", rank}, {"host", host_of(searched, rank)}, {"gbps", gbps}});
  Json hosts = Json::array();
  for (const int rank : fault.ranks) hosts.push_back(host_of(searched, rank));
  Json json{{"kind", kind_of(searched, fault)},
            {"where", where(searched, fault)},
            {"ranks", fault.ranks},
            {"hosts", std::move(hosts)},
            {"intermittent", fault.intermittent},
            {"gbps", fault.gbps},
            {"expected_gbps", fault.expected_gbps},
            {"share", fault.share},
            {"confidence", fault.confidence},
            {"tests", fault.tests},
            {"low_tests", fault.low},
            {"partners", std::move(partners)}};
  if (fault.rail >= 0) json["rail"] = fault.rail;
  if (fault.alone_gbps > 0) json["alone_gbps"] = fault.alone_gbps;
  if (fault.send_gbps > 0) json["send_gbps"] = fault.send_gbps;
  if (fault.receive_gbps > 0) json["receive_gbps"] = fault.receive_gbps;
  return json;
}

// The first word of a hostfile's line, without what follows a colon or the domain.
std::string_view short_name(std::string_view word) {
  return word.substr(0, word.find_first_of(".:"));
}

bool names_one(std::string_view line, std::span<const std::string> hosts) {
  const auto text = trim(line);
  const auto word = text.substr(0, text.find_first_of(" \t"));
  if (word.empty() || word.starts_with('#')) return false;
  const auto name = word.substr(0, word.find(':'));
  return std::ranges::any_of(hosts, [&](std::string_view host) {
    const bool both =
        name.find('.') != std::string_view::npos && host.find('.') != std::string_view::npos;
    return both ? name == host : short_name(name) == short_name(host);
  });
}

}  // namespace

std::string report_text(const Searched& searched) {
  return heading(searched) + wrong_text(searched) + rows_text(searched) +
         exclude_text(bad_hosts(searched));
}

std::string report_json(const Searched& searched) {
  const auto& outcome = searched.outcome;
  Json faults = Json::array(), wrong = Json::array();
  for (const auto& fault : outcome.faults) faults.push_back(json_of(searched, fault));
  for (const auto& [a, b] : outcome.wrong) wrong.push_back(Json::array({a, b}));
  return json::document({{"nranks", searched.ranks.size()},
                         {"nnodes", searched.layout.one_host ? 1 : searched.layout.nnodes()},
                         {"bytes", searched.bytes},
                         {"seed", searched.seed},
                         {"below", searched.limit},
                         {"alone_gbps", outcome.alone_gbps},
                         {"at_once_gbps", outcome.at_once_gbps},
                         {"noise", outcome.noise},
                         {"visible_share", outcome.visible_share},
                         {"parts", outcome.parts},
                         {"measurements", outcome.slots},
                         {"tests", outcome.pairs},
                         {"interrupted", searched.interrupted},
                         {"not_measured", outcome.not_measured},
                         {"not_tested", outcome.left_out},
                         {"cleared", outcome.cleared},
                         {"unclear", outcome.unclear},
                         {"wrong_data", std::move(wrong)},
                         {"faults", std::move(faults)},
                         {"exclude", bad_hosts(searched)}});
}

std::vector<std::string> bad_hosts(const Searched& searched) {
  std::vector<std::string> hosts;
  for (const auto& fault : searched.outcome.faults) {
    const bool accuses = fault.kind == FaultKind::node || fault.kind == FaultKind::rank;
    if (!accuses || searched.layout.one_host) continue;
    const auto host = host_of(searched, fault.ranks.front());
    if (std::ranges::count(hosts, host) == 0) hosts.push_back(host);
  }
  return hosts;
}

std::string without_hosts(std::string_view hostfile, std::span<const std::string> hosts) {
  std::string text;
  while (!hostfile.empty()) {
    const auto end = hostfile.find('\n');
    const auto line = hostfile.substr(0, end == std::string_view::npos ? end : end + 1);
    if (names_one(line, hosts)) text += "# ";
    text += line;
    hostfile.remove_prefix(line.size());
  }
  return text;
}

std::string hostfile_text(const Searched& searched, std::string_view hostfile) {
  const auto hosts = bad_hosts(searched);
  std::string text;
  for (const auto& host : hosts)
    if (without_hosts(hostfile, std::span(&host, 1)) == hostfile)
      text += fmt::format("# the hostfile does not name {}\n", host);
  text +=
      hosts.empty() ? "# the hostfile, with all its hosts:\n" : "# the hostfile without them:\n";
  return text + without_hosts(hostfile, hosts);
}

}  // namespace linerate::pairs
