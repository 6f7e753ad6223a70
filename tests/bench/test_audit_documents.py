"""The audit on documents nobody here wrote: which findings are true, which planted errors found.

The documents stay where their authors publish them. tests/data/audit/documents.tsv names each by
repository and path on GitHub; fetch them into a folder as <folder>/<owner>/<repository>/<path> and
name the folder in AUDIT_DOCUMENTS (or keep them in ../shared/real/foreign/audit_documents). A
document that is not there, or is not the text that was read, is left out; with none the bench is
skipped. The halves: the auditor was made with the first, never with the others.

Every finding on a document as it is was judged by a person with the document in hand, as
judgements.tsv says: true where the printed numbers contradict each other. One that nobody has
judged fails the bench, and is printed to be judged. Errors are planted with seed 19, up to ten in
each document, one at a time.

A planted error is found where a finding that the document had not before names it: the finding
stands on its line, or on that of a number it follows from, and prints the wrong number.

What is said to hold must be checked: a number of a relation that holds is broken grossly, and a
finding must name it. An order is left out, since a higher maximum breaks none.
"""

from __future__ import annotations

import csv
import os
import random
import re
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from bench import plant_errors as planting

import perfkit as pk
from perfkit.core.errors import PerfkitError

DATA = planting.TESTS / "data/audit"
HALVES = ["making", "judging", "third", "fourth", "sixth", "seventh", "eighth"]
FOLDER = Path(os.environ.get("AUDIT_DOCUMENTS", planting.DOCUMENTS))


@dataclass
class Tally:
    """How many errors of each kind were planted and found, and where the rest are."""

    planted: Counter[str] = field(default_factory=Counter)
    found: Counter[str] = field(default_factory=Counter)
    on_the_cell: int = 0
    stray: list[str] = field(default_factory=list)
    missed: list[str] = field(default_factory=list)

    def __str__(self) -> str:
        kinds = (f"{k} {self.found[k]}/{n}" for k, n in sorted(self.planted.items()))
        whole = f"{self.found.total()} of {self.planted.total()}"
        return (
            f"{whole} ({self.on_the_cell} on the wrong cell itself; {len(self.stray)} findings "
            f"more that do not name it): {', '.join(kinds)}"
        )


def findings(text: str, suffix: str) -> Counter[tuple[int, str, str]]:
    """What the audit finds in a text: line, what is printed there, and all else that it says."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / f"document{suffix}"
        path.write_text(text, encoding="utf-8")
        return findings_in(path)


def findings_in(path: Path) -> Counter[tuple[int, str, str]]:
    """What the audit finds in a file: line, what is printed there, and all else that it says."""
    found: Counter[tuple[int, str, str]] = Counter()
    for row in pk.audit_document(pk.read_document(path)).frame.rows(named=True):
        if row["outcome"] in {"error", "doubt", "fails"}:
            said = " ".join(str(v) for v in row.values() if isinstance(v, str))
            found[row["line"], str(row["printed"]), said] += 1
    return found


def names(said: str, printed: str) -> bool:
    """Whether a text prints a number, with or without its thousands' commas."""
    plain = re.escape(printed.replace(",", ""))
    return bool(re.search(rf"(?<![\d.]){plain}(?!\.?\d)", said.replace(",", "")))


def places(line: int, text: str) -> set[int]:
    """The lines a finding may name for a number: its own, its HTML row's or paragraph's start."""
    above = text.split("\n")[:line]
    starts = [at for at, said in enumerate(above, 1) if re.search(r"<tr\b|</table>", said)]
    found = {line, *(at for at in starts[-1:] if "<tr" in above[at - 1])}
    while line > 1 and above[line - 2].strip() and "|" not in above[line - 1] + above[line - 2]:
        line -= 1
        found.add(line)
    return found


def judge(
    error: planting.Planted, before: Counter[tuple[int, str, str]]
) -> tuple[bool, bool, list[str]]:
    """Whether the error is found, whether on the wrong number itself, and what else is found."""
    new = findings(error.text, Path(error.document).suffix) - before
    own = places(error.number.line, error.text)
    lines = own.union(*(places(o.line, error.text) for o in error.operands))
    named = [(line, at) for line, at, said in new if line in lines and names(said, error.planted)]
    on_it = any(line in own and names(at, error.planted) for line, at in named)
    stray = [said for line, _, said in new if line not in lines or not names(said, error.planted)]
    return bool(named), on_it, stray


def tally(half: str) -> Tally:
    """Plant into each document of a half that is here, and audit each copy."""
    result = Tally()
    folder = DATA / "samples" if half == "own" else FOLDER
    for rows in planting.supported().values():
        if rows[0].half != half:
            continue
        text = planting.document(folder, rows[0])
        if text is None:
            continue
        try:
            errors = planting.plant(text, rows)
        except ValueError as error:
            print(f"not the text that was read: {error}")
            continue
        before = findings(text, Path(rows[0].path).suffix)
        for error in errors:
            found, on_it, stray = judge(error, before)
            result.stray += [f"{error.document}: {error.planted}: {said}" for said in stray]
            result.planted[error.kind] += 1
            result.found[error.kind] += found
            result.on_the_cell += on_it
            if not found:
                place = f"{error.document}:{error.number.line}"
                result.missed.append(
                    f"{error.kind}: {place}: {error.number.printed} -> {error.planted}"
                )
    return result


def said_to_hold(path: Path) -> Iterator[tuple[str, int, re.Match[str]]]:
    """Numbers of relations that hold, four a family at most: family, line, and where it stands."""
    lines = path.read_text(encoding="utf-8").split("\n")
    chance = random.Random(f"{planting.SEED} {path.name}")
    families: dict[str, list[tuple[int, re.Match[str]]]] = {}
    for row in pk.audit_document(pk.read_document(path)).frame.rows(named=True):
        number = planting.NUMBER.search(row["printed"] or "")
        holds = row["outcome"] in {"holds", "within rounding"} and row["family"] != "order"
        if not holds or not number or not row["line"] or row["line"] > len(lines):
            continue
        line = lines[row["line"] - 1]
        stands = [m for m in planting.NUMBER.finditer(line) if m[0] == number[0]]
        if len(stands) == 1 and number[0][0] != "0":
            families.setdefault(row["family"], []).append((row["line"], stands[0]))
    for family, places in families.items():
        for line, stands in chance.sample(places, min(4, len(places))):
            yield family, line, stands


def table(name: str) -> list[dict[str, str]]:
    """The rows of a table of tests/data/audit."""
    with (DATA / name).open(encoding="utf-8") as lines:
        return list(csv.DictReader(lines, delimiter="\t", quoting=csv.QUOTE_NONE))


def verdict(row: dict[str, str], line: int, printed: str) -> str:
    """What a person said of a finding: yes, no, or nothing yet."""
    for judged in table("judgements.tsv"):
        place = (judged["repository"], judged["path"]) == (row["repository"], row["path"])
        at = line in planting.span(judged["lines"])
        if place and at and judged["printed"] in {printed, "*"}:
            return judged["true"]
    return "?"


@pytest.mark.parametrize("half", HALVES)
def test_nine_findings_of_ten_are_true(half):
    verdicts: Counter[str] = Counter()
    seconds: dict[str, float] = {}
    for row in table("documents.tsv"):
        path = FOLDER / row["repository"] / row["path"]
        if row["half"] != half or not path.is_file():
            continue
        start = time.process_time()
        try:
            found = list(findings_in(path).elements())
        except PerfkitError as error:
            found = []
            print(f"\n{path.name}: {error}")
        seconds[str(path)] = time.process_time() - start
        for line, printed, said in found:
            true = verdict(row, line, printed)
            verdicts[true] += 1
            if true == "?":
                print(f"\n{row['repository']}\t{row['path']}\t{line}\t{printed}\t?\t{said}")
    if not seconds:
        pytest.skip("the documents are not on this machine")
    times = sorted(seconds.values())
    print(
        f"\n{half}: {verdicts['yes']} of {verdicts.total()} findings are true; {len(times)} "
        f"documents, {times[len(times) // 2]:.2f} s each, {times[-1]:.2f} s at most"
    )
    assert not verdicts["?"]
    assert verdicts["yes"] >= 0.9 * verdicts.total()


@pytest.mark.parametrize("half", [*HALVES, "own"])
def test_half_of_the_planted_errors_are_found(half):
    result = tally(half)
    if not result.planted:
        pytest.skip("the documents are not on this machine")
    print(f"\n{half}: {result}")
    for line in result.missed:
        print(f"  missed {line}")
    for line in result.stray:
        print(f"  besides {line}")
    assert result.found.total() >= 0.5 * result.planted.total()


@pytest.mark.parametrize("half", [*HALVES, "own"])
def test_what_is_said_to_hold_would_fail_if_it_were_wrong(half):
    broken: Counter[str] = Counter()
    found: Counter[str] = Counter()
    folder = DATA / "samples" if half == "own" else FOLDER
    rows = [r for r in table("documents.tsv") if r["half"] == half]
    listed = [folder / r["repository"] / r["path"] for r in rows]
    for path in sorted((folder / "own").iterdir()) if half == "own" else listed:
        if not path.is_file() or path.suffix == ".pdf":
            continue
        lines = path.read_text(encoding="utf-8").split("\n")
        before = findings_in(path)
        for family, line, at in said_to_hold(path):
            wrong = ("9" if at[0][0] in "1234" else "2") + at[0][1:]
            copy = lines.copy()
            copy[line - 1] = at.string[: at.start()] + wrong + at.string[at.end() :]
            after = findings("\n".join(copy), path.suffix) - before
            broken[family] += 1
            found[family] += any(names(said, wrong) for _, _, said in after)
    if not broken:
        pytest.skip("the documents are not on this machine")
    print(f"\n{half}: {found.total()} of {broken.total()} are found when broken")
    for family, count in broken.most_common():
        print(f"  {family}: {found[family]} of {count}")
    assert found.total() >= 0.75 * broken.total()
