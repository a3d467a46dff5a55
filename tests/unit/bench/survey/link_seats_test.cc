// At which of a host's addresses a probe listens.
#include "bench/survey/link_seats.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace linerate {
namespace {

using testing::ElementsAre;

TEST(OpenSeats, ListenAtTheOneAddressOnly) {
  const auto seat = open_seat({"127.0.0.2"});

  EXPECT_EQ(seat.listener.address().host, "127.0.0.2");
  EXPECT_GT(seat.listener.address().port, 0);
  EXPECT_THAT(seat.hosts, ElementsAre("127.0.0.2"));
}

TEST(OpenSeats, OfferOneFamily) {
  const auto seat = open_seat({"127.0.0.2", "fd00::1"});

  EXPECT_EQ(seat.listener.address().host, "127.0.0.2");
  EXPECT_THAT(seat.hosts, ElementsAre("127.0.0.2"));
}

TEST(OpenSeats, ListenEverywhereForSeveralAddresses) {
  const auto seat = open_seat({"127.0.0.1", "127.0.0.2"});

  EXPECT_EQ(seat.listener.address().host, "0.0.0.0");
  EXPECT_THAT(seat.hosts, ElementsAre("127.0.0.1", "127.0.0.2"));
}

}  // namespace
}  // namespace linerate
