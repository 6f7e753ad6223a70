"""What a source says of itself: the declaration that every tool's folder makes once."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from perfkit.core.evidence import Evidence
from perfkit.core.grids import Grid
from perfkit.core.lineage import Reading
from perfkit.core.schema import Schema

CURVE = ("system", "config", "workload", "load_kind", "held_kind", "held", "direction")
"""The key of a curve over load points."""

LOAD_POINT_FIRST = (
    "system", "config", "workload", "load_kind", "load", "held_kind", "held", "repeat", "host",
    "direction", "iops", "lat_mean_s", "bw_bytes_per_s", "lat_p99_s",
)  # fmt: skip
"""The columns of ``load_points`` that are looked at first: what tells rows apart, and how fast."""

HISTORY = ("source", "host")
"""The key of a host's recording: every file is one, and is drawn over its own time."""


@dataclass(frozen=True)
class Series:
    """A table with a row for each moment of what was watched; docs/add-a-source.md has the rules.

    Attributes:
        lines: The columns that name what was watched, such as the device; beside the file.
        time: The column of seconds since the start, or of times.
    """

    lines: tuple[str, ...] = ()
    time: str = "t_s"


@dataclass(frozen=True)
class Turn:
    """What a file states of its run, by which it is known as a repeat of another's.

    Attributes:
        job: All that was asked of the tool, but for where its results go.
        ended: When it ended, on the clock of its host.
        lasted_s: How long it measured.
    """

    job: frozenset[tuple[object, ...]]
    ended: dt.datetime
    lasted_s: float


@dataclass(frozen=True)
class Keys:
    """What tells the rows of a source's main table apart, and what makes files one curve.

    Attributes:
        row: The columns of ``Source.table`` that no two rows share.
        series: What rows of the common tables (``load_points``, ``host_series``), or else of
            ``Source.table``, agree in to be one curve or one history. With ``source`` in it every
            file is a series of its own, whatever its labels; names that are not a column of a
            common table are columns of ``Source.table`` or options of its jobs (``job_options``).
        history: What files agree in, beside ``series``, to be one history over time: a database
            made anew for each load point is still one curve.
        period: The columns of ``Source.table`` that tell one time of what it reports on from
            another: files that agree in both keys and in these are one report by several names.
        options: A name in ``series`` -> the options of that meaning, where there are several.
        sizes: The names in ``series`` that are sizes in bytes, in whatever unit.
    """

    row: tuple[str, ...] = ()
    series: tuple[str, ...] = ()
    history: tuple[str, ...] = ()
    period: tuple[str, ...] = ()
    options: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    sizes: tuple[str, ...] = ()


@dataclass(frozen=True)
class Reported:
    """How perfkit reports on a source: by which of its notebooks, and what a study of it says.

    Attributes:
        notebook: perfkit's notebook that reports on it; "" where that is the general one.
        of_loads: The notebook for several sets of it, each over load points; "": ``notebook``.
        of_series: The notebook for more than two files of it that lie in one folder and agree in
            what both keys name beside the labels (the database); "": ``notebook``.
        of_pair: Likewise for two such files: before and after.
        tables_of_series: The tables which ``of_series`` needs, for a source of which tables can be
            chosen: a series is hundreds of files.
        needs_load: Whether ``notebook`` is for load points whose load is known; results without one
            go to the general notebook.
        joins: The notebooks that show it beside what they report on.
        criteria: The set of criteria that the tool's own users judge by; "" for none.
        study_lines: What a proposed study says below the notebook.
    """

    notebook: str = ""
    of_loads: str = ""
    of_series: str = ""
    of_pair: str = ""
    tables_of_series: tuple[str, ...] = ()
    needs_load: bool = False
    joins: tuple[str, ...] = ()
    criteria: str = ""
    study_lines: str = ""


@dataclass(frozen=True)
class Source:
    """One kind of evidence.

    Attributes:
        name: Its kind, as a study and ``--kind`` write it.
        sniff: Whether the text at the beginning of a file is of this kind; None for a kind that
            is a folder as a whole.
        read: The reader: ``read(path, root=None)``; its keyword arguments are its options.
        description: What it is, for a list of the kinds.
        markers: The files of which any makes a folder one of this kind; none for a kind that is a
            file.
        to_parquet: Writes its tables to Parquet piece by piece, for files larger than memory:
            ``to_parquet(path, out, table=None)``; None where a whole file is read at once.
        read_many: Reads many files as one: ``read_many(paths, root=None)``; its tables tell the
            files apart by a column ``file``. None where each is read by itself.
        read_sets: The same for several sets of files at once: a list of readings; None where
            each set is read by itself.
        tables: Its tables by name, each with its columns. Of one that is called ``*`` every table
            is, whatever its name. A folder's readings have those of the files in it, too.
        chooses: Whether ``read`` and ``read_many`` take the names of the tables that are wanted
            (``tables``); else they give all.
        table: The table with a row for each thing that the tool reports; "" where every table of
            the kind has the same columns. ``source`` is the file, as a study reads it.
        keys: What tells its rows and its files apart.
        run_table: Of folders: the table with a row for each run. A folder of several runs whose
            loads are not known is not evidence of its own: its files are taken one by one.
        time: The column of ``table`` by which files of equal labels stand in order; "" for none.
        when: When a file or folder of it was measured, on the clock of its host, for a kind whose
            tables do not say; it gives None where that is not known.
        turn: What a file states of its run; None for a kind that does not state all of it.
        series: Those of its tables that are over time, by name.
        grids: The two numbers that a load of it has, if it has two, of each kind of load: the
            first is raised along a curve and the other held where files differ in both. Of a file
            that states one of them alone the other is 1.
        is_copied: Whether it holds figures copied from a document, no output of a tool.
        asks: The modules of ``analysis/pieces`` that say what one piece answers by itself; a store
            keeps their answers with it.
        overview: The tables that are shown first; empty: all.
        leading: A table -> the columns of it that come first where there is no room for all: what
            tells its rows apart, then what matters most.
        reported: How perfkit reports on it.
    """

    name: str
    sniff: Callable[[str], bool] | None
    read: Callable[..., Reading]
    description: str
    markers: tuple[str, ...] = ()
    to_parquet: Callable[..., Evidence] | None = None
    read_many: Callable[..., Reading] | None = None
    read_sets: Callable[..., list[Reading]] | None = None
    tables: Mapping[str, Schema] = field(default_factory=dict)
    chooses: bool = False
    table: str = ""
    keys: Keys = Keys()
    run_table: str = ""
    time: str = ""
    when: Callable[[Path], dt.datetime | None] | None = None
    turn: Callable[[Path, Reading], Turn | None] | None = None
    series: Mapping[str, Series] = field(default_factory=dict)
    grids: tuple[Grid, ...] = ()
    is_copied: bool = False
    asks: tuple[str, ...] = ()
    overview: tuple[str, ...] = ()
    leading: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    reported: Reported = Reported()

    def first_columns(self, table: str) -> tuple[str, ...]:
        """The columns of a table that come first where there is no room for all."""
        common = LOAD_POINT_FIRST if table == "load_points" else ()
        return self.leading.get(table, common)

    def chosen(self, wanted: Sequence[str]) -> list[str]:
        """Those of some tables that it has."""
        return [name for name in wanted if name in self.tables]

    def is_folder(self, place: Path) -> bool:
        """Whether a folder as a whole is one piece of this kind."""
        return self.sniff is None and self.marks(place)

    def marks(self, place: Path) -> bool:
        """Whether a folder has a file that makes it one of this kind."""
        return any((place / name).is_file() for name in self.markers)
