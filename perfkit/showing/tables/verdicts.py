"""Tables for print of criteria on runs, headroom, isolation and adaptive QoS."""

from __future__ import annotations

from collections.abc import Sequence

import polars as pl

from perfkit.analysis.curves.metrics import METRICS, column_format, share_printed
from perfkit.analysis.verdicts.criteria import Criterion, rule_text
from perfkit.analysis.verdicts.equivalence import CONTENT, LINE
from perfkit.analysis.verdicts.expectations import (
    ExpectationsJson,
    by_criterion,
    check_expectations,
    expectations_json,
)
from perfkit.analysis.verdicts.isolation import isolation_answers
from perfkit.analysis.verdicts.run_verdicts import EACH_RUN, by_run, in_short, server_verdicts
from perfkit.core.answers import Answer
from perfkit.core.errors import AbsentError
from perfkit.core.evidence import Evidence, Origin, sha256_bytes
from perfkit.core.lineage import Measured, reading, step
from perfkit.core.recorded_arguments import canonical_json
from perfkit.core.schema import Row
from perfkit.core.units import UNITS, Format
from perfkit.core.values import Table
from perfkit.showing.tables.sheet import COUNT, IOPS, SIGNED_SHARE, Sheet, measured_rows, with_unit

_P = Format("1", decimals=4)
_SIZE = Format("1", significant=4)
_SMALLEST_P = 0.0001


def table_rules(criteria: Sequence[Criterion]) -> Table:
    """The criteria themselves, before any verdict: rule, source, and what they leave open."""
    if not criteria:
        raise AbsentError("no criterion was given, so there is no table of rules")
    return _table_rules(stated_rules(criteria))


def stated_rules(criteria: Sequence[Criterion]) -> Measured:
    """One row a criterion; the criteria are the evidence, and stand in the record."""
    rows = [
        {
            "name": item.name,
            "rule": rule_text(item, over=EACH_RUN).removesuffix(f", {EACH_RUN}"),
            "where": ", ".join(item.where.values()) or None,
            "note": item.note,
            "source": item.source,
        }
        for item in criteria
    ]
    frame = pl.DataFrame(rows, schema=dict.fromkeys(rows[0], pl.String))
    stated = Evidence(
        "criteria",
        "criteria",
        sha256_bytes(canonical_json(list(criteria)).encode()),
        origin=Origin("asserted", "the criteria"),
    )
    given = {"criteria": list(criteria)}
    return reading("criteria.stated", 1, {"rules": frame}, stated, given).rules


@step(version=2, name="table.rules")
def _table_rules(rules: Measured) -> Table:
    sheet = Sheet(rules.frame.rows(named=True))
    sheet.words(name="Criterion", rule="Rule", where="Where")
    sheet.varying("note", "Remark")
    sheet.varying("source", "Source")
    return sheet.table("rules", "Acceptance criteria.")


def tables_run_verdicts(judged: Measured) -> list[Table]:
    """Verdict on each run: all runs where they are few, else in short with all runs as a detail."""
    every = table_run_verdicts(judged)
    if len(every.rows) <= _FEW:
        return [every]
    return [
        table_run_verdicts(judged, short=True),
        table_run_verdicts(judged).attached().renamed("run-verdicts-each"),
    ]


_FEW = 12
"""So many runs have a row each."""


@step(version=3, name="table.run_verdicts")
def table_run_verdicts(judged: Measured, *, short: bool = False) -> Table:
    """One row a run: its IOPS, the value for each criterion, and the verdict over all of them.

    In ``short`` neighbouring runs of a server that have one outcome share a row, with the range of
    their values.
    """
    columns = ("server", "run_name", "criterion", "value", "outcome")
    rows = measured_rows(judged, "judged runs", columns)
    rules = list(dict.fromkeys((row["criterion"], row["metric"]) for row in rows))
    forms = {
        key: _value_format([r for r in rows if (r["criterion"], r["metric"]) == key])
        for key in rules
    }
    runs = by_run(rows)
    sheet = Sheet([_shown(row, forms) for row in (in_short(runs) if short else runs)])
    sheet.differing(server="Server")
    sheet.words(run="Run")
    sheet.add("iops", "IOPS", IOPS)
    for key, form in forms.items():
        sheet.add(str(key), with_unit(key[0], form), form)
    sheet.words(outcome="Verdict")
    sheet.varying("reason", "Remark")
    default = "Verdict on the runs." if short else "Verdict on each run."
    return sheet.table("run-verdicts", default)


def _value_format(rows: list[Row]) -> Format:
    """The limit's unit, with the decimals that keep every value on its side of the limit."""
    known = [row for row in rows if row["value"] is not None]
    if not known:
        return Format("1")
    unit = known[0]["value_unit"]
    needed = max(_decimals(row["value_text"].split(" ")[0]) for row in known)
    scaled = [row["value"] / UNITS[unit].si for row in known]
    exact = max(_decimals(f"{value:.{_MOST}f}") for value in scaled)
    return Format(unit, decimals=max(needed, min(exact, _USUAL)))


_MOST, _USUAL = 9, 3


def _decimals(number: str) -> int:
    return len(number.rstrip("%").partition(".")[2].rstrip("0"))


def _shown(row: Row, forms: dict[tuple[str, str], Format]) -> Row:
    """The row of a run, or of several, in words: a value that is not there was not judged."""
    values = {str(key): _cell(row.get(str(key)), form) for key, form in forms.items()}
    words = {key: "not judged" if value is None else value for key, value in values.items()}
    return {**row, **words, "iops": _cell(row["iops"], IOPS), "run": _run(row)}


def _run(row: Row) -> str:
    """The run by its number or load; of several the first and the last, else how many."""
    name = (row["run_name"] or "none").removeprefix("run ")
    if "runs" not in row:
        return name
    last = row["last_run"].removeprefix("run ")
    return f"{name} to {last}" if name.isdecimal() and last.isdecimal() else f"{row['runs']} runs"


def _cell(value: float | tuple[float, float] | None, form: Format) -> float | str | None:
    """A number, or the range of those of several runs."""
    if not isinstance(value, tuple):
        return value
    ends = dict.fromkeys(form.number(end) for end in value)
    return " to ".join(ends)


@step(version=2, name="table.server_verdicts")
def table_server_verdicts(judged: Measured) -> Table:
    """One row a server: runs that pass, fail or cannot be judged, and where it first fails."""
    sheet = Sheet(measured_rows(server_verdicts(judged), "judged runs", ()))
    sheet.words(server="Server")
    sheet.numbers(COUNT, runs="Runs", passed="Passed", failed="Failed", not_judged="Not judged")
    sheet.words(outcome="Verdict", first_fail="First failure")
    sheet.add("first_fail_iops", "IOPS there", IOPS)
    sheet.words(reason="Remark")
    return sheet.table("server-verdicts", "Verdict on each server.")


@step(version=2, name="table.headroom")
def table_headroom(room: Measured) -> Table:
    """One row a server, and one of all: the last passing point, and what is left above the need."""
    rows = measured_rows(room, "headroom", ("server", "status", "last_pass_iops", "required_iops"))
    sheet = Sheet(rows)
    sheet.words(server="Server")
    sheet.add("passed", "Passed", None, lambda row: f"{row['passed']} of {row['runs']}")
    sheet.add("last_pass", "Last passing run", None)
    sheet.add("last_pass_iops", "IOPS in it", IOPS)
    sheet.add("cluster_iops_at_last_pass", "IOPS of all in it", IOPS)
    sheet.add("first_fail_iops", "IOPS in the first not passed", IOPS)
    sheet.add("required_iops", "Required IOPS", IOPS)
    sheet.add("headroom_iops", "Headroom (IOPS)", Format("IOPS", decimals=0, sign=True))
    sheet.add("target_headroom_iops", "By targets (IOPS)", Format("IOPS", decimals=0, sign=True))
    sheet.add(
        "remark", "Remark", None, lambda row: "; ".join(filter(None, (row["status"], row["note"])))
    )
    return sheet.table("headroom", "Last passing point and headroom.", _HEADROOM_NOTE)


_HEADROOM_NOTE = (
    "Headroom: IOPS of the server in its last passing run less what is required of it; by targets: "
    "of the IOPS that were asked for. All servers: the last run that every server passes."
)


@step(version=3, name="table.isolation")
def table_isolation(found: Measured) -> Table:
    """One row a victim: level, range of runs, change, furthest run, finding; margin in the caption.

    Level and range are in the unit of the metric, change and furthest run shares of the level.

    Raises AnalysisError for answers of several metrics.
    """
    answers = isolation_answers(found, "no table")
    rows = [_isolation_row(*pair) for pair in answers]
    first, values = answers[0][0], ("level", "range_low", "range_high")
    form = column_format(first.metric, [row[key] for row in rows for key in values if key in row])
    sheet = Sheet(rows)
    sheet.words(victim="Server")
    sheet.add("level", with_unit("Level", form), form)
    sheet.add(
        "range", with_unit("Range of runs", form), None, lambda row: _span(row, "range", form)
    )
    sheet.add("change", "Change over the ramp (%)", SIGNED_SHARE)
    sheet.add("interval", "Its interval (%)", None, lambda row: _span(row, "change", SIGNED_SHARE))
    sheet.add("worst_change", "Furthest run (%)", SIGNED_SHARE)
    sheet.words(worst_run="Its name")
    sheet.add("p", "Larger p", None, _p)
    sheet.words(finding="Equivalence")
    sheet.varying("reason", "Remark")
    title, bully = METRICS[first.metric].phrase(), first.subject.get("bully")
    margin = share_printed(rows[0]["margin_ratio"]).text
    default = f"Equivalence of the {title} to a server's level ± {margin} while {bully} ramps."
    return sheet.table("isolation", default, _isolation_note(rows[0]))


_FINDINGS = {
    ("measured", "<="): "equivalent", ("measured", ">="): "changed",
    ("missing", "="): "not shown", ("not_judged", "="): "not judged",
}  # fmt: skip


def _isolation_row(departure: Answer, effect: Answer) -> Row:
    conditions = (*departure.conditions, *effect.conditions)
    change = effect.estimate
    return {
        **{item.metric: item.value for item in conditions},
        "victim": departure.subject.label,
        "change": change and change.value,
        "change_low": change and change.low,
        "change_high": change and change.high,
        "worst_run": effect.inputs[0] if effect.inputs else None,
        "reason": departure.reason,
        "finding": _FINDINGS[departure.status, departure.relation],
    }


def _span(row: Row, name: str, form: Format) -> str | None:
    low, high = row.get(f"{name}_low"), row.get(f"{name}_high")
    return None if low is None else f"{form.number(low)} to {form.number(high)}"


def _p(row: Row) -> str | None:
    p = row.get("p")
    if p is None:
        return None
    return f"< {_SMALLEST_P:g}" if p < _SMALLEST_P else _P.number(p)


def _isolation_note(row: Row) -> str:
    each, share, content = (
        share_printed(value).text for value in (row["alpha"], row["confidence"], CONTENT)
    )
    return (
        f"Two one-sided tests at {each} each. Interval: {share} of the change. Range: limits that "
        f"hold {content} of the runs. Change and furthest run: shares of the level; the change "
        f"{LINE}."
    )


@step(version=2, name="table.adaptive_qos")
def table_adaptive_qos(growth: Measured) -> Table:
    """One row a size: floor and ceiling of a volume and of all together, by each reading."""
    rows = measured_rows(growth, "adaptive QoS", ("policy", "reading", "size_tb", "floor_iops"))
    several = max(row["volumes"] for row in rows) > 1
    sheet = Sheet(rows)
    sheet.differing(policy="Policy", reading="Reading of the minimum")
    sheet.add("size_tb", "Used (TB)", _SIZE)
    if any(row["allocated_tb"] != row["used_tb"] for row in rows):
        sheet.add("allocated_tb", "Allocated (TB)", _SIZE)
    if several:
        sheet.add("volumes", "Volumes", COUNT)
        sheet.add("volume_floor_iops", "Floor of a volume (IOPS)", IOPS)
        sheet.add("volume_ceiling_iops", "Ceiling of a volume (IOPS)", IOPS)
    sheet.numbers(IOPS, floor_iops="Floor (IOPS)", ceiling_iops="Ceiling (IOPS)")
    sheet.words(floor_by="Floor by", note="Remark")
    names = ", ".join(dict.fromkeys(row["policy"] for row in rows))
    title = f"Floor and ceiling by size, policy {names}."
    return sheet.table("adaptive-qos", title, policy_words(rows))


def policy_words(rows: list[Row]) -> str:
    """The inputs behind floors and ceilings, as printed below a table or figure."""
    said = []
    for row in {row["policy"]: row for row in rows}.values():
        numbers = [
            IOPS.number(row[key])
            for key in ("expected_iops_per_tb", "peak_iops_per_tb", "absolute_min_iops")
        ]
        said.append(
            f"Inputs of {row['policy']}: expected {numbers[0]} and peak {numbers[1]} IOPS per TB, "
            f"absolute minimum {numbers[2]} IOPS for each volume."
        )
    return " ".join(said)


def expectations(
    runs: Measured, criteria: Sequence[Criterion], *, wanted: bool = True
) -> list[Table | ExpectationsJson]:
    """Great Expectations' table of runs and criteria, and its results as JSON, for ``show``.

    Nothing where it is not ``wanted``: its import takes seconds.
    """
    if not wanted:
        return []
    checked = check_expectations(runs, criteria)
    return [table_expectations(checked), expectations_json(checked)]


@step(version=2, name="table.expectations")
def table_expectations(checked: Measured) -> Table:
    """One row a criterion: what Great Expectations found of each of its three expectations."""
    rows = measured_rows(checked, "expectations", ("criterion", "expects", "success", "outcome"))
    merged = [
        {**row, "met": f"{row['met']} of {row['expectations']}", "places": _few(row["wrong_runs"])}
        for row in by_criterion(rows)
    ]
    sheet = Sheet(merged)
    sheet.words(criterion="Criterion", rule="Rule")
    sheet.numbers(COUNT, runs="Runs", missing="Without value", wrong="Not within")
    sheet.words(met="Expectations met", outcome="Verdict", places="Runs not within")
    note = (
        "Each criterion is three expectations: it selects a run, no value is missing, every value "
        "holds."
    )
    return sheet.table("expectations", "Criteria as a suite of Great Expectations.", note)


_NAMED = 3


def _few(names: str | None) -> str | None:
    """The first of a list of runs; the JSON names them all."""
    listed = names.split("; ") if names else []
    more = len(listed) - _NAMED
    text = "; ".join(listed[:_NAMED])
    return (f"{text} and {more} more" if more > 0 else text) or None
