// What happens elsewhere is told here.
#include "topo/detect/hwloc_xml.h"

#include <gtest/gtest.h>

#include <csignal>
#include <cstddef>
#include <cstdlib>
#include <vector>

namespace linerate::topo {
namespace {

TEST(Trials, TellWhatWasAnswered) {
  EXPECT_EQ(try_apart([] { return true; }), Trial::yes);
  EXPECT_EQ(try_apart([] { return false; }), Trial::no);
}

TEST(Trials, OutliveWhatTheyTry) {
  EXPECT_EQ(try_apart([]() -> bool { std::abort(); }), Trial::broke);
  EXPECT_EQ(try_apart([] { return std::raise(SIGSEGV) == 0; }), Trial::broke);
  EXPECT_EQ(try_apart([]() -> bool { std::_Exit(0); }), Trial::broke);
}

TEST(Trials, EndWhereTheyTakeTooLong) {
  const auto spin = [] {
    for (volatile bool on = true; on;) {
    }
    return true;
  };

  EXPECT_EQ(try_apart(spin, {.seconds = 1}), Trial::broke);
}

TEST(Trials, EndWhereTheyTakeTooMuchMemory) {
  constexpr std::size_t kMuch = std::size_t{256} << 20, kLess = kMuch / 4;
  const auto take = [] {
    const std::vector<char> taken(kMuch, 'x');
    return taken.back() == 'x';
  };

  EXPECT_EQ(try_apart(take), Trial::yes);
  EXPECT_EQ(try_apart(take, {.more_bytes = kLess}), Trial::broke);
}

TEST(Trials, ChangeNothingHere) {
  int value = 1;

  EXPECT_EQ(try_apart([&] { return ++value == 2; }), Trial::yes);
  EXPECT_EQ(value, 1);
}

}  // namespace
}  // namespace linerate::topo
