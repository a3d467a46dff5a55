// What a study runs, and how its file reads.
#include "scale/study.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace linerate::scale {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

Study two_layouts() {
  return {.layouts = {{"ddp", "train_ddp"}, {"zero3", "train_fsdp --zero 3"}}, .ranks = {1, 2, 4}};
}

TEST(Points, RunEachLayoutOnEachNumberOfRanksWithAndWithoutCommunication) {
  auto study = two_layouts();
  study.layouts.resize(1);

  EXPECT_THAT(points_of(study),
              ElementsAre(Point{0, 1, 8, false}, Point{0, 2, 8, false}, Point{0, 2, 8, true},
                          Point{0, 4, 8, false}, Point{0, 4, 8, true}));
}

TEST(Points, HaveNoControlWhereItIsOff) {
  auto study = two_layouts();
  study.control = false;
  EXPECT_EQ(points_of(study).size(), 6U);
}

TEST(Points, ShareTheFewestRanksOfBothWaysOfScaling) {
  auto study = two_layouts();
  study.layouts.resize(1);
  study.ranks = {2, 4};
  study.weak = true;
  study.control = false;

  EXPECT_THAT(points_of(study),
              ElementsAre(Point{0, 2, 8, false}, Point{0, 4, 8, false}, Point{0, 4, 16, false}));
}

TEST(Commands, StartRanksAsAsked) {
  auto study = two_layouts();
  study.options = "--model micro";
  const Point point{.layout = 1, .nranks = 4, .batch = 16};

  EXPECT_EQ(command_of(study, point, "/a b"),
            "'/a b/train_fsdp' --zero 3 -t 4 --model micro --batch 16 --steps 10");
  study.start = "processes";
  EXPECT_THAT(command_of(study, point, "/bin"), HasSubstr("--zero 3 --nprocs 4 --model"));
  study.start = "mpirun -np {ranks} -x A={ranks}";
  EXPECT_THAT(command_of(study, point, "/bin"),
              testing::StartsWith("mpirun -np 4 -x A=4 /bin/train_fsdp --zero 3 --model"));
}

TEST(Commands, LeaveCommunicationOutInTheControl) {
  EXPECT_THAT(command_of(two_layouts(), {.nranks = 2, .batch = 8, .control = true}, "/bin"),
              testing::EndsWith(" --no-communication"));
}

TEST(Commands, LeaveOtherProgramsAsTheyAre) {
  const Study study{.layouts = {{"mine", "./my_train --x"}}, .ranks = {1}};
  EXPECT_THAT(command_of(study, {.batch = 8}, "/bin"), testing::StartsWith("./my_train --x -t 1"));
}

TEST(Studies, AreRefusedWhereTheyCannotRun) {
  EXPECT_FALSE(study_refusal(two_layouts()));
  EXPECT_THAT(*study_refusal({.ranks = {1}}), HasSubstr("needs a layout"));
  EXPECT_THAT(*study_refusal({.layouts = {{"a", "b"}}}), HasSubstr("--ranks 1,2,4"));

  auto study = two_layouts();
  study.layouts[1].name = "ddp";
  EXPECT_THAT(*study_refusal(study), HasSubstr("Two layouts are called 'ddp'"));

  study = two_layouts();
  study.start = "mpirun";
  EXPECT_THAT(*study_refusal(study), HasSubstr("says no number of ranks"));

  study = two_layouts();
  study.weak = true;
  study.ranks = {2, 3};
  study.batch = 3;
  EXPECT_THAT(*study_refusal(study), HasSubstr("no whole number of sequences on 3"));
}

TEST(StudyFiles, AreOptionsByTheirLongNames) {
  EXPECT_THAT(*words_of_file("layouts:\n  ddp: train_ddp\n  zero3: train_fsdp --zero 3\n"
                             "ranks: [1, 2]\nscaling: both\n"),
              ElementsAre("--layout", "ddp=train_ddp", "--layout", "zero3=train_fsdp --zero 3",
                          "--ranks", "1,2", "--scaling", "both"));
}

TEST(StudyFiles, NameTheLineOfWhatIsNoOption) {
  EXPECT_THAT(words_of_file("- 1\n").sentence(), HasSubstr("a map of options"));
  EXPECT_THAT(words_of_file("ranks: [1]\nlayouts: train_ddp\n").sentence(), HasSubstr("line 2"));
  EXPECT_THAT(words_of_file("ranks:\n  a: 1\n").sentence(), HasSubstr("one value, or a list"));
  EXPECT_FALSE(words_of_file("ranks: [1\n"));
}

}  // namespace
}  // namespace linerate::scale
