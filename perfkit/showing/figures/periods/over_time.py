"""Charts of what a database did over a series of reports: load, waits, CPU and redo."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from perfkit.analysis.awr.histograms import ENOUGH_WAITS
from perfkit.analysis.curves.series import require_rows
from perfkit.core.errors import AbsentError, AnalysisError, check_name
from perfkit.core.lineage import Measured, step
from perfkit.core.schema import Row
from perfkit.core.units import UNITS, Format, time_format
from perfkit.core.values import Figure
from perfkit.showing import style
from perfkit.showing.figures.canvas import Plotly
from perfkit.showing.figures.periods import clock, stack, traces
from perfkit.showing.figures.periods.stack import Marks, Panel
from perfkit.showing.figures.scales import Scale, share_above, wide
from perfkit.showing.figures.words import Words


@dataclass(frozen=True)
class Drawn:
    """A panel: what it is called, in which unit, and its columns, each with the name of its line.

    The unit "s" stands for that of times which fits them.
    """

    title: str
    form: Format
    columns: tuple[tuple[str, str], ...]
    partly: bool = False
    """Whether a line without a value is nothing that a report ought to state."""


PANELS: dict[str, Drawn] = {
    "sessions": Drawn("Average active sessions", Format("1", significant=3),
                      (("average_active_sessions", "average active sessions"),)),
    "cpu": Drawn("Host CPU busy", Format("%", decimals=1), (("cpu_busy_ratio", "host CPU busy"),)),
    "io": Drawn("I/O requests per second", Format("IOPS"),
                (("read_iops", "reads"), ("write_iops", "writes"))),
    "throughput": Drawn("Throughput", Format("MB/s", significant=3),
                        (("read_bytes_per_s", "reads"), ("write_bytes_per_s", "writes"))),
    "commits": Drawn("Commits per second", Format("1/s", significant=3),
                     (("commits_per_s", "commits"),)),
    "redo": Drawn("Redo", Format("MB/s", significant=3), (("redo_bytes_per_s", "redo"),)),
    "rates": Drawn("Requests and commits per second", Format("1/s", significant=3),
                   (("iops", "I/O requests"), ("commits_per_s", "commits"))),
    "waits": Drawn("Mean wait", Format("s"),
                   (("read_wait_s", "read"), ("log_file_sync_s", "log file sync"),
                    ("log_file_parallel_write_s", "log file parallel write"))),
    "read_path": Drawn("Mean of a read", Format("s"),
                       (("read_session_s", "sessions"), ("read_host_s", "host's devices"),
                        ("read_array_s", "array")), partly=True),
    "commit_path": Drawn("Mean of a commit", Format("s"),
                         (("commit_session_s", "sessions"), ("commit_log_writer_s", "log writer"),
                          ("commit_host_s", "log's devices"), ("commit_array_s", "array")),
                         partly=True),
    "host_cpu": Drawn("Host CPU busy", Format("%", decimals=1),
                      (("cpu_busy_ratio", "reports"), ("host_cpu_busy_ratio", "recorded")),
                      partly=True),
    "host_reads": Drawn("Reads per second", Format("IOPS"),
                        (("read_iops", "database"), ("host_read_iops", "host")), partly=True),
    "host_throughput": Drawn("Read throughput", Format("MB/s", significant=3),
                             (("read_bytes_per_s", "database"),
                              ("host_read_bytes_per_s", "host")), partly=True),
    "runnable": Drawn("Processes that run or wait for a CPU", Format("1", significant=3),
                      (("host_runnable", "processes"),), partly=True),
}  # fmt: skip
"""The panels that can be drawn, by name."""

LOAD = ("sessions", "cpu", "io", "throughput", "commits", "redo")


@step(version=2, name="figure.periods")
def plot_periods(
    over_time: Measured,
    periods: Measured | None = None,
    worst: Measured | None = None,
    changes: Measured | None = None,
    *,
    panels: str | Sequence[str] = LOAD,
    value_id: str = "load-over-time",
) -> Figure:
    """What a database did over a series of reports: a panel a quantity over one time axis.

    Each period is drawn as wide as it is; where no report is of a time, nothing is drawn. A panel
    or a line of which no report has a value is left out, and the caption names it.

    Args:
        over_time: ``over_time`` of one history.
        periods: ``periods``: restarts are marked.
        worst: ``worst_periods``: they are marked in the first panel.
        changes: Answers on when it changed: what came after is shaded.
        panels: Names of ``PANELS``, from above.
        value_id: The figure's id.

    Raises:
        AnalysisError: An unknown panel, or several histories.
        AbsentError: No period, or none of them has any of the values.
    """
    asked = [panels] if isinstance(panels, str) else list(panels)
    for name in asked:
        check_name("panel", name, PANELS)
    rows = one_history(over_time, "over_time")
    marks = stack.marked(rows, periods, worst, changes)
    known = [(PANELS[name], _columns(rows, PANELS[name])) for name in asked]
    drawn = [(panel, columns) for panel, columns in known if columns]
    if not drawn:
        raise AbsentError(
            "no report of the series states "
            + _joined([_inside(PANELS[name].title) for name in asked])
        )
    made = [
        _panel(rows, panel, columns, marks if place == 0 else None)
        for place, (panel, columns) in enumerate(drawn)
    ]
    chart = stack.draw(made, rows[0]["begin_time"], rows[-1]["end_time"], marks)
    words = Words()
    first, *others = [panel.title for panel, _ in drawn]
    given = f"{_joined([first, *map(_inside, others)])} over time"
    more = stack.told(rows, marks) + _untold(rows, asked)
    return chart.figure(
        value_id,
        f"{given.rstrip('.')}; {clock.whole(rows)}.{more}",
        _alt(words, rows, drawn),
        words.printed,
        stack.cautions_of(over_time, changes),
    )


def one_history(data: Measured, what: str) -> list[Row]:
    """The rows of a frame of one history, in order of time."""
    rows = require_rows(data, what, ("history", "begin_time", "end_time"), "nothing to draw")
    histories = sorted({row["history"] for row in rows})
    if len(histories) > 1:
        raise AnalysisError(
            f"{what}: a chart shows one database, not {', '.join(histories)}: filter by history, "
            'or show_each(..., by="history")'
        )
    return sorted(rows, key=lambda row: row["begin_time"])


def _columns(rows: Sequence[Row], panel: Drawn) -> list[tuple[str, str]]:
    """The columns of a panel that any period has a value of, with the names of their lines."""
    event = next((row["read_event"] for row in rows if row.get("read_event")), None)
    return [
        (column, str(event or name) if column == "read_wait_s" else name)
        for column, name in panel.columns
        if any(row.get(column) is not None for row in rows)
    ]


def _panel(
    rows: Sequence[Row], panel: Drawn, columns: Sequence[tuple[str, str]], marks: Marks | None
) -> Panel:
    values = [row[column] for column, _ in columns for row in rows if row[column] is not None]
    form = time_format(max(values)) if panel.form.unit == "s" else panel.form
    unit = UNITS[form.unit]
    scaled = [
        [None if row[column] is None else row[column] / unit.si for row in rows]
        for column, _ in columns
    ]
    shown = [value / unit.si for value in values]
    log = panel.form.unit == "s" and wide(values)
    rate = form.unit in {"IOPS", "1/s"}
    # the only line that is left has no name beside it
    left = len(columns) == 1 < len(panel.columns)
    of = f"{panel.title}: {columns[0][1]}" if left else panel.title
    title = of if rate or not unit.symbol else f"{of} ({unit.symbol})"
    high = share_above(max(shown)) if form.unit == "%" else None
    scale = Scale(title, rate=rate, log=log, high=high)
    worst = (
        []
        if marks is None
        else [row for row in rows if (row["begin_time"], row["end_time"]) in marks.worst]
    )
    told = [[_told(row, column, panel.form) for row in rows] for column, _ in columns]
    if len(columns) == 1:
        name = columns[0][1]
        begun = {row["begin_time"] for row in worst}
        colors = [style.PALETTE[0] if r["begin_time"] in begun else traces.LIGHT for r in rows]
        # outlines cover the seams between bars that touch
        marker = {"color": colors, "line": {"width": 1, "color": colors}}
        lone: list[Plotly] = [
            traces.bars(rows, scaled[0], name, marker, told[0]),
            traces.steps(rows, scaled[0], name, _line(0), None),
        ]
        at = max(shown) * _MARK_AT
        lone += [_triangles(worst, at)] if worst else []
        return stack.Panel(scale, tuple(lone), (*shown, *([at * _MARK_AT] if worst else [])))
    drawn = tuple(
        traces.steps(rows, own, name, _line(index), said)
        for index, (own, (_, name), said) in enumerate(zip(scaled, columns, told, strict=True))
    )
    names = tuple(
        (name, next(value for value in reversed(own) if value is not None), _line(index)["color"])
        for index, (own, (_, name)) in enumerate(zip(scaled, columns, strict=True))
    )
    return stack.Panel(scale, drawn, tuple(shown), names)


_COUNTS = {"read_wait_s": "read_waits", "log_file_sync_s": "log_file_syncs",
           "log_file_parallel_write_s": "log_file_parallel_writes"}  # fmt: skip
"""A mean -> how many waits are behind it."""


def _told(row: Row, column: str, form: Format) -> str | None:
    """A value with its unit, and the waits behind a mean: 1.22 ms, of 1,234 waits."""
    value = row[column]
    if value is None:
        return None
    waits = row.get(_COUNTS.get(column, ""))
    shown = (time_format(value) if form.unit == "s" else form).show(value).text
    return shown if waits is None else f"{shown}, of {_WAITS.show(waits).text} waits"


_WAITS = Format("1", decimals=0)

_MARK_AT = 1.1
"""Where the marks of the worst periods stand, of the highest value."""


def _line(index: int) -> Plotly:
    look = style.series(index)
    return {"color": look["color"], "width": 1.6, "dash": look["dash"]}


def _triangles(worst: Sequence[Row], at: float) -> Plotly:
    middles = [row["begin_time"] + (row["end_time"] - row["begin_time"]) / 2 for row in worst]
    return {
        "type": "scatter",
        "mode": "markers",
        "name": "worst periods",
        "showlegend": False,
        "x": [middle.isoformat() for middle in middles],
        "y": [at] * len(worst),
        "marker": {"symbol": "triangle-down", "size": 8, "color": style.TEXT},
        "cliponaxis": False,
        "hoverinfo": "skip",
    }


def _untold(rows: Sequence[Row], asked: Sequence[str]) -> str:
    """What no report states, and what has too few waits for a mean; never in silence."""
    lacking, few = [], []
    for name in asked:
        panel = PANELS[name]
        own = [column for column, _ in _columns(rows, panel)]
        if panel.partly:
            lacking += [] if own else [_inside(panel.title)]
            continue
        missing = [(column, line) for column, line in panel.columns if column not in own]
        waited = [line for column, line in missing if _is_counted(rows, column)]
        few += waited
        whole = not own and not waited
        unstated = [line for _, line in missing if line not in waited]
        lacking += [_inside(panel.title)] if whole else unstated
    stated = f" No report states {_joined(lacking)}." if lacking else ""
    return stated + (f" No period has enough waits for a mean of {_joined(few)}." if few else "")


def _is_counted(rows: Sequence[Row], column: str) -> bool:
    """Whether reports state the waits behind a mean, and all of them are too few for it."""
    counts = [row.get(_COUNTS.get(column, "")) for row in rows]
    known = [count for count in counts if count is not None]
    return bool(known) and max(known) < ENOUGH_WAITS


def _inside(title: str) -> str:
    """A title inside a sentence: host CPU busy, I/O requests per second."""
    return title[:1].lower() + title[1:] if title[1:2].islower() else title


def _joined(parts: Sequence[str]) -> str:
    return f"{', '.join(parts[:-1])} and {parts[-1]}" if len(parts) > 1 else parts[0]


def _alt(
    words: Words, rows: Sequence[Row], drawn: Sequence[tuple[Drawn, Sequence[tuple[str, str]]]]
) -> str:
    said = []
    for panel, columns in drawn:
        for column, name in columns:
            known = [row for row in rows if row[column] is not None]
            low, high = (pick(known, key=lambda row: row[column]) for pick in (min, max))
            form = panel.form if panel.form.unit != "s" else time_format(high[column])
            ends = (form.show(row[column]) for row in (low, high))
            most_at = clock.moment(high["begin_time"])
            span = words.ends(ends, f"from {{}} to {{}}, the most at {most_at}", "at {}")
            whose = name if len(columns) == 1 else f"{_inside(panel.title)}, {name}"
            said.append(f"{whose} {span}")
    return f"Panels over one time axis, {clock.whole(rows)}: {'; '.join(said)}."
