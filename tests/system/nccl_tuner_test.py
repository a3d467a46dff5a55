"""The tuner plugin of NCCL takes a run's calls from its rules: over a fake NCCL that is faster by
one choice."""

import tempfile
from pathlib import Path

from gpus import LINERATE, GpuRun
from support import main

HEADING = "collective,min_bytes,max_bytes,nodes,ranks,algorithm,protocol,channels\n"
SLOW_US = 2000  # of a call by another choice
PLUGIN = Path(LINERATE).parent.parent / "lib" / "libnccl-tuner-linerate.so"


class Plugin(GpuRun):
    def least_us(self, rules: str) -> float:
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / "tuner.csv"
            file.write_text(HEADING + rules)
            lines = self.record("all_reduce_perf", "-b", "1K", "-e", "1K", "-n", "20",
                                LINERATE_FAKE_NCCL_FAST="Tree/LL", NCCL_TUNER_PLUGIN=str(PLUGIN),
                                LINERATE_NCCL_TUNER=str(file))
        return min(line["samples_us"]["min"] for line in lines if line["kind"] == "result")

    def test_takes_the_choice_of_the_rule_that_fits(self):
        self.assertLess(self.least_us("all_reduce,1024,1024,1,*,Tree,LL,*\n"), SLOW_US)

    def test_leaves_other_sizes_to_nccl(self):
        self.assertGreater(self.least_us("all_reduce,2048,4096,1,*,Tree,LL,*\n"), SLOW_US)


if __name__ == "__main__":
    main()
