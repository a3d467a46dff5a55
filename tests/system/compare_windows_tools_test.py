"""linerate compare --turns windows of tools that measure no collectives: p2p_perf, memcpy_perf."""

from series import SeriesTest, changes, sides_by_time
from support import main, run, tool

PAIRS = f'{tool("p2p_perf")} -t 3 -b 8 -e 64K -n 2000 --backend host --expect off'
COPIES = f'{tool("memcpy_perf")} --backend host -b 1M -n 8'


class WindowsOfOtherTools(SeriesTest):
    def compare(self, command: str) -> list[str]:
        """Whose result came when: of two repeats of the same command against itself."""
        keep = self.folder / "kept"
        done = run([tool("linerate"), "compare", "--turns", "windows", "--run", command, "--run",
                    command, "--repeat", "2", "--keep", str(keep)])
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("2 runs | 2 runs, in turns at windows", done.stdout)
        return sides_by_time(keep)

    def test_pairs_take_turns(self) -> None:
        sides = self.compare(PAIRS)

        self.assertEqual(len(sides), 2 * 2 * 12)
        self.assertGreaterEqual(changes(sides), 38, sides)

    def test_copies_take_turns(self) -> None:
        sides = self.compare(COPIES)

        self.assertEqual(len(sides), 2 * 2 * 2)
        self.assertGreaterEqual(changes(sides), 6, sides)


if __name__ == "__main__":
    main()
