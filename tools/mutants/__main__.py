"""Faults put into perfkit, one at a time: does a test fail?

    make mutants                                  # 260 mutants of the rooms that compute
    make mutants WHICH="--seed 7 --count 100 perfkit/core"

What each test runs is found once (``.mutants/``, some minutes; ``--again`` finds it anew). Of each
mutant the tests that run its line are tried, the quick ones first, then what else stands in their
files; it is killed where one fails, breaks or does not end. The survivors are listed.
"""

from __future__ import annotations

import argparse
import importlib
import json
import random
import sys
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import forked
from faults import Mutant, mutants
from watched import SPAN, first_mark, inject, watch

ROOT = Path(__file__).resolve().parents[2]
PLACE = ROOT / ".mutants"
ROOMS = (
    "perfkit/core", "perfkit/sources", "perfkit/analysis", "perfkit/measure/validity",
    "perfkit/reporting/document/cover.py",
)  # fmt: skip
MIRRORS = (
    "tests/core", "tests/sources", "tests/analysis", "tests/formats", "tests/measure",
    "tests/showing", "tests/reporting", "tests/study", "tests/cli", "tests/claims",
)  # fmt: skip
LOADED = ("hypothesis", "numpy", "pydantic", "ruamel.yaml", "scipy.stats", "selectolax.lexbor")
"""What tests import of others; polars starts threads, which a fork does not take along."""
DIRECT_S, REST_S = 40.0, 1.0
"""How much is tried of a mutant: CPU time without faults of the tests that run its line, together,
and of a file's others."""


@dataclass(frozen=True)
class Test:
    """A test as it ran without faults: ``marks`` of the statements, ``cpu_s``."""

    name: str
    cpu_s: float
    marks: frozenset[int]


@dataclass(frozen=True)
class File:
    """A file's tests, and the marks of what it imports."""

    name: str
    imported: frozenset[int]
    tests: tuple[Test, ...]


def modules() -> dict[str, int]:
    """Every module of perfkit with its first mark."""
    return {
        str(path): first_mark(str(path.relative_to(ROOT))) for path in ROOT.glob("perfkit/**/*.py")
    }


def observed(name: str, places: dict[str, int]) -> dict[str, Any]:
    """What a test file's tests run, as they are without faults."""
    cache = PLACE / "code"
    cache.mkdir(parents=True, exist_ok=True)
    rows, ending = forked.run(str(ROOT / name), lambda: watch(places, cache), {}, first=False)
    if ending == "broken":  # without tests every fault would seem to survive
        raise SystemExit(f"{name}: pytest does not run it; try it by hand")
    tests = [row for row in rows if row.get("outcome") == "passed"]
    return {"imported": next((row["marks"] for row in rows if "marks" in row), []), "tests": tests}


def suite(*, again: bool) -> list[File]:
    """The test files, with what their tests run."""
    places = modules()
    names = [
        str(path.relative_to(ROOT))
        for mirror in MIRRORS
        for path in sorted((ROOT / mirror).glob("**/test_*.py"))
    ]
    found = []
    for name in names:
        kept = PLACE / f"{name.replace('/', '-')}.json"
        if again or not kept.exists():
            row = observed(name, places)
            kept.write_text(json.dumps(row))
            print(f"{name}: {len(row['tests'])} tests", file=sys.stderr, flush=True)
        row = json.loads(kept.read_text())
        tests = [Test(t["test"], t["cpu_s"], frozenset(t["marks"])) for t in row["tests"]]
        found.append(File(name, frozenset(row["imported"]), tuple(tests)))
    return found


def plan(
    files: list[File], path: str, base: int, mutant: Mutant
) -> Iterator[tuple[File, list[Test], int]]:
    """The tests to try, a file at a time: first those of the module's room with most tests.

    With each file the number of its tests that run the line and take too long to be tried.
    """
    mark = base + mutant.statement
    module = frozenset(range(base, base + SPAN))
    left_s = DIRECT_S
    direct = {file.name: [t for t in file.tests if mark in t.marks] for file in files}
    if mutant.at_import:  # by the first test alone that needs it: those that use the module
        users = [file for file in files if mark in file.imported or direct[file.name]]
        direct = {file.name: [t for t in file.tests if t.marks & module] for file in users}
        if not any(direct.values()):  # or else import it
            direct = {file.name: list(file.tests) for file in users}

    def near(file: File) -> tuple[int, int]:
        alike = zip(Path(path).parts[1:], Path(file.name).parts[1:], strict=False)
        return -sum(a == b for a, b in alike), -len(direct[file.name])

    hitting = [file for file in files if direct.get(file.name)]
    for file in sorted(hitting, key=near):
        chosen = within(direct[file.name], left_s)
        left_s -= sum(test.cpu_s for test in chosen)
        rest = [test for test in file.tests if mark not in test.marks] if chosen else []
        yield file, chosen + within(rest, REST_S), len(direct[file.name]) - len(chosen)


def within(tests: Any, limit_s: float) -> list[Test]:
    """The quickest tests that take no longer than the limit together."""
    chosen = []
    for test in sorted(tests, key=lambda test: test.cpu_s):
        limit_s -= test.cpu_s
        if limit_s < 0:
            break
        chosen.append(test)
    return chosen


def tried(files: list[File], path: Path, base: int, mutant: Mutant) -> str:
    """What became of a mutant: "killed by TEST", "survived ...", "no test" (none runs its line)."""
    untried, outcome = 0, "no test"
    for file, tests, left in plan(files, str(path.relative_to(ROOT)), base, mutant):
        untried += left
        outcome = f"survived, {untried} slow tests not tried" if untried else "survived"
        if not tests:
            continue

        def prepare() -> set[int]:
            inject(str(path), mutant.number)
            return set()

        rows, ending = forked.run(
            str(ROOT / file.name),
            prepare,
            {test.name: 5 + 5 * test.cpu_s for test in tests},
            first=True,
        )
        if ending != "passed":
            last = next((row["test"] for row in reversed(rows) if "test" in row), file.name)
            return f"killed ({ending}) by {last}"
    return outcome


def sample(paths: list[str], count: int, seed: int) -> list[tuple[Path, Mutant]]:
    """Mutants of the modules, drawn without repeats; 0: all."""
    files = [
        file
        for path in paths
        for file in (
            [ROOT / path] if path.endswith(".py") else sorted((ROOT / path).glob("**/*.py"))
        )
    ]
    every = [(file, mutant) for file in files for mutant in mutants(file.read_text("utf-8"))]
    print(f"{len(every)} mutants in {len(files)} modules", file=sys.stderr, flush=True)
    dice = random.Random(seed)  # noqa: S311 - the same seed draws the same mutants
    return dice.sample(every, min(count or len(every), len(every)))


def room(path: str) -> str:
    """perfkit/sources/awr/read.py: sources/awr."""
    parts = Path(path).parts[1:-1]
    return "/".join(parts[:2] if parts[0] == "sources" else parts[:1])


def main() -> int:
    """Run; 1 where fewer than ``--least`` percent are killed."""
    asked = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    asked.add_argument("paths", nargs="*", default=ROOMS)
    asked.add_argument("--seed", type=int, default=1)
    asked.add_argument("--count", type=int, default=260)
    asked.add_argument("--least", type=float, default=85.0)
    asked.add_argument("--again", action="store_true")
    asked.add_argument("--only", default="", help="of the sample, the mutants at FILE:LINE")
    options = asked.parse_args()
    for name in LOADED:
        importlib.import_module(name)
    sys.path[:0] = [str(ROOT), str(ROOT / "tests")]
    PLACE.mkdir(exist_ok=True)
    files, places = suite(again=options.again), modules()
    killed: Counter[str] = Counter()
    drawn: Counter[str] = Counter()
    for file, mutant in sample(options.paths, options.count, options.seed):
        place = str(file.relative_to(ROOT))
        if not f"{place}:{mutant.line}".startswith(options.only):
            continue
        outcome = tried(files, file, places[str(file)], mutant)
        drawn[room(place)] += 1
        killed[room(place)] += outcome.startswith("killed")
        print(f"{outcome}  {place}:{mutant.line}  {mutant.what}", flush=True)
    for name in sorted(drawn):
        print(f"{name:24} {killed[name]:4} of {drawn[name]:4}")
    share = 100 * killed.total() / max(1, drawn.total())
    print(f"{'all':24} {killed.total():4} of {drawn.total():4}  {share:.1f}% (seed {options.seed})")
    return int(share < options.least)


if __name__ == "__main__":
    sys.exit(main())
