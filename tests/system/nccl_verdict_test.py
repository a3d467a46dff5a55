"""Runs on GPUs say how fast NCCL's own model says that they should be."""

import tempfile
from pathlib import Path

from gpus import SMALL, GpuRun, on_gpus
from support import main

GPU = """<pci busid="0000:{bus}:00.0" class="0x030200" vendor="0x10de" device="0x2330"
 link_speed="32.0 GT/s PCIe" link_width="16"><gpu dev="{dev}" sm="90" rank="{dev}" gdr="1">
 <nvlink target="fffffff:ff:ff.0" count="18" tclass="0x068000"/></gpu></pci>"""
CPU = """<system version="1"><cpu numaid="0" affinity="ff" arch="x86_64" vendor="GenuineIntel"
 familyid="6" modelid="143">{gpus}</cpu></system>"""


def node(gpus: int) -> str:
    """The GPUs of the fakes, joined by NVSwitches."""
    return CPU.format(gpus="".join(GPU.format(bus=f"{0xa0 + dev:x}", dev=dev)
                                   for dev in range(gpus)))


class Verdicts(GpuRun):
    def run_on(self, xml: str, *words: str):
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / "node.xml"
            file.write_text(xml)
            return on_gpus("all_reduce", *SMALL, "-g", "8", *words, NCCL_TOPO_FILE=str(file))

    def test_each_result_has_the_prediction_of_its_size(self):
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / "node.xml"
            file.write_text(node(8))
            results = [line for line in self.record("all_reduce", *SMALL, "-g", "8",
                                                    NCCL_TOPO_FILE=str(file))
                       if line["kind"] == "result"]
        self.assertEqual(len(results), 6)
        for result in results:
            self.assertEqual(result["bound_by"], "NCCL's Ring/LL")
            self.assertGreater(result["ncclmodel_busbw_gbps"], result["expected_busbw_gbps"])
            self.assertGreater(result["expected_busbw_gbps"], result["expected_low_gbps"])
            self.assertIn(result["verdict"], ("ok", "unsure", "low", "above"))

    def test_the_variables_of_the_run_count(self):
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / "node.xml"
            file.write_text(node(8))
            lines = self.record("all_reduce", *SMALL, "-g", "8", NCCL_TOPO_FILE=str(file),
                                NCCL_ALGO="Tree", NCCL_PROTO="Simple")
        self.assertIn("NCCL_ALGO=Tree", lines[0]["environment"])
        self.assertEqual({line["bound_by"] for line in lines if line["kind"] == "result"},
                         {"NCCL's Tree/Simple"})

    def test_the_table_ends_with_the_verdict(self):
        done = self.run_on(node(8))
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("# Verdict              : ", done.stdout)

    def test_gpus_that_the_file_does_not_show_have_none(self):
        done = self.run_on(node(4))
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertNotIn("# Verdict", done.stdout)
        self.assertNotIn("nothing was judged", done.stderr)

    def test_a_run_that_is_asked_for_verdicts_says_why_it_has_none(self):
        done = self.run_on(node(4), "--verdict")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("nothing was judged: GPU 0000:a4:00.0 is not in file", done.stderr)

    def test_a_file_without_nvlinks_is_not_believed(self):
        bare = node(8).replace('<nvlink target="fffffff:ff:ff.0" count="18" tclass="0x068000"/>',
                               "")
        done = self.run_on(bare, "--fail-below", "0.5")
        self.assertEqual(done.returncode, 5, done.stderr)
        self.assertIn("has NVLinks", done.stderr)

    def test_a_limit_without_a_bound_is_exit_code_5(self):
        done = self.run_on("<system", "--fail-below", "0.5")
        self.assertEqual(done.returncode, 5, done.stderr)
        self.assertIn("--fail-below: nothing was judged: ", done.stderr)
        self.assertIn("node.xml", done.stderr)


if __name__ == "__main__":
    main()
