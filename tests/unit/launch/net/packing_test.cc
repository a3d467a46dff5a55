// Messages that are packed and read back, and messages that lie about their length.
#include "launch/net/packing.h"

#include "base/error.h"

#include <gtest/gtest.h>

#include <limits>

namespace linerate {
namespace {

TEST(Packing, ReadsBackWhatWasWritten) {
  const auto packed = Packer().number(-7).text("node07").bytes({}).number(1LL << 62).take();

  Unpacker unpacker(packed);

  EXPECT_EQ(unpacker.number(), -7);
  EXPECT_EQ(unpacker.text(), "node07");
  EXPECT_TRUE(unpacker.bytes().empty());
  EXPECT_EQ(unpacker.number(), 1LL << 62);
  EXPECT_TRUE(unpacker.done());
}

TEST(Packing, RefusesEveryTruncation) {
  const auto packed = Packer().number(3).text("abc").take();

  for (std::size_t length = 0; length < packed.size(); ++length) {
    const auto shortened = std::span(packed).first(length);
    Unpacker unpacker(shortened);
    EXPECT_THROW(
        {
          (void)unpacker.number();
          (void)unpacker.text();
        },
        PeerFailure);
  }
}

TEST(Packing, RefusesLengthsThatNoMessageHas) {
  for (const auto length : {std::int64_t{-1}, std::numeric_limits<std::int64_t>::min(),
                            std::numeric_limits<std::int64_t>::max()}) {
    const auto packed = Packer().number(length).take();
    Unpacker unpacker(packed);
    EXPECT_THROW((void)unpacker.bytes(), PeerFailure);
  }
}

TEST(Packing, RefusesNumbersOutsideTheirRange) {
  const auto packed = Packer().number(8).take();

  EXPECT_THROW((void)Unpacker(packed).integer(0, 7), PeerFailure);
  EXPECT_EQ(Unpacker(packed).integer(0, 8), 8);
}

}  // namespace
}  // namespace linerate
