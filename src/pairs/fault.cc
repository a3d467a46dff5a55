#include "pairs/fault.h"

#include "stats/summary.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <iterator>
#include <map>

namespace linerate::pairs {
namespace {

constexpr double kRailConfidence = 0.99;  // the median of all its ranks

// `value` is a member, or a function, of an item.
template <typename T, typename Value>
double median_of(std::span<const T> items, Value value) {
  std::vector<double> values;
  for (const auto& item : items) values.push_back(std::invoke(value, item));
  return stats::median(std::move(values));
}

// Of what the rank sends, or receives.
double median_of_way(std::span<const Rate> rates, int rank, bool sends) {
  return median_of(rates, [&](const Rate& rate) {
    return (rate.ranks.first == rank) == sends ? rate.forward_gbps : rate.backward_gbps;
  });
}

// Of all ranks of a node.
Fault fault_of_node(std::span<const Fault> faults) {
  Fault node{.kind = FaultKind::node,
             .gbps = median_of(faults, &Fault::gbps),
             .expected_gbps = median_of(faults, &Fault::expected_gbps),
             .share = median_of(faults, &Fault::share),
             .send_gbps = median_of(faults, &Fault::send_gbps),
             .receive_gbps = median_of(faults, &Fault::receive_gbps),
             .alone_gbps = median_of(faults, &Fault::alone_gbps),
             .confidence = median_of(faults, &Fault::confidence)};
  for (const auto& fault : faults) {
    node.ranks.insert(node.ranks.end(), fault.ranks.begin(), fault.ranks.end());
    node.partners.insert(node.partners.end(), fault.partners.begin(), fault.partners.end());
    node.intermittent = node.intermittent || fault.intermittent;
    node.tests += fault.tests;
    node.low += fault.low;
  }
  return node;
}

}  // namespace

std::string_view name_of(FaultKind kind) {
  constexpr std::array<std::string_view, 4> kNames{"node", "rank", "rail", "link"};
  return kNames[static_cast<std::size_t>(kind)];
}

double median_gbps(std::span<const Rate> rates) {
  std::vector<double> values;
  for (const auto& rate : rates) values.push_back(rate.gbps());
  return values.empty() ? 0 : stats::median(std::move(values));
}

std::vector<std::pair<int, double>> by_partner(std::span<const Rate> rates, int rank) {
  std::map<int, std::vector<Rate>> grouped;
  for (const auto& rate : rates) grouped[rate.other(rank)].push_back(rate);
  std::vector<std::pair<int, double>> medians;
  for (const auto& [partner, of_partner] : grouped)
    medians.emplace_back(partner, median_gbps(of_partner));
  return medians;
}

Fault fault_of(const Layout& layout, const Suspect& suspect, const Judged& judged,
               const Reference& reference) {
  Fault fault{.kind = suspect.is_link() ? FaultKind::link : FaultKind::rank,
              .ranks = {suspect.rank()},
              .rail = layout.nrails() > 1 ? suspect.rail : -1,
              .intermittent = judged.state == State::intermittent,
              .gbps = median_gbps(suspect.beside),
              .expected_gbps = std::exp(reference.expected_log(suspect.rail)),
              .share = judged.share,
              .alone_gbps = median_gbps(suspect.alone),
              .tests = suspect.beside.size(),
              .low = judged.low,
              .confidence = judged.confidence};
  if (fault.intermittent)
    for (const auto& rate : suspect.beside)
      fault.share = std::min(fault.share, rate.gbps() / fault.expected_gbps);
  if (suspect.is_link()) {
    fault.ranks.push_back(suspect.ranks.second);
    return fault;
  }
  fault.send_gbps = median_of_way(suspect.beside, suspect.rank(), true);
  fault.receive_gbps = median_of_way(suspect.beside, suspect.rank(), false);
  fault.partners = by_partner(suspect.beside, suspect.rank());
  return fault;
}

std::vector<Fault> faulty_rails(const Layout& layout, const Estimate& estimate) {
  std::vector<Fault> faults;
  for (std::size_t rail = 0; rail < estimate.rail_offset.size(); ++rail) {
    if (!estimate.is_slow_rail(static_cast<int>(rail))) continue;
    Fault fault{.kind = FaultKind::rail,
                .rail = static_cast<int>(rail),
                .gbps = estimate.rail_gbps[rail],
                .expected_gbps = estimate.base_gbps,
                .share = estimate.rail_gbps[rail] / estimate.base_gbps,
                .confidence = kRailConfidence};
    for (const auto& ranks : layout.ranks)
      if (rail < ranks.size()) fault.ranks.push_back(ranks[rail]);
    fault.tests = fault.low = fault.ranks.size();
    faults.push_back(std::move(fault));
  }
  return faults;
}

std::vector<Fault> merged(const Layout& layout, std::vector<Fault> faults) {
  std::map<int, std::vector<Fault>> by_node;
  std::vector<Fault> result;
  for (auto& fault : faults) {
    if (fault.kind == FaultKind::rank)
      by_node[layout.place(fault.ranks.front()).node].push_back(std::move(fault));
    else
      result.push_back(std::move(fault));
  }
  for (auto& [node, of_node] : by_node) {
    if (of_node.size() == layout.of_node(node).size() && !layout.one_host)
      result.push_back(fault_of_node(of_node));
    else
      std::ranges::move(of_node, std::back_inserter(result));
  }
  std::ranges::stable_sort(result, {}, &Fault::share);
  return result;
}

}  // namespace linerate::pairs
