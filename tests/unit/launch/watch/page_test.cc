// The shared memory of a node's watches.
#include "launch/watch/page.h"

#include "base/error.h"

#include <gtest/gtest.h>

#include <fcntl.h>

#include <atomic>
#include <thread>

namespace linerate {
namespace {

TEST(ControlPage, ShowsTheStageOfAThreadToAllWhoMapIt) {
  ControlPage mine = ControlPage::create({.nslots = 2, .nthreads = 3});
  const ControlPage theirs =
      ControlPage::map(FileDescriptor(dup(mine.descriptor())), {.nslots = 2, .nthreads = 3});

  mine.enter(1, 2, {.what = "warm-up", .collective = "broadcast", .bytes = 8, .placement = ""});
  mine.enter(1, 2, {.what = "timed loop", .collective = "broadcast", .bytes = 8, .placement = ""});
  mine.set_presence(1, Presence::left);

  EXPECT_EQ(theirs.thread(1, 2).counter, 2u);
  EXPECT_EQ(stage_text(theirs.thread(1, 2)), "broadcast, 8 bytes, timed loop");
  EXPECT_EQ(theirs.thread(1, 1).counter, 0u);
  EXPECT_EQ(theirs.thread(0, 2).counter, 0u);
  EXPECT_EQ(theirs.presence(1), Presence::left);
  EXPECT_EQ(theirs.presence(0), Presence::running);
}

TEST(ControlPage, CutsTextThatIsTooLong) {
  ControlPage page = ControlPage::create({});
  const std::string what(1000, 'w');

  page.enter(0, 0, {.what = what, .collective = "", .bytes = 0, .placement = ""});

  EXPECT_EQ(page.thread(0, 0).what, std::string(31, 'w'));
}

TEST(ControlPage, NeverShowsHalfAStage) {
  ControlPage page = ControlPage::create({});
  std::atomic<bool> ended = false;
  std::thread writer([&] {
    for (std::uint64_t i = 0; i < 200'000; ++i) {
      const auto* text = i % 2 == 0 ? "even" : "odd";
      page.enter(0, 0, {.what = text, .collective = text, .bytes = i % 2, .placement = text});
    }
    ended = true;
  });

  int halves = 0;
  while (!ended) {
    const auto thread = page.thread(0, 0);
    if (thread.counter == 0) continue;
    const std::string text = thread.counter % 2 == 1 ? "even" : "odd";
    if (thread.what != text || thread.placement != text || thread.bytes != (text == "odd"))
      ++halves;
  }
  writer.join();

  EXPECT_EQ(halves, 0);
}

TEST(ControlPage, RefusesMemoryThatIsTooShort) {
  const ControlPage page = ControlPage::create({.nslots = 1, .nthreads = 1});

  EXPECT_THROW(
      ControlPage::map(FileDescriptor(dup(page.descriptor())), {.nslots = 100, .nthreads = 100}),
      Error);
}

}  // namespace
}  // namespace linerate
