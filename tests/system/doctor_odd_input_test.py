"""What the doctor's commands say of files and words that they cannot use: one sentence, exit 2."""

import json
import pickle
import random

from doctor import DoctorTest
from support import main

EACH = ("env", "log", "results", "hang")


def dump(sequence: int, state: str) -> dict[str, object]:
    call = {"process_group": ["0", "default_pg"], "collective_seq_id": sequence, "state": state,
            "profiling_name": "nccl:all_reduce"}
    return {"pg_config": {"0": {"desc": "default_pg", "ranks": "[0, 1, 2]"}}, "entries": [call]}


class OddInput(DoctorTest):
    def assert_refused(self, *words: str, says: str = "", given: str = "") -> None:
        with self.subTest(words=words):
            done = self.doctor(*words, given=given)
            self.assertEqual((done.returncode, done.stdout), (2, ""))
            self.assertEqual(done.stderr.count("\n"), 1, done.stderr)
            self.assertIn(says, done.stderr)

    def test_files_that_cannot_be_read(self) -> None:
        loop = self.folder / "loop_1"
        loop.symlink_to(loop)
        for command in EACH:
            self.assert_refused(command, "/nowhere/0", says="No such file or directory.")
            self.assert_refused(command, str(self.folder))
            self.assert_refused(command, "/dev/zero", says="device, not a file.")
            self.assert_refused(command, str(loop), says="Too many levels of symbolic links.")
            self.assert_refused(command, "/no\nsuch\x1b[31m0", says="/no?such?[31m0: ")

    def test_bytes_that_are_none_of_theirs(self) -> None:
        (self.folder / "noise_1").write_bytes(random.Random(1).randbytes(100_000))
        (self.folder / "utf16_1").write_bytes("export NCCL_DEBUG=INFO\n".encode("utf-16"))
        for command in EACH:
            self.assert_refused(command, str(self.folder / "noise_1"), says="noise_1")
            self.assert_refused(command, str(self.folder / "utf16_1"), says="utf16_1")

    def test_words(self) -> None:
        for command in EACH:
            self.assert_refused(command, "", says="empty" if command != "hang" else "neither a pid")
            self.assert_refused(command, "--jsno", says="did you mean '--json'?")
            self.assert_refused(command, "--skip", "misred-value", "x",
                                says="Did you mean 'misread-value'?")
        self.assert_refused("hang", "-", says="'-' is neither a pid nor a dump")
        self.assert_refused("--explain", "wrong_data", says="Did you mean 'wrong-data'?")

    def test_a_text_without_results(self) -> None:
        self.assert_refused("results", "-", given="hello\n",
                            says="'stdin': It holds no runs of linerate (--jsonl), nccl-tests or "
                                 "rccl-tests (the table, or -J), OSU micro-benchmarks, or "
                                 "perftest (--out_json).")


class Dumps(DoctorTest):
    words = ("doctor", "hang")

    def test_one_that_is_cut_is_left_out_and_the_others_are_read(self) -> None:
        for rank, (last, state) in enumerate(((7, "started"), (6, "completed"), (7, "started"))):
            whole = pickle.dumps(dump(last, state), 2)
            (self.folder / f"trace_{rank}").write_bytes(whole if rank < 2 else whole[:100])

        done = self.doctor(str(self.folder), "--fail-on", "problem")

        self.assertEqual((done.returncode, done.stderr), (3, ""))
        self.assertIn("problem: missing-in-collective: rank 1, ", done.stdout)
        self.assertIn("warning: dump-left-out: 1 of 3 dumps\n", done.stdout)
        self.assertIn("trace_2: it is no pickle to read: it is cut off.", done.stdout)
        for alone in ("trace_2", "trace_9"):
            self.assertEqual(self.doctor(str(self.folder / alone)).returncode, 2)
        self.assertEqual(self.doctor(str(self.folder / "trace_0"), "/nowhere/1").returncode, 2)

    def test_whatever_json_holds(self) -> None:
        file = self.folder / "trace_0"
        for text in ("[]", "null", '{"entries": {}}', '{"entries": [5, [], {}]}', "NaN", "[" * 9000,
                     json.dumps(dump(1 << 62, "x")), '{"pg_config": [[]]}', "\ufeff{}"):
            with self.subTest(text=text[:40]):
                file.write_text(text)
                done = self.doctor(str(file))
                self.assertIn(done.returncode, (0, 2), done.stderr)
                self.assertEqual(done.stderr.count("\n"), done.returncode // 2)


if __name__ == "__main__":
    main()
