"""Frames that know where they come from, and the decorator that keeps the chain.

An analysis function is written over plain polars frames::

    @step(version=1, name="mine.peak_iops")
    def peak_iops(points: Measured) -> pl.DataFrame:
        return points.frame.select(pl.col("iops").max())

and takes and returns ``Measured``: each call appends the function's registered name and version,
its JSON arguments and the hashes of its inputs to the lineage of its result.
"""

from __future__ import annotations

import functools
import hashlib
import inspect
import json
import re
import sys
from array import array
from collections.abc import Callable, Iterator, Mapping
from dataclasses import asdict, dataclass, field, is_dataclass, replace
from typing import TYPE_CHECKING, Any, ParamSpec, Protocol, TypeVar, overload

import polars as pl

from perfkit import anonymise
from perfkit.cautions import caution, from_json
from perfkit.errors import AnalysisError, ParseError, did_you_mean
from perfkit.evidence import Evidence, Lineage, Step, unverified

if TYPE_CHECKING:
    import pandas as pd

    from perfkit.cautions import Caution
    from perfkit.evidence import Origin

P = ParamSpec("P")
S = TypeVar("S", bound="Shown")

REGISTRY: dict[str, int] = {}
"""Registered name -> version: what a verifier needs to run a chain again."""

SHOWN_IN_NOTEBOOK = 50
"""Rows of a frame shown in a notebook before the middle is left out."""


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


@dataclass(frozen=True, eq=False)
class Measured:
    """A polars frame with the evidence it rests on and the steps that made it.

    Attributes:
        frame: The data: tidy, SI base units, the unit in the column's name.
        lineage: Evidence, steps, and whether the chain is whole.
        name: What the frame is called in its source ("load_points").
    """

    frame: pl.DataFrame
    lineage: Lineage = field(default_factory=Lineage)
    name: str = "frame"

    @functools.cached_property
    def hash(self) -> str:
        """The hash of the content: names, types and values, in order."""
        return hash_frame(self.frame)

    @property
    def traceable(self) -> bool:
        """Whether every number in the frame can be followed back to a file."""
        return self.lineage.traceable

    @property
    def cautions(self) -> tuple[Caution, ...]:
        """What must be known beside its numbers: by its rows, else what went into it."""
        if "cautions" not in self.frame.columns:
            return self.lineage.cautions
        told = self.frame["cautions"].drop_nulls().unique(maintain_order=True)
        return tuple(dict.fromkeys(item for text in told for item in from_json(text)))

    def filter(self, **equal: str | float | bool | None) -> Measured:
        """The rows whose columns equal the given values, with the filter kept in the lineage.

        Where the column ``source`` names the file of each row, files without a row left are no
        longer evidence.
        """
        found = replace(_filter(self, equal=equal), name=self.name)
        gone = _sources(self.frame) - _sources(found.frame)
        kept = tuple(item for item in found.lineage.evidence if item.path not in gone)
        return replace(found, lineage=replace(found.lineage, evidence=kept))

    def to_pandas(self) -> pd.DataFrame:
        """The frame as pandas, for what wants pandas; the lineage stays behind."""
        return self.frame.to_pandas()

    def __len__(self) -> int:
        return self.frame.height

    def __repr__(self) -> str:
        mark = "" if self.traceable else ", not traceable"
        return f"Measured({self.name!r}, {self.frame.height} rows{mark})\n{self.frame}"

    def _repr_html_(self) -> str:
        mark = "" if self.traceable else " · <b>not traceable</b>"
        with pl.Config(tbl_rows=SHOWN_IN_NOTEBOOK, tbl_hide_dataframe_shape=True):
            body = self.frame._repr_html_()
        return f"<div><b>{self.name}</b>: {self.frame.height:,} rows{mark}</div>{body}"


def _sources(frame: pl.DataFrame) -> set[str]:
    return set(frame["source"].drop_nulls()) if "source" in frame.columns else set()


class _Read(Measured):
    """A table of a reading: its content is hashed when its lineage is first asked for.

    Most tables of a reading are never used, and hashing all of them takes as long as reading.
    """

    def __init__(
        self, frame: pl.DataFrame, lineage: Lineage | Callable[[], Lineage], name: str = "frame"
    ) -> None:
        vars(self).update(frame=frame, name=name)
        vars(self)["lineage" if isinstance(lineage, Lineage) else "_make"] = lineage

    def __getattr__(self, name: str) -> Lineage:
        # called for what is not there yet
        make = vars(self).get("_make")
        if name != "lineage" or make is None:
            raise AttributeError(name)
        made: Lineage = make()
        vars(self)["lineage"] = made
        return made


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

    def where(self, **equal: str | float | bool | None) -> Reading:
        """The same tables with only the rows whose columns have the given values.

        A table without such a column stays whole; a value of None asks for nothing. Each filter is
        a step in the lineage of its table.

        Raises ParseError when a value is in no table: it names the values there are.
        """
        asked = {column: value for column, value in equal.items() if value is not None}
        for column, value in asked.items():
            known = self._values(column)
            if value not in known:
                raise ParseError(
                    self.evidence.path,
                    f"no rows of {column} {value!r}; {did_you_mean(str(value), known)}",
                )
        return Reading(
            {name: _kept(table, asked) for name, table in self.tables.items()}, self.evidence
        )

    def of_origin(self, origin: Origin) -> Reading:
        """The same tables, as of another origin than a measurement: their lineages say so."""
        evidence = self.evidence.of_origin(origin)
        tables = {
            name: replace(table, lineage=replace(table.lineage, evidence=(evidence,)))
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


def _kept(table: Measured, asked: dict[str, Any]) -> Measured:
    there = {column: value for column, value in asked.items() if column in table.frame.columns}
    return table.filter(**there) if there else table


def reading(
    function: str,
    version: int,
    frames: dict[str, pl.DataFrame],
    evidence: Evidence,
    arguments: dict[str, Any] | None = None,
) -> Reading:
    """The Reading of a parser: each frame with the reading itself as its first step."""
    REGISTRY[function] = version
    anonymise.noting(frames, (evidence.tool_version, *(p.tool_version for p in evidence.parts)))
    given = arguments or {}
    return Reading(
        {
            # the clone shares the data, and stays as it was read if the frame is changed in place
            name: _Read(
                frame,
                functools.partial(
                    _first, function, version, {**given, "table": name}, evidence, frame.clone()
                ),
                name,
            )
            for name, frame in frames.items()
        },
        evidence,
    )


def _first(
    function: str,
    version: int,
    arguments: dict[str, Any],
    evidence: Evidence,
    frame: pl.DataFrame,
) -> Lineage:
    """The lineage of a table as it was read."""
    done = Step(function, version, canonical_json(arguments), (evidence.sha256,), hash_frame(frame))
    return Lineage((evidence,), (done,), traceable=True)


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

    The function gets its data as ``Measured`` (bare polars frames are wrapped and marked) and
    returns a polars frame, which comes out as ``Measured``, or a figure, table, statement or
    verdict, which comes out with its lineage filled in. All other arguments must be JSON values,
    dataclasses or pydantic models: they are written into the record.

    Raises AnalysisError when an argument cannot be recorded; ValueError for a name that is no
    two words or belongs to another function.
    """

    def decorate(function: Callable[..., Any]) -> Callable[..., Any]:
        _register(name, version, function)
        signature = inspect.signature(function)

        @functools.wraps(function)
        def call(*args: Any, **kwargs: Any) -> Any:
            bound = signature.bind(*args, **kwargs)
            bound.apply_defaults()
            inputs: list[Measured] = []
            plain: dict[str, Any] = {}
            for key, given in bound.arguments.items():
                bound.arguments[key], shown = _separate(given, key, inputs)
                plain[key] = shown
            result = function(*bound.args, **bound.kwargs)
            before = _joined(inputs)
            arguments = canonical_json(plain, where=name)
            hashes = tuple(item.hash for item in inputs)
            if isinstance(result, pl.DataFrame):
                done = Step(name, version, arguments, hashes, hash_frame(result))
                return Measured(result, before.then(done), function.__name__)
            result = replace(result, cautions=_told(result, before))
            done = Step(name, version, arguments, hashes, result.content_hash())
            return replace(result, lineage=before.then(done))

        return call

    return decorate


def _joined(inputs: list[Measured]) -> Lineage:
    """The lineage of all inputs, with the cautions that their rows have now."""
    told = dict.fromkeys(one for item in inputs for one in item.cautions)
    return replace(Lineage.join([item.lineage for item in inputs]), cautions=tuple(told))


def _told(value: Shown, lineage: Lineage) -> tuple[Caution, ...]:
    """What must be known beside a value: what its maker says, else of the data it is made of."""
    strange = (caution("unverified_dialect"),) if unverified(lineage.evidence) else ()
    own = lineage.cautions if value.cautions is None else value.cautions
    return (*own, *strange)


_NAME = re.compile(r"[a-z][a-z0-9_]*(\.[a-z][a-z0-9_]*)+")
_FUNCTIONS: dict[str, str] = {}


def _register(name: str, version: int, function: Callable[..., Any]) -> None:
    if not _NAME.fullmatch(name):
        raise ValueError(f"step name {name!r}: lower-case words joined by dots, as 'curve.peak'")
    # the same function again: a notebook's cell or a module that is run twice
    place = f"{function.__module__}.{function.__qualname__}"
    if _FUNCTIONS.setdefault(name, place) != place:
        raise ValueError(f"step name {name!r} of {place} belongs to {_FUNCTIONS[name]}")
    REGISTRY[name] = version


def _separate(given: Any, key: str, inputs: list[Measured]) -> tuple[Any, Any]:
    """Take the measured data out of one argument: (what the function gets, what is recorded)."""
    if isinstance(given, Measured | pl.DataFrame):
        item = measured(given, key)
        inputs.append(item)
        return item, {"input": item.hash}
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
    return isinstance(item, Measured | pl.DataFrame)


@step(version=1, name="data.filter")
def _filter(data: Measured, *, equal: dict[str, Any]) -> pl.DataFrame:
    unknown = [column for column in equal if column not in data.frame.columns]
    if unknown:
        raise AnalysisError(
            f"{data.name}: no column {unknown[0]!r}; {did_you_mean(unknown[0], data.frame.columns)}"
        )
    return data.frame.filter(*(pl.col(name).eq_missing(value) for name, value in equal.items()))


def canonical_json(value: Any, where: str = "record") -> str:
    """JSON text that is the same for the same value: sorted keys, no blanks, UTF-8 kept."""

    def default(item: Any) -> Any:
        if is_dataclass(item) and not isinstance(item, type):
            return asdict(item)
        if hasattr(item, "model_dump"):
            return item.model_dump(mode="json")
        if isinstance(item, Mapping):
            return dict(item)
        raise AnalysisError(f"{where}: an argument of type {type(item).__name__} has no JSON form")

    return json.dumps(
        value, default=default, sort_keys=True, separators=(",", ":"), ensure_ascii=False
    )


MANY = 4096
"""A column of more rows is hashed in a shorter form: what repeats is counted, not written out."""

_ALL_NULL = b"\2"


def hash_frame(frame: pl.DataFrame) -> str:
    """SHA-256 over names, types, nulls and values, in row and column order.

    Independent of chunking, of polars' memory layout and of the machine; NaN and -0.0 each have
    one form.
    """
    digest = hashlib.sha256()
    digest.update(
        canonical_json([frame.height, [[n, str(t)] for n, t in frame.schema.items()]]).encode()
    )
    nulls = frame.null_count().row(0) if frame.width and frame.height > MANY else ()
    for place in range(frame.width):
        if nulls and nulls[place] == frame.height:
            digest.update(_ALL_NULL)  # without making the column: a long table has many such
        else:
            _hash_series(digest, frame.to_series(place))
    return digest.hexdigest()


def _hash_series(digest: Any, column: pl.Series) -> None:
    # the bytes are those of nulls, then values; the short cuts are for many small frames
    dtype, size, nulls = column.dtype, len(column), column.null_count()
    if size > MANY and nulls in {0, size}:
        digest.update(_ALL_NULL if nulls else b"\0")
        if nulls:
            return
    elif nulls == size and (dtype.is_float() or dtype == pl.String):
        digest.update(b"\1" * size + bytes(8 * size))
        return
    else:
        digest.update(column.is_null().to_numpy().tobytes() if nulls else bytes(size))
    if isinstance(dtype, pl.List | pl.Array):
        digest.update(column.list.len().fill_null(0).cast(pl.Int64).to_numpy().tobytes())
        _hash_series(digest, column.drop_nulls().explode(empty_as_null=False))
    elif isinstance(dtype, pl.Struct):
        for inner in column.struct.unnest().iter_columns():
            _hash_series(digest, inner)
    elif dtype in {pl.UInt64, pl.Int128}:
        _hash_series(digest, column.cast(pl.String))
    else:
        digest.update(_value_bytes(column))


def _value_bytes(column: pl.Series) -> Any:
    """The values of a plain column as bytes, or as an array of them; null: 0 or empty text."""
    dtype = column.dtype
    if dtype.is_float():
        values = column.to_numpy().astype("<f8")  # a copy; a null is NaN in it
        values[values != values] = float("nan")  # noqa: PLR0124 - every NaN has one form
        if column.null_count():
            values[column.is_null().to_numpy()] = 0.0
        values += 0.0  # -0.0 becomes 0.0
        return values
    if dtype.is_integer() or dtype == pl.Boolean:
        whole = column if dtype == pl.Int64 else column.cast(pl.Int64)
        whole = whole.fill_null(0) if whole.null_count() else whole
        return whole.to_numpy().astype("<i8", copy=False)
    texts = column if dtype == pl.String else column.cast(pl.String)
    if len(texts) <= MANY:
        # many small columns: an operation of polars costs more than all of their texts here
        encoded = [(text or "").encode() for text in texts.to_list()]
        sizes = array("q", map(len, encoded))
        if sys.byteorder == "big":
            sizes.byteswap()
        return sizes.tobytes() + b"".join(encoded)
    texts = texts.fill_null("")
    runs = texts.rle()  # keys that repeat are most of a long table
    lengths = runs.struct.field("len").cast(pl.Int64).to_numpy().astype("<i8")
    return bytes(lengths.tobytes()) + _text_bytes(runs.struct.field("value"))


def _text_bytes(texts: pl.Series) -> bytes:
    """The sizes of texts, then the texts."""
    sizes = texts.str.len_bytes().cast(pl.Int64).to_numpy().astype("<i8").tobytes()
    return bytes(sizes + str(texts.str.join("").item() if len(texts) else "").encode())
