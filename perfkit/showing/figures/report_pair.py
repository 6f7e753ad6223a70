"""Charts of two AWR or Statspack reports side by side: two bars a thing, before and after."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from perfkit.analysis.awr.waits import is_read
from perfkit.analysis.compare.report_waits import STORAGE, WRITE
from perfkit.analysis.curves.metrics import column_format
from perfkit.analysis.curves.series import cautions_of, require_columns
from perfkit.core.errors import AbsentError, AnalysisError, did_you_mean
from perfkit.core.lineage import Measured, step
from perfkit.core.schema import Row
from perfkit.core.text_size import width_of
from perfkit.core.units import UNITS, Format
from perfkit.core.values import Figure
from perfkit.showing import style
from perfkit.showing.figures import legend
from perfkit.showing.figures.bars import NAME_PX, place_names
from perfkit.showing.figures.canvas import base_layout, escape, figure
from perfkit.showing.figures.line_chart import MM_PX

_SESSIONS = Format("1", decimals=2)
_LEAST = 0.005
"""Less than this prints as no sessions."""

_ROW_MM = 11.0
_FRAME_MM = 22.0
_MOST = 12


@dataclass(frozen=True)
class _Shown:
    """What a chart of a pair shows: which rows, in which unit, and what it is called."""

    takes: Callable[[Row], bool]
    title: str
    caption: str
    form: Callable[[Sequence[float]], Format]


def _has_sessions(row: Row) -> bool:
    known = [row["before_value"] or 0.0, row["after_value"] or 0.0]
    return row["part"] == "time" and row["item"] != STORAGE and max(known) >= _LEAST


def _is_storage(row: Row) -> bool:
    """Reads, commits and log writes; a mean of few waits stands in the table, with its caution."""
    if row["measure"] != "mean_wait_s" or row["cautions"]:
        return False
    return row["item"] == WRITE or row["before_text"] == "Commit" or is_read(row["item"])


SHOWN = {
    "sessions": _Shown(
        _has_sessions, "Average active sessions",
        "Where DB time went: average active sessions, {before} before and {after} after.",
        lambda _: _SESSIONS,
    ),
    "waits": _Shown(
        _is_storage, "Mean wait",
        "How long waits for storage took on average, {before} before and {after} after: reads, "
        "commits and log writes with enough waits for a mean.",
        lambda values: column_format("lat_mean_s", values),
    ),
}  # fmt: skip
"""What ``plot_report_pair`` can show."""


@step(version=1, name="figure.report_pair")
def plot_report_pair(pair: Measured, *, show: str = "sessions") -> Figure:
    """Two bars a thing, before and after: sessions by what they did, or the waits for storage.

    What a report does not list has no bar; one of 0 has its number alone.

    Args:
        pair: What ``report_pair`` gave.
        show: "sessions" (CPU and wait classes) or "waits" (reads, commits and log writes).

    Raises AnalysisError for something else to show.
    """
    if show not in SHOWN:
        raise AnalysisError(f"show: no {show!r}; {did_you_mean(show, list(SHOWN))}")
    require_columns(pair.frame, ("part", "item", "before_value", "after_value"), "pair")
    wanted = SHOWN[show]
    rows = [
        row
        for row in pair.frame.rows(named=True)
        if wanted.takes(row) and (row["before_value"], row["after_value"]) != (None, None)
    ][:_MOST]
    if not rows:
        raise AbsentError(f"neither report has {wanted.title.lower()} to draw")
    sides = {when: [row[f"{when}_value"] for row in rows] for when in ("before", "after")}
    form = wanted.form([value for own in sides.values() for value in own if value is not None])
    names = [str(row["item"]) for row in rows]
    traces, printed = [], []
    for place, values in enumerate(sides.values()):
        shown = [None if value is None else form.show(value) for value in values]
        printed += [item for item in shown if item is not None]
        scale = UNITS[form.unit].si
        traces.append(
            {
                "type": "bar",
                "orientation": "h",
                "name": _NAMES[place],
                "x": [None if value is None else value / scale for value in values],
                "y": [escape(item) for item in names],
                "marker": {"color": _COLOURS[place], "pattern": {"shape": ("/", "")[place]}},
                "text": ["" if item is None else item.text for item in shown],
                "textposition": "outside",
                "cliponaxis": False,
                "hovertemplate": f"%{{y}}, {_NAMES[place].lower()}: %{{text}}<extra></extra>",
            }
        )
    symbol = UNITS[form.unit].symbol
    layout = base_layout(f"{wanted.title} ({symbol})" if symbol else wanted.title, "")
    layout |= {"barmode": "group", "bargap": 0.25, "bargroupgap": 0.1}
    layout["xaxis"] |= {"rangemode": "tozero", "tickformat": ",.6~g"}
    place_names(layout, names, NAME_PX, beside=14)
    layout["margin"]["r"] = max(width_of(item.text) for item in printed) + 8
    more = legend.add(layout, _NAMES) / MM_PX
    of = {when: rows[0][when] for when in ("before", "after")}
    told = dict.fromkeys(one for row in rows for one in cautions_of([row]))
    return Figure(
        f"pair-{show}",
        figure(traces, layout),
        wanted.caption.format(**of),
        _alt(wanted.title, rows, form),
        _FRAME_MM + _ROW_MM * len(rows) + more,
        printed=tuple(printed),
        cautions=tuple(told),
    )


_NAMES = ("Before", "After")
_COLOURS = (style.PALETTE[4], style.PALETTE[0])


def _alt(title: str, rows: Sequence[Row], form: Format) -> str:
    """The first row in words: it is the largest."""
    said = [
        "not listed" if (value := rows[0][f"{when}_value"]) is None else form.show(value).text
        for when in ("before", "after")
    ]
    return (
        f"Bars of {title[:1].lower()}{title[1:]} of {len(rows)} parts in two reports; "
        f"{rows[0]['item']}: {said[0]} before, {said[1]} after."
    )
