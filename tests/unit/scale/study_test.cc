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
  study.layouts[0].command = "train_ddp --batch 4";
  EXPECT_THAT(*study_refusal(study), HasSubstr("has --batch, which the study gives"));
  study.layouts[0].command = "train_ddp; rm x";
  EXPECT_THAT(*study_refusal(study), HasSubstr("more than one command"));

  study = two_layouts();
  study.start = "mpirun";
  EXPECT_THAT(*study_refusal(study), HasSubstr("says no number of ranks"));

  study = two_layouts();
  study.weak = true;
  study.ranks = {2, 3};
  study.batch = 3;
  EXPECT_THAT(*study_refusal(study), HasSubstr("no whole number of sequences on 3"));
}

TEST(StudyFiles, AreLayoutsAndOptionsByTheirLongNames) {
  const auto file = read_study(
      "layouts:\n  ddp: train_ddp\n  zero 3=: train_fsdp --zero 3\nranks: [1, 2]\njson: true\n"
      "dry-run: false\nscaling: both\n");

  ASSERT_TRUE(file) << file.sentence();
  EXPECT_THAT(file->words, ElementsAre("--ranks", "1,2", "--json", "--scaling", "both"));
  ASSERT_EQ(file->layouts.size(), 2U);
  EXPECT_EQ(file->layouts[1].name, "zero 3=");
  EXPECT_EQ(file->layouts[1].command, "train_fsdp --zero 3");
}

TEST(StudyFiles, NameTheLineOfWhatTheyCannotBe) {
  EXPECT_THAT(read_study("- 1\n").sentence(), HasSubstr("a map of options"));
  EXPECT_THAT(read_study("ranks: [1]\nlayouts: train_ddp\n").sentence(), HasSubstr("line 2"));
  EXPECT_THAT(read_study("ranks:\n  a: 1\n").sentence(), HasSubstr("one value, or a list"));
  EXPECT_THAT(read_study("ranks: 1\nsteps: 3\nranks: 2\n").sentence(), HasSubstr("line 3: ranks"));
  EXPECT_THAT(read_study("layouts:\n  a: [train_ddp, x]\n").sentence(), HasSubstr("one command"));
  EXPECT_FALSE(read_study("ranks: [1\n"));
}

}  // namespace
}  // namespace linerate::scale
