"""Frames that know where they come from, and the decorator that keeps the chain.

An analysis function is written over plain polars frames::

    @step(version=1, name="mine.peak_iops")
    def peak_iops(points: Measured) -> pl.DataFrame:
        return points.frame.select(pl.col("iops").max())

and takes and returns ``Measured``: each call appends the function's registered name and version,
its JSON arguments and the hashes of its inputs to the lineage of its result.
"""

from __future__ import annotations

import contextlib
import difflib
import functools
import inspect
import re
from collections.abc import Callable, Iterator, Mapping
from contextvars import ContextVar
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, ParamSpec, Protocol, TypeVar, overload

import polars as pl

from perfkit.core import anonymise
from perfkit.core.cautions import Caution, caution, from_json
from perfkit.core.errors import AnalysisError, ParseError, did_you_mean
from perfkit.core.evidence import Evidence, Lineage, Origin, Step, unverified
from perfkit.core.frame_hash import hash_frame
from perfkit.core.recorded_arguments import Input, arguments_json
from perfkit.core.unanswered import Unanswered

if TYPE_CHECKING:
    import pandas as pd

P = ParamSpec("P")
S = TypeVar("S", bound="Shown")

REGISTRY: dict[str, int] = {}
"""Registered name -> version: what a verifier needs to run a chain again."""

MISSPELT = 0.8
"""From this likeness on (difflib) a name that is not there is taken for a table that is."""

SHOWN_IN_NOTEBOOK = 50
"""Rows of a frame shown in a notebook before the middle is left out."""


_TRACED = ContextVar("traced", default=True)


@contextlib.contextmanager
def untraced() -> Iterator[None]:
    """Within it no frame is hashed, and what is made is not traceable.

    For whoever keeps numbers and not their lineage: hashing takes a fifth of a store's ingest.
    """
    before = _TRACED.set(False)
    try:
        yield
    finally:
        _TRACED.reset(before)


class Shown(Protocol):
    """A value that is shown to a reader: a figure, table, statement or verdict."""

    @property
    def lineage(self) -> Lineage:
        """Where it comes from."""
        ...

    def content_hash(self) -> str:
        """The hash of what it shows."""
        ...

    @property
    def cautions(self) -> tuple[Caution, ...] | None:
        """What must be known beside it; None: what must be known of the data it is made of."""
        ...


# fields of Measured that are made of what an instance keeps; ``replace`` sees them as any other
_CLONE: Any = property(lambda self: vars(self)["_frame"].clone())
_LINEAGE: Any = property(lambda self: self._made_lineage())


@dataclass(frozen=True, eq=False, init=False, repr=False)
class Measured:
    """A polars frame with the evidence it rests on and the steps that made it.

    The frame is kept to itself: each ``frame`` is a clone that shares the data, and what is done
    to it in place is done to the clone. A lineage with steps belongs to the frame whose hash its
    last step holds; another frame (``Measured(other, found.lineage)``, ``replace(found,
    frame=other)``) is not traceable. This guards against accidents, not against forgery.

    Attributes:
        frame: The data: tidy, SI base units, the unit in the column's name.
        lineage: Evidence, steps, and whether the chain is whole.
        name: What the frame is called in its source ("load_points").
    """

    frame: pl.DataFrame = _CLONE
    lineage: Lineage = _LINEAGE
    name: str = "frame"

    def __init__(
        self, frame: pl.DataFrame, lineage: Lineage | None = None, name: str = "frame"
    ) -> None:
        given = lineage or Lineage()
        self._keep(frame, lambda own: given.of("frame", own.hash), name)

    def _keep(
        self,
        frame: pl.DataFrame,
        lineage: Lineage | Callable[[Measured], Lineage],
        name: str,
        digest: str | None = None,
    ) -> None:
        vars(self).update(_frame=frame.clone(), _lineage=lineage, name=name)
        if digest is not None:
            vars(self)["hash"] = digest

    @classmethod
    def _of(
        cls,
        frame: pl.DataFrame,
        lineage: Lineage | Callable[[Measured], Lineage],
        name: str,
        digest: str | None = None,
    ) -> Measured:
        """With a lineage as it is, or a function that makes it on first use.

        Most tables of a reading are never used, and hashing all of them takes as long as reading.
        """
        made = cls.__new__(cls)
        made._keep(frame, lineage, name, digest)
        return made

    def __getstate__(self) -> dict[str, object]:
        # in another process the lineage is there, not the function that makes it
        return {**vars(self), "_lineage": self.lineage}

    def _made_lineage(self) -> Lineage:
        found: Lineage | Callable[[Measured], Lineage] = vars(self)["_lineage"]
        if not isinstance(found, Lineage):
            found = vars(self)["_lineage"] = found(self)
        return found

    def _with(self, change: Callable[[Lineage], Lineage]) -> Measured:
        known = vars(self).get("hash")
        return Measured._of(self._frame, lambda _: change(self.lineage), self.name, known)

    def named(self, name: str) -> Measured:
        """The same frame and lineage under another name."""
        return Measured._of(self._frame, lambda _: self.lineage, name, vars(self).get("hash"))

    @property
    def _frame(self) -> pl.DataFrame:
        found: pl.DataFrame = vars(self)["_frame"]
        return found

    @property
    def hash(self) -> str:
        """The hash of the content: names, types and values, in order; "" while untraced."""
        found: str | None = vars(self).get("hash")
        if found is None and _TRACED.get():
            found = vars(self)["hash"] = hash_frame(self._frame)
        return found or ""

    @property
    def traceable(self) -> bool:
        """Whether every number in the frame can be followed back to a file."""
        return self.lineage.traceable

    @property
    def cautions(self) -> tuple[Caution, ...]:
        """What must be known beside its numbers: by its rows, else what went into it."""
        if "cautions" not in self.frame.columns:
            return self.lineage.cautions
        texts = self.frame["cautions"].drop_nulls().unique(maintain_order=True)
        return tuple(dict.fromkeys(item for text in texts for item in from_json(text)))

    def filter(self, **equal: str | float | bool | None) -> Measured:
        """The rows whose columns equal the given values, with the filter kept in the lineage.

        Where the column ``source`` names the file of each row, files without a row left are no
        longer evidence.
        """
        found = _filter(self, equal=equal).named(self.name)
        gone = _sources(self._frame) - _sources(found._frame)
        return found._with(lambda lineage: lineage.without(gone)) if gone else found

    def to_pandas(self) -> pd.DataFrame:
        """The frame as pandas, for what wants pandas; the lineage stays behind."""
        return self._frame.to_pandas()

    def __len__(self) -> int:
        return self._frame.height

    def __repr__(self) -> str:
        mark = "" if self.traceable else ", not traceable"
        return f"Measured({self.name!r}, {self._frame.height} rows{mark})\n{self._frame}"

    def _repr_html_(self) -> str:
        mark = "" if self.traceable else " · <b>not traceable</b>"
        with pl.Config(tbl_rows=SHOWN_IN_NOTEBOOK, tbl_hide_dataframe_shape=True):
            body = self._frame._repr_html_()
        return f"<div><b>{self.name}</b>: {self._frame.height:,} rows{mark}</div>{body}"


def _sources(frame: pl.DataFrame) -> set[str]:
    return set(frame["source"].drop_nulls()) if "source" in frame.columns else set()


@dataclass(frozen=True, eq=False)
class Reading(Mapping[str, Measured]):
    """What a ``read_*`` function returns: the source's tables by name, and their evidence.

    ``reading["load_points"]`` and ``reading.load_points`` are the same; Tab completes both.
    """

    tables: dict[str, Measured]
    evidence: Evidence

    def __getitem__(self, name: str) -> Measured:
        if name not in self.tables:
            raise ParseError(
                self.evidence.path, f"no table {name!r}; {did_you_mean(name, list(self.tables))}"
            )
        return self.tables[name]

    def get(self, name: str, default: Any = None) -> Any:
        """The table of that name, or ``default``."""
        return self.tables.get(name, default)

    def table(self, name: str) -> Measured | Unanswered:
        """The table of that name; Unanswered where the evidence has none.

        Raises ParseError where one of nearly that name is there: it is misspelt.
        """
        near = difflib.get_close_matches(name, self.tables, n=1, cutoff=MISSPELT)
        if name in self.tables or near:
            return self[name]
        return Unanswered(f"the evidence has no {name.replace('_', ' ')}")

    def where(self, **equal: str | float | bool | None) -> Reading:
        """The same tables with only the rows whose columns have the given values.

        A table without such a column stays whole; a value of None asks for nothing. Each filter is
        a step in the lineage of its table.

        Raises ParseError when a value is in no table: it names the values there are.
        """
        wanted = {column: value for column, value in equal.items() if value is not None}
        for column, value in wanted.items():
            known = self._values(column)
            if value not in known:
                raise ParseError(
                    self.evidence.path,
                    f"no rows of {column} {value!r}; {did_you_mean(str(value), known)}",
                )
        tables = {}
        for name, table in self.tables.items():
            own = {column: v for column, v in wanted.items() if column in table.frame.columns}
            tables[name] = table.filter(**own) if own else table
        return Reading(tables, self.evidence)

    def of_origin(self, origin: Origin) -> Reading:
        """The same tables, as of another origin than a measurement: their lineages say so."""
        evidence = self.evidence.of_origin(origin)
        tables = {
            name: table._with(lambda lineage: replace(lineage, evidence=(evidence,)))
            for name, table in self.tables.items()
        }
        return Reading(tables, evidence)

    def _values(self, column: str) -> list[Any]:
        having = [t.frame for t in self.tables.values() if column in t.frame.columns]
        return sorted({value for frame in having for value in frame[column].unique()}, key=str)

    def __getattr__(self, name: str) -> Measured:
        # while a copy is being made its tables are not there yet
        tables: dict[str, Measured] = vars(self).get("tables", {})
        if name in tables:
            return tables[name]
        if name in {"tables", "evidence"}:
            raise AttributeError(name)
        raise AttributeError(f"{self.evidence.kind} reading has no table {name!r}")

    def __iter__(self) -> Iterator[str]:
        return iter(self.tables)

    def __len__(self) -> int:
        return len(self.tables)

    def __contains__(self, name: object) -> bool:
        return name in self.tables

    def __dir__(self) -> list[str]:
        return sorted({*super().__dir__(), *self.tables})

    def _ipython_key_completions_(self) -> list[str]:
        return list(self.tables)

    def __repr__(self) -> str:
        rows = "\n".join(f"  {name}: {len(table)} rows" for name, table in self.tables.items())
        notes = "".join(f"\n  warning: {text}" for text in self.evidence.warnings)
        return f"Reading of {self.evidence.path} ({self.evidence.kind})\n{rows}{notes}"


def reading(
    function: str,
    version: int,
    frames: dict[str, pl.DataFrame],
    evidence: Evidence,
    arguments: Mapping[str, Any] | None = None,
) -> Reading:
    """The Reading of a parser: each frame with the reading itself as its first step."""
    REGISTRY[function] = version
    anonymise.note_names(frames, (evidence.tool_version, *(p.tool_version for p in evidence.parts)))
    given = arguments or {}
    return Reading(
        {
            name: Measured._of(
                frame,
                functools.partial(_first, function, version, {**given, "table": name}, evidence),
                name,
            )
            for name, frame in frames.items()
        },
        evidence,
    )


def _first(
    function: str,
    version: int,
    arguments: Mapping[str, Any],
    evidence: Evidence,
    frame: Measured,
) -> Lineage:
    done = Step(
        function, version, arguments_json(arguments, function), (evidence.sha256,), frame.hash
    )
    return Lineage((evidence,), (done,), traceable=_TRACED.get())


def stated(
    function: str, version: int, value: S, evidence: Evidence, arguments: Mapping[str, Any]
) -> S:
    """A value that authors state, with the evidence where they do: the stating is its first step.

    ``tracing`` knows the function that makes it again.
    """
    REGISTRY[function] = version
    given, digest = arguments_json(arguments, function), value.content_hash()
    done = Step(function, version, given, (evidence.sha256,), digest)
    of_data: Any = value  # a dataclass
    made: S = replace(of_data, lineage=Lineage((evidence,), (done,), traceable=True))
    return made


def measured(data: Measured | pl.DataFrame, name: str = "frame") -> Measured:
    """Data as Measured; a bare polars frame is accepted and is not traceable."""
    if isinstance(data, Measured):
        return data
    return Measured(data, Lineage(traceable=False, notes=("a bare frame: not traceable",)), name)


class _Decorator(Protocol):
    @overload
    def __call__(self, function: Callable[P, pl.DataFrame]) -> Callable[P, Measured]: ...
    @overload
    def __call__(self, function: Callable[P, S]) -> Callable[P, S]: ...


def step(*, version: int, name: str) -> _Decorator:
    """Register a function over measured data and keep the chain at every call.

    ``name`` stands in the records of what the function made: a word for what it is about and one
    for the function, "curve.peak". It stays when the function moves to another module.

    The function gets its data as ``Measured`` (bare polars frames are wrapped and marked), or as
    the values that other steps made, and returns a polars frame, which comes out as ``Measured``,
    or a figure, table, statement or verdict, which comes out with its lineage filled in. All other
    arguments are written into the record: what ``recorded_arguments.recordable`` knows.

    Raises AnalysisError when an argument cannot be recorded; ValueError for a name that is no
    two words or belongs to another function.
    """

    def decorate(function: Callable[..., Any]) -> Callable[..., Any]:
        signature = inspect.signature(function)

        @functools.wraps(function)
        def call(*args: Any, **kwargs: Any) -> Any:
            bound = signature.bind(*args, **kwargs)
            bound.apply_defaults()
            inputs: list[Measured | Shown] = []
            plain: dict[str, Any] = {}
            for key, given in bound.arguments.items():
                bound.arguments[key], shown = _separate(given, key, inputs)
                plain[key] = shown
            result = function(*bound.args, **bound.kwargs)
            cautions = dict.fromkeys(one for item in inputs for one in item.cautions or ())
            before = Lineage.join([item.lineage for item in inputs])
            traceable = before.traceable and _TRACED.get()
            before = replace(before, cautions=tuple(cautions), traceable=traceable)
            arguments = arguments_json(plain, where=name)
            hashes = tuple(map(hash_of, inputs))
            if isinstance(result, pl.DataFrame):
                digest = hash_frame(result) if _TRACED.get() else None
                done = Step(name, version, arguments, hashes, digest or "")
                return Measured._of(result, before.then(done), function.__name__, digest)
            # those its maker gave it, else those of its data
            strange = (caution("unverified_dialect"),) if unverified(before.evidence) else ()
            own = before.cautions if result.cautions is None else result.cautions
            result = replace(result, cautions=tuple(dict.fromkeys((*own, *strange))))
            done = Step(name, version, arguments, hashes, result.content_hash())
            return replace(result, lineage=before.then(done))

        if signature.return_annotation == "pl.DataFrame":
            # what a caller gets, for help() and the tooltips of JupyterLab
            signature = signature.replace(return_annotation="Measured")
        vars(call)["__signature__"] = signature
        _register(name, version, call)
        return call

    return decorate


def hash_of(item: Measured | Shown) -> str:
    """The hash by which a lineage knows data or a value again."""
    return item.hash if isinstance(item, Measured) else item.content_hash()


_NAME = re.compile(r"[a-z][a-z0-9_]*(\.[a-z][a-z0-9_]*)+")

FUNCTIONS: dict[str, Callable[..., Any]] = {}
"""Registered name -> the function, as it is called."""


def _register(name: str, version: int, function: Callable[..., Any]) -> None:
    if not _NAME.fullmatch(name):
        raise ValueError(f"step name {name!r}: lower-case words joined by dots, as 'curve.peak'")
    # the same function again: a notebook's cell or a module that is run twice
    place, other = (
        f"{item.__module__}.{item.__qualname__}"
        for item in (function, FUNCTIONS.get(name, function))
    )
    if place != other:
        raise ValueError(f"step name {name!r} of {place} belongs to {other}")
    FUNCTIONS[name] = function
    REGISTRY[name] = version


def _separate(given: Any, key: str, inputs: list[Measured | Shown]) -> tuple[Any, Any]:
    """Take the measured data out of one argument: (what the function gets, what is recorded)."""
    if _is_data(given):
        item = measured(given, key) if isinstance(given, pl.DataFrame) else given
        inputs.append(item)
        return item, Input(hash_of(item))
    if isinstance(given, Mapping) and any(_is_data(item) for item in given.values()):
        pairs = {name: _separate(item, name, inputs) for name, item in given.items()}
        return (
            {name: pair[0] for name, pair in pairs.items()},
            {name: pair[1] for name, pair in pairs.items()},
        )
    if isinstance(given, list | tuple) and any(_is_data(item) for item in given):
        parts = [_separate(item, key, inputs) for item in given]
        return [part[0] for part in parts], [part[1] for part in parts]
    return given, given


def _is_data(item: Any) -> bool:
    shown = hasattr(item, "lineage") and hasattr(item, "content_hash")
    return shown or isinstance(item, Measured | pl.DataFrame)


@step(version=1, name="data.filter")
def _filter(data: Measured, *, equal: Mapping[str, Any]) -> pl.DataFrame:
    unknown = [column for column in equal if column not in data.frame.columns]
    if unknown:
        raise AnalysisError(
            f"{data.name}: no column {unknown[0]!r}; {did_you_mean(unknown[0], data.frame.columns)}"
        )
    return data.frame.filter(*(pl.col(name).eq_missing(value) for name, value in equal.items()))
