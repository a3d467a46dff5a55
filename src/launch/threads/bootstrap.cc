// One thread as a member of a ThreadGroup.
#include "launch/place.h"
#include "launch/threads/group.h"

#include <algorithm>

namespace linerate {
namespace {

class ThreadBootstrap final : public Bootstrap {
 public:
  ThreadBootstrap(std::shared_ptr<ThreadGroup> group, int member, NodePlace place)
      : group_(std::move(group)), member_(member), place_(std::move(place)) {}

  int rank() const override { return group_->rank_of(member_); }
  int nranks() const override { return group_->nranks(); }
  const NodePlace& place() const override { return place_; }

  void barrier(const Deadline& deadline) override { group_->barrier(member_, deadline); }
  Bytes broadcast(std::span<const std::byte> mine, int root, const Deadline& deadline) override {
    return group_->broadcast(member_, mine, root, deadline);
  }
  std::vector<Bytes> gather(std::span<const std::byte> mine, const Deadline& deadline) override {
    return group_->gather(member_, mine, deadline);
  }
  std::vector<Bytes> all_gather(std::span<const std::byte> mine,
                                const Deadline& deadline) override {
    return group_->all_gather(member_, mine, deadline);
  }
  Bytes exchange(int peer, std::span<const std::byte> mine, const Deadline& deadline) override {
    return group_->exchange(member_, peer, mine, deadline);
  }
  std::unique_ptr<Bootstrap> split(int color, int key, const Deadline& deadline) override;

  // The job's, whatever this group is: a group of one process would end that process only.
  void abort(ExitCode code) noexcept override { group_->job().process.abort(code); }

 private:
  std::shared_ptr<ThreadGroup> group_;
  int member_;
  NodePlace place_;
};

std::unique_ptr<Bootstrap> ThreadBootstrap::split(int color, int key, const Deadline& deadline) {
  const ThreadChoice mine{.color = color, .key = key, .host = place_.node};
  const auto outcome = group_->split(member_, mine, deadline);
  if (color < 0) return nullptr;
  const auto groups = color_groups(outcome->choices);
  const auto chosen = std::ranges::find(groups, color, &ColorGroup::color);
  const auto me = std::ranges::find(chosen->members, rank());
  const auto new_rank = static_cast<int>(me - chosen->members.begin());
  std::vector<int> hosts;
  for (const int member : chosen->members)
    hosts.push_back(outcome->choices[static_cast<std::size_t>(member)].host);
  auto place = place_within(hosts, new_rank);
  place.hostname = place_.hostname;
  place.identity = place_.identity;
  const auto& group = outcome->groups.at(color);
  return thread_bootstrap(group, group->member_of(new_rank), std::move(place));
}

}  // namespace

std::unique_ptr<Bootstrap> thread_bootstrap(std::shared_ptr<ThreadGroup> group, int member,
                                            NodePlace place) {
  return std::make_unique<ThreadBootstrap>(std::move(group), member, std::move(place));
}

}  // namespace linerate
