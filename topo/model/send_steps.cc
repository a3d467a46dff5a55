// See send_steps.h.
#include "topo/model/send_steps.h"

#include <algorithm>
#include <array>

namespace linerate::topo {
namespace {

std::vector<SendStep> all_to_all(const RankGrid& ranks) {
  SendStep step(ranks.gpus);
  const double part = 1.0 / ranks.nranks();
  for (int from = 0; from < ranks.gpus; ++from)
    for (int to = 0; to < ranks.gpus; ++to) {
      if (from != to) step.inside(from, to) = part;
      step.out(from, to) = step.in(from, to) = part * (ranks.nnodes - 1);
    }
  return {step};
}

// All of it arrives at the root's node.
std::vector<SendStep> gather(const RankGrid& ranks) {
  SendStep step(ranks.gpus, NodePeers::first);
  const double part = 1.0 / ranks.nranks();
  for (int from = 0; from < ranks.gpus; ++from) {
    if (from != 0) step.inside(from, 0) = part;
    step.in(from, 0) = part * (ranks.nnodes - 1);
  }
  return {step};
}

std::vector<SendStep> scatter(const RankGrid& ranks) {
  SendStep step(ranks.gpus, NodePeers::from_first);
  const double part = 1.0 / ranks.nranks();
  for (int to = 0; to < ranks.gpus; ++to) {
    if (to != 0) step.inside(0, to) = part;
    step.out(0, to) = part * (ranks.nnodes - 1);
  }
  return {step};
}

std::vector<SendStep> sendrecv(const RankGrid& ranks) {
  SendStep step(ranks.gpus, NodePeers::next);
  const int last = ranks.gpus - 1;
  for (int from = 0; from < last; ++from) step.inside(from, from + 1) = 1;
  if (ranks.nnodes > 1)
    step.out(last, 0) = step.in(last, 0) = 1;
  else if (last > 0)
    step.inside(last, 0) = 1;
  return {step};
}

// Partners are apart by powers of two: those within a node, whose GPUs are a power of two then, and
// those of one number on two nodes.
std::vector<SendStep> hypercube(const RankGrid& ranks) {
  std::vector<SendStep> steps;
  for (int width = 1; width < ranks.nranks(); width *= 2) {
    auto& step = steps.emplace_back(ranks.gpus, NodePeers::partner, width / ranks.gpus);
    const double part = static_cast<double>(width) / ranks.nranks();
    for (int from = 0; from < ranks.gpus; ++from)
      if (width < ranks.gpus)
        step.inside(from, from ^ width) = part;
      else
        step.out(from, from) = step.in(from, from) = part;
  }
  return steps;
}

struct Maker {
  std::string_view collective;
  std::vector<SendStep> (*make)(const RankGrid&);
};

constexpr std::array kMakers{Maker{"all_to_all", all_to_all}, Maker{"gather", gather},
                             Maker{"scatter", scatter}, Maker{"sendrecv", sendrecv},
                             Maker{"hypercube", hypercube}};

}  // namespace

SendStep::SendStep(int gpus, NodePeers peers, int apart)
    : gpus_(gpus),
      peers_(peers),
      apart_(apart),
      inside_(at(gpus, 0)),
      out_(at(gpus, 0)),
      in_(at(gpus, 0)) {}

bool SendStep::leaves_node() const {
  const auto moves = [](double bytes) { return bytes > 0; };
  return std::ranges::any_of(out_, moves) || std::ranges::any_of(in_, moves);
}

bool is_made_of_sends(const Collective& what) {
  return std::ranges::find(kMakers, what.name, &Maker::collective) != kMakers.end();
}

std::vector<std::string_view> collectives_made_of_sends() {
  std::vector<std::string_view> names;
  for (const auto& maker : kMakers) names.push_back(maker.collective);
  return names;
}

std::optional<std::vector<SendStep>> send_steps(const Collective& what, const RankGrid& ranks) {
  const auto maker = std::ranges::find(kMakers, what.name, &Maker::collective);
  if (maker == kMakers.end() || ranks.nranks() < 2) return std::nullopt;
  if (what.refusal != nullptr && what.refusal(ranks.nranks())) return std::nullopt;
  return maker->make(ranks);
}

}  // namespace linerate::topo
