"""What a sweep's file tells of more nodes, and of runs over time."""

import unittest

from study_case import StudyCase
from study_effects import medians_of
from study_trends import histories_of, scalings_of


class Trends(StudyCase):
    def test_scaling_is_by_nodes_at_the_largest_size_with_the_most_ranks(self):
        for nodes in (1, 2, 4):
            self.case({}, {8: 1, 64: 10 * nodes}, nodes=nodes)
            self.case({}, {64: nodes}, nodes=nodes, ranks=1)

        study = self.study()
        scaling, = scalings_of(study, medians_of(study))

        self.assertEqual(scaling.unit, "nodes")
        self.assertEqual(scaling.title, "all_reduce float, 64 B, 2 ranks a node")
        self.assertEqual(list(scaling.lines["backend=host"]), [1, 2, 4])
        self.assertAlmostEqual(scaling.lines["backend=host"][4], 64 / 40 / 1e3)

    def test_scaling_begins_with_two_ranks(self):
        for nodes in (1, 2, 4):
            self.case({}, {64: 10}, nodes=nodes, ranks=1)

        study = self.study()
        scaling, = scalings_of(study, medians_of(study))

        self.assertEqual(scaling.title, "all_reduce float, 64 B, 1 rank a node")
        self.assertEqual(list(scaling.lines["backend=host"]), [2, 4])

    def test_scaling_is_of_float_before_other_types(self):
        for kinds, shown in ((("uint8", "half", "bfloat16"), "bfloat16"), (("float",), "float")):
            for nodes in (1, 2):
                for kind in kinds:
                    self.case({}, {64: 10}, nodes=nodes, kind=kind)

            study = self.study()
            scaling, = scalings_of(study, medians_of(study))

            self.assertEqual(scaling.title, f"all_reduce {shown}, 64 B, 2 ranks a node")

    def test_a_history_tells_where_the_last_run_is_outside(self):
        for day, time_us in ((3, 100), (1, 98), (2, 102), (4, 120)):
            self.case({}, {8: 1, 64: time_us}, day=day)

        history, = histories_of(self.study())

        self.assertEqual([p.time_us for p in history.points], [98, 102, 100, 120])
        self.assertEqual((history.what.bytes, history.outside), (64, "slower"))
        self.assertAlmostEqual(history.ratio, 1.2)
        self.case({}, {64: 119}, day=5)  # within those before it
        self.assertEqual(histories_of(self.study())[0].outside, "")


if __name__ == "__main__":
    unittest.main()
