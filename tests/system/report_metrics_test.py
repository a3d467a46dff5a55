"""linerate.prom, read by Prometheus' own parser."""

from pathlib import Path

from report_case import Report, judged
from runs import MadeUp
from support import lacks, main

try:
    from prometheus_client.openmetrics.parser import text_string_to_metric_families as families_of
except ImportError:
    families_of = None


class Metrics(Report):
    def setUp(self):
        super().setUp()
        if families_of is None:
            lacks("prometheus_client is not installed")

    def samples_of(self, *runs: Path) -> dict[str, list]:
        code, stderr = self.report(*runs, formats="openmetrics")
        self.assertEqual(code, 0, stderr)
        self.assertEqual([path.name for path in self.out.iterdir()], ["linerate.prom"])
        text = (self.out / "linerate.prom").read_text(encoding="utf-8")
        return {family.name: family.samples for family in families_of(text)}

    def test_each_case_has_its_figures_in_base_units(self):
        lines = judged(MadeUp(sizes=(8, 1024)).lines())
        result = next(line for line in lines if line["kind"] == "result")
        result |= {"busbw_gbps": 2.5, "verdict": "low", "wrong": 3}
        result["window"]["time_us"] = 4

        found = self.samples_of(self.write("a.jsonl", lines))

        busbw = found["linerate_bus_bandwidth_bytes_per_second"]
        self.assertEqual(len(busbw), 4)
        self.assertEqual(busbw[0].value, 2.5e9)
        self.assertEqual(busbw[0].labels["placement"], "out_of_place")
        self.assertEqual(busbw[0].labels["bytes"], "8")
        self.assertAlmostEqual(found["linerate_call_seconds"][0].value, 4e-6)
        self.assertEqual([sample.value for sample in found["linerate_low"]], [1, 0, 0, 0])
        self.assertEqual(found["linerate_wrong_elements"][0].value, 3)
        self.assertEqual(found["linerate_exit_code"][0].labels, {"program": "all_reduce_perf"})

    def test_the_last_run_of_a_case_counts(self):
        first = self.write("a.jsonl", MadeUp(sizes=(8,), gbps=1).lines())
        second = self.write("b.jsonl", MadeUp(sizes=(8,), gbps=12, run_id="r2").lines())

        both, last = self.samples_of(first, second), self.samples_of(second)

        self.assertEqual(both, last)

    def test_what_nobody_expected_has_no_verdict(self):
        found = self.samples_of(self.write("a.jsonl", MadeUp(sizes=(8,)).lines()))

        self.assertNotIn("linerate_low", found)
        self.assertNotIn("linerate_expected_bus_bandwidth_bytes_per_second", found)

    def test_labels_are_escaped(self):
        lines = MadeUp(sizes=(8,), backend='a"b\\c\nd').lines()

        found = self.samples_of(self.write("a.jsonl", lines))

        self.assertEqual(found["linerate_call_seconds"][0].labels["backend"], 'a"b\\c\nd')


if __name__ == "__main__":
    main()
