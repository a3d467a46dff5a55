// What another process says, and what becomes of one that hangs, breaks or says too much.
#include "base/child_output.h"

#include <gtest/gtest.h>

#include <poll.h>

#include <cstdlib>
#include <string>

namespace linerate {
namespace {

TEST(ChildOutput, YieldsWhatTheCopySays) {
  const std::string large(300000, 'x');
  const auto told = output_of_copy([&] { return large; });
  ASSERT_TRUE(told.ok()) << told.sentence();
  EXPECT_EQ(*told, large);
}

TEST(ChildOutput, EndsACopyThatHangsBreaksOrSaysTooMuch) {
  const auto hangs = [] { return ::poll(nullptr, 0, -1) == 0 ? std::string() : std::string(); };
  EXPECT_EQ(output_of_copy(hangs, {.seconds = 0.05}).sentence(), "took more than 0.05 s");
  const auto breaks = []() -> std::string { std::abort(); };
  EXPECT_EQ(output_of_copy(breaks).sentence(), "broke down (signal 6)");
  EXPECT_EQ(output_of_copy([] { return std::string(9, 'x'); }, {.bytes = 8}).sentence(),
            "says more than 8 bytes");
}

TEST(ProgramOutput, YieldsItsOutputAlone) {
  const auto told = output_of_program({"sh", "-c", "echo $0; echo no >&2; cat", "a b; $HOME"});
  ASSERT_TRUE(told.ok()) << told.sentence();
  EXPECT_EQ(*told, "a b; $HOME\n");
}

TEST(ProgramOutput, SaysWhyThereIsNone) {
  EXPECT_EQ(output_of_program({"no-such-program-here"}).sentence(), "is not installed");
  EXPECT_EQ(output_of_program({"sh", "-c", "echo half; exit 9"}).sentence(), "ended with code 9");
  EXPECT_EQ(output_of_program({"sleep", "60"}, {.seconds = 0.05}).sentence(),
            "took more than 0.05 s");
}

TEST(ProgramOutput, IsTakenWithAnyCodeWhereThatSaysMore) {
  EXPECT_EQ(*output_of_program({"sh", "-c", "echo half; exit 9"}, {.any_code = true}), "half\n");
  EXPECT_EQ(output_of_program({"no-such-program-here"}, {.any_code = true}).sentence(),
            "is not installed");
}

}  // namespace
}  // namespace linerate
