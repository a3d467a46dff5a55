// Predictions as tables and JSON: two numbers, never mixed, and none where NCCL finds no path.
#include "topo/show/prediction.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <string>
#include <vector>

namespace linerate::topo {
namespace {

using Json = nlohmann::json;

PredictedRow row() {
  const Prediction nccl{.bytes = 1 << 20,
                        .algorithm = Algorithm::nvls,
                        .channels = 16,
                        .time_us = 40,
                        .algbw_gbps = 26.2,
                        .busbw_gbps = 45.9};
  return {.nnodes = 1,
          .nranks = 8,
          .predicted = {.nccl = nccl,
                        .forecast = Forecast{50, 36.7, 30.1, 40.2, 3},
                        .parts = {.latency_us = 25},
                        .bound_by = "NCCL model"}};
}

PredictedRow row_without_path() {
  auto lost = row();
  lost.predicted.nccl.busbw_gbps = 0.1;
  lost.predicted.forecast.reset();
  return lost;
}

Json json_of(const PredictedRow& row) {
  const std::vector rows{row};
  return Json::parse(prediction_json(rows, Function::all_reduce, {}))["rows"][0];
}

std::string table_of(const PredictedRow& row) {
  const std::vector rows{row};
  return prediction_table(rows, Function::all_reduce, {});
}

TEST(PredictionJson, KeepsWhatIsExpectedApartFromWhatNcclBelieves) {
  const auto parsed = json_of(row());

  EXPECT_EQ(parsed["expected_busbw_gbps"], 36.7);
  EXPECT_EQ(parsed["expected_low_gbps"], 30.1);
  EXPECT_EQ(parsed["expected_high_gbps"], 40.2);
  EXPECT_EQ(parsed["expected_time_us"], 50);
  EXPECT_EQ(parsed["expected_sources"], 3);
  EXPECT_EQ(parsed["ncclmodel_busbw_gbps"], 45.9);
  EXPECT_EQ(parsed["ncclmodel_time_us"], 40);
  EXPECT_EQ(parsed["parts"]["latency_us"], 25);
  EXPECT_FALSE(parsed.contains("busbw_gbps"));
  EXPECT_FALSE(parsed.contains("time_us"));
}

TEST(PredictionJson, HasNoNumbersWhereNcclFindsNoPath) {
  const auto parsed = json_of(row_without_path());

  EXPECT_EQ(parsed["bound_by"], "no path");
  for (const auto& [key, value] : parsed.items()) {
    EXPECT_FALSE(key.starts_with("expected_")) << key;
    EXPECT_FALSE(key.starts_with("ncclmodel_")) << key;
  }
}

TEST(PredictionJson, NamesTheVariablesThatItObeys) {
  PredictionFacts facts;
  facts.asked.given = {{"NCCL_ALGO", "Ring"}, {"NCCL_MIN_CTAS", "32"}};

  const auto parsed = Json::parse(prediction_json({}, Function::all_reduce, facts));

  EXPECT_EQ(parsed["environment"], (Json{{"NCCL_ALGO", "Ring"}, {"NCCL_MIN_CTAS", "32"}}));
}

TEST(PredictionTable, ShowsTheBandItsSourcesAndNcclInColumnsOfTheirOwn) {
  const auto text = table_of(row());

  EXPECT_NE(text.find("  50.00     36.70   30.10 to 40.20        3     45.90"), std::string::npos)
      << text;
  EXPECT_EQ(text.find("simple order"), std::string::npos);
}

TEST(PredictionTable, NeverShowsNcclsMarkerAsASpeed) {
  const auto text = table_of(row_without_path());

  EXPECT_EQ(text.find("0.10"), std::string::npos) << text;
  EXPECT_NE(text.find("NCCL finds no path"), std::string::npos);
}

}  // namespace
}  // namespace linerate::topo
