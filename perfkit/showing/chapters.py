"""What fills a chapter by one verb: AWR tables, how a sweep was conducted, commands, growth."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import Any

from perfkit.analysis.awr.waits import lacking as no_table
from perfkit.analysis.commands import sweep_commands
from perfkit.analysis.over_time.beside import beside_load, largest_backlog, observer_clocks
from perfkit.analysis.over_time.drift import drift
from perfkit.analysis.over_time.pauses import pauses
from perfkit.analysis.over_time.prepared import verified, warm_ups
from perfkit.analysis.over_time.pts import TESTS, pts_answers, pts_parts, pts_tracked
from perfkit.analysis.over_time.stalls import stalls
from perfkit.analysis.over_time.steadiness import host_balance, steady_state
from perfkit.analysis.verdicts.adaptive_qos import adaptive_qos, printed_otherwise, qos_limits
from perfkit.core.errors import AbsentError, AnalysisError, check_name
from perfkit.core.lineage import Measured, Reading, step
from perfkit.core.unanswered import Unanswered, answering, takes_unanswered
from perfkit.core.values import Figure, Listing, Table, check_id
from perfkit.showing.display import Part, numbered, of_reports, show
from perfkit.showing.figures.beside_load import plots_beside_load
from perfkit.showing.figures.compare_time import plot_rounds
from perfkit.showing.figures.verdicts import plot_adaptive_qos
from perfkit.showing.statements.say import say
from perfkit.showing.tables import awr, awr_storage
from perfkit.showing.tables.load_points import table_points
from perfkit.showing.tables.run import table_by_target, table_pts
from perfkit.showing.tables.sheet import every_row
from perfkit.showing.tables.verdicts import table_adaptive_qos

_MADE: dict[str, Callable[..., Table]] = {
    "report": awr.table_database_summary, "instances": awr.table_instances,
    "system_statistics": awr.table_system_statistics, "load_profile": awr.table_load_profile,
    "io_profile": awr.table_io_profile, "iops_source": awr.table_iops_source,
    "io_by_function": awr.table_io_by_function,
    "instance_activity": awr.table_instance_activity, "host_cpu": awr.table_host_cpu,
    "memory": awr_storage.table_memory, "pga": awr_storage.table_pga,
    "buffer_pools": awr_storage.table_buffer_pools,
    "memory_advice": awr_storage.table_memory_advice, "redo_log": awr_storage.table_redo_log,
    "instance_recovery": awr_storage.table_recovery, "segments": awr_storage.table_segments,
    "top_events": awr.table_top_events, "wait_classes": awr.table_wait_classes,
    "parameters": awr.table_parameters,
}  # fmt: skip
"""What shows each table of a reading."""


def table(reading: Reading, name: str, **options: Any) -> Table:
    """One table of one AWR or Statspack report, for print.

    Args:
        reading: The report.
        name: A table of the reading: "top_events", "load_profile", "memory" ...
        options: ``instance`` and ``scope`` of top events, ``statistics`` of instance activity,
            ``order`` and ``count`` of segments, ``of`` of memory advice.

    Raises:
        AnalysisError: A table that has no form for print, or rows of several reports.
        AbsentError: The report does not have it.
    """
    return _verb(name)(reading.table(name), **options)


def _verb(name: str) -> Callable[..., Table]:
    check_name("table", name, _MADE)
    return answering(_MADE[name])


@takes_unanswered
def show_tables(reading: Any, *names: str, attached: Sequence[str] = ()) -> None:
    """Show tables of each report, one after another, and last what a report does not have.

    Args:
        reading: One or more AWR or Statspack reports.
        names: Tables of the reading, in order.
        attached: More of them, which are attached to the report and not printed. So are the rows
            of the instances of a long table that has rows of the cluster. Of several reports all
            tables but ``OF_EACH`` are attached, one with the rows of all.

    Raises:
        AnalysisError: A table that has no form for print.
    """
    lacking: dict[str | None, list[str]] = {}
    for name in (*names, *attached):
        _verb(name)
        each = list(of_reports(reading, name))
        if len(each) > 1 and name not in OF_EACH:
            show(_of_all(reading.table(name), name))
            for of in _without(each):
                lacking.setdefault(of, []).append(str(no_table(name).lacks))
            continue
        for number, (of, given) in enumerate(each, 1):
            shown = _of_one(name, given[0], detail=name in attached)
            if isinstance(shown, Unanswered):
                lacking.setdefault(of, []).append(str(shown.lacks))
                continue
            show([item if of is None else numbered(item, number, of) for item in shown])
    for of, things in lacking.items():
        words = " and no ".join(filter(None, [", no ".join(things[:-1]), things[-1]]))
        show(Unanswered(f"the report has no {words}", of=of, lacks=words))


def _of_all(data: Measured, name: str) -> Table:
    """The rows of several reports in one table, which is attached."""
    caption = f"All rows of {name}, for every report"
    return every_row(data, caption=caption).renamed(f"every-{name.replace('_', '-')}")


def _without(each: Sequence[Part]) -> list[str | None]:
    """The reports that have no row of a table."""
    return [of for of, (own, *_) in each if isinstance(own, Measured) and own.frame.is_empty()]


def _of_one(name: str, data: Any, *, detail: bool) -> list[Any] | Unanswered:
    """A table of one report, and of a long one of a cluster that of its instances."""
    verb = _verb(name)
    whole, every = _whole(name, data)
    value: Any = verb(whole)
    if isinstance(value, Unanswered) and value.lacks:
        return value
    # of one instance the load profile tells the same
    repeated = name == "system_statistics" and isinstance(value, Table) and len(value.rows) == 1
    if isinstance(value, Table) and (detail or repeated):
        value = value.attached()
    if every is None or not isinstance(value, Table):
        return [value]
    caption = f"{value.caption.removesuffix('.')}, of each instance."
    return [value, verb(every).renamed(f"{value.id}-each").captioned(caption).attached()]


OF_EACH = frozenset({"top_events"})
"""Tables that are printed of each of several reports: what it waited for."""

OF_INSTANCES = frozenset({"wait_classes", "io_by_function"})
"""Tables with rows of the cluster and, below them, the same of each instance."""

MOST_OF_INSTANCES = 24
"""Rows of a cluster and its instances that are printed together."""


def _whole(name: str, data: Measured | Unanswered) -> tuple[Any, Measured | None]:
    """What is printed of a table, and what is attached: of many rows those of the instances."""
    if isinstance(data, Unanswered) or name not in OF_INSTANCES:
        return data, None
    of_cluster = data.filter(level="cluster")
    if data.frame.height <= MOST_OF_INSTANCES or of_cluster.frame.is_empty():
        return data, None
    return of_cluster, data


def steadiness(reading: Reading, *, pts: str | None = None) -> list[Any]:
    """What the runs measured of how they were conducted, for ``show``.

    Steady state where rounds ran, the warm-up, drift where a load was measured again and again,
    balance where hosts have results of their own, and the verification of what was written, each
    as sentences with the table they rest on.

    Args:
        reading: The runs.
        pts: The test of SNIA's PTS that they follow (``pts.TESTS``): which of its parts were kept
            stands first.

    Raises AbsentError where the runs measured none of them.
    """
    found: list[Any] = [] if pts is None else _of_pts(reading, pts)
    outcome, rounds = reading.get("steady_state"), reading.get("rounds")
    if outcome and rounds:
        table = table_points(rounds, counted="Round").renamed("rounds")
        caption = "The rounds before the first load point."
        chart = plot_rounds(rounds, metric=outcome.frame["metric"][0])
        found += [*say(steady_state(outcome, rounds)), chart, table.captioned(caption)]
    if warmed := reading.get("warm_ups"):
        found += say(warm_ups(warmed))
    if controls := reading.get("control_points"):
        table = table_points(controls, counted="Control").renamed("control-points")
        caption = "The control points, in the order in which they were measured."
        found += [*say(drift(controls, reading.load_points)), table.captioned(caption)]
    if points := reading.get("host_points"):
        table = table_points(points).renamed("host-points")
        found += [
            *say(host_balance(points)),
            table.captioned("What each host gave at each load point."),
        ]
    if targets := reading.get("by_target"):
        found.append(table_by_target(targets))
    if verification := reading.get("verification"):
        found += say(verified(verification))
    if not found:
        raise AbsentError("no steady state, drift or balance of hosts was measured")
    return found


def _of_pts(reading: Reading, test: str) -> list[Any]:
    spec = reading.get("spec")
    if not spec:
        raise AbsentError("no run says what it was asked for")
    points, host = reading.load_points, reading["host"]
    parts = pts_parts(points, spec, host, test=test)
    tracked = pts_tracked(points, spec, host, test=test)
    found = [*say(pts_answers(parts, tracked, test=test)), table_pts(parts)]
    if tracked:
        chart = plot_rounds(tracked, metric=TESTS[test].metric).renamed("pts-rounds-plot")
        found.append(chart)
    return found


def over_time(reading: Reading, *, load: float | None = None, repeat: int = 1) -> list[Any]:
    """What the points of a run did over time, for ``show``: what stalled and paused, and charts.

    Args:
        reading: Runs of perfkit's.
        load: The load whose point is drawn; None: the highest.
        repeat: Its repeat.

    Raises AbsentError where the runs have no time series.
    """
    series = reading.get("series")
    if not series or "point" not in series.frame.columns:
        raise AbsentError("no run of perfkit's recorded a time series")
    found: list[Any] = [
        *say(stalls(series)),
        *say(pauses(series, reading["events"], reading["points"])),
    ]
    observed, points = reading["observed"], reading["points"]
    if any(points.frame[name].drop_nulls().len() for name in ("behind_s", "behind_why")):
        found += say(largest_backlog(points))
    beside = beside_load(
        series,
        reading["host_series"],
        observed,
        points=points,
        load_points=reading["load_points"],
        spec=reading["spec"],
        events=reading["events"],
        load=load,
        repeat=repeat,
    )
    found += plots_beside_load(beside)
    return [*found, *(say(observer_clocks(observed)) if observed else ())]


def list_commands(reading: Reading) -> list[Listing]:
    """One command and one job file of each sweep, as the tool was given them.

    They stand in an appendix of the report, whole; below each is said which settings differ at the
    other load points.

    Of other evidence than perfkit's runs, and of runs that kept no command, the list is empty.
    """
    commands = reading.get("commands")
    if not commands:
        return []
    found = sweep_commands(commands)
    return [_listing(found, row=row, value_id=f"command-{row + 1}") for row in range(len(found))]


@step(version=1, name="listing.command")
def _listing(found: Measured, *, row: int, value_id: str) -> Listing:
    command_row = found.frame.row(row, named=True)
    command = command_row["file"] == "command.json"
    what = "Command, as for a shell," if command else "Job file"
    sweep = f"{command_row['source']}/" if command_row["source"] else ""
    return Listing(
        check_id(value_id),
        f"{what} of {command_row['workload']}",
        f"{sweep}points/{command_row['point']}/{command_row['file']}",
        command_row["text"],
        note=_of_others(command_row["others"], command_row["differing"]),
        language="bash" if command else None,
    )


def _of_others(others: int, differing: str | None) -> str | None:
    """What is said of the same file of the other points; None where there is none."""
    if not others:
        return None
    points = "The other point has" if others == 1 else f"The {others} other points have"
    if differing is None:
        return f"{points} the same."
    return f"{points} the same but for {differing}."


_ONE = re.compile(
    r"\s*(?P<policy>\S+) to (?P<to_tb>\d+(?:\.\d+)?) TB"
    r"(?: in (?P<volumes>\d+) volumes?)?(?: with minimum (?P<minimum>\d+))?\s*"
)


def growth_figures(
    policies: Measured, asked: str | None, documents: Mapping[str, Measured] = MappingProxyType({})
) -> list[Any]:
    """The sentence, chart and table of each policy that is asked for, in order.

    ``asked`` lists policies and sizes: "AqosEpicProd to 5 TB, performance to 75 TB in 16 volumes
    with minimum 500". The minimum is needed where the policies do not print one. Where a table of
    ``documents`` prints other rates for a policy, its chart says so.

    Raises AbsentError where nothing is asked, AnalysisError for a part that cannot be read, and
    what ``adaptive_qos`` raises.
    """
    if not asked:
        raise AbsentError("no policy and size is asked for (growth)")
    found: list[Any] = []
    for number, part in enumerate(asked.split(","), 1):
        match = _ONE.fullmatch(part)
        if match is None:
            raise AnalysisError(
                f"growth {part.strip()!r}: write POLICY to N TB [in N volumes] [with minimum N]"
            )
        minimum = match["minimum"]
        growth = adaptive_qos(
            policies,
            match["policy"],
            to_tb=float(match["to_tb"]),
            volumes=int(match["volumes"] or 1),
            absolute_min_iops=None if minimum is None else float(minimum),
        )
        table = table_adaptive_qos(growth).attached()  # the chart shows it
        said = say(qos_limits(growth), value_id="adaptive-qos-said")
        values = (*said, _plotted(growth, documents), table)
        found += [value.renamed(f"{value.id}-{number}") for value in values]
    return found


def _plotted(growth: Measured, documents: Mapping[str, Measured]) -> Figure:
    """The chart; its caption says where a document prints other rates for the policy."""
    chart = plot_adaptive_qos(growth)
    row = growth.frame.row(0, named=True)
    drawn = row["expected_iops_per_tb"], row["peak_iops_per_tb"]
    other = printed_otherwise(documents, row["policy"], *drawn)
    if other is None:
        return chart
    more = (
        f" {other.table} of {other.document} prints {other.expected:,.0f} and {other.peak:,.0f} "
        "IOPS per TB for it; drawn are the rates in ONTAP's own commands and their output."
    )
    return chart.captioned(chart.caption + more)
