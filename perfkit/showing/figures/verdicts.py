"""Charts of headroom, isolation and adaptive QoS."""

from __future__ import annotations

import functools
from typing import Any

from perfkit.analysis.curves.metrics import METRICS, column_format, limit_printed, share_printed
from perfkit.analysis.curves.series import require_columns, require_rows
from perfkit.analysis.genio import by_label
from perfkit.analysis.over_time.concurrent import by_key
from perfkit.analysis.verdicts.isolation import isolation_answers
from perfkit.analysis.verdicts.run_verdicts import iops_of
from perfkit.core.errors import AbsentError, AnalysisError
from perfkit.core.lineage import Measured, step
from perfkit.core.schema import Row
from perfkit.core.text_size import width_of
from perfkit.core.units import Format, Printed
from perfkit.core.values import Figure
from perfkit.showing.figures import legend
from perfkit.showing.figures.bars import lying_bars, place_names
from perfkit.showing.figures.canvas import Plotly, base_layout, figure
from perfkit.showing.figures.line_chart import MM_PX
from perfkit.showing.figures.panel_lines import Limit
from perfkit.showing.figures.scales import Scale
from perfkit.showing.figures.xy import Axis, lines_chart
from perfkit.showing.tables.verdicts import policy_words

_KIOPS = Format("kIOPS", decimals=1)
_IOPS = Format("IOPS", decimals=0)
_SIZE = Axis("Used space (TB)", Format("1", significant=4))


@step(version=3, name="figure.adaptive_qos")
def plot_adaptive_qos(growth: Measured) -> Figure:
    """Floor and ceiling IOPS against the used space; the caption names the inputs.

    Raises AnalysisError for several policies: each has a chart of its own.
    """
    rows = _rows(growth, "adaptive QoS", ("policy", "reading", "size_tb", "floor_iops"))
    names = list(dict.fromkeys(row["policy"] for row in rows))
    if len(names) > 1:
        raise AnalysisError(f"a chart shows one policy, not {', '.join(names)}; filter by policy")
    readings = list(dict.fromkeys(row["reading"] for row in rows))
    series = {
        (word if len(readings) == 1 else f"{word} ({reading})"): [
            (row["size_tb"], row[f"{word}_iops"]) for row in rows if row["reading"] == reading
        ]
        for reading in readings
        for word in ("ceiling", "floor")
    }
    volumes = max(row["volumes"] for row in rows)
    over = f" over {volumes} volumes together" if volumes > 1 else ""
    title = f"Floor and ceiling IOPS by used space{over}, policy {names[0]}."
    reading = "" if len(readings) > 1 else f" The minimum is read as {_READINGS[readings[0]]}."
    given = f"{title} {policy_words(rows)}{reading}"
    return lines_chart(
        series,
        _SIZE,
        Axis("IOPS", _KIOPS),
        value_id="adaptive-qos-chart",
        caption=given,
        markers=False,
    )


_READINGS = {
    "max": "the larger of it and the rate",
    "override": "replacing both rates while it is above the expected one",
}


@step(version=4, name="figure.isolation")
def plot_isolation(runs: Measured, found: Measured, *, limit_s: float | None = None) -> Figure:
    """Each victim's metric, and the bully's own, against the bully's IOPS in the same run.

    A band in a victim's colour is its level ± margin, as ``isolation`` tested it; a dashed line the
    limit, where one is given.

    Raises AnalysisError where no victim could be judged, or for several metrics.
    """
    answers = [departure for departure, _ in isolation_answers(found, "nothing to draw")]
    metric, bully = answers[0].metric, str(answers[0].subject.get("bully"))
    every = {item.subject.label: {c.metric: c.value for c in item.conditions} for item in answers}
    judged = {name: values for name, values in every.items() if "level" in values}
    if not judged:
        raise AbsentError("isolation: no victim could be judged, so there is nothing to draw")
    require_columns(runs.frame, ("run", "position", metric), "runs")
    servers = by_label(runs.frame.rows(named=True))
    ramp = by_key(servers[bully])
    series = {name: _beside(servers[name], ramp, metric) for name in (*judged, bully)}
    values = [value for points in series.values() for _, value in points]
    y = Axis(METRICS[metric].long, column_format(metric, values))
    x = Axis(f"IOPS of {bully}", _KIOPS)
    bands = {name: (at["band_low"], at["band_high"]) for name, at in judged.items()}
    limit = None if limit_s is None else Limit(limit_s, f"limit {limit_printed(limit_s).text}")
    share = share_printed(judged[next(iter(judged))]["margin_ratio"]).text
    title = f"{METRICS[metric].long} while {bully} ramps; bands are a server's level ± {share}."
    drawn = {name: points for name, points in series.items() if points}
    return lines_chart(
        drawn,
        x,
        y,
        value_id="isolation-chart",
        caption=title,
        limit=limit,
        bands=bands,
        from_zero=False,
    )


def _beside(rows: list[Row], ramp: dict[Any, Row], metric: str) -> list[tuple[float, float]]:
    """The metric of each run against the bully's IOPS in the same run, in rising order."""
    pairs = [(iops_of(ramp[key]), row[metric]) for key, row in by_key(rows).items() if key in ramp]
    return sorted((x, y) for x, y in pairs if x is not None and y is not None)


_BARS = (
    ("required_iops", "required"),
    ("last_pass_iops", "last passing run"),
    ("first_fail_iops", "first run not passed"),
)
_BAR_MM, _FRAME_MM = 6.0, 20


@step(version=3, name="figure.headroom")
def plot_headroom(room: Measured) -> Figure:
    """Bars of each server and of all: what is required, the last passing run, the first that fails.

    The server with the most stands where it is given; a bar that is not known is left out.
    """
    rows = _rows(room, "headroom", ("server", "last_pass_iops", "first_fail_iops"))
    used = [(key, name) for key, name in _BARS if any(row[key] is not None for row in rows)]
    if not used:
        raise AbsentError("headroom: no server has a run, so there is nothing to draw")
    printed: list[Printed] = []
    data = [_bars(index, key, name, rows, printed) for index, (key, name) in enumerate(used)]
    layout = base_layout("IOPS", "")
    names = [row["server"] for row in rows]
    plot = place_names(layout, names)
    most = max(max(trace["x"]) for trace in data)
    numbers = max(width_of(text) for trace in data for text in trace["text"])
    ends = 0.0, most / (1 - (numbers + 8) / plot)
    layout["xaxis"] |= Scale("", rate=True).axis(ends, plot, high=False)
    layout |= {"barmode": "group"}
    more = legend.add(layout, [name for _, name in used]) if len(used) > 1 else 0.0
    height = _FRAME_MM + more / MM_PX + _BAR_MM * len(rows) * len(used)
    given = "Last passing run of each server, and of all servers at the same time."
    said = "; ".join(_said(row) for row in rows)
    alt = f"Bars of IOPS by server. {said}."
    return Figure(
        "headroom-chart", figure(data, layout), given, alt, height, printed=tuple(printed)
    )


def _bars(index: int, key: str, name: str, rows: list[Row], printed: list[Printed]) -> Plotly:
    known = [row for row in rows if row[key] is not None]
    shown = [_IOPS.show(row[key]) for row in known]
    printed += shown
    texts = [item.text.removesuffix(" IOPS") for item in shown]
    bars = [(row["server"], row[key], text) for row, text in zip(known, texts, strict=True)]
    return lying_bars(index, name, bars, " IOPS")


def _said(row: Row) -> str:
    parts = [f"{name} {_IOPS.show(row[key]).text}" for key, name in _BARS if row[key] is not None]
    return f"{row['server']}: {', '.join(parts) or 'no passing run'}"


_rows = functools.partial(require_rows, otherwise="nothing to draw")
