"""linerate tune nccl over a fake NCCL that is faster by one choice, also through the plugin."""

import tempfile
from pathlib import Path

from gpus import LINERATE, GpuRun
from support import main, run

QUICK = ("--collectives", "all_reduce", "--sizes", "1K:64K:8", "--repeat", "6", "--seed", "1",
         "--options", "-n 5 -w 1 --expect off --check 0")


class TuneNccl(GpuRun):
    def test_finds_the_choice_and_proves_it_through_the_plugin(self):
        with tempfile.TemporaryDirectory() as folder:
            done = run([LINERATE, "tune", "nccl", *QUICK, "-o", folder],
                       LINERATE_FAKE_NCCL_FAST="Tree/LL")

            self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
            self.assertIn("# rule: all_reduce from 1024 to 65536 bytes, 2 ranks on 1 node: Tree "
                          "with LL\n", done.stdout)
            self.assertRegex(done.stdout, r"left out: all_reduce: Ring with LL128 +unsafe")
            self.assertRegex(done.stdout, r"left out: NCCL_IB_QPS_PER_CONNECTION .*one node")
            self.assertRegex(done.stdout, r"dropped: Ring with LL: ")
            rules = (Path(folder) / "tuner.csv").read_text()
            self.assertIn("\nall_reduce,1024,65536,1,2,Tree,LL,*\n", rules)
            conf = (Path(folder) / "nccl.conf").read_text()
            self.assertRegex(conf, r"\nNCCL_TUNER_PLUGIN=/.*/lib/libnccl-tuner-linerate\.so\n")
            self.assertIn(f"\nLINERATE_NCCL_TUNER={folder}/tuner.csv\n", conf)

    def test_keeps_nothing_where_no_setting_matters(self):
        with tempfile.TemporaryDirectory() as folder:
            done = run([LINERATE, "tune", "nccl", *QUICK, "-o", folder],
                       NCCL_ALGO="Ring", NCCL_MAX_CTAS="8", NCCL_BUFFSIZE="4194304",
                       LINERATE_FAKE_NCCL_FAST="Tree/LL")

            self.assertIn("NCCL_ALGO is set (environment): unset it to have it tuned", done.stdout)
            self.assertIn("nothing is kept", done.stdout)
            self.assertEqual(list(Path(folder).iterdir()), [])


if __name__ == "__main__":
    main()
