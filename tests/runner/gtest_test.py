"""Every case of a GoogleTest program is counted once, whatever the program does."""

import json
import os
import signal
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

HERE = Path(__file__).parent
# Behaves as GoogleTest does with these cases; `does` says what one of them does.
PROGRAM = '''\
import os, pathlib, signal, sys, time
does = {does}
if "--gtest_list_tests" in sys.argv:
    print("Running main()\\nSuite.\\n" + "".join(f"  {{c}}  # x\\n" for c in does))
    sys.exit(0)
flags = [a.split("=", 1)[1] for a in sys.argv if a.startswith("--gtest_flagfile=")]
chosen = pathlib.Path(flags[0]).read_text().strip().split("=", 1)[1].split(":") if flags else [
    "Suite." + case for case in does]
print(f"[==========] Running {{len(chosen)}} tests from 1 test suite.", flush=True)
code = 0
for case in chosen:
    print(f"[ RUN      ] {{case}}\\nwords of {{case}}", flush=True)
    what = does[case.split(".")[1]]
    if what == "dies": os.abort()
    if what == "exits": sys.exit(0)
    if what == "hangs": time.sleep(60)
    if what == "sees Ctrl-C" and signal.getsignal(signal.SIGINT) == signal.SIG_IGN: sys.exit(4)
    if what == "skips": print("file.cc:7: Skipped\\nno such thing\\n")
    print(f"[  {{dict(fails='FAILED', skips='SKIPPED').get(what, 'OK')}}  ] {{case}} (0 ms)")
    code = code or what == "fails"
sys.exit(3 if "leaks" in does.values() else code)
'''
class GoogleTests(unittest.TestCase):
    before = None

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def python(self, script: str, *words: str) -> subprocess.CompletedProcess:
        environment = os.environ | {"PYTHONDONTWRITEBYTECODE": "1"}
        return subprocess.run([sys.executable, HERE / script, *words], capture_output=True,
                              text=True, timeout=60, env=environment, check=False,
                              preexec_fn=self.before)

    def results(self, name: str) -> dict:
        return json.loads((self.folder / f"{name}.json").read_text())

    def gtest(self, does: dict[str, str], *words: str) -> tuple[dict, subprocess.CompletedProcess]:
        program = self.folder / "program.py"
        program.write_text(f"#!{sys.executable}\n" + PROGRAM.format(does=does))
        program.chmod(0o755)
        done = self.python("gtest.py", "--name", "it", "--into", str(self.folder), "--limit", "2",
                           *words, "--", str(program))
        return self.results("it"), done

    def test_programs_see_ctrl_c_in_the_background_of_a_script_too(self):
        self.before = lambda: signal.signal(signal.SIGINT, signal.SIG_IGN)
        found, _ = self.gtest({"a": "sees Ctrl-C"})
        self.assertEqual(found["passed"], 1)

    def test_every_outcome_is_counted_and_only_what_failed_is_printed(self):
        found, done = self.gtest({"a": "", "b": "fails", "c": "skips"})
        self.assertEqual((found["passed"], list(found["failed"]), found["skipped"]),
                         (1, ["Suite.b"], {"Suite.c": "no such thing"}))
        self.assertEqual(done.returncode, 1)
        self.assertIn("words of Suite.b", done.stdout)
        self.assertNotIn("words of Suite.a", done.stdout)

    def test_a_case_that_ends_the_program_is_named_and_the_rest_runs(self):
        for what, why in (("dies", "SIGABRT"), ("exits", "exit code 0"), ("hangs", "2 s")):
            with self.subTest(what=what):
                found, _ = self.gtest({"a": "", "b": what, "c": "", "d": "fails", "e": ""})
                self.assertEqual(found["passed"], 3)
                self.assertEqual(list(found["failed"]), ["Suite.b", "Suite.d"])
                self.assertIn(why, found["failed"]["Suite.b"])

    def test_what_is_found_when_the_program_ends_is_a_failure(self):
        found, done = self.gtest({"a": "", "b": "leaks"})
        self.assertEqual(found["failed"],
                         {"outside of all cases": "the program ended: exit code 3"})
        self.assertEqual((found["passed"], done.returncode), (2, 1))

    def test_shards_share_the_cases_and_some_are_left_out(self):
        does = dict.fromkeys("abcdefg", "")
        counts = [self.gtest(does, "--shard", f"{i}/3", "--leave-out", "g$")[0]["passed"]
                  for i in range(3)]
        self.assertEqual(counts, [2, 2, 2])

    def test_a_whole_run_says_what_was_not_reached(self):
        found, _ = self.gtest({"a": "", "b": "dies", "c": ""}, "--whole")
        self.assertEqual(list(found["failed"]), ["Suite.b", "1 further cases"])

    def test_a_program_whose_cases_are_all_skipped_is_a_skipped_test(self):
        self.assertEqual(self.gtest({"a": "skips"})[1].returncode, 77)


if __name__ == "__main__":
    unittest.main()
