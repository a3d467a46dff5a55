"""Runs a file of Python tests and writes how each case ended. Usage: python.py NAME INTO FILE."""

from __future__ import annotations

import importlib
import re
import sys
import unittest
from collections.abc import Iterator
from pathlib import Path

from case_results import Results, take_interrupts


def cases_of(suite: unittest.TestSuite) -> Iterator[unittest.TestCase]:
    for part in suite:
        if isinstance(part, unittest.TestSuite):
            yield from cases_of(part)
        else:
            yield part


class Outcomes(unittest.TextTestResult):
    """By the id of a case, or of the class or module that did not let its cases run."""

    def __init__(self, *args: object, **kwargs: object):
        super().__init__(*args, **kwargs)
        self.passed_ids: set[str] = set()
        self.bad: dict[str, str] = {}
        self.left_out: dict[str, str] = {}

    def addSuccess(self, test: unittest.TestCase):  # noqa: N802
        super().addSuccess(test)
        self.passed_ids.add(test.id())

    def addFailure(self, test: unittest.TestCase, err: tuple):  # noqa: N802
        super().addFailure(test, err)
        self.bad[test.id()] = str(err[1])

    addError = addFailure  # noqa: N815

    def addSubTest(self, test: unittest.TestCase, subtest: unittest.TestCase,
                   err: tuple | None):  # noqa: N802
        super().addSubTest(test, subtest, err)
        if err is not None:
            self.bad[test.id()] = f"{subtest._subDescription()}: {err[1]}"

    def addSkip(self, test: unittest.TestCase, reason: str):  # noqa: N802
        super().addSkip(test, reason)
        self.left_out[getattr(test, "test_case", test).id()] = reason


def reason_for(case: str, by_id: dict[str, str]) -> str | None:
    """Its own, or that of its class or module: `setUpClass (module.Class)`."""
    if case in by_id:
        return by_id[case]
    for holder, reason in by_id.items():
        inside = re.search(r"\((.*)\)$", holder)
        if inside and case.startswith(f"{inside[1]}."):
            return reason
    return None


def results_of(name: str, cases: list[str], outcomes: Outcomes) -> Results:
    results = Results(name)
    for case in cases:
        if (why := reason_for(case, outcomes.bad)) is not None:
            results.failed[case] = (why.splitlines() or ["failed"])[0][:200]
        elif (why := reason_for(case, outcomes.left_out)) is not None:
            results.skipped[case] = why
        elif case in outcomes.passed_ids:
            results.passed += 1
        else:
            results.failed[case] = "did not run"
    return results


def main() -> None:
    name, into, file = sys.argv[1], Path(sys.argv[2]), Path(sys.argv[3])
    sys.argv = [str(file)]
    sys.path[0] = str(file.parent)
    take_interrupts()
    module = importlib.import_module(file.stem)
    suite = unittest.defaultTestLoader.loadTestsFromModule(module)
    cases = [case.id() for case in cases_of(suite)]
    outcomes = unittest.TextTestRunner(verbosity=2, resultclass=Outcomes).run(suite)
    results = results_of(name, cases, outcomes)
    results.write(into)
    print(results.line(), flush=True)
    sys.exit(results.exit_code())


if __name__ == "__main__":
    main()
