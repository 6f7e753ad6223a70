"""GenIO's ``summary.csv``, with the command behind it where it is known."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from pathlib import Path

import polars as pl

from perfkit.core import schema
from perfkit.core.errors import ParseError, UsageError
from perfkit.core.evidence import Evidence, Section
from perfkit.core.lineage import Reading, reading
from perfkit.sources.files import File, given, reader, table_text
from perfkit.sources.genio.columns import SHOWN, Columns, drop_summary_rows, number_columns
from perfkit.sources.genio.commands import (
    Command,
    Parameters,
    check_ramp,
    commands_in,
    has_command,
    parse_command,
)
from perfkit.sources.genio.names import HINT, METRICS, heads_of, is_summary, known
from perfkit.sources.genio.runs import (
    command_frames,
    extra_frame,
    load_points,
    runs_frame,
    with_targets,
)
from perfkit.sources.genio.schema import GENIO_RUNS
from perfkit.sources.printed_times import datetimes
from perfkit.sources.separated import SEPARATORS, cells_of, read_separated

VERSION = 1
SUMMARY = "summary.csv"

BESIDE = ("{stem}.cmd", "{stem}.command", "command.txt", "RampRun.cmd")
"""Where the command is looked for, in the folder of the summary, if it stands in no other place."""

_HEAD_LINES = 60
_COMMENT = re.compile(r"^\s*(?:#|//|;)\s?")


def is_genio(head: str) -> bool:
    """Whether the beginning of a file is a summary of GenIO: heads that only GenIO has."""
    return any(
        is_summary(cells_of(line, mark))
        for line in head.lstrip("\ufeff").splitlines()[:_HEAD_LINES]
        if HINT.search(line)
        for mark in SEPARATORS
        if mark in line
    )


@reader
def read_genio(
    path: Path | str,
    *,
    root: Path | None = None,
    command: str | None = None,
    decimal: str | None = None,
) -> Reading:
    """Read the ``summary.csv`` of one GenIO test, of one server or of several.

    Columns are taken by their heads in any known writing: case, blanks, units in brackets; what is
    missing is null, what is not known is kept in ``genio_extra``. Comma, semicolon, tab or bar
    between the cells; thousands commas and decimal commas are told apart by the file's own numbers.

    Tables (``perfkit.sources.genio.schema``): ``genio_runs``, one row a run, with what is derived
    and inferred marked; ``genio_commands``; ``genio_extra``; ``load_points``.

    The target of a run is min + (max - min) * i / runs of its command (i from 1), inferred from
    published results: NetApp TR-4784, Table 9. The command is the one given, else one in the lines
    above the heads, else one in ``summary.cmd`` or ``command.txt`` beside the file.

    Args:
        path: The file, also packed with gzip, or a folder with ``summary.csv`` in it.
        root: Paths in the evidence are relative to it (default: the working directory).
        command: The command line of RampRun.pl.
        decimal: The decimal sign, "." or ",", where the file leaves it open.

    Raises:
        ParseError: naming file, line and column: no such file, empty, a workbook, no known heads,
            a row that does not fit them, a cell that is not a number, numbers that can be read in
            two ways, or a command that cannot be read.
        UsageError: another decimal sign.
    """
    if decimal not in {None, ".", ","}:
        raise UsageError(f"decimal={decimal!r}: give '.' or ','")
    place = Path(path)
    if place.is_dir():
        place = _summary_in(place)
    file = File.of(place, root)
    label = file.label
    table = read_separated(
        table_text(file.data, file.path), file.path, known, "column heads of GenIO's summary.csv"
    )
    columns = Columns(table, heads_of(table.heads, table.head_line, file.path), file.path)
    columns.warnings.extend(table.warnings)
    drop_summary_rows(columns)
    commands, parts = _commands(columns, place, label, root, command)
    ramp, doubt = _ramp(commands, label)
    asked = ramp.parameters if ramp else Parameters()
    numbers, times = number_columns(columns, decimal), _times(columns)
    frame = runs_frame(columns, numbers, times, asked.server, asked.comment)
    frame, no_target = with_targets(frame, ramp)
    runs = schema.conform(frame, GENIO_RUNS, label)
    refuse_second(runs, table.again, file.path)
    frames = {
        "genio_runs": runs,
        **command_frames(commands, label),
        "genio_extra": extra_frame(columns, runs, label),
        "load_points": load_points(runs, label),
    }
    oddities = [text for item in commands for text in check_ramp(item)]
    notes = [doubt, no_target, *oddities, *columns.warnings, *warnings(runs)]
    found = file.evidence(
        "genio",
        "GenIO",
        sections=tuple(_sections(columns, frames)),
        warnings=tuple(dict.fromkeys(note for note in notes if note)),
        unverified=True,  # no real summary.csv is public: the form is that of printed tables
        parts=parts,
    )
    return reading("read.genio", VERSION, frames, found, given(command=command, decimal=decimal))


def is_genio_commands(head: str) -> bool:
    """Whether a text holds command lines of RampRun.pl or dgen.pl and is not a summary."""
    return has_command(head) and not is_genio(head)


@reader
def read_genio_commands(path: Path | str, *, root: Path | None = None) -> Reading:
    """Read the command lines of RampRun.pl and dgen.pl in a text: a script, a log, a procedure.

    Table: ``genio_commands``, one row a command with its parameters
    (``perfkit.sources.genio.schema``). Options that perfkit does not know are warnings.

    Raises ParseError naming file and line: no such file, no command in it, an option without its
    value, or a number that is none.
    """
    file = File.of(path, root)
    commands = commands_in(table_text(file.data, file.path), file.path, file.label)
    if not commands:
        raise ParseError(file.path, "no command line of RampRun.pl or dgen.pl in it")
    frames = command_frames(commands, file.label)
    found = file.evidence(
        "genio-commands",
        "GenIO",
        sections=tuple(Section(name, "found", frame.height) for name, frame in frames.items()),
        warnings=tuple(text for item in commands for text in check_ramp(item)),
        unverified=True,
    )
    return reading("read.genio_commands", VERSION, frames, found)


def _summary_in(folder: Path) -> Path:
    for path in sorted(folder.iterdir()):
        if path.name.lower() == SUMMARY:
            return path
    raise ParseError(str(folder), f"no {SUMMARY} in this folder")


def _commands(
    columns: Columns, place: Path, label: str, root: Path | None, text: str | None
) -> tuple[list[Command], tuple[Evidence, ...]]:
    """The commands, and the evidence of a file of its own that they stand in."""
    if text is not None:
        return [parse_command(text, "command=")], ()
    above = [
        item
        for number, line in columns.table.before
        for item in commands_in(_COMMENT.sub("", line), str(place), label, number)
    ]
    if above:
        return above, ()
    for pattern in BESIDE:
        path = place.parent / pattern.format(stem=place.name.split(".")[0])
        if path.is_file():
            file = File.of(path, root)
            text = table_text(file.data, file.path)
            if has_command(text):
                commands = commands_in(text, file.path, file.label)
                return commands, (file.evidence("genio-command", "GenIO"),)
    return [], ()


def _ramp(commands: list[Command], label: str) -> tuple[Command | None, str | None]:
    """The command of this file's ramp, and why it is not known.

    Of several, the one whose ``--system`` is part of the file's path is meant.
    """
    ramps = [item for item in commands if item.tool == "RampRun.pl"]
    if len(ramps) <= 1:
        return (ramps[0] if ramps else None), None
    here = _letters(label)
    servers = [_letters(item.parameters.server or "") for item in ramps]
    named = [
        item
        for item, server in zip(ramps, servers, strict=True)
        if server and re.search(rf"{server}(?!\d)", here)
    ]
    if len(named) == 1:
        return named[0], None
    return None, f"{len(ramps)} commands of RampRun.pl, and none is known to be of this file"


def _letters(text: str) -> str:
    return re.sub(r"[^a-z0-9]", "", text.lower().replace("/", " "))


def _times(columns: Columns) -> dict[str, pl.Series]:
    """Start and end, where their form leaves no doubt."""
    made = {}
    for name in ("started_at", "ended_at"):
        head = columns.by_name.get(name)
        if head is None:
            continue
        times = datetimes(columns.texts(head))
        if times is None:
            example = columns.texts(head).drop_nulls()[0]
            columns.warnings.append(
                f"column {head.printed!r}: the form of {example!r} is not known, or day and month "
                "cannot be distinguished: no times"
            )
            continue
        made[name] = times
    return made


def _sections(columns: Columns, frames: dict[str, pl.DataFrame]) -> Iterator[Section]:
    runs = frames["genio_runs"]
    yield Section("genio_runs", "found", runs.height)
    for name in METRICS:
        count = runs.height - runs[name].null_count()
        if name in columns.by_name:
            yield Section(name, "found" if count else "empty", count or None)
        else:
            reason = "derived from the other two" if count else "no such column"
            yield Section(name, "absent", None, reason)
    target = runs["target_origin"].drop_nulls()
    reason = f"{target[0]}" if len(target) else "no command and no column: no targets"
    yield Section("target_iops", "found" if len(target) else "absent", len(target) or None, reason)
    rows = frames["genio_commands"].height
    yield Section("genio_commands", "found" if rows else "absent", rows or None)
    others = frames["genio_extra"]["column"].unique(maintain_order=True).to_list()
    named = f"columns that perfkit does not know: {', '.join(others)}" if others else None
    rows = frames["genio_extra"].height
    yield Section("genio_extra", "found" if rows else "absent", rows or None, named)


# --- whether the numbers of a summary agree with each other: sums, mix, order, and the ramp ----

ROUNDING = 1.5
"""Three whole numbers rounded apart can differ from their sum by so much."""

SUM_SHARE = 0.01
"""A larger difference is not rounding over servers: columns are mixed up, or a value is wrong."""

USUAL_READS = (0.70, 0.80)
"""GenIO mixes three reads to one write: 75.4% in each run of TR-4784 (Tables 4, 7 to 9)."""

USUAL_TARGET = (0.95, 1.02)
"""Published runs achieve 98.2% to 98.5% of the inferred target."""

SHORTEST_CYCLE_S = 1.0
LONGEST_LATENCY_S = 1.0


def refuse_second(runs: pl.DataFrame, again: Sequence[int], path: str) -> None:
    """ParseError where the heads come again and the runs begin anew: the summary of another test.

    Its runs would look like repeats of the first one's. Runs that go on rising are of one test.
    """
    for line in again:
        above, below = runs.filter(pl.col("line") < line), runs.filter(pl.col("line") > line)
        both = above.join(below, on=["host", "run"], how="inner", nulls_equal=True)
        if both.height or above["run"].has_nulls():
            problem = "a second summary begins here, whose runs are those of the one above"
            raise ParseError(path, f"{problem}: put each into a file of its own", line)


def warnings(runs: pl.DataFrame) -> Iterator[str]:
    """One warning for each kind of problem, with its lines."""
    yield from _sums(runs.filter(_SUM))
    for condition, text in _RULES:
        lines = runs.filter(condition)["line"]
        if len(lines):
            yield f"{_lines(lines)}: {text}"
    yield from _runs(runs)


def _sums(off: pl.DataFrame) -> Iterator[str]:
    """Read and write against the printed total: what is off by much, and what by little."""
    off = off.with_columns(sum=pl.col("read_iops") + pl.col("write_iops"))
    is_large = (pl.col("sum") - pl.col("total_iops")).abs() > SUM_SHARE * pl.col("total_iops")
    large, small = off.filter(is_large), off.filter(~is_large)
    for part, text in ((large, ": columns swapped, or a value is wrong"), (small, "")):
        if part.height:
            row = part.row(0, named=True)
            more = f" (and {part.height - 1:,} more rows)" if part.height > 1 else ""
            yield (
                f"line {row['line']}: read + write is {row['sum']:,.0f} IOPS, total "
                f"{row['total_iops']:,.0f}: {row['total_iops'] - row['sum']:+,.0f}{text}{more}"
            )


_OFF = (pl.col("read_iops") + pl.col("write_iops") - pl.col("total_iops")).abs() > ROUNDING
_SUM = _OFF & pl.col("derived").is_null()

_RULES = (
    (
        (pl.col("total_iops") > 0) & ~pl.col("read_ratio").is_between(*USUAL_READS),
        "reads are not 70% to 80% of the I/O as GenIO mixes them: columns swapped?",
    ),
    (
        pl.col("longest_wij_time_s") > pl.col("longest_write_cycle_s"),
        "the WIJ time is longer than the write cycle it is a part of: columns swapped?",
    ),
    (
        pl.col("longest_write_cycle_s") < SHORTEST_CYCLE_S,
        "a write cycle below 1 s: columns swapped, or another unit?",
    ),
    (
        pl.col("effective_write_latency_s") >= LONGEST_LATENCY_S,
        "an effective write latency of 1 s or more: columns swapped, or another unit?",
    ),
    (
        pl.col("random_read_average_s") >= LONGEST_LATENCY_S,
        "a random-read average of 1 s or more: columns swapped, or another unit?",
    ),
    (pl.col("total_iops") == 0, "0 IOPS: the run did nothing"),
    (
        (pl.col("target_origin") == "inferred")
        & ~pl.col("achieved_to_target_ratio").is_between(*USUAL_TARGET),
        "achieved less than 95% or more than 102% of the inferred target: a shortfall, or the "
        "command is of another test",
    ),
)


def _runs(runs: pl.DataFrame) -> Iterator[str]:
    """Runs that are there twice, and numbers that do not rise."""
    one = runs["host"].n_unique() == 1
    if one and (runs["run"].diff().drop_nulls() > 0).all():
        return
    known = runs.filter(pl.col("run").is_not_null())
    twice = known.filter(pl.struct("host", "run").is_duplicated())
    if twice.height:
        numbers = ", ".join(str(run) for run in twice["run"].unique().sort().head(SHOWN))
        more = " ..." if twice["run"].n_unique() > SHOWN else ""
        yield f"{_lines(twice['line'])}: run {numbers}{more} is there more than once"
    elif one:
        yield "the runs are not in the order of their numbers"


def _lines(lines: pl.Series) -> str:
    shown = ", ".join(str(line) for line in lines.head(SHOWN))
    more = f" and {len(lines) - SHOWN:,} more" if len(lines) > SHOWN else ""
    return f"{'lines' if len(lines) > 1 else 'line'} {shown}{more}"
