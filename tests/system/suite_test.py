"""linerate suite: all collectives in one job, each with its table, a study and a summary."""

import subprocess

from parsers import disagreements
from ports import free_port
from suites import SMALL, SuiteCase, suite, summary, tables
from support import environment, main, mpirun, needs_module, rows, run

ALL = ["all_reduce", "all_gather", "reduce_scatter", "broadcast", "reduce", "all_to_all",
       "all_to_all_v", "gather", "scatter", "sendrecv", "hypercube"]


class Suite(SuiteCase):
    def check(self, command: list[str], nranks: int, **variables: str) -> str:
        done = run([*command, "--jsonl", str(self.jsonl)], **variables)
        self.assertEqual(done.returncode, 0, done.stderr)
        runs, ends = self.lines("run"), self.lines("end")
        programs = [line["program"] for line in runs]
        self.assertEqual(len(set(programs)), len(programs))
        self.assertEqual({line["study"] for line in runs}, {runs[0]["study"]})
        self.assertEqual({line["nranks"] for line in runs}, {nranks})
        self.assertEqual([line["run_id"] for line in ends], [line["run_id"] for line in runs])
        self.assertEqual({line["init_us"] for line in runs}, {runs[0]["init_us"]})  # once
        self.assertEqual([line["comm_times_us"].get("destroy") is None for line in ends],
                         [True] * (len(ends) - 1) + [False])
        return done.stdout

    def check_tables(self, text: str, collectives: list[str]) -> None:
        self.assertEqual(len(tables(text)), len(collectives))
        for table in tables(text):
            self.assertEqual(len(rows(table)), 3)
            self.assertEqual(disagreements(table), {})
        self.assertEqual(list(summary(text)), collectives)

    def test_runs_all_collectives_on_threads(self):
        text = self.check(suite(*SMALL, "-t", "2"), 2)
        self.check_tables(text, [line["case"]["collective"] for line in self.firsts()])
        self.assertEqual(sorted(summary(text)), sorted(ALL))
        self.assertEqual(len(self.lines("result")), len(ALL) * 3 * 2)

    def firsts(self) -> list[dict]:
        """The first result of each run."""
        found: dict[str, dict] = {}
        for line in self.lines("result"):
            found.setdefault(line["run_id"], line)
        return list(found.values())

    def test_runs_those_named_in_their_order_in_processes(self):
        chosen = ["scatter", "all_reduce"]
        text = self.check(suite(*SMALL, "--nprocs", "2", "--collectives", ",".join(chosen)), 2)
        self.check_tables(text, chosen)

    def test_runs_under_mpirun(self):
        needs_module("mpi")
        chosen = ["all_gather", "reduce"]
        command = mpirun(2, *suite(*SMALL, "--collectives", ",".join(chosen)))
        self.check_tables(self.check(command, 2), chosen)

    def test_runs_in_processes_that_variables_join(self):
        chosen = ["all_reduce", "gather", "hypercube"]
        command = suite(*SMALL, "--collectives", ",".join(chosen))
        variables = {"WORLD_SIZE": "2", "MASTER_ADDR": "127.0.0.1",
                     "MASTER_PORT": str(free_port())}
        other = subprocess.Popen(command, env=environment(RANK="1", LOCAL_RANK="1", **variables),
                                 stdout=subprocess.PIPE, text=True, stdin=subprocess.DEVNULL)
        text = self.check(command, 2, RANK="0", LOCAL_RANK="0", **variables)
        self.check_tables(text, chosen)
        self.assertEqual({line["launcher"] for line in self.lines("run")}, {"env"})
        self.assertEqual(other.communicate(timeout=60)[0], "")
        self.assertEqual(other.returncode, 0)

    def test_runs_pairs_last(self):
        text = self.check(suite(*SMALL, "-t", "3", "--pairs", "--collectives", "reduce"), 3)
        self.assertEqual([line["program"] for line in self.lines("run")],
                         ["reduce_perf", "p2p_perf"])
        self.assertRegex(text, r"# p2p_latency, 64 B: [\d.]+ to [\d.]+ us")

    def test_of_all_leaves_out_what_the_ranks_cannot_run(self):
        done = run(suite(*SMALL, "-t", "3"))
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("note: left out: hypercube", done.stderr)
        self.assertNotIn("hypercube", summary(done.stdout))
        named = run(suite(*SMALL, "-t", "3", "--collectives", "reduce,hypercube"))
        self.assertEqual(named.returncode, 2, named.stderr)

    def test_groups_are_made_once(self):
        done = run(suite(*SMALL, "-t", "4", "--collectives", "reduce,all_to_all", "--jsonl",
                         str(self.jsonl)), NCCL_TESTS_SPLIT="MOD2")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual({line["ngroups"] for line in self.lines("run")}, {2})

    def test_writes_reports_and_one_csv(self):
        done = run(suite(*SMALL, "-t", "2", "--collectives", "reduce,gather", "-J",
                         str(self.folder / "r.json"), "--csv", str(self.folder / "r.csv")))
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(sorted(p.name for p in self.folder.glob("*.json")),
                         ["r.gather.json", "r.reduce.json"])
        self.assertEqual((self.folder / "r.csv").read_text().count("run_id"), 1)
        self.assertEqual(len((self.folder / "r.csv").read_text().splitlines()), 1 + 2 * 3 * 2)

    def test_says_what_would_run(self):
        dry = run(suite(*SMALL, "-t", "3", "--pairs", "--dry-run"))
        self.assertEqual(dry.returncode, 0, dry.stderr)
        self.assertIn("10 collectives: ", dry.stdout)
        self.assertIn("cases      30, ", dry.stdout)
        self.assertIn("pairs      3, ", dry.stdout)
        cases = run(suite(*SMALL, "-t", "2", "--collectives", "reduce,gather", "--list"))
        self.assertEqual([line.split()[0] for line in cases.stdout.splitlines()],
                         ["reduce"] * 3 + ["gather"] * 3)


if __name__ == "__main__":
    main()
