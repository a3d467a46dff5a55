#include "trainers/engine/stage_links.h"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>
#include <utility>

namespace linerate::trainers {
namespace {

// The ranks of one group of all pipelines at once, of which there are `groups`.
int color_of(const Position& position, std::size_t group, std::size_t groups) {
  return static_cast<int>(position.pipeline() * groups + group);
}

bool is_tied(std::string_view purpose) { return purpose == kTiedTable || purpose == kTiedGradient; }

}  // namespace

// A link is a communicator of two ranks. A split makes those of as many links as share no stage;
// stages of none of them are alone.
StageLinks::StageLinks(RankContext& rank, const TrainConfig& config, const Position& position,
                       Stream& compute, Arena& arena)
    : stage_(position.stage),
      compute_(compute),
      arena_(arena),
      all_(kPipelineAxisName, rank.add_axis(color_of(position, 0, 1), position.stage)) {
  const int last = position.nstages - 1;
  for (int stage = 0; stage < last; ++stage)
    for (const bool back : {false, true})
      links_.push_back({.from = back ? stage + 1 : stage, .to = back ? stage : stage + 1});
  if (config.virtual_stages > 1 && last > 1)
    for (const bool back : {false, true})
      links_.push_back({.from = back ? 0 : last, .to = back ? last : 0});
  for (const bool back : {false, true})
    links_.push_back({.from = back ? last : 0, .to = back ? 0 : last, .tied = true});

  const auto nstages = static_cast<std::size_t>(position.nstages);
  std::vector<bool> made(links_.size());
  while (std::ranges::count(made, true) < std::ssize(made)) {
    std::vector<std::size_t> group(nstages);  // of each stage: itself, or its link
    for (std::size_t stage = 0; stage < nstages; ++stage) group[stage] = stage;
    for (std::size_t i = 0; i < links_.size(); ++i) {
      auto &from = group[static_cast<std::size_t>(links_[i].from)],
           &to = group[static_cast<std::size_t>(links_[i].to)];
      if (made[i] || from >= nstages || to >= nstages) continue;
      from = to = nstages + i;
      made[i] = true;
    }
    const auto own = group[static_cast<std::size_t>(stage_)];
    auto& comm = rank.add_axis(color_of(position, own, nstages + links_.size()), stage_);
    if (own >= nstages)
      links_[own - nstages].axis =
          std::make_unique<Axis>(kPipelineAxisName, comm, title_of(links_[own - nstages]));
  }
}

std::string StageLinks::title_of(const Link& link) const {
  const bool sends = link.from == stage_;
  return fmt::format("{} {} stage {}{}", kPipelineAxisName, sends ? "to" : "from",
                     sends ? link.to : link.from, link.tied ? ", head" : "");
}

std::vector<Axis*> StageLinks::axes() {
  std::vector<Axis*> axes{&all_};
  for (const auto& link : links_)
    if (link.axis) axes.push_back(link.axis.get());
  return axes;
}

Axis& StageLinks::axis_of(int from, int to, std::string_view purpose) {
  const auto found = std::ranges::find_if(links_, [&](const Link& link) {
    return link.from == from && link.to == to && link.tied == is_tied(purpose);
  });
  assert(found != links_.end() && found->axis);
  return *found->axis;
}

void StageLinks::send(int stage, std::string_view purpose, Block data) {
  std::erase_if(sent_, [](const Incoming& message) { return message.done.done(); });
  auto& axis = axis_of(stage_, stage, purpose);
  axis.stream().wait(compute_.record());
  axis.comm().send({.send = data.view(),
                    .count = data.bytes(),
                    .type = DataType::uint8,
                    .tag = axis.tag(purpose)},
                   stage > stage_ ? 1 : 0, axis.stream());
  sent_.push_back({std::move(data), axis.record()});
}

Event StageLinks::receive(int stage, std::string_view purpose, View into) {
  auto& axis = axis_of(stage, stage_, purpose);
  axis.stream().wait(compute_.record());
  axis.comm().recv(
      {.recv = into, .count = into.size(), .type = DataType::uint8, .tag = axis.tag(purpose)},
      stage > stage_ ? 1 : 0, axis.stream());
  return axis.record();
}

Incoming StageLinks::receive(int stage, std::string_view purpose, std::size_t bytes) {
  auto data = arena_.allocate(Category::comm, bytes);
  auto done = receive(stage, purpose, data.view());
  return {std::move(data), std::move(done)};
}

void StageLinks::finish() {
  for (const auto& link : links_)
    if (link.axis) compute_.wait(link.axis->record());
  sent_.clear();
}

}  // namespace linerate::trainers
