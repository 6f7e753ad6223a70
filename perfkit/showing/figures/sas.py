"""Charts of a SAS workload: jobs and throughput over time, sums and CPU ratios by system."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from operator import itemgetter

from perfkit.analysis.curves.series import require_columns
from perfkit.analysis.sas.jobs import CLASSES
from perfkit.analysis.sas.workload import ALL
from perfkit.core.errors import AbsentError
from perfkit.core.keys import rows_by
from perfkit.core.lineage import Measured, step
from perfkit.core.schema import Row
from perfkit.core.text_size import width_of
from perfkit.core.units import Format
from perfkit.core.values import Figure, check_id
from perfkit.showing import style
from perfkit.showing.figures import legend
from perfkit.showing.figures.bars import Bars
from perfkit.showing.figures.canvas import (
    HEIGHT_MM,
    PLOT_PX,
    Plotly,
    base_layout,
    escape,
    figure,
    whiskers,
)
from perfkit.showing.figures.line_chart import MM_PX
from perfkit.showing.figures.words import Words
from perfkit.showing.figures.xy import Axis, lines_chart

_TIME = Axis("Time since the first job began", Format("min", decimals=1))
_JOBS = Axis("Concurrent jobs", Format("1", decimals=0))
_SECONDS = Format("s", significant=3)
_RATE = Axis("Disk reads and writes", Format("MB/s", decimals=0))


@step(version=3, name="figure.sas_concurrency")
def plot_concurrency(concurrency: Measured, *, repeat: int = 1) -> Figure:
    """Jobs that ran at the same time, a line a system, in one run.

    Raises AnalysisError where the times of the run's jobs are not known.
    """
    require_columns(concurrency.frame, ("system", "repeat", "t_s", "jobs"), "concurrency")
    series: dict[str, list[tuple[float, float]]] = {}
    for system, rows in _by_system(concurrency, repeat).items():
        points: list[tuple[float, float]] = []
        for row in rows:  # a number of jobs holds until the next change
            if points:
                points.append((row["t_s"], points[-1][1]))
            points.append((row["t_s"], float(row["jobs"])))
        series[system] = points
    given = f"Concurrent jobs, run {repeat}."
    return lines_chart(
        series, _TIME, _JOBS, value_id="concurrency-chart", caption=given, markers=False
    )


@step(version=3, name="figure.sas_throughput")
def plot_throughput(throughput: Measured, *, repeat: int = 1) -> Figure:
    """What the host read and wrote over the time of one run, a line a system.

    Raises AnalysisError where no series of the run has rates.
    """
    require_columns(throughput.frame, ("system", "repeat", "t_s", "bytes_per_s"), "throughput")
    series = {
        system: [(row["t_s"], row["bytes_per_s"]) for row in rows if row["bytes_per_s"] is not None]
        for system, rows in _by_system(throughput, repeat).items()
    }
    given = f"Throughput of the host's disks over time, run {repeat}."
    return lines_chart(
        series, _TIME, _RATE, value_id="throughput-chart", caption=given, markers=False
    )


def _by_system(data: Measured, repeat: int) -> dict[str, list[Row]]:
    rows = data.frame.filter(repeat=repeat).sort("system", "t_s", maintain_order=True)
    found = rows_by(rows.rows(named=True), itemgetter("system"))
    if not found:
        raise AbsentError(f"{data.name}: nothing is known of run {repeat} over time")
    return found


@step(version=4, name="figure.sas_classes")
def plot_classes(means: Measured) -> Figure:
    """Elapsed time summed over jobs, by class: the mean over runs, with their smallest and largest.

    Args:
        means: Of ``sas.means``; a class of which a run's time is unknown is not drawn, and named.

    Raises:
        AnalysisError: No sum is known.
    """
    names = tuple(f"real_time_s_{word}" for word in ("least", "mean", "most"))
    require_columns(means.frame, ("system", "class", "runs", *names), "means")
    rows = [row for row in means.frame.rows(named=True) if row["class"] != ALL]
    known = [row for row in rows if row["real_time_s_mean"] is not None]
    if not known:
        raise AbsentError("means: no elapsed time is known, so there is nothing to draw")
    groups: dict[str, dict[str, _Spread]] = {}
    for row in known:
        groups.setdefault(row["system"], {})[row["class"]] = _Spread(*(row[n] for n in names))
    kinds = [kind for kind in CLASSES if any(kind in found for found in groups.values())]
    left = ", ".join(f"{row['system']} {row['class']}" for row in rows if row not in known)
    lost = f" Not drawn, because a run's time is unknown: {left}." if left else ""
    return _bars(
        groups,
        kinds,
        Axis("Elapsed time, sum of jobs", Format("min", decimals=1)),
        "classes-chart",
        f"Elapsed time summed over jobs, by class of test: {_runs(known)}.{lost}",
    )


def _runs(rows: Sequence[Row]) -> str:
    """Of how many runs the bars are, in words."""
    counts = {row["system"]: row["runs"] for row in rows}
    if set(counts.values()) == {1}:
        return "one run of each system"
    if len(set(counts.values())) == 1:
        of = f"{rows[0]['runs']} runs"
    else:
        of = "the runs (" + ", ".join(f"{name}: {count}" for name, count in counts.items()) + ")"
    return f"mean of {of}, with the smallest and the largest"


@step(version=3, name="figure.sas_ratios")
def plot_ratios(ratios: Measured) -> Figure:
    """CPU time to elapsed time of each test: the mean of its jobs, with the smallest and largest.

    Args:
        ratios: Of ``sas.ratios(jobs, by="test")``; tests without a ratio are not drawn.

    Raises:
        AnalysisError: No test has a ratio.
    """
    require_columns(
        ratios.frame, ("system", "test", "ratio_mean", "ratio_min", "ratio_max"), "ratios"
    )
    rows = [row for row in ratios.frame.rows(named=True) if row["ratio_mean"] is not None]
    if not rows:
        raise AbsentError("ratios: no test has a ratio, so there is nothing to draw")
    in_order = sorted(rows, key=lambda row: (CLASSES.index(row["class"]), row["test"]))
    tests = list(dict.fromkeys(row["test"] for row in in_order))
    groups: dict[str, dict[str, _Spread]] = {}
    for row in rows:
        spread = _Spread(row["ratio_min"], row["ratio_mean"], row["ratio_max"])
        groups.setdefault(row["system"], {})[row["test"]] = spread
    return _bars(
        groups,
        tests,
        Axis("CPU time / elapsed time", Format("1", decimals=2)),
        "ratios-chart",
        "CPU time to elapsed time by test: mean over its jobs, smallest and largest.",
    )


@step(version=3, name="figure.sas_procedures")
def plot_procedures(procedures: Measured, *, count: int = 10) -> Figure:
    """Elapsed time by kind of step, from ``sas.procedures``: of one system, or side by side.

    Raises:
        AbsentError: No step's time is known, or more systems than bars can stand side by side.
    """
    columns = ("system", "name", "cas", "place", "real_time_s")
    require_columns(procedures.frame, columns, "procedures")
    rows = sorted(procedures.frame.rows(named=True), key=lambda row: row["place"])
    known = [row for row in rows if row["real_time_s"] is not None]
    if not known:
        raise AbsentError("procedures: no step's time is known, so there is nothing to draw")
    kinds = list(dict.fromkeys(_kind(row) for row in known))[:count]
    shown = [row for row in known if _kind(row) in kinds]
    systems = list(dict.fromkeys(row["system"] for row in sorted(shown, key=lambda r: r["system"])))
    given = "Elapsed time by kind of step."
    if len(systems) == 1:
        bars = Bars(kinds, [row["real_time_s"] for row in shown], _SECONDS)
        alt = f"Bars of the elapsed time of {len(kinds)} kinds of step; {bars.ends()}."
        return bars.figure("procedures-chart", "Elapsed time (s)", given, alt)
    if len(systems) > len(style.PALETTE):
        raise AbsentError(f"procedures: {len(systems)} sets of logs are too many for one chart")
    groups: dict[str, dict[str, _Spread]] = {system: {} for system in systems}
    for row in shown:
        groups[row["system"]][_kind(row)] = _Spread(*(row["real_time_s"],) * 3)
    return _bars(groups, kinds, Axis("Elapsed time", _SECONDS), "procedures-chart", given)


def _kind(row: Row) -> str:
    return f"{row['name']} (CAS)" if row["cas"] else str(row["name"])


@dataclass(frozen=True)
class _Spread:
    """A bar: the mean, and the whisker from the smallest to the largest."""

    least: float
    mean: float
    most: float


def _bars(
    groups: Mapping[str, Mapping[str, _Spread]],
    places: Sequence[str],
    axis: Axis,
    value_id: str,
    caption: str,
) -> Figure:
    """Bars side by side, a colour a system, with whiskers from the smallest to the largest.

    They lie where their names would not fit beside each other below them.
    """
    words = Words()
    said = [_system_words(words, axis, system, found, places) for system, found in groups.items()]
    lying = any(width_of(place) + 6 > PLOT_PX / len(places) for place in places)
    data = [
        _trace(index, system, {n: found[n] for n in places if n in found}, axis, lying=lying)
        for index, (system, found) in enumerate(groups.items())
    ]
    layout = base_layout(*((axis.heading, "") if lying else ("", axis.heading)))
    layout |= {"barmode": "group", "bargap": 0.25}
    named, valued = ("yaxis", "xaxis") if lying else ("xaxis", "yaxis")
    layout[named] |= {
        "showgrid": False,
        "type": "category",
        "categoryorder": "array",
        "categoryarray": [escape(name) for name in places],
    }
    layout[valued] |= {"rangemode": "tozero", "tickformat": ",.6~g"}
    height = HEIGHT_MM
    if lying:
        layout["yaxis"] |= {"autorange": "reversed", "showticklabels": True}
        layout["margin"]["l"] = max(map(width_of, places)) + 14
        height = max(HEIGHT_MM, _FRAME_MM + len(places) * (_BAR_MM * len(groups) + 1))
    if len(groups) > 1:
        height += legend.add(layout, list(groups)) / MM_PX
    alt = f"Bars of {axis.title[:1].lower()}{axis.title[1:]}. {'; '.join(said)}."
    return Figure(
        check_id(value_id), figure(data, layout), caption, alt, height, printed=tuple(words.printed)
    )


_BAR_MM, _FRAME_MM = 1.9, 20


def _system_words(
    words: Words, axis: Axis, system: str, found: Mapping[str, _Spread], places: Sequence[str]
) -> str:
    numbers = [
        f"{name} {words.keep(axis.form.show(found[name].mean))}" for name in places if name in found
    ]
    return f"{system}: {', '.join(numbers)}"


def _trace(
    index: int, system: str, found: Mapping[str, _Spread], axis: Axis, *, lying: bool
) -> Plotly:
    names, means = (
        [escape(name) for name in found],
        [item.mean / axis.scale for item in found.values()],
    )
    x, y = (means, names) if lying else (names, means)
    spread = whiskers(
        [(item.most - item.mean) / axis.scale for item in found.values()],
        [(item.mean - item.least) / axis.scale for item in found.values()],
        style.TEXT,
        width=2,
    )
    hover_texts = [_bar_words(name, item, axis) for name, item in found.items()]
    return {
        "type": "bar",
        "name": escape(system),
        "marker": style.bar(index),
        "x": x,
        "y": y,
        "error_x" if lying else "error_y": spread,
        "orientation": "h" if lying else "v",
        "customdata": hover_texts,
        "hovertemplate": f"{escape(system)}, %{{customdata}}<extra></extra>",
    }


def _bar_words(name: str, spread: _Spread, axis: Axis) -> str:
    """A bar in words: its mean with its unit, and what its whisker reaches from and to."""
    least, mean, most = (axis.form.show(v).text for v in (spread.least, spread.mean, spread.most))
    ends = f"<br>{least} to {most}" if least != most else ""
    return f"{escape(name)}: {mean}{ends}"
