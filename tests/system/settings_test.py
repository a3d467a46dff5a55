"""Ranks whose options differ, as of pods or by hand: what each of them says, and how it ends."""

import subprocess
import unittest

from ports import free_port
from support import environment, main, tool

SWEEP = ["-b", "8", "-e", "64K", "-f", "8", "-n", "5"]


class RanksThatWereStartedDifferently(unittest.TestCase):
    """Each ends with 2 and names the option; else they would hang, or blame the data."""

    def end_of_both(self, *words: str, **variables: str) -> list[tuple[int, str]]:
        """Exit code and stderr of two ranks, of which the second has `words` and `variables`."""
        job = {"WORLD_SIZE": "2", "MASTER_ADDR": "127.0.0.1", "MASTER_PORT": str(free_port())}
        ranks = [
            subprocess.Popen([tool("all_reduce_perf"), "--backend", "host", *SWEEP, *more],
                             env=environment(RANK=str(rank), **job, **extra), text=True,
                             stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
            for rank, (more, extra) in enumerate((((), {}), (words, variables)))]
        ends = [rank.communicate(timeout=60)[1] for rank in ranks]
        return [(rank.returncode, said) for rank, said in zip(ranks, ends, strict=True)]

    def check(self, sentence: str, *words: str, **variables: str) -> None:
        with self.subTest(words=words, **variables):
            for code, said in self.end_of_both(*words, **variables):
                self.assertEqual(code, 2, said)
                self.assertIn(sentence, said)

    def test_are_told_what_differs(self):
        for words, sentence in ((("-n", "9"), "-n/--iters is 5 in process 0 and 9 in process 1"),
                                (("-c", "0"), "-c/--check"), (("-m", "2"), "-m/--agg_iters"),
                                (("-w", "3"), "-w/--warmup_iters"), (("-z", "1"), "-z/--blocking"),
                                (("--seed", "1"), "--seed"), (("--sync", "none"), "--sync"),
                                (("--expect", "off"), "--expect"), (("-t", "2"), "-t/--nthreads"),
                                (("-e", "1M"), "-e/--maxbytes"),
                                (("--backend", "gloo"), "--backend"),
                                (("--algo", "ring"), "--algo")):
            self.check(sentence, *words)
        self.check("NCCL_TESTS_SPLIT", NCCL_TESTS_SPLIT="MOD2")

    def test_may_have_files_and_limits_of_their_own(self):
        for words in (("--jsonl", "/dev/null"), ("-T", "50")):
            with self.subTest(words=words):
                for code, said in self.end_of_both(*words):
                    self.assertEqual(code, 0, said)


if __name__ == "__main__":
    main()
