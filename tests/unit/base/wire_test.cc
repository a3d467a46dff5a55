// Messages that are written and read back, and messages that lie about their length.
#include "base/wire.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <string>
#include <tuple>
#include <vector>

namespace linerate {
namespace {

TEST(Wire, ReadsBackWhatWasWritten) {
  const std::vector<double> values{0.5, -1.0};
  const auto bytes = WireWriter()
                         .put(-7)
                         .put_text("node07")
                         .put_all(std::span<const std::byte>())
                         .put_all(std::span(values))
                         .put(std::int64_t{1} << 62)
                         .take();

  WireReader reader(bytes);

  EXPECT_EQ(reader.get<int>(), -7);
  EXPECT_EQ(reader.get_text(), "node07");
  EXPECT_TRUE(reader.get_all<std::byte>().empty());
  EXPECT_EQ(reader.get_all<double>(), values);
  EXPECT_EQ(reader.get<std::int64_t>(), std::int64_t{1} << 62);
  EXPECT_TRUE(reader.empty());
}

struct Node {
  std::string name;
  std::vector<int> ranks;

  static auto members(auto& node) { return std::tie(node.name, node.ranks); }
};

TEST(Wire, ReadsBackMessagesAndListsOfThem) {
  const std::vector<Node> nodes{{"node07", {1, 2}}, {"", {}}};
  const auto bytes = WireWriter().put(nodes).take();

  WireReader reader(bytes);
  const auto back = reader.get<std::vector<Node>>();

  ASSERT_EQ(back.size(), 2u);
  EXPECT_EQ(back[0].name, "node07");
  EXPECT_EQ(back[0].ranks, (std::vector{1, 2}));
  EXPECT_EQ(back[1].name, "");
  EXPECT_TRUE(reader.empty());
}

TEST(Wire, RefusesEveryTruncation) {
  const auto bytes = WireWriter().put(3).put_text("abc").take();

  for (std::size_t length = 0; length < bytes.size(); ++length) {
    WireReader reader(std::span<const std::byte>(bytes).first(length));
    EXPECT_THROW(
        {
          (void)reader.get<int>();
          (void)reader.get_text();
        },
        PeerFailure);
  }
}

TEST(Wire, RefusesLengthsThatNoMessageHas) {
  constexpr auto kMax = std::numeric_limits<std::size_t>::max();
  for (const std::size_t length : {kMax, kMax / 8 + 1, std::size_t{1}}) {
    const auto bytes = WireWriter().put(length).take();
    EXPECT_THROW((void)WireReader(bytes).get_all<double>(), PeerFailure);
    EXPECT_THROW((void)WireReader(bytes).get_text(), PeerFailure);
    EXPECT_THROW((void)WireReader(bytes).get<std::vector<Node>>(), PeerFailure);
  }
}

TEST(Wire, RefusesNumbersOutsideTheirRange) {
  const auto bytes = WireWriter().put(8).take();

  EXPECT_THROW((void)WireReader(bytes).get_between(0, 7), PeerFailure);
  EXPECT_EQ(WireReader(bytes).get_between(0, 8), 8);
}

}  // namespace
}  // namespace linerate
