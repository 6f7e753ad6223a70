"""Charts over time: what the host did while the load ran, or while it was recorded."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from perfkit.analysis.curves.metrics import LOAD_WORDS, load_number, load_text
from perfkit.analysis.curves.series import require_columns
from perfkit.core.errors import AbsentError, AnalysisError, did_you_mean
from perfkit.core.keys import distinct, file_of, short_names
from perfkit.core.lineage import Measured, step
from perfkit.core.plain_text import plain
from perfkit.core.units import UNITS, Format
from perfkit.showing import style
from perfkit.showing.figures import hover, line_chart, panels
from perfkit.showing.figures.canvas import Plotly, escape
from perfkit.showing.figures.panel_lines import Line
from perfkit.showing.figures.scales import Scale, share_above
from perfkit.showing.figures.words import Words

if TYPE_CHECKING:
    from perfkit.core.schema import Row
    from perfkit.core.values import Figure

QUANTITIES: dict[str, tuple[str, str, str]] = {
    "cpu_busy_ratio": ("Host CPU busy", "%", "busy"),
    "cpu_user_ratio": ("Host CPU in user code", "%", "user code"),
    "cpu_system_ratio": ("Host CPU in the kernel", "%", "kernel"),
    "cpu_iowait_ratio": ("Host CPU waiting for I/O", "%", "waiting for I/O"),
    "memory_used_bytes": ("Host memory used", "GiB", "used"),
    "memory_available_bytes": ("Host memory available", "GiB", "available"),
    "disk_read_bytes_per_s": ("Disk reads", "MB/s", "reads"),
    "disk_write_bytes_per_s": ("Disk writes", "MB/s", "writes"),
    "disk_read_iops": ("Disk reads", "IOPS", "reads"),
    "disk_write_iops": ("Disk writes", "IOPS", "writes"),
    "transfers_per_s": ("I/Os of every kind", "IOPS", "I/Os"),
    "bw_bytes_per_s": ("Throughput", "MB/s", "throughput"),
}
"""Column over time -> axis title, unit, its word where several are drawn."""

_BY_END = {
    "iops": ("IOPS", "IOPS"),
    "_bytes_per_s": ("MB/s", "throughput"),
    "_per_s": ("1/s", "per second"),
    "_ratio": ("%", "share"),
    "_bytes": ("GiB", ""),
    "_s": ("ms", ""),
}
"""The unit of any other quantity, by the end of its name, and the words in place of the end."""

_TOGETHER = {
    "%": "Share of the host's CPU time",
    "GiB": "Host memory",
    "MB/s": "Disk throughput",
    "IOPS": "Disk operations",
    "ms": "Latency",
}

_MARKED = 90
"""Samples of a line up to which each has a mark."""


@dataclass(frozen=True)
class _Line:
    """One line: its quantity, file, host and load, and its samples in order of time."""

    quantity: str
    host: str | None
    rows: list[Row]

    @property
    def values(self) -> list[float]:
        """What was sampled."""
        return [row[self.quantity] for row in self.rows if row[self.quantity] is not None]


@step(version=4, name="figure.host_series")
def plot_host_series(
    host_series: Measured,
    *,
    quantity: str | Sequence[str] = "cpu_busy_ratio",
    repeat: int = 1,
    load: float | Literal["highest"] | None = None,
    host: str | None = None,
) -> Figure:
    """Quantities of the host over time, from a run or a recording of iostat, vmstat, mpstat, sar.

    One line a load point (of one repeat), host and quantity; ``load`` and ``host`` choose one
    ("highest": the highest load).
    Several quantities need one unit. A recording that gives no time is drawn by sample; where a
    sample lacks the quantity, the line has a gap.

    Raises AnalysisError for an unknown quantity, several workloads or units, too many lines, or no
    sample.
    """
    names = _known([quantity] if isinstance(quantity, str) else list(quantity))
    known = host_series.frame["load"].max() if load == "highest" else load
    rows = _chosen(host_series, names, repeat, known, host)
    return _drawn(rows, names, "host-over-time")


def _known(names: list[str]) -> list[str]:
    for name in names:
        if name not in QUANTITIES:
            raise AnalysisError(f"no quantity {name!r}; {did_you_mean(name, list(QUANTITIES))}")
    return names


def plots_recorded(recorded: Mapping[str, Measured]) -> list[Figure]:
    """A chart of each quantity of ``study.recorded``; its id is the table's and the quantity's."""
    return [
        plot_recorded(lines.filter(quantity=name)).renamed(f"{table}-{name}".replace("_", "-"))
        for table, lines in recorded.items()
        for name in lines.frame["quantity"].unique(maintain_order=True)
    ]


@step(version=4, name="figure.recorded")
def plot_recorded(lines: Measured) -> Figure:
    """One quantity of ``recorded_lines`` over time, a line each thing that was watched.

    Raises AnalysisError for several quantities.
    """
    names = lines.frame["quantity"].unique().to_list()
    if len(names) != 1:
        raise AnalysisError("recorded: one quantity a chart; filter by quantity first")
    none = dict.fromkeys(("load", "load_kind", "workload", "repeat"))
    rows = [
        {**row, **none, "host": row["thing"], names[0]: row["value"]}
        for row in lines.frame.rows(named=True)
    ]
    shown = len({(row["host"], file_of(row)) for row in rows})
    more = rows[0]["things"]
    told = f", the {shown} of {more} with the highest mean" if more > shown else ""
    title, unit, _ = _quantity(names[0])
    named = title if unit in {title.split(" ")[-1], "1"} else f"{title} ({unit})"
    # what all lines are of stands in none of their names
    things = {row["thing"] for row in rows}
    of = f": {plain(str(rows[0]['thing']))}" if len(things) == 1 and rows[0]["thing"] else ""
    return _drawn(rows, names, "recorded", f"{named} over time{told}{of}.")


def _drawn(
    rows: list[Row], names: Sequence[str], value_id: str, caption: str | None = None
) -> Figure:
    """The rows as a figure."""
    title, unit = _axis(names)
    lines = list(_lines(rows, names))
    clock = _Clock.of(rows)
    parts = _names(lines)
    several = len(lines) > 1
    drawn = [
        Line(
            _trace(place.look, line, panels.joined(name), clock, unit, several=several),
            place.name if several else "",
            place.panel,
        )
        for place, name, line in zip(panels.places(parts), parts, lines, strict=True)
    ]
    values = [value / UNITS[unit].si for line in lines for value in line.values]
    rate = unit == "IOPS"
    y = Scale(
        title if rate else f"{title} ({unit})",
        rate=rate,
        high=share_above(max(values)) if unit == "%" else None,
    )
    chart = line_chart.draw(drawn, Scale(clock.title, whole=clock.column == "sample"), y)
    words = Words()
    alt = _alt(words, lines, title, unit)
    caption = caption or f"{title} over time{_subject(rows)}."
    return chart.figure(value_id, caption, alt, words.printed)


def _quantity(name: str) -> tuple[str, str, str]:
    """Axis title, unit and short word of a quantity."""
    if name in QUANTITIES:
        return QUANTITIES[name]
    end = next((end for end in _BY_END if name.endswith(end)), "")
    unit, noun = _BY_END.get(end, ("1", ""))
    words = f"{name.removesuffix(end).strip('_').replace('_', ' ')} {noun}".strip()
    return words[:1].upper() + words[1:], unit, words


def _axis(names: Sequence[str]) -> tuple[str, str]:
    units = {_quantity(name)[1] for name in names}
    if len(units) != 1:
        raise AnalysisError("quantities of one chart need one unit, not " + ", ".join(units))
    title, unit, _ = _quantity(names[0])
    return (title if len(names) == 1 else _TOGETHER[unit]), unit


def _chosen(
    series: Measured, names: Sequence[str], repeat: int, load: Any, host: str | None
) -> list[Row]:
    columns = ["workload", "load_kind", "load", "repeat", "t_s", *names]
    require_columns(series.frame, columns, "host_series")
    order = [name for name in ("load", "t_s", "sample") if name in series.frame.columns]
    rows = [
        row
        for row in series.frame.sort(order, nulls_last=True).rows(named=True)
        if row["repeat"] in {repeat, None}
        and load in {None, row["load"]}
        and host in {None, row.get("host")}
    ]
    if not any(row[name] is not None for row in rows for name in names):
        which = "".join(
            f", {what} {value}" for what, value in (("load", load), ("host", host)) if value
        )
        raise AbsentError(f"host_series: no sample of {names[0]} in repeat {repeat}{which}")
    if len({(row["workload"], row["load_kind"]) for row in rows}) > 1:
        raise AnalysisError("host_series: several workloads; filter by workload first")
    return rows


def _lines(rows: list[Row], names: Sequence[str]) -> Any:
    """The lines that have a value; samples before the first and after the last are left out."""
    lines: dict[tuple[Any, ...], list[Row]] = {}
    for row in rows:
        lines.setdefault((row["load"], row.get("host"), file_of(row)), []).append(row)
    for (_, host, _), own in lines.items():
        for name in names:
            known = [place for place, row in enumerate(own) if row[name] is not None]
            if known:
                yield _Line(name, host, own[known[0] : known[-1] + 1])


def _names(lines: Sequence[_Line]) -> list[panels.Name]:
    """What differs between the lines: quantity, system, host, load; else the files' names."""
    parts = [
        (
            _quantity(line.quantity)[2],
            *(str(line.rows[0].get(name) or "") for name in ("system", "config")),
            line.host or "controller",
            "" if line.rows[0]["load"] is None else load_number(line.rows[0]["load"]).text,
        )
        for line in lines
    ]
    used = [place for place in range(len(parts[0])) if len({part[place] for part in parts}) > 1]
    told = [tuple(part[place] for place in used) for part in parts]
    if len(set(told)) == len(told):
        return told
    known = list(dict.fromkeys(file_of(line.rows[0]) for line in lines))
    short = dict(zip(known, short_names(known), strict=True))
    named = [(*name, short[file_of(line.rows[0])]) for name, line in zip(told, lines, strict=True)]
    if len(set(named)) == len(named):
        return named
    return [(name,) for name in distinct([panels.joined(name) for name in named])]


@dataclass(frozen=True)
class _Clock:
    """The x axis: seconds, minutes or hours, or the number of the sample where no time is given."""

    title: str
    column: str
    scale: float
    unit: str = ""

    @classmethod
    def of(cls, rows: Sequence[Row]) -> _Clock:
        times = [row["t_s"] for row in rows if row["t_s"] is not None]
        if not times:
            return cls("Sample", "sample", 1.0)
        since = "the load started" if rows[0]["load"] is not None else "the recording began"
        scales = [(unit, by, limit) for unit, by, limit in _SCALES if max(times) <= limit]
        unit, by, _ = scales[0] if scales else _SCALES[-1]
        return cls(f"Time since {since} ({unit})", "t_s", by, unit)

    def at(self, row: Row) -> float | None:
        """Where a sample stands."""
        value = row[self.column]
        return None if value is None else value / self.scale


_SCALES = (("s", 1.0, 900.0), ("min", 60.0, 4 * 3600.0), ("h", 3600.0, 0.0))
"""Unit of the time axis, its seconds, and the longest time that is drawn in it."""


def _trace(
    index: int, line: _Line, label: str, clock: _Clock, unit: str, *, several: bool
) -> Plotly:
    look, scale = style.series(index), UNITS[unit].si
    first = line.rows[0]
    name = escape(label or _whole_name(first))
    values = [row[line.quantity] for row in line.rows]
    few = len(values) <= _MARKED
    return {
        "type": "scatter",
        "mode": "lines+markers" if few else "lines",
        "name": name,
        "x": [clock.at(row) for row in line.rows],
        "y": [None if value is None else value / scale for value in values],
        "line": {"color": look["color"], "width": 1.5, "dash": look["dash"] if several else None},
        "marker": {"color": look["color"], "symbol": look["symbol"], "size": 5},
        "hovertemplate": f"{name}<br>%{{x:,.5~g}}{hover.unit(clock.unit)}: %{{y:,.4~g}}"
        f"{hover.unit(UNITS[unit].symbol)}<extra></extra>",
    }


def _whole_name(row: Row) -> str:
    return load_text(row["load_kind"], row["load"]) if row["load"] is not None else "host"


def _subject(rows: Sequence[Row]) -> str:
    """What the lines are of, for the caption: the load, the workload and the repeat."""
    first = rows[0]
    if first["load"] is None:
        return ""
    loads = {row["load"] for row in rows}
    by = f", by {first['load_kind']}" if len(loads) > 1 else f" at {_load_words(first)}"
    return f"{by}; {first['workload']}, repeat {first['repeat']}"


def _load_words(row: Row) -> str:
    form = LOAD_WORDS.get(row["load_kind"], (f"{row['load_kind']} {{n}}",) * 2)[row["load"] != 1]
    return form.format(n=load_number(row["load"]).text)


def _alt(words: Words, lines: Sequence[_Line], title: str, unit: str) -> str:
    form = Format(unit, significant=3)
    several = len({line.quantity for line in lines}) > 1
    said = []
    for line in lines:
        first = line.rows[0]
        named = [
            _quantity(line.quantity)[2] if several else None,
            line.host,
            words.load_of(first) if first["load"] is not None else None,
        ]
        low, high = (words.keep(form.show(v)) for v in (min(line.values), max(line.values)))
        about = ", ".join(part for part in named if part) or "the whole time"
        said.append(f"{about}: {low} to {high}")
    return f"Line chart of {title[:1].lower()}{title[1:]} over time. {'; '.join(said)}."
