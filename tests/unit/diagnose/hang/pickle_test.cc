// What of a pickle is read, and what is refused.
#include "base/splitmix.h"
#include "diagnose/hang/document.h"
#include "example.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace linerate::hang {
namespace {

using std::string_literals::operator""s;
using testing::HasSubstr;

TEST(Pickle, HasTheValuesOfADictAsPyTorchWritesIt) {
  const auto document = read_pickle(PickleWriter::text_of(
      {{"a", -5}, {"b", "text"}, {"c", {1, 300, 70'000, 5'000'000'000}}, {"d", true}}));

  ASSERT_TRUE(document.ok()) << document.sentence();
  const auto& root = document->at(document->root);
  EXPECT_EQ(document->integer(root, "a", 0), -5);
  EXPECT_EQ(document->text(root, "b"), "text");
  EXPECT_EQ(document->integer(root, "d", 0), 1);
  const auto* list = document->find(root, "c");
  ASSERT_EQ(list->items.size(), 4U);
  EXPECT_EQ(document->at(list->items[3]).integer, 5'000'000'000);
}

// python3 -c "import pickle; print(pickle.dumps({'k': (1, 2.5, None)}, 4))"
TEST(Pickle, HasTheValuesOfADictAsPythonWritesIt) {
  const auto document = read_pickle(
      "\x80\x04\x95\x17\0\0\0\0\0\0\0}\x94\x8c\x01k\x94K\x01G@\x04\0\0\0\0\0\0N\x87\x94s."s);

  ASSERT_TRUE(document.ok()) << document.sentence();
  const auto* tuple = document->find(document->at(document->root), "k");
  ASSERT_NE(tuple, nullptr);
  ASSERT_EQ(tuple->items.size(), 3U);
  EXPECT_EQ(document->at(tuple->items[1]).real, 2.5);
}

TEST(Pickle, SeesWhatIsAddedToAListAfterItWasNamed) {
  const auto document = read_pickle(
      "\x80\x02](]q\x01K\x07"
      "ah\x01"
      "e."s);

  ASSERT_TRUE(document.ok()) << document.sentence();
  const auto& items = document->at(document->root).items;
  ASSERT_EQ(items.size(), 2U);
  EXPECT_EQ(document->at(items[1]).items.size(), 1U);
}

TEST(Pickle, TakesAListThatHoldsItself) {
  EXPECT_TRUE(read_pickle("\x80\x02]q\x01h\x01"
                          "a."s)
                  .ok());
}

TEST(Pickle, RefusesWhatNamesOrCallsCode) {
  for (const auto& bytes :
       {"\x80\x02"
        "cos\nsystem\n(X\x02\0\0\0lstR."s,
        "\x80\x02"
        "(ios\nsystem\n."s,
        "\x80\x02}Rb."s, "\x80\x04\x8c\x02os\x8c\x06system\x93."s, "\x80\x02N)\x81."s,
        "\x80\x02U\x01xQ."s, "\x80\x02\x82\x01."s, "\x80\x05\x96\x01\0\0\0\0\0\0\0x."s}) {
    const auto document = read_pickle(bytes);
    ASSERT_FALSE(document.ok());
    EXPECT_THAT(document.sentence(), HasSubstr("is not executed.")) << bytes;
  }
}

TEST(Pickle, RefusesWhatIsNoWholePickle) {
  for (const auto& bytes : {""s, "\x80"s, "\x80\x02"s, "\x80\x02."s, "\x80\x02NN."s, "\x80\x02(N."s,
                            "\x80\x02"
                            "e."s,
                            "\x80\x02}(Nu."s, "\x80\x02Na."s, "\x80\x02NNa."s, "\x80\x02]NNs."s,
                            "\x80\x02h\x05."s, "\x80\x02q\x01."s, "\x80\x02X\xff\xff\xff\x7fx."s,
                            "\x80\x02\x8a\x09"
                            "123456789."s,
                            "\x80\x02\x85."s, "\x80\x02(\x86."s, "\x80\x02K"s,
                            "\x80\x02\x8d\xff\xff\xff\xff\xff\xff\xff\xff."s})
    EXPECT_FALSE(read_pickle(bytes).ok()) << testing::PrintToString(bytes);
}

TEST(Pickle, RefusesWhatIsTooDeepOrTooLarge) {
  EXPECT_FALSE(read_pickle("\x80\x02" + std::string(1000, '(')).ok());
  EXPECT_THAT(read_pickle("\x80\x02" + std::string(5'000'000, 'N')).sentence(),
              HasSubstr("too many values"));
}

// 10,000 broken dumps: each is read or refused, and never more than that.
TEST(Pickle, SurvivesBrokenBytes) {
  const auto whole = PickleWriter::text_of(dump_of({{.sequence = 1}, {.sequence = 2}}));
  std::size_t refused = 0;
  for (std::uint64_t seed = 0; seed < 10'000; ++seed) {
    auto bytes = whole;
    for (std::uint64_t i = 0; i < 1 + seed % 3; ++i)
      bytes[splitmix64(seed * 8 + i) % bytes.size()] =
          static_cast<char>(splitmix64(seed * 8 + i + 4) & 0xffU);
    if (seed % 5 == 0) bytes.resize(splitmix64(seed) % bytes.size());
    Dumps dumps;
    if (dumps.add("rank_0", bytes)) ++refused;
    (void)examine(dumps);
  }
  EXPECT_GT(refused, 2000U);
}

}  // namespace
}  // namespace linerate::hang
