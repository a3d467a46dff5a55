"""What a sweep's file tells: effects of settings, and winners."""

import unittest

from study_case import StudyCase
from study_effects import effects_of, median_interval, medians_of
from study_winners import spreads_of, winners_of


class StudyNumbers(StudyCase):
    def test_an_effect_is_of_runs_that_differ_in_nothing_else(self):
        for other in ("1", "4"):
            slow = 10 if other == "4" else 1
            self.case({"ALGO": None, "QPS": other}, {8: 10 * slow, 64: 100 * slow})
            self.case({"ALGO": "Tree", "QPS": other}, {8: 20 * slow, 64: 150 * slow})
        self.case({"ALGO": "Ring", "QPS": "2"}, {8: 1})  # nothing to hold it against

        study = self.study()
        effects = {f"{e.setting}={e.value}": e for e in effects_of(study, medians_of(study))}

        self.assertEqual(set(effects), {"ALGO=Tree", "QPS=4"})
        tree = effects["ALGO=Tree"]
        self.assertEqual((tree.against, len(tree.logs)), ("unset", 4))
        self.assertAlmostEqual(tree.ratio, 3 ** 0.5)
        self.assertEqual(tree.strongest.bytes, 8)
        self.assertAlmostEqual(effects["QPS=4"].ratio, 10)
        self.assertEqual(list(effects), ["QPS=4", "ALGO=Tree"])

    def test_what_is_worse_than_slow_is_never_left_out_for_it(self):
        for _ in range(300):
            self.case({}, {8: 1}, outcome="slow")
        self.file.execute("UPDATE cases SET reason = 'no ' || id")  # each has its own
        self.case({}, {}, outcome="crashed")

        study = self.study()

        self.assertEqual((len(study.problems), study.bad), (200, 301))
        self.assertEqual(study.problems[0].outcome, "crashed")

    def test_an_effect_has_an_interval_between_runs(self):
        for day in range(1, 8):
            noise = 1 + (day - 4) / 100
            self.case({"ALGO": None}, {8: 10, 64: 100}, day=day)
            self.case({"ALGO": "Tree"}, {8: 20 * noise, 64: 200 * noise}, day=day)
            self.case({"ALGO": "Ring"}, {8: 10 * noise, 64: 100 * noise}, day=day)

        study = self.study()
        tree, ring = effects_of(study, medians_of(study))

        # The run is the unit: of seven the first and the last enclose the median.
        self.assertEqual((tree.value, len(tree.run_logs), len(tree.logs)), ("Tree", 7, 2))
        low, high = tree.interval
        self.assertAlmostEqual(low, 2 * 0.97)
        self.assertAlmostEqual(high, 2 * 1.03)
        self.assertEqual((tree.may_be_none, ring.may_be_none), (False, True))

    def test_intervals_are_of_order_statistics(self):
        self.assertIsNone(median_interval([1.0] * 5))
        self.assertEqual(median_interval([float(i) for i in range(6)]), (0, 5))
        self.assertEqual(median_interval([float(i) for i in range(100)]), (39, 60))
        low, high = median_interval([float(i) for i in range(10_001)])
        self.assertEqual((low, high), (4901, 5099))

    def test_repeats_count_by_their_median_and_wrong_or_unfinished_runs_do_not(self):
        for time_us in (10, 11, 90):
            self.case({"A": "1"}, {8: time_us})
        self.case({"A": "2"}, {8: 1}, wrong=3)
        self.case({"A": "3"}, {8: 1}, outcome="hung")

        study = self.study()

        self.assertEqual(list(medians_of(study).values()), [{0: 11}])
        self.assertEqual(study.outcomes, {"ok": 4, "hung": 1})

    def test_the_winner_loses_least_over_all_calls(self):
        self.case({"A": "1"}, {8: 10, 64: 40})
        self.case({"A": "2"}, {8: 20, 64: 20})
        self.case({"A": "3"}, {8: 10.2, 64: 20})

        study = self.study()
        winners = winners_of(study, medians_of(study))

        self.assertEqual([w.words.split(", ")[0] for w in winners], ["A=3", "A=1", "A=2"])
        self.assertEqual((winners[0].calls, winners[0].fastest), (2, 2))
        self.assertAlmostEqual(winners[1].loss, 2 ** 0.5 - 1)
        spread = spreads_of(study, medians_of(study))[0]
        self.assertEqual((spread.best_us, spread.worst_us, spread.factor), (10, 20, 2))


if __name__ == "__main__":
    unittest.main()
