"""Isolation: equivalence has to be shown, and its cause too."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest
from analysis.genio_case import aqos_test, runs

from perfkit.analysis.verdicts.isolation import isolation, isolation_by_config
from perfkit.core.answers import from_frame
from perfkit.core.cautions import caution, to_json
from perfkit.core.errors import AbsentError, AnalysisError
from perfkit.core.lineage import measured

KEPT, LEFT, OPEN = ("measured", "<="), ("measured", ">="), ("missing", "=")


def made(slope=0.0, noise=0.2, *, level=30.0, seed=1, hosts=("v", "bully"), n=10):
    """A victim whose cycle changes by ``slope`` over the ramp of a bully that goes to failure."""
    errors = np.random.default_rng(seed).normal(0, noise, n)
    rows = []
    for i in range(n):
        victim = {"host": "v", "run": i, "total_iops": 75e3,
                  "longest_write_cycle_s": level + slope * i / (n - 1) + errors[i]}  # fmt: skip
        bully = {"host": "bully", "run": i, "total_iops": 80e3 + 7e3 * i,
                 "longest_write_cycle_s": 40.0 + 3 * i}  # fmt: skip
        rows += [row for row in (victim, bully) if row["host"] in hosts]
    return runs(rows)


def asked(frame, **given):
    """The answers on the one victim, by question."""
    given = {"bully": "bully", "margin_ratio": 0.1, **given}
    found = from_frame(isolation(frame, **given).frame)
    assert len({item.question for item in found}) == len(found)
    return {item.question: item for item in found}


def only(frame, **given):
    """The finding on the one victim."""
    return asked(frame, **given)["isolation_departure"]


def kind(answer):
    return answer.status, answer.relation


def at(answer):
    return {item.metric: item.value for item in answer.conditions}


def test_ten_runs_of_tr4784_do_not_show_equivalence_within_15_percent():
    """Neighbouring runs may be alike, which ten runs do not rule out: at ±15 % it is open for both.

    With independent runs the change of rhel1 would be equivalent (p 0.006).
    """
    found = from_frame(isolation(aqos_test(), bully="epic-rhel3", margin_ratio=0.15).frame)
    departure, effect = found[:2]
    assert [(item.subject.label, *kind(item)) for item in found[::2]] == [
        ("epic-rhel1", *OPEN), ("epic-rhel2", *OPEN),
    ]  # fmt: skip
    assert departure.reason == "its change over the ramp is not shown to lie within the margin"
    assert at(departure)["p"] == pytest.approx(0.145, abs=5e-4)
    assert at(departure)["level"] == pytest.approx(34.73)
    (margin,) = (item for item in departure.conditions if item.role == "limit")
    assert (margin.metric, margin.value, margin.unit) == ("margin_ratio", 0.15, "ratio")
    assert effect.inputs[0] == "run 15"
    assert at(effect)["worst_change"] == pytest.approx(-2.19 / 34.73)
    assert (at(effect)["bully_from_iops"], at(effect)["bully_to_iops"]) == (81_207, 147_633)
    assert departure.cautions == (caution("no_control", of="epic-rhel1"),)


def spiked(n, value):
    """Twenty or more quiet runs of 30 s, and one of another value."""
    own = (pl.col("host") == "v") & (pl.col("run") == n // 2)
    cell = pl.when(own).then(value).otherwise("longest_write_cycle_s")
    return made(n=n).frame.with_columns(longest_write_cycle_s=cell)


HIGHER = {"control": made(level=32.0, seed=2, hosts=("v",)), "control_lacks": "bully"}


@pytest.mark.parametrize(
    ("frame", "given", "reason"),
    [(made(), {}, "its change"), (made(), HIGHER, "the range"),
     (spiked(200, 35.0), {}, "the range")],
)  # fmt: skip
def test_the_bound_of_what_is_equivalent_is_the_smallest_margin_that_shows_it(frame, given, reason):
    """Two one-sided tests reject exactly where their interval lies inside the margin.

    The widest counts: the change, the range beside the level of a control, or one run far off.
    """
    bound = only(frame, margin_ratio=0.5, **given).estimate.value
    assert kind(only(frame, margin_ratio=bound * (1 + 1e-9), **given)) == KEPT
    less = only(frame, margin_ratio=bound * (1 - 1e-9), **given)
    assert kind(less) == OPEN
    assert less.reason.startswith(reason)


def test_the_bound_of_what_changed_is_the_largest_margin_that_it_leaves():
    bound = only(made(9.0)).estimate.value
    assert kind(only(made(9.0), margin_ratio=bound * (1 - 1e-9))) == LEFT
    assert kind(only(made(9.0), margin_ratio=bound * (1 + 1e-9))) == OPEN
    effect = asked(made(9.0))["isolation_effect"].estimate
    assert bound == effect.low
    assert effect.low < effect.value < effect.high
    assert effect.value == pytest.approx(9.0 / 34.5, rel=0.05)


def test_the_iops_of_both_victims_are_equivalent_within_one_percent():
    found = isolation(aqos_test(), bully="epic-rhel3", metric="total_iops", margin_ratio=0.01)
    assert [kind(item) for item in from_frame(found.frame)[::2]] == [KEPT, KEPT]
    assert at(from_frame(found.frame)[0])["level"] == pytest.approx(73_700, rel=0.01)


def test_what_the_runs_must_be_known_by_stands_beside_every_answer():
    told = caution("busy_host", share="40%")
    frame = made().frame.with_columns(cautions=pl.lit(to_json([told])))
    without = asked(frame, control=frame, control_lacks="policy")
    assert [item.cautions for item in without.values()] == [(told,)] * 3


@pytest.mark.parametrize(
    ("slope", "noise", "finding"),
    [(0.0, 0.2, KEPT), (9.0, 0.2, LEFT), (-9.0, 0.2, LEFT), (0.0, 5.0, OPEN), (3.0, 0.5, OPEN)],
)  # fmt: skip
def test_quiet_flat_victims_are_equivalent_noisy_ones_are_not_shown(slope, noise, finding):
    """Level 30 s, margin 3 s: a change of the margin's size is neither."""
    assert kind(only(made(slope, noise))) == finding


def test_one_spike_in_a_flat_line_is_no_equivalence():
    """The slope alone would call it equivalent: the range does not."""
    found = asked(spiked(20, 38.0), margin_ratio=0.2)
    departure, effect = found["isolation_departure"], found["isolation_effect"]
    assert kind(departure) == OPEN
    assert departure.reason == "the range of its runs is not shown to lie within the margin"
    assert max(abs(effect.estimate.low), abs(effect.estimate.high)) < 0.2
    assert effect.inputs[0] == "run 10"
    assert at(effect)["worst_change"] == pytest.approx(38 / at(departure)["level"] - 1)


@pytest.mark.parametrize(
    ("frame", "reason"),
    [(made(n=3), "too few"),
     (made().frame.with_columns(longest_write_cycle_s=pl.when(pl.col("run") == 2).then(None)
                                .otherwise("longest_write_cycle_s")), "1 of 10 runs have no"),
     (made().frame.with_columns(total_iops=pl.lit(5.0)), "does not ramp"),
     (made().frame.filter((pl.col("host") == "v") | (pl.col("run") > 3)), "coincide with no run "
                                                                          "of"),
     (made().frame.with_columns(longest_write_cycle_s=pl.lit(0.0)), "but 0"),
     (made().frame.with_columns(total_iops=pl.lit(None, pl.Float64)), "no IOPS")],
)  # fmt: skip
def test_what_cannot_be_tested_is_not_judged_with_its_reason(frame, reason):
    found = asked(frame)
    assert {kind(item) for item in found.values()} == {("not_judged", "=")}
    assert all(reason in item.reason for item in found.values())


def test_a_ramp_without_any_value_but_zero_is_no_matter_of_a_control():
    zero = made().frame.with_columns(longest_write_cycle_s=pl.lit(0.0))
    assert only(zero).reason == "there is no longest write cycle but 0"


def test_values_far_below_one_are_tested_like_any():
    """Latencies of less than a second together: they are not 0."""
    scaled = pl.col("longest_write_cycle_s") / 1e6
    small = made().frame.with_columns(longest_write_cycle_s=scaled)
    assert kind(only(small)) == kind(only(made()))


def test_runs_that_did_not_overlap_in_time_are_not_concurrent():
    day = pl.datetime(2026, 11, 20)
    late = pl.when(pl.col("host") == "v").then(day + pl.duration(hours=9)).otherwise(day)
    frame = made().frame.with_columns(started_at=late, ended_at=late + pl.duration(minutes=30))
    assert "coincide with no run of the bully" in only(frame).reason


def test_a_control_without_any_value_but_zero_is_no_level():
    zero = made(hosts=("v",)).frame.with_columns(longest_write_cycle_s=pl.lit(0.0))
    found = asked(made(), control=zero, control_lacks="bully")
    reason = "there is no longest write cycle but 0 in the control"
    assert [item.reason for item in found.values()] == [reason] * 3


def test_without_a_control_the_cause_is_not_shown():
    (told,) = only(made()).cautions
    assert told.text == (
        "there is no control run of v without the policy or the bully, so the cause is not shown"
    )


@pytest.mark.parametrize(
    ("slope", "noise", "finding"), [(9.0, 0.2, LEFT), (0.0, 0.2, KEPT), (0.0, 5.0, OPEN)]
)
def test_a_control_without_the_policy_tells_whether_the_policy_did_it(slope, noise, finding):
    control = made(slope, noise, seed=2)
    found = asked(made(), control=control, control_lacks="policy")
    assert kind(found["isolation_without_policy"]) == finding
    assert found["isolation_departure"].cautions == ()
    alone = only(control).estimate
    assert found["isolation_without_policy"].estimate == alone


def test_a_victim_that_changes_with_the_policy_as_well_shows_no_effect_of_it():
    found = asked(made(9.0), control=made(9.0, seed=2), control_lacks="policy")
    without = found["isolation_without_policy"]
    assert kind(found["isolation_departure"]) == LEFT
    assert (kind(without), without.reason) == (OPEN, "it is not shown to keep its level with it")


@pytest.mark.parametrize(
    ("level", "noise", "finding"), [(30.0, 0.2, KEPT), (20.0, 0.2, LEFT), (30.0, 20.0, OPEN)]
)
def test_a_control_without_the_bully_is_the_level(level, noise, finding):
    alone = made(level=level, noise=noise, seed=2, hosts=("v",))
    found = asked(made(), control=alone, control_lacks="bully")
    mean = alone.frame["longest_write_cycle_s"].mean()
    assert kind(found["isolation_without_bully"]) == finding
    assert at(found["isolation_departure"])["level"] == pytest.approx(mean)
    if finding == LEFT:
        # 30 s beside 20 s: half of the level, less what the spread of 0.2 s allows
        assert 0.47 < found["isolation_without_bully"].estimate.value < 0.51


def test_one_control_run_alone_is_no_mean_to_hold_against():
    alone = made(hosts=("v",)).frame.head(1)
    found = asked(made(), control=alone, control_lacks="bully")["isolation_without_bully"]
    assert (kind(found), found.reason) == (OPEN, "there is one control run alone")


@pytest.mark.parametrize(
    ("given", "words"),
    [({"bully": "buly"}, "did you mean 'bully'"), ({"victims": ["w"]}, "no server 'w'"),
     ({"victims": ["bully"]}, "besides the bully"), ({"margin_ratio": 0}, "between 0 and 1"),
     ({"metric": "cycle"}, "no metric"), ({"alpha": 0.6}, "level of a test"),
     ({"control_lacks": "policy"}, "what it lacks"),
     ({"control": made(hosts=("bully",)), "control_lacks": "bully"}, "no runs of 'v'")],
)  # fmt: skip
def test_a_question_that_makes_no_sense_is_refused(given, words):
    with pytest.raises(AnalysisError, match=words):
        only(made(), **given)


def test_two_rows_of_one_run_are_refused():
    frame = made().frame
    with pytest.raises(AnalysisError, match="two rows are of one run: run 0"):
        only(pl.concat([frame, frame.head(2)]))


def test_of_a_study_s_configs_the_test_and_its_control_are_chosen():
    """ "policy" is the test, "open" the one without it; a third has no part in it."""
    parts = {"policy": made(), "open": made(slope=20.0, seed=2), "other": made(slope=9.0, seed=3)}
    every = measured(
        pl.concat([part.frame.with_columns(config=pl.lit(name)) for name, part in parts.items()]),
        "x",
    )
    options = {"metric": "longest_write_cycle_s", "margin_ratio": 0.1}
    with_it = {**options, "control_lacks": "policy"}
    found = isolation_by_config(every, bully="bully", beside="policy", control="open", **with_it)
    alone = {name: every.filter(config=name) for name in parts}
    wanted = isolation(alone["policy"], bully="bully", control=alone["open"], **with_it)
    assert found.frame.equals(wanted.frame)
    without = isolation_by_config(every, bully="bully", beside="policy", control=None, **options)
    assert without.frame.equals(isolation(alone["policy"], bully="bully", **options).frame)
    with pytest.raises(AbsentError, match="no server is named"):
        isolation_by_config(every, bully=None, beside="policy", control=None, **options)
