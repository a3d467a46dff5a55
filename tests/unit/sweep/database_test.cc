// Cases that are kept: what comes back, what is refused, and what a failed write leaves.
#include "sweep/database.h"

#include "base/error.h"
#include "sweep/table.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <stdlib.h>
#include <sys/resource.h>

#include <algorithm>
#include <csignal>
#include <filesystem>
#include <fstream>

namespace linerate::sweep {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

class Databases : public ::testing::Test {
 protected:
  Databases() {
    auto name = std::string(::testing::TempDir()) + "sweep-XXXXXX";
    folder_ = ::mkdtemp(name.data());
    path_ = (folder_ / "x.db").string();
  }
  ~Databases() override { std::filesystem::remove_all(folder_); }

  Database open(Database::Use use = Database::Use::add) const {
    auto opened = Database::open(path_, use);
    EXPECT_TRUE(opened) << opened.sentence();
    return *std::move(opened);
  }
  std::vector<FinishedCase> cases(const std::vector<Condition>& conditions = {}) const {
    std::vector<FinishedCase> all;
    open(Database::Use::read).each(conditions, true, [&](const FinishedCase& of) {
      all.push_back(of);
    });
    return all;
  }

  void set(const std::string& sql) const {
    sqlite3* raw = nullptr;
    ASSERT_EQ(::sqlite3_open(path_.c_str(), &raw), SQLITE_OK);
    ASSERT_EQ(::sqlite3_exec(raw, sql.c_str(), nullptr, nullptr, nullptr), SQLITE_OK);
    (void)::sqlite3_close(raw);
  }

  std::filesystem::path folder_;
  std::string path_;
};

FinishedCase some_case(std::string command, Outcome outcome = Outcome::ok) {
  return {.study = "night",
          .command = std::move(command),
          .collective = "all_reduce",
          .nodes = 2,
          .ranks_per_node = 8,
          .variables = R"({"NCCL_ALGO":"Ring","NCCL_PROTO":null})",
          .outcome = outcome,
          .elapsed_s = 2.5,
          .seed = 7,
          .records = "{\"kind\":\"run\",\"schema\":1,\"run_id\":\"a\"}\n"};
}

RunFile two_results() {
  RunFile file;
  file.records.resize(2);
  return file;
}

TEST_F(Databases, GiveBackWhatTheyGot) {
  open().add(some_case("a", Outcome::slow), two_results());

  const auto all = cases();

  ASSERT_THAT(all, SizeIs(1));
  EXPECT_EQ(cells_of(all[0]), cells_of(some_case("a", Outcome::slow)));
  EXPECT_EQ(all[0].records, some_case("a").records);
}

TEST_F(Databases, KnowHowCasesEndedAndForHowLong) {
  open().add(some_case("a", Outcome::hung), {});

  const auto ends = open(Database::Use::read).ends();

  ASSERT_THAT(ends, SizeIs(1));
  const auto& [key, end] = *ends.begin();
  EXPECT_EQ(key, std::pair(std::string("a"), 1));
  EXPECT_EQ(end.outcome, Outcome::hung);
  EXPECT_EQ(end.elapsed_s, 2.5);
  EXPECT_THAT(end.again, IsEmpty());
}

const std::set<Outcome> kBad{Outcome::hung, Outcome::crashed};

TEST_F(Databases, KeepWhatWaitsForAnotherRunUntilItHasEnded) {
  const auto waiting = [&] {
    std::vector<std::string> commands;
    for (const auto& [key, end] : open(Database::Use::read).ends())
      if (end.again == kBad) commands.push_back(key.first);
    return commands;
  };
  open().add(some_case("a"), {});
  open().add(some_case("b", Outcome::hung), {});
  open().add(some_case("c", Outcome::hung), {});
  open().add(some_case("of another study", Outcome::hung), {});
  open().run_again({{"b", 1}, {"c", 1}, {"c", 2}, {"none", 1}}, kBad);

  EXPECT_THAT(waiting(), ElementsAre("b", "c"));
  open().add(some_case("c", Outcome::hung), {});
  EXPECT_THAT(waiting(), ElementsAre("b"));
}

TEST_F(Databases, ForgetWhatWaitsWhereItsOutcomesAreNotKept) {
  open().add(some_case("a", Outcome::hung), {});
  set("CREATE TABLE again (case_id INTEGER PRIMARY KEY); INSERT INTO again VALUES (1)");
  const auto again = [&] { return open(Database::Use::read).ends().begin()->second.again; };

  EXPECT_THAT(again(), IsEmpty());
  open().run_again({{"a", 1}}, kBad);
  EXPECT_EQ(again(), kBad);
}

TEST_F(Databases, PutACaseThatWasRunAgainInThePlaceOfTheFirst) {
  auto database = open();
  database.add(some_case("a", Outcome::hung), two_results());
  database.add(some_case("a"), two_results());

  ASSERT_THAT(cases(), SizeIs(1));
  EXPECT_EQ(cases()[0].outcome, Outcome::ok);
}

TEST_F(Databases, FilterByColumnsAndVariables) {
  auto database = open();
  database.add(some_case("a"), {});
  auto other = some_case("b", Outcome::hung);
  other.variables = R"({"NCCL_ALGO":"Tree"})";
  other.nodes = 4;
  database.add(other, {});

  EXPECT_THAT(cases({{"outcome", "hung"}}), SizeIs(1));
  EXPECT_THAT(cases({{"nodes", "4"}}), SizeIs(1));
  EXPECT_THAT(cases({{"nodes", "4"}, {"nodes", "2"}}), SizeIs(2));
  EXPECT_THAT(cases({{"nodes", "4"}, {"outcome", "ok"}}), SizeIs(0));
  EXPECT_THAT(cases({{"NCCL_ALGO", "Ring"}}), SizeIs(1));
  EXPECT_THAT(cases({{"NCCL_PROTO", ""}}), SizeIs(2));  // unset, or no part of the study
  EXPECT_THAT(cases({{"study", "' OR 1 --"}}), SizeIs(0));
}

TEST_F(Databases, AreOneProcessToWriteAndOthersToRead) {
  auto database = open();
  database.add(some_case("a"), {});

  EXPECT_THAT(Database::open(path_, Database::Use::add).sentence(), HasSubstr("in use by another"));
  EXPECT_THAT(cases(), SizeIs(1));
}

TEST_F(Databases, RefuseOtherFilesAndLeaveThemAlone) {
  for (const std::string text : {"some text that is no database", ""}) {
    std::ofstream(path_) << text;
    EXPECT_THAT(Database::open(path_, Database::Use::read).sentence(),
                HasSubstr("is no file of linerate sweep"));
    if (!text.empty()) {
      EXPECT_FALSE(Database::open(path_, Database::Use::add));
    }
    EXPECT_EQ(std::filesystem::file_size(path_), text.size());
  }
  EXPECT_THAT(Database::open(folder_.string(), Database::Use::read).sentence(),
              HasSubstr("is no file"));
  EXPECT_THAT(Database::open("/no/such.db", Database::Use::add).sentence(),
              HasSubstr("cannot be opened"));
}

TEST_F(Databases, RefuseOtherProgramsTablesAndNewerSchemas) {
  set("CREATE TABLE photos (a)");
  EXPECT_THAT(Database::open(path_, Database::Use::add).sentence(), HasSubstr("another program"));
  std::filesystem::remove(path_);
  (void)open();
  set("PRAGMA user_version = 99");
  EXPECT_THAT(Database::open(path_, Database::Use::add).sentence(), HasSubstr("schema 99"));
}

// A limit of the file's size stands for a disk that is full.
TEST_F(Databases, KeepAllCasesBeforeOneThatCouldNotBeWritten) {
  (void)std::signal(SIGXFSZ, SIG_IGN);
  auto database = open();
  database.add(some_case("a"), {});
  auto large = some_case("b");
  large.records = std::string(std::size_t{2} << 20, 'x');
  rlimit before{};
  ASSERT_EQ(::getrlimit(RLIMIT_FSIZE, &before), 0);
  const rlimit small{1 << 20, before.rlim_max};
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &small), 0);

  EXPECT_THROW(database.add(large, {}), Error);

  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &before), 0);
  EXPECT_THAT(cases(), SizeIs(1));
  database.add(large, {});
  EXPECT_THAT(cases(), SizeIs(2));
}

TEST(Lists, ShowEachCaseAndItsReason) {
  ListText list;
  list.add(some_case("a"));
  auto hung = some_case("b", Outcome::hung);
  hung.reason = "it took longer than 9 s";
  list.add(hung);

  EXPECT_THAT(list.text(), HasSubstr("ok "));
  EXPECT_THAT(list.text(), HasSubstr("2x8"));
  EXPECT_THAT(list.text(), HasSubstr("NCCL_ALGO=Ring\n#   it took longer than 9 s\n"));
}

TEST(Exports, HaveTheCaseBesideEachResult) {
  auto of = some_case("a");
  Record record{.run_id = "a", .what = {.collective = "all_reduce", .bytes = 8}};
  of.records += json_line(record) + json_line(record);

  EXPECT_THAT(csv_heading_of_cases(), HasSubstr("case_study,case_command,case_repeat,"));
  const auto lines = csv_lines(of);
  EXPECT_EQ(std::ranges::count(lines, '\n'), 2);
  EXPECT_THAT(json_lines(of), HasSubstr(R"({"kind":"case","schema":1,"study":"night")"));
  EXPECT_TRUE(read_jsonl(json_lines(of)));
}

TEST(Exports, HaveACaseWithoutResultsToo) {
  const auto commas = [](const std::string& line) { return std::ranges::count(line, ','); };
  auto of = some_case("a", Outcome::no_start);
  of.variables = "{}";
  EXPECT_EQ(commas(csv_lines(of)), commas(csv_heading_of_cases()));
}

}  // namespace
}  // namespace linerate::sweep
