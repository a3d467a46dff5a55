"""linerate compare --turns windows of tools that measure no collectives: p2p_perf, memcpy_perf."""

import socket
import threading

from series import SeriesTest, changes, sides_by_time
from support import main, run, tool

PAIRS = f'{tool("p2p_perf")} -t 3 -b 8 -e 64K -n 2000 --backend host --expect off'
COPIES = f'{tool("memcpy_perf")} --backend host -b 1M -n 8'
SECRET = "0123456789abcdef"


def turns_asked_for(command: list[str]) -> int:
    """Grants `command` every turn at once, and counts them."""
    with socket.socket(socket.AF_UNIX) as keeper:
        keeper.bind("\0linerate-test-turns")
        keeper.listen()
        turns = []
        granting = threading.Thread(target=lambda: turns.append(grant(keeper.accept()[0])))
        granting.start()
        done = run(command, LINERATE_TURNS=f"linerate-test-turns:{SECRET}:0")
        granting.join()
    if done.returncode != 0:
        raise AssertionError(done.stderr)
    return turns[0]


def grant(program: socket.socket) -> int:
    with program:
        program.recv(len(SECRET) + 1, socket.MSG_WAITALL)
        turns = 0
        while ask := program.recv(1):
            program.sendall(ask)
            turns += 1
        return turns


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

    def test_each_sample_of_a_copy_is_a_turn_and_each_warm_up(self) -> None:
        copies = [*COPIES.split(), "-w", "3"]

        self.assertEqual(turns_asked_for(copies), 2 * (3 + 8))


if __name__ == "__main__":
    main()
