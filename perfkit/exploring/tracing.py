"""The chain behind a value: shown from the value back to the files, and run again from the files.

``trace(value)`` is for a reader who asks where a number comes from::

    Table summary  sha256 5f0c93aa12be77d0
    └─ table.load_points v3() → 5f0c93aa12be77d0
       └─ curve.latency v1(confidence=0.95) → 02cd55e1f0b1a6c3
          └─ read.fio v1(table="load_points") → 1b7f04d2c88e91aa
             └─ fio/baseline.json  fio, fio-3.40  sha256 cd3f61a5b2e09d44

``trace(value).replay()`` is for one who does not believe it: every step is done again, from the
files on, and must give the hash that the record holds.
"""

from __future__ import annotations

import html
import importlib
import inspect
import json
import pkgutil
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import polars as pl

import perfkit
from perfkit.core.errors import AnalysisError, UsageError
from perfkit.core.evidence import Evidence, Lineage, Step, origin_mark, sha256_file
from perfkit.core.lineage import FUNCTIONS, REGISTRY, Measured, Reading, Shown, hash_of, measured
from perfkit.core.recorded_arguments import PAIRS, argument_from

DIGITS = 16
"""Hexadecimal digits of a hash that are shown."""

MOST, MOST_FILES = 6, 3
"""Branches of one step, and files of one run, that are shown; of more, how many there are."""

LONGEST = 60
"""Characters of an argument that are shown."""

_READS = "read."
_NO_STEPS = ("perfkit.__main__", "perfkit.cli", "perfkit.measure", "perfkit.scheduling")


@dataclass(frozen=True)
class Trace:
    """The chain behind one value. It shows itself in a terminal and in JupyterLab.

    Attributes:
        title: What the value is called.
        lineage: Evidence and steps, in the order they were done.
        output: The hash of what the value shows.
    """

    title: str
    lineage: Lineage
    output: str

    @property
    def steps(self) -> tuple[Step, ...]:
        """Every step, in the order they were done."""
        return self.lineage.steps

    @property
    def files(self) -> list[tuple[str, str]]:
        """Every file that was read, with its SHA-256."""
        evidence = (*self.lineage.evidence, *self.lineage.set_aside)
        found = [pair for item in evidence for pair in _files(item)]
        return list(dict.fromkeys(found))

    def replay(self, root: Path | str | None = None) -> Any:
        """Do every step again, from the files on; returns what the last one gives.

        ``root`` is the study's folder (its evidence may lie in another), or what the paths of the
        evidence are relative to; default: the working directory.

        Raises:
            AnalysisError: The value is not traceable, a file or a step gives another hash than
                recorded, or a step is of a function that is not there.
            ParseError: A file is not there, or cannot be read any more.
        """
        if not self.lineage.traceable or not self.steps:
            raise AnalysisError(f"{self.title}: {self._why_not()}, so it cannot be made again")
        again = _Replay(self.lineage, Path.cwd() if root is None else Path(root))
        for step in self.steps:
            again.do(step)
        return again.made[self.steps[-1].output]

    def _why_not(self) -> str:
        if self.lineage.traceable:
            return "no step of it is recorded"
        return "; ".join(self.lineage.notes) or "not traceable"

    def __repr__(self) -> str:
        return "\n".join(self._lines())

    def _repr_html_(self) -> str:
        text = html.escape("\n".join(self._lines()))
        return f'<pre style="white-space: pre; overflow-x: auto">{text}</pre>'

    def _lines(self) -> Iterator[str]:
        yield f"{self.title}  sha256 {self.output[:DIGITS]}"
        if not self.lineage.traceable:
            yield f"({self._why_not()})"
        tree = _Tree(self.lineage)
        if self.steps:
            yield from tree.below([len(self.steps) - 1], [])
        rest = [item for item in self.lineage.evidence if item not in tree.shown]
        if rest:
            if self.steps:
                yield "rests on, too:"
            yield from tree.below([], rest)


def trace(value: Measured | Shown | pl.DataFrame) -> Trace:
    """The chain behind a value: a table of a reading, a result, a figure, table or sentence.

    The trace shows itself, from the value back through the steps, each with its version,
    arguments and the hash of what it gave, to the files. ``trace(value).replay()`` runs it again.

    Raises UsageError for what has no chain: a whole reading, a number.
    """
    if isinstance(value, pl.DataFrame):
        value = measured(value)
    if isinstance(value, Measured):
        return Trace(f"Frame {value.name}", value.lineage, value.hash)
    if isinstance(value, Reading):
        raise UsageError(f"trace one of its tables: {', '.join(value.tables)}")
    if not hasattr(value, "lineage") or not hasattr(value, "content_hash"):
        raise UsageError(
            f"a {type(value).__name__} has no chain: trace the frame, figure, table, verdict or "
            "statement that holds it"
        )
    shown: Any = value
    kind = getattr(shown, "kind", type(value).__name__)
    name = getattr(shown, "id", "")
    return Trace(f"{kind.capitalize()} {name}".strip(), shown.lineage, shown.content_hash())


def _files(item: Evidence) -> Iterator[tuple[str, str]]:
    if not item.parts:
        yield item.path, item.sha256
    for part in item.parts:
        yield from _files(part)


# --- shown --------------------------------------------------------------------------------------


class _Tree:
    def __init__(self, lineage: Lineage) -> None:
        self.steps = lineage.steps
        self.evidence = [*lineage.evidence, *lineage.set_aside]
        self.aside = set(lineage.set_aside)
        self.shown: set[Evidence] = set()
        self._done: set[int] = set()

    def below(self, steps: list[int], evidence: list[Evidence]) -> Iterator[str]:
        """The lines of what one step was done on."""
        count = len(steps) + len(evidence)
        shown = MOST if count > MOST + 1 else count
        entries = [
            *(self._step(number) for number in steps[:shown]),
            *(self._file(item) for item in evidence[: shown - len(steps[:shown])]),
        ]
        if count > shown:
            self.shown |= set(evidence)
            for number in steps[shown:]:
                self._pass_over(number)
            entries.append(iter([f"… and {count - shown} more of the kind"]))
        for place, lines in enumerate(entries, 1):
            last = place == len(entries)
            for number, line in enumerate(lines):
                lead = "   " if last else "│  "
                yield f"{lead if number else '└─ ' if last else '├─ '}{line}"

    def _step(self, number: int) -> Iterator[str]:
        step = self.steps[number]
        head = f"{step.function} v{step.version}({_arguments(step)}) → {step.output[:DIGITS]}"
        if number in self._done:
            yield f"{head} (as above)"
            return
        self._done.add(number)
        yield head
        yield from self.below(*self._inputs(number))

    def _inputs(self, number: int) -> tuple[list[int], list[Evidence]]:
        """The steps that gave what a step was done on, or the evidence that it read.

        Equal content has one hash: of n such inputs these are the n steps last before it.
        """
        wanted = self.steps[number].inputs
        steps: list[int] = []
        evidence: list[Evidence] = []
        for digest in dict.fromkeys(wanted):
            given = [n for n, step in enumerate(self.steps[:number]) if step.output == digest]
            steps += given[-wanted.count(digest) :]
            if not given:
                evidence += [item for item in self.evidence if item.sha256 == digest]
        return steps, evidence

    def _pass_over(self, number: int) -> None:
        """Count a step and what it rests on as shown, though no line shows them."""
        if number not in self._done:
            self._done.add(number)
            steps, evidence = self._inputs(number)
            self.shown |= set(evidence)
            for inner in steps:
                self._pass_over(inner)

    def _file(self, item: Evidence) -> Iterator[str]:
        words = (item.path, item.tool_text or item.kind, f"sha256 {item.sha256[:DIGITS]}")
        left = "  (a filter left no row of it)" if item in self.aside else ""
        head = "  ".join(words) + origin_mark(item.origins(), computed=False) + left
        if item in self.shown:
            yield f"{head} (as above)" if item.parts else head
            return
        self.shown.add(item)
        yield head
        files = list(_files(item)) if item.parts else []
        shown = MOST_FILES if len(files) > MOST_FILES + 1 else len(files)
        for path, digest in files[:shown]:
            yield f"·  {path}  sha256 {digest[:DIGITS]}"
        if len(files) > shown:
            yield f"·  … and {len(files) - shown} more files (all in .files)"


def _arguments(step: Step) -> str:
    given = {key: _readable(value) for key, value in json.loads(step.arguments).items()}
    return ", ".join(
        f"{key}={_short(value)}" for key, value in given.items() if value not in (None, _INPUT)
    )


_INPUT = "\0input"


def _readable(value: Any) -> Any:
    """A recorded argument for a reader; data, which stand below their step, as one sign."""
    if isinstance(value, list):
        items = [_readable(item) for item in value]
        return _INPUT if items and set(map(str, items)) == {_INPUT} else items
    if not isinstance(value, dict):
        return value
    if set(value) == {"input"}:
        return _INPUT
    own = dict(value.get(PAIRS, value.items()))
    made = {str(key): _readable(item) for key, item in own.items() if str(key)[:1] != "$"}
    return _INPUT if made and set(map(str, made.values())) == {_INPUT} else made


def _short(value: Any) -> str:
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= LONGEST else f"{text[: LONGEST - 1]}…"


# --- run again ----------------------------------------------------------------------------------


class _Replay:
    def __init__(self, lineage: Lineage, root: Path) -> None:
        self.evidence = (*lineage.evidence, *lineage.set_aside)
        from perfkit.study.opening import evidence_folder

        self.root, self.folder = root, evidence_folder(root)
        self.made: dict[str, Any] = {}
        self._read: dict[tuple[str, str, str], Reading] = {}

    def do(self, step: Step) -> None:
        """One step; AnalysisError where it gives another hash than recorded."""
        result = self._table(step) if step.function.startswith(_READS) else self._call(step)
        digest = hash_of(result)
        if digest != step.output:
            raise AnalysisError(
                f"{step.function} v{step.version} gave {step.output[:DIGITS]} when it was recorded "
                f"and gives {digest[:DIGITS]} now{_other_version(step)}"
            )
        self.made[digest] = result

    def _call(self, step: Step) -> Any:
        given = argument_from(json.loads(step.arguments), self._given)
        if step.function in _STATED:
            return _STATED[step.function](self._evidence(step)[0], self.root, **given)
        if step.function not in FUNCTIONS:
            for module in pkgutil.walk_packages(perfkit.__path__, "perfkit."):
                if not module.name.startswith(_NO_STEPS):
                    importlib.import_module(module.name)
        if step.function not in FUNCTIONS:
            raise AnalysisError(
                f"no function is registered as {step.function!r}: import its module"
            )
        verb = FUNCTIONS[step.function]
        try:
            inspect.signature(verb).bind(**given)
        except TypeError as problem:
            raise AnalysisError(
                f"{step.function} v{step.version} does not take what is recorded: {problem}"
                f"{_other_version(step)}"
            ) from None
        return verb(**given)

    def _given(self, digest: str) -> Any:
        if digest not in self.made:
            raise AnalysisError(
                f"no recorded step gives {digest[:DIGITS]}: it was stated, or made by hand"
            )
        return self.made[digest]

    def _table(self, step: Step) -> Measured:
        """The table that a reader gives of the evidence with the recorded hash."""
        given = argument_from(json.loads(step.arguments))
        name = given.pop("table")
        candidates = self._evidence(step)
        # files of the same content have one hash, and a table may hold the file's name
        tables = [self._reading(step, item, given).tables.get(name) for item in candidates]
        found = [table for table in tables if table is not None]
        if not found:
            raise AnalysisError(f"{step.function} gives no table {name!r} now")
        return next((table for table in found if table.hash == step.output), found[0])

    def _evidence(self, step: Step) -> list[Evidence]:
        (digest,) = step.inputs
        found = [item for item in self.evidence if item.sha256 == digest]
        if not found:
            raise AnalysisError(f"{step.function}: no evidence has the hash {digest[:DIGITS]}")
        return found

    def _reading(self, step: Step, item: Evidence, given: dict[str, Any]) -> Reading:
        key = (step.function, item.path, json.dumps(given, sort_keys=True))
        if key not in self._read:
            from perfkit.sources import SOURCES

            path = self.folder / item.path
            reader = _reader(step)
            of_many = any(source.read_many is reader for source in SOURCES.values())
            paths = [self.folder / part.path for part in item.parts] if of_many else path
            made = reader(paths, root=self.folder, **given)
            _same(item, made.evidence.sha256)
            self._read[key] = made
        return self._read[key]


def _same(item: Evidence, digest: str) -> None:
    if digest != item.sha256:
        raise AnalysisError(
            f"{item.path} has the hash {digest[:DIGITS]}, and had {item.sha256[:DIGITS]} when it "
            "was read"
        )


def _policies(*_: Any, **__: Any) -> Any:
    from perfkit.analysis.verdicts.adaptive_qos import default_policies

    return default_policies()


def _rules(*_: Any, criteria: list[Any], **__: Any) -> Any:
    from perfkit.showing.tables.verdicts import stated_rules

    return stated_rules(criteria)


def _of_study(item: Evidence, root: Path, *, value_id: str) -> Any:
    from perfkit.study.opening import open_study

    study = open_study(root / item.path)
    _same(item, sha256_file(study.path))
    found = study.stated(value_id)
    if found is None:
        raise AnalysisError(f"{item.path} states no {value_id!r} now")
    return found


_STATED: dict[str, Callable[..., Any]] = {
    "qos.default_policies": _policies,
    "criteria.stated": _rules,
    "stated.hardware": _of_study,
    "stated.sweeps": _of_study,
    "stated.test_bed": _of_study,
}
"""First steps that read no file of a source: what makes again what they state."""


def _reader(step: Step) -> Callable[..., Reading]:
    """The reader of this name: a source declares it, or it is that of documents to be audited."""
    from perfkit.sources import SOURCES
    from perfkit.sources.printed.document.read import read_document

    name = step.function.replace(_READS, "read_", 1)
    declared = [one for item in SOURCES.values() for one in (item.read, item.read_many) if one]
    for found in (*declared, read_document):
        if found.__name__ == name:
            return found
    raise AnalysisError(f"no reader {name} can repeat {step.function}")


def _other_version(step: Step) -> str:
    now = REGISTRY.get(step.function, step.version)
    return f" (it is v{now} now)" if now != step.version else ""
