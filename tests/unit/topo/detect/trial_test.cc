// What happens elsewhere is told here.
#include "topo/detect/trial.h"

#include <gtest/gtest.h>

#include <csignal>
#include <cstdlib>

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

TEST(Trials, ChangeNothingHere) {
  int value = 1;

  EXPECT_EQ(try_apart([&] { return ++value == 2; }), Trial::yes);
  EXPECT_EQ(value, 1);
}

}  // namespace
}  // namespace linerate::topo
