// What `linerate tune` takes, and what it refuses.
#include "cli/tune_config.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace linerate {
namespace {

TEST(ParseTune, HasDefaultsThatCoverWhatTheTableHolds) {
  const auto config = parse_tune({"host"});

  ASSERT_TRUE(config.ok());
  EXPECT_EQ(config->nranks, (std::vector<int>{2, 3, 4, 8}));
  EXPECT_EQ(config->kinds.size(), 8u);
  EXPECT_EQ(config->max_bytes, std::size_t{128} << 20);
  EXPECT_FALSE(config->check);
}

TEST(ParseTune, ReadsListsAndSizes) {
  const auto config =
      parse_tune({"host", "--nranks", "5,64", "--collectives", "gather", "-b", "1K", "-e", "2M"});

  ASSERT_TRUE(config.ok());
  EXPECT_EQ(config->nranks, (std::vector<int>{5, 64}));
  EXPECT_EQ(config->kinds, std::vector<OpKind>{OpKind::gather});
  EXPECT_EQ(config->min_bytes, 1024u);
  EXPECT_EQ(config->max_bytes, std::size_t{2} << 20);
}

TEST(ParseTune, TakesWhatToTuneAnywhere) { EXPECT_TRUE(parse_tune({"--check", "host"})->check); }

TEST(ParseTune, RefusesInOneSentence) {
  const std::vector<std::vector<std::string>> cases{{},
                                                    {"cuda"},
                                                    {"host", "more"},
                                                    {"host", "--nranks", ""},
                                                    {"host", "--nranks", "65"},
                                                    {"host", "--nranks", "2,"},
                                                    {"host", "--collectives", "allx"},
                                                    {"host", "-e", "big"},
                                                    {"host", "-b", "2"},
                                                    {"host", "-b", "2K", "-e", "1K"},
                                                    {"host", "--check=maybe"}};
  for (const auto& words : cases) {
    const auto config = parse_tune(words);
    ASSERT_FALSE(config.ok());
    EXPECT_TRUE(config.sentence().ends_with('.') || config.sentence().ends_with('?'))
        << config.sentence();
  }
}

}  // namespace
}  // namespace linerate
