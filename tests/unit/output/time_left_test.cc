// The forecast as arithmetic: on made-up costs, and on sweeps that were recorded.
#include "output/time_left.h"

#include "unit/output/recorded_sweeps.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

namespace linerate {
namespace {

std::vector<Block> once(std::vector<Piece> pieces) { return {{.pieces = std::move(pieces)}}; }

TEST(LinearCost, FindsAFixedPartAndARate) {
  LinearCost cost;
  for (const double amount : {1.0, 10.0, 100.0, 1000.0}) cost.add(amount, 0.5 + 0.01 * amount);

  const auto line = cost.line({.largest = 10'000});

  EXPECT_NEAR(line.fixed, 0.5, 1e-6);
  EXPECT_NEAR(line.rate, 0.01, 1e-6);
}

TEST(LinearCost, BelievesInTheRateWhereAmountsTellNone) {
  LinearCost cost;
  for (int i = 0; i < 20; ++i) cost.add(1e-6, 0.25);

  const auto line = cost.line({.rate = 3, .largest = 1});

  EXPECT_NEAR(line.at(1), 3.25, 0.01);
}

TEST(LinearCost, TrustsMeasurementsNearTheLargestMoreThanItsBelief) {
  LinearCost cost;
  for (const double amount : {0.25, 0.5, 1.0}) cost.add(amount, 12 * amount);

  EXPECT_NEAR(cost.line({.rate = 3, .largest = 1}).at(1), 12, 3);
}

TEST(LinearCost, IsTheMeanOfEqualAmounts) {
  LinearCost cost;
  for (const double seconds : {2.0, 2.0, 2.0}) cost.add(1024, seconds);

  EXPECT_NEAR(cost.line({.largest = 1024}).at(1024), 2, 1e-9);
  EXPECT_NEAR(cost.line({.rate = 1, .largest = 1024}).at(1024), 2, 1e-9);
}

TEST(LinearCost, HasNoNegativePart) {
  LinearCost falls, steep;
  for (const double amount : {1.0, 2.0, 4.0}) falls.add(amount, 1 / amount);
  for (const double amount : {1.0, 2.0, 4.0}) steep.add(amount, amount * amount);

  EXPECT_GE(falls.line({.largest = 8}).rate, 0);
  EXPECT_GE(steep.line({.largest = 8}).fixed, 0);
}

TEST(TimeLeft, IsUnknownBeforeTwoPieces) {
  TimeLeft left;
  left.plan(0, once(std::vector<Piece>(4)));

  EXPECT_FALSE(left.seconds(0).has_value());
  left.next(2);
  EXPECT_FALSE(left.seconds(0).has_value());
  left.next(2);
  EXPECT_NEAR(left.seconds(0).value(), 4, 1e-6);
}

TEST(TimeLeft, IsKnownWithinAPieceThatTellsOfItsCalls) {
  TimeLeft left;
  left.plan(0, once({{.calls = 40, .bytes = 1e9}, {.kind = 1, .calls = 40, .bytes = 1e9}}));

  left.called(20, 10);

  EXPECT_NEAR(left.seconds(10).value(), 10 + 20, 1);
}

TEST(TimeLeft, StaysKnownBetweenPiecesThatTellOfTheirCalls) {
  TimeLeft left;
  left.plan(0, once({{.calls = 10, .bytes = 1e9}, {.calls = 10, .bytes = 1e9}}));
  left.called(10, 20);
  left.next(20);

  EXPECT_NEAR(left.seconds(0).value(), 20, 1e-6);
}

TEST(TimeLeft, TakesWhatWasSpentOnDataForThatOfTheOthersWhereNothingElseIsKnown) {
  TimeLeft left;
  left.plan(0, once(std::vector<Piece>(2, {.calls = 10, .bytes = 1e9, .data_bytes = 1e9})));
  left.touched(3);
  left.called(5, 5);

  EXPECT_NEAR(left.seconds(8).value(), 5 + 3 + 10, 1e-6);
}

TEST(TimeLeft, HasNotDoneMoreCallsWhereDataTookLonger) {
  TimeLeft left;
  left.filled(1e9, 1);
  left.plan(0, once({{.calls = 10, .bytes = 1e9, .data_bytes = 1e9}}));
  left.touched(7);  // and not the 1 s that the filling before says
  left.called(5, 5);

  EXPECT_NEAR(left.seconds(12).value(), 5, 1e-6);
}

TEST(TimeLeft, CountsWhatThePieceUnderWayHasTaken) {
  TimeLeft left;
  left.plan(0, once(std::vector<Piece>(4)));
  left.next(10);
  left.next(10);

  EXPECT_NEAR(left.seconds(4).value(), 16, 1e-6);
}

TEST(TimeLeft, GrowsWhereAPieceTakesLongerThanForecast) {
  TimeLeft left;
  left.plan(0, once(std::vector<Piece>(4)));
  left.next(10);
  left.next(10);

  EXPECT_NEAR(left.seconds(30).value(), 30, 1e-6);
}

TEST(TimeLeft, AddsDataAndWhatIsNeither) {
  const Piece piece{.calls = 10, .bytes = 1, .data_bytes = 1000};
  TimeLeft left;
  left.plan(0, once(std::vector<Piece>(3, piece)));
  for (int i = 0; i < 2; ++i) {
    left.touched(3);
    left.called(10, 5);
    left.next(10);  // 2 s of it are neither
  }

  EXPECT_NEAR(left.seconds(0).value(), 10, 1e-6);
}

TEST(TimeLeft, TakesTheRateOfDataFromTheAllocationUntilItIsMeasured) {
  TimeLeft left;
  left.filled(1e9, 2);
  const Piece tiny{.calls = 1, .bytes = 8, .data_bytes = 16};
  left.plan(0, once({tiny, tiny, {.calls = 1, .bytes = 8, .data_bytes = 4e9}}));
  for (int i = 0; i < 2; ++i) {
    left.touched(1e-6);
    left.called(1, 1e-6);
    left.next(2e-6);
  }

  EXPECT_NEAR(left.seconds(0).value(), 8, 0.5);
}

TEST(TimeLeft, FollowsTheModelToSizesThatWereNotMeasured) {
  // 8 bytes to 8 MiB; from 1 MiB on the model knows of slower memory, and calls take twice as long.
  std::vector<Piece> pieces;
  for (double bytes = 8; bytes <= 8 << 20; bytes *= 2)
    pieces.push_back(
        {.calls = 1, .bytes = bytes, .call_s = bytes * (bytes < 1 << 20 ? 1e-9 : 4e-9)});
  TimeLeft left;
  left.plan(0, once(pieces));
  double true_s = 0;
  for (std::size_t i = 12; i < pieces.size(); ++i) true_s += 2 * pieces[i].call_s + 1e-6;

  for (std::size_t i = 0; i < 12; ++i) left.next(2 * pieces[i].call_s + 1e-6);

  EXPECT_NEAR(left.seconds(0).value() / true_s, 1, 0.3);
}

TEST(TimeLeft, KnowsTheCyclesToCome) {
  TimeLeft left;
  left.plan(0, {{.pieces = {{.bytes = 1}, {.bytes = 2}}, .cycles = 10}});
  left.next(1);
  left.next(3);

  EXPECT_NEAR(left.seconds(0).value(), 9 * 4, 1e-6);
  left.next(1);
  EXPECT_NEAR(left.seconds(0).value(), 8 * 4 + 3, 1e-6);
}

TEST(TimeLeft, TakesTheMeanOfPiecesThatAreAlike) {
  for (const bool alike : {false, true}) {
    TimeLeft left;
    left.plan(0, {{.pieces = {{.alike = alike}}, .cycles = 10}});
    for (const double seconds : {1.0, 1.0, 4.0}) left.next(seconds);

    EXPECT_NEAR(left.seconds(0).value(), 7 * (alike ? 2 : 4), 1e-6);
  }
}

TEST(TimeLeft, IsUnknownWhereABlockHasNoEnd) {
  TimeLeft left;
  left.plan(0, {{.pieces = {{}, {}}, .cycles = 0}});
  for (int i = 0; i < 7; ++i) left.next(1);

  EXPECT_FALSE(left.seconds(0).has_value());
  EXPECT_EQ(left.results_planned(), 0u);
  EXPECT_EQ(left.results_done(), 7u);
}

TEST(TimeLeft, TakesAnotherKindForOneThatHasNotRun) {
  TimeLeft left;
  left.plan(0, {{.pieces = {{.bytes = 1e6, .call_s = 1}, {.bytes = 2e6, .call_s = 2}}},
                {.pieces = {{.kind = 3, .bytes = 1e6, .call_s = 1}}}});
  left.next(5);
  left.next(10);
  left.begin(1, 0.5);

  EXPECT_NEAR(left.seconds(0).value(), 5, 1.5);
}

TEST(TimeLeft, TakesTheMeanOfAllKindsForOneThatHasNotRun) {
  TimeLeft left;
  const auto of_kind = [](int kind) {
    return Block{.pieces = std::vector<Piece>(8, {.kind = kind, .bytes = 1000, .call_s = 1})};
  };
  left.plan(0, {of_kind(0), of_kind(1), of_kind(2)});
  for (int i = 0; i < 8; ++i) left.next(6);
  left.begin(1, 0);
  for (int i = 0; i < 8; ++i) left.next(2);
  left.begin(2, 0);

  EXPECT_NEAR(left.seconds(0).value(), 8 * 4, 2);
}

TEST(TimeLeft, SkipsWhatABlockLeftOut) {
  TimeLeft left;
  left.plan(0, {{.pieces = std::vector<Piece>(10)}, {.pieces = std::vector<Piece>(3)}});
  left.next(1);
  left.next(1);
  left.begin(1, 0.5);

  EXPECT_NEAR(left.seconds(0).value(), 3, 1e-6);
  EXPECT_EQ(left.results_planned(), 13u);
}

TEST(TimeLeft, CountsTheTimeBetweenBlocks) {
  TimeLeft left;
  left.plan(0, std::vector<Block>(4, {.pieces = std::vector<Piece>(2)}));
  left.begin(0, 9);
  left.next(1);
  left.next(1);
  EXPECT_NEAR(left.seconds(3).value(), 6 + 2 * 0.25, 1e-6);  // as is believed, and late
  left.begin(1, 4);

  EXPECT_NEAR(left.seconds(0).value(), 6 + 2 * 4, 1e-6);
}

TEST(TimeLeft, WaitsForAWholeRow) {
  TimeLeft left;
  left.plan(0, {{.pieces = std::vector<Piece>(8), .row = 4}});
  for (int i = 0; i < 3; ++i) left.next(1);
  EXPECT_FALSE(left.seconds(0).has_value());
  left.next(1);

  EXPECT_NEAR(left.seconds(0).value(), 4, 1e-6);
}

TEST(TimeLeft, SurvivesPiecesOfNoTime) {
  TimeLeft left;
  left.plan(0, once(std::vector<Piece>(3)));
  left.next(0);
  left.next(0);

  EXPECT_NEAR(left.seconds(0).value(), 0, 1e-6);
}

// How far the forecast is off at the end of each piece of a recorded sweep but the first and the
// last: the largest ratio to the truth, either way.
double worst_factor(const RecordedSweep& sweep) {
  std::vector<Piece> pieces;
  for (const auto& row : sweep.pieces) pieces.push_back(row.piece);
  TimeLeft left;
  left.filled(1, sweep.fill_s_per_byte);
  left.plan(0, {{.pieces = pieces, .row = sweep.row}});
  double worst = 1;
  for (std::size_t i = 0; i + 1 < pieces.size(); ++i) {
    const auto& row = sweep.pieces[i];
    if (row.calls > 0) left.called(row.calls, row.calls_s);
    left.touched(row.data_s);
    left.next(row.seconds);
    if (i + 1 < sweep.row) continue;
    double true_s = 0;
    for (std::size_t k = i + 1; k < pieces.size(); ++k) true_s += sweep.pieces[k].seconds;
    const double ratio = left.seconds(0).value() / true_s;
    worst = std::max({worst, ratio, 1 / ratio});
  }
  return worst;
}

TEST(TimeLeft, OfRecordedSweepsIsWithinAFactorOfOneAndAHalf) {
  for (const auto& sweep : kRecordedSweeps) EXPECT_LE(worst_factor(sweep), 1.5) << sweep.command;
}

}  // namespace
}  // namespace linerate
