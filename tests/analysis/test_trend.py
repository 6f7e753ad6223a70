"""Histories join only what may be joined, verdicts rest on intervals, and facts stand beside."""

import json
import math
from datetime import timedelta
from statistics import fmean

import polars as pl
import pytest
from forges.stored_answers import BEGIN, NIGHT, answer, nights, values

import perfkit as pk
from perfkit.analysis.trend.levels import change_between
from perfkit.analysis.trend.runs import histories
from perfkit.core import answers as claims
from perfkit.core.errors import AbsentError, AnalysisError, UsageError
from perfkit.core.intervals import Side, change_intervals

DEPTH_8 = [{"metric": "iodepth", "role": "at", "unit": "1", "value": 8.0}]
LATENCY = {"question": "latency_at_load", "metric": "lat_mean_s", "unit": "s", "asked": DEPTH_8}


def frame(*rows):
    return pl.DataFrame([row for part in rows for row in part], infer_schema_length=None)


def runs(*rows, **asked):
    return pk.trend.histories(frame(*rows), **asked)


def told(given, question=None, **how):
    found = claims.from_frame(pk.trend.answers(given, **how).frame)
    return [one for one in found if question in {None, one.question}]


def verdicts(*rows, margin=0.05, **asked):
    found = told(runs(*rows, **asked), "trend_verdict", margin=margin)
    return {one.subject.label: one.subject.get("verdict") for one in found}


def verdict(*rows, margin=0.05, **asked):
    (found,) = told(runs(*rows, **asked), "trend_verdict", margin=margin)
    return found


def condition(found, name):
    return next(item.value for item in found.conditions if item.metric == name)


STEP = [(60, 0.88)]


# Histories


def test_of_reports_of_one_time_one_counts():
    """A report of the same hour, and one that begins in it; the next hour is another run."""
    hour = timedelta(hours=1)

    def report(name, place, begin, length=hour):
        at = BEGIN + begin
        fact = {"until": str(at + length), "host": "db1"}
        return answer(5e-4, place, name=name, time=at, facts=fact, **LATENCY)

    found = runs(
        [
            report("text", 0, 0 * hour),
            report("html", 1, 0 * hour),
            report("half past", 2, hour / 2),
            report("next", 3, hour),
            report("later", 4, 5 * hour),
        ]
    ).frame
    left = dict(found.select("run", "left_out").rows())
    assert {run for run, why in left.items() if why == "overlap"} == {"text", "half past"}
    assert set(found["facts"]) == {'{"host": "db1"}'}


def test_a_history_is_of_one_question_subject_load_and_set_of_conditions():
    found = runs(
        nights(values(12)),
        nights(values(12), subject="backup"),
        nights([5e-4] * 12, **LATENCY),
        nights([5e-4] * 12, **(LATENCY | {"metric": "lat_p99_s"})),
        nights([5e-4] * 12, **(LATENCY | {"asked": [DEPTH_8[0] | {"value": 16.0}]})),
    ).frame
    counts = dict(found.group_by("history").len().iter_rows())
    assert counts == {
        "Peak IOPS of oltp": 12,
        "Peak IOPS of backup": 12,
        "Mean latency at load (iodepth 8) of oltp": 12,
        "99th percentile latency at load (iodepth 8) of oltp": 12,
        "Mean latency at load (iodepth 16) of oltp": 12,
    }


def test_runs_stand_in_the_order_of_their_times_whatever_the_order_of_their_evidence():
    rows = nights(values(20))
    assert runs(rows[::-1]).frame.equals(runs(rows).frame)
    assert runs(rows).frame["time"].is_sorted()


def test_a_label_of_a_system_keeps_runs_apart_that_nothing_else_does():
    found = runs(*(
        nights(values(12), labels={"system": name, "firmware": "9"}) for name in ("a400", "a800")
    )).frame  # fmt: skip
    assert set(found["history"]) == {"Peak IOPS of oltp, a400", "Peak IOPS of oltp, a800"}


def test_two_series_of_one_name_are_told_apart_by_a_number():
    keys = [[["workload", "oltp"], ["held", held]] for held in (1, 2)]
    found = runs(*(nights(values(12), key=key) for key in keys)).frame
    assert set(found["history"]) == {"Peak IOPS of oltp (1)", "Peak IOPS of oltp (2)"}


@pytest.mark.parametrize(
    ("change", "why"),
    [
        ({"time": "none"}, "no time"),
        ({"value": None}, "no value"),
        ({"value": 0.0}, "not above 0"),
        ({"value": -1.0}, "not above 0"),
    ],
)
def test_what_is_in_no_history_is_named(change, why):
    odd = answer(**{"value": 1.0, "place": 99, **change})
    found = runs(nights(values(12)), [odd])
    (left,) = found.frame.filter(pl.col("left_out").is_not_null()).rows(named=True)
    assert (left["run"], left["left_out"], left["history"]) == ("night-099", why, None)
    (said,) = told(found, "trend_left_out")
    assert (said.got.value, said.got.n, said.inputs) == (1, 13, ("night-099",))


def test_a_piece_that_gives_one_answer_twice_gives_none():
    twice = [answer(value, 5, time=BEGIN + 99 * NIGHT, name="copy") for value in (1.0, 2.0)]
    found = runs(nights(values(5)), twice).frame.filter(run="copy")
    assert found["left_out"].to_list() == ["twice", "twice"]


def test_values_of_a_history_in_several_units_are_refused():
    with pytest.raises(AnalysisError, match="night-011 is in 1/s and night-003 in kB/s"):
        runs(nights(values(12), unit=lambda place: "kB/s" if place == 3 else "1/s"))


def test_changes_between_systems_are_no_runs():
    row = answer(1.0, 1) | {"against": "a800"}
    assert len(runs(nights(values(3)), [row])) == 3


@pytest.mark.parametrize("since", ["2026-01-11", "2026-01-11T02:00", "10d"])
def test_runs_before_a_day_are_left_aside(since):
    found = runs(nights(values(21)), since=since).frame
    assert (found["time"].min(), len(found)) == (BEGIN + 10 * NIGHT, 11)


def test_runs_of_the_baseline_stay_whatever_is_left_aside():
    rows = nights(values(40), labels=lambda place: {"baseline": "yes"} if place < 5 else None)
    assert runs(rows, since="10d").frame["baseline"].sum() == 5


@pytest.mark.parametrize(
    "asked", [{"since": "yesterday"}, {"baseline": "spring"}, {"baseline": "firmware=1"},
              {"question": "peak_iop"}],
)  # fmt: skip
def test_what_is_asked_in_another_form_is_refused(asked):
    with pytest.raises(UsageError):
        runs(nights(values(12)), **asked)


def test_an_empty_store_has_nothing_to_tell():
    empty = frame(nights(values(1))).clear()
    with pytest.raises(AbsentError, match="the store has no answers"):
        histories(empty)
    assert not pk.trend.histories(empty)


# Verdicts


def test_a_regression_is_told_with_both_levels_and_what_changed_with_it():
    facts = {"firmware": "9.14.1"}, {"firmware": "9.15"}
    rows = nights(values(90, shifts=STEP), facts=lambda place: facts[place >= 60])
    found = verdict(rows)
    own = [row["value"] for row in rows]
    logs = [fmean(map(math.log, side)) for side in (own[60:], own[:60])]
    assert (found.status, found.relation) == ("measured", ">=")
    assert found.got.value == pytest.approx(math.exp(logs[0] - logs[1]))
    assert found.got.low < 0.88 < found.got.high < 0.95
    assert (condition(found, "runs_after"), condition(found, "runs_before")) == (30, 60)
    assert found.subject.get("since") == (BEGIN + 60 * NIGHT).isoformat()
    assert found.subject.get("changed_with") == "firmware 9.14.1 to 9.15"


@pytest.mark.parametrize(
    ("shift", "of_iops", "of_latency"),
    [(0.85, "regression", "improvement"), (1.15, "improvement", "regression"),
     (1.0, "no change", "no change")],
)  # fmt: skip
def test_more_iops_and_less_latency_are_better(shift, of_iops, of_latency):
    rows = values(90, shifts=[(60, shift)], spread=0.01)
    assert verdict(nights(rows)).subject.get("verdict") == of_iops
    assert verdict(nights(rows, **LATENCY)).subject.get("verdict") == of_latency


def test_a_verdict_rests_on_the_whole_interval():
    """A shift of 6% with a margin of 5% is not surely beyond it, with one of 2% it is."""
    rows = nights(values(30, shifts=[(20, 0.94)], spread=0.012))
    found = [verdict(rows, margin=margin).subject.get("verdict") for margin in (0.02, 0.05, 0.1)]
    assert found == ["regression", "undecided", "no change"]


def test_an_undecided_verdict_tells_how_many_runs_would_decide():
    rows = values(200, spread=0.08, seed=4)
    few = verdict(nights(rows[:16]), margin=0.06)
    assert few.subject.get("verdict") == "undecided"
    more = int(condition(few, "more_runs"))
    assert 1 < more < 100
    enough = change_between(rows[8 : 16 + 2 * more], rows[:8])
    assert enough.high - enough.low < few.got.high - few.got.low


def test_the_interval_is_that_of_a_comparison():
    after, before = (0.9, 1.0, 1.1), (1.0, 1.2, 1.1, 1.05)
    found = change_between(after, before)
    sides = (Side(math.exp(fmean(map(math.log, own))), own) for own in (after, before))
    assert (found.low, found.high) == change_intervals([tuple(sides)])[0]


@pytest.mark.parametrize(
    ("baseline", "before"),
    [("2026-01-01..2026-01-10", 10), ("2026-01-03", 1), ("firmware=1", 15), (None, 20)],
)
def test_the_baseline_is_what_is_named_else_what_is_labelled(baseline, before):
    def labels(place):
        return {"firmware": "1" if place < 15 else "2"} | (
            {"baseline": "spring"} if place < 20 else {})  # fmt: skip

    found = verdict(nights(values(90, shifts=STEP), labels=labels), baseline=baseline)
    assert condition(found, "runs_before") == before
    assert condition(found, "runs_after") == 30
    assert found.subject.get("by") == "baseline"


@pytest.mark.parametrize(
    ("levels", "before"),
    [((1.0, 0.8, 0.64), 20), ((1.0, 1.25, 0.8), 6), ((0.9, 1.25, 1.0, 0.8), 12)],
    ids=["down, down", "up, down", "up, down, down"],
)
def test_what_fell_in_steps_is_held_against_what_was_before_the_first(levels, before):
    """The last fall alone, over six runs, would be held against runs that had fallen already."""
    sizes = {3: (20, 6, 12), 4: (20, 12, 6, 12)}[len(levels)]
    runs_of = [level for level, size in zip(levels, sizes, strict=True) for _ in range(size)]
    noise = [1.02, 0.98, 1.0, 1.01, 0.99, 1.0]
    given = [1e5 * level * noise[place % 6] for place, level in enumerate(runs_of)]
    found = verdict(nights(given))
    assert found.subject.get("verdict") == "regression"
    assert (condition(found, "runs_before"), condition(found, "runs_after")) == (before, sizes[-1])
    place = len(levels) - 2 if levels == (1.0, 1.25, 0.8) else len(levels) - 3
    assert found.estimate.value == pytest.approx(levels[-1] / levels[place], rel=0.01)


def test_a_shift_says_whether_a_verdict_tells_it():
    """A first page has those beside the verdicts, and no shift twice."""

    def beside(*rows):
        return [one.subject.get("beside_verdict") for one in told(runs(*rows), "trend_shift")]

    step = values(60, shifts=[(20, 0.8), (40, 0.8)])
    assert beside(nights(step)) == ["yes", None]
    assert beside(nights(step, question="report_value", metric="iops")) == ["yes", "yes"]
    assert beside(nights(values(60))) == [None]


def test_a_level_that_is_labelled_baseline_is_accepted():
    rows = nights(
        values(90, shifts=STEP),
        labels=lambda place: {"baseline": "new"} if 62 <= place < 75 else None,
    )
    assert verdict(rows).subject.get("verdict") == "no change"


def test_without_a_run_after_the_baseline_nothing_is_judged():
    found = verdict(nights(values(12), labels=lambda _: {"baseline": "all"}))
    assert (found.status, found.reason) == (
        "missing",
        "there is no run after those of the baseline",
    )


@pytest.mark.parametrize(("count", "status"), [(1, "missing"), (2, "measured"), (4, "measured")])
def test_few_runs_decide_nothing(count, status):
    found = verdict(nights(values(count)))
    assert found.status == status
    assert found.subject.get("verdict") in {None, "undecided"}


def test_equal_values_do_not_change():
    found = verdict(nights([5e4] * 40))
    assert found.subject.get("verdict") == "no change"
    assert (found.got.value, found.got.low, found.got.high) == (1.0, 1.0, 1.0)


def test_iops_that_a_database_was_asked_for_are_neither_better_nor_worse():
    rows = nights(values(90, shifts=STEP), question="report_value")
    found = verdict(rows)
    assert (found.subject.label, found.status) == ("IOPS of oltp", "missing")
    waits = nights([5e-4] * 12, question="report_value", metric="lat_mean_s", unit="s")
    assert verdict(waits).subject.get("verdict") == "no change"


def test_databases_and_logs_are_lines_of_their_own_and_no_change_of_conditions():
    """Their key is in the conditions; the name of a log has a date, which its work has not."""
    rows = nights(
        values(40), question="report_value", key=[],
        conditions=lambda place: {"database": "A" if place < 20 else "B"},
    ) + nights(
        [60.0] * 12, question="sas_longest_step", metric="real_time_s", unit="s",
        key=None, conditions={"log": "load"},
    )  # fmt: skip
    for place, row in enumerate(rows[40:]):
        row["key"] = json.dumps([[["log", f"load_{place}.log"]], None])
    found = runs(rows)
    assert told(found, "trend_break") == []
    assert sorted(found.frame.group_by("history").len()["len"]) == [12, 20, 20]


def test_a_metric_without_a_direction_is_not_judged_and_its_shifts_are_told():
    rows = nights(values(90, shifts=STEP), question="series_time", metric="commits", unit="1")
    found = runs(rows)
    assert told(found, "trend_verdict")[0].reason == (
        "nothing says whether more or less of it is better"
    )
    assert told(found, "trend_shift")[0].got.value == pytest.approx(0.88, rel=0.02)


@pytest.mark.parametrize("margin", [0, 1, -0.1, 5])
def test_a_margin_that_is_no_share_is_refused(margin):
    with pytest.raises(UsageError, match="share between 0 and 1"):
        pk.trend.answers(runs(nights(values(12))), margin=margin)


def test_bounds_and_few_runs_are_cautioned():
    found = verdict(nights(values(4), relation=lambda place: ">=" if place else "="))
    assert [item.text for item in found.cautions] == [
        "3 of 4 values of Peak IOPS of oltp are bounds: what they bound may lie beyond them",
        "Peak IOPS of oltp has 2 later runs against 2 earlier ones, which say little about their "
        "spread",
    ]


def test_regressions_come_first_and_are_counted():
    found = told(runs(
        nights(values(40, seed=2), subject="same"),
        nights(values(90, shifts=[(60, 1.2)]), subject="better"),
        nights(values(90, shifts=STEP), subject="worse"),
    ))  # fmt: skip
    assert (found[0].question, found[0].got.value, found[0].got.n) == ("trend_histories", 1, 3)
    order = [one.subject.label for one in found if one.question == "trend_verdict"]
    assert order == [f"Peak IOPS of {name}" for name in ("worse", "better", "same")]


# Conditions


def blocks(place):
    return {"block_size_bytes": 8192 if place < 30 else 16384}


def test_a_change_of_conditions_is_a_break_with_its_name_and_joins_nothing():
    rows = values(60, shifts=[(30, 0.5)])
    found = runs(nights(rows, conditions=blocks))
    (gap,) = told(found, "trend_break")
    assert (gap.subject.get("what"), gap.got.value) == ("block size 8 KiB to 16 KiB", 1)
    assert gap.inputs == ("night-029", "night-030")
    shifts = told(found, "trend_shift")
    assert [one.status for one in shifts] == ["missing", "missing"]
    judged = {one.subject.label: one for one in told(found, "trend_verdict")}
    old, new = (judged[f"Peak IOPS of oltp (block size {size} KiB)"] for size in (8, 16))
    assert old.reason == "later runs were measured under other conditions"
    assert new.subject.get("verdict") == "no change"


def test_several_histories_that_break_together_are_told_once():
    rows = nights(values(60), conditions=blocks), nights([5e-4] * 60, conditions=blocks, **LATENCY)
    (gap,) = told(runs(*rows), "trend_break")
    assert gap.got.value == 2


def test_a_step_of_most_runs_whose_interval_includes_no_change_is_no_shift():
    """Three runs of hundreds of times the value leave the mean open."""
    rows = values(60, shifts=[(40, 1.1)], spread=0.01)
    for place in (5, 25, 45):
        rows[place] *= 400.0
    (found,) = told(runs(nights(rows)), "trend_shift")
    assert (found.status, found.reason) == (
        "missing", "most of its runs step, and the interval over all of them includes no change",
    )  # fmt: skip


def test_one_run_under_other_conditions_breaks_nothing_that_may_be_joined():
    rows = nights(values(60), conditions=lambda p: {"block_size_bytes": 16384 if p == 30 else 8192})
    found = runs(rows)
    assert [one.subject.get("what") for one in told(found, "trend_break")] == [
        "block size 8 KiB to 16 KiB", "block size 16 KiB to 8 KiB",
    ]  # fmt: skip
    assert found.frame.group_by("history").len()["len"].sort().to_list() == [1, 59]


def test_conditions_that_take_turns_are_two_histories_side_by_side():
    rows = nights(values(60), conditions=lambda place: {"block_size_bytes": 8192 << place % 2})
    found = runs(rows)
    assert told(found, "trend_break") == []
    assert [one.got.n for one in told(found, "trend_verdict")] == [7, 7]


# Facts


def changed_with(facts, count=90):
    rows = nights(values(count, shifts=STEP), facts=facts)
    return told(runs(rows), "trend_shift")[0]


@pytest.mark.parametrize(
    ("place", "words"),
    [
        (60, "kernel 6.8 to 6.12"),
        (59, "kernel 6.8 to 6.12 (one run before)"),
        (62, "kernel 6.8 to 6.12 (2 runs after)"),
        (63, None),
        (50, None),
    ],
)
def test_a_fact_that_changed_near_a_shift_stands_with_it(place, words):
    found = changed_with(lambda p: {"kernel": "6.8" if p < place else "6.12"})
    assert found.subject.get("at") == (BEGIN + 60 * NIGHT).isoformat()
    assert found.subject.get("changed_with") == words


def test_a_fact_that_goes_back_and_forth_is_told_with_how_often_it_did_so_without_a_shift():
    found = changed_with(lambda p: {"firmware": "b" if 20 <= p < 40 or p >= 60 else "a"})
    assert found.subject.get("changed_with") == "firmware a to b"
    assert condition(found, "elsewhere") == 2


def test_a_fact_that_changes_with_nearly_every_run_is_named_with_no_shift():
    assert changed_with(lambda p: {"boot": str(p)}).subject.get("changed_with") is None


def test_a_run_that_did_not_record_a_fact_changes_nothing():
    found = changed_with(lambda p: {} if p in {59, 60, 61} else {"os": "8"})
    assert found.subject.get("changed_with") is None


def test_labels_are_facts_too():
    rows = nights(
        values(90, shifts=STEP), labels=lambda p: {"firmware": "9.14" if p < 60 else "9.15"}
    )
    assert told(runs(rows), "trend_shift")[0].subject.get("changed_with") == (
        "firmware 9.14 to 9.15"
    )


# Control charts


def test_a_control_chart_has_limits_marks_and_what_runs_are_held_against():
    rows = nights(
        values(90, shifts=STEP, spread=0.02), facts=lambda p: {"fw": "1" if p < 60 else "2"}
    )
    rows[20]["value"] *= 1.3
    chart = pk.trend.control_chart(runs(rows)).frame
    assert chart.filter("outside")["run"].to_list() == ["night-020"]
    assert chart.filter("shift")["run"].to_list() == ["night-060"]
    assert chart.filter("against")["level"].unique().to_list() == [1]
    assert chart.filter(pl.col("changed").is_not_null())["changed"].to_list() == ["fw 1 to 2"]
    ratios = (chart["upper"] / chart["expected"]).log() / 3
    assert ratios.to_list() == pytest.approx([0.02] * 90, rel=0.3)
    assert ((chart["expected"] / chart["lower"]).log() / 3 - ratios).abs().max() < 1e-9


def test_a_control_chart_of_equal_values_has_no_limits():
    chart = pk.trend.control_chart(runs(nights([7.0] * 20))).frame
    assert chart["upper"].null_count() == chart["lower"].null_count() == 20
    assert not chart["outside"].any()


def test_what_is_given_back_from_a_lazy_frame_is_the_same():
    rows = frame(nights(values(20)), nights([5e-4] * 20, **LATENCY))
    lazy = pk.trend.histories(rows.lazy(), "peak_iops").frame
    assert lazy.equals(pk.trend.histories(rows, "peak_iops").frame)
    with pytest.raises(UsageError, match="did you mean 'peak_iops'"):
        pk.trend.histories(rows.lazy(), "peak_iop")


def test_runs_of_one_time_and_a_clock_that_jumps_lose_no_run():
    times = [BEGIN + timedelta(days=place // 2) for place in range(40)]
    times[30:] = [at - timedelta(days=25) for at in times[30:]]
    found = runs(nights(values(40), time=lambda place: times[place])).frame
    assert found["history"].null_count() == 0
    assert found["time"].is_sorted()


def test_conditions_are_json_whatever_their_order():
    rows = nights(values(12), conditions=lambda _: {"a": 1, "b": 2})
    assert json.loads(runs(rows).frame["conditions_key"][0]) == {"a": 1, "b": 2}
