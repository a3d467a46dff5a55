// The order in which GPUs are handed out.
#include "topo/search/search_order.h"

#include <gtest/gtest.h>

#include <vector>

namespace linerate::topo {
namespace {

std::vector<int> all_of(GpuQueue queue) {
  std::vector<int> gpus;
  for (int gpu = queue.next(); gpu != GpuQueue::kNone; gpu = queue.next()) gpus.push_back(gpu);
  return gpus;
}

GpuQueue ordered(bool worst_first) {
  GpuQueue queue(std::vector<int>{7});
  queue.add(1, {.nic_gbps = -12, .place = 0});
  queue.add(2, {.nic_gbps = -48, .nic_hops = 3, .place = 1});
  queue.add(3, {.nic_gbps = -48, .nic_hops = 2, .place = 2});
  queue.add(4, {.nic_gbps = -48, .nic_pci_gbps = -24, .nic_hops = 9, .place = 3});
  queue.add(5, {.nic_gbps = -48, .nic_hops = 2, .place = 4});
  queue.order(worst_first);
  return queue;
}

TEST(GpuQueue, HandsOutWhatComesFirstThenTheBestOfTheOthers) {
  EXPECT_EQ(all_of(ordered(false)), (std::vector{7, 4, 3, 5, 2, 1}));
}

TEST(GpuQueue, MayHandOutTheWorstOfTheOthersFirst) {
  EXPECT_EQ(all_of(ordered(true)), (std::vector{7, 1, 2, 5, 3, 4}));
}

TEST(GpuQueue, KeepsTheOrderOfWhatIsAppended) {
  GpuQueue queue(std::vector<int>{7});
  queue.append(9);
  queue.append(8);

  EXPECT_TRUE(queue.begins_with(7));
  EXPECT_FALSE(queue.begins_with(9));
  EXPECT_EQ(all_of(queue), (std::vector{7, 9, 8}));
}

TEST(GpuQueue, OfNothingIsEmpty) { EXPECT_EQ(GpuQueue().next(), GpuQueue::kNone); }

}  // namespace
}  // namespace linerate::topo
