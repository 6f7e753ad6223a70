"""Pauses on made series: completions at known times, counted by intervals as a tool counts them."""

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import perfkit as pk
from perfkit.analysis.over_time.pauses import pauses
from perfkit.analysis.over_time.stalls import iops_over_time
from perfkit.core.answers import QUESTIONS, from_frame
from perfkit.core.errors import AbsentError
from perfkit.core.lineage import measured
from perfkit.core.schema import polars_schema
from perfkit.showing.statements.say import templates
from perfkit.sources.rundir.schema import RUN_SERIES

QUIET = 0.0


def series(*phases, interval=0.1, point="p", direction="read", **columns):
    """A series of phases of (seconds, IOPS): an I/O every 1 / IOPS, none where the rate is 0."""
    times, at = [], 0.0
    for seconds, iops in phases:
        times += [at + (n + 0.5) / iops for n in range(round(seconds * iops))] if iops else []
        at += seconds
    counts = [0] * round(at / interval)
    for t in times:
        counts[min(int(t / interval + 1e-9), len(counts) - 1)] += 1
    usual = {
        "point": point, "workload": "w", "load_kind": "iodepth", "load": 4.0, "repeat": 1,
        "interval_s": interval, "direction": direction, **columns,
    }  # fmt: skip
    made = [{**usual, "t_s": interval * n, "ios": ios} for n, ios in enumerate(counts, start=1)]
    return pl.DataFrame(made, schema=polars_schema(RUN_SERIES))


def asked(*frames):
    return {a.question: a for a in from_frame(pauses(measured(pl.concat(frames), "series")).frame)}


def facts(answer):
    return {item.metric: item.value for item in answer.conditions}


def said(*frames):
    return [s.text for s in pk.say(pauses(measured(pl.concat(frames), "series")))]


def test_hosts_are_never_added_to_one_load():
    """A pause of one host is none of the sum; each is asked by itself."""
    steady = series((8, 1000), host="a")
    paused = series((4, 1000), (2, QUIET), (2, 1000), host="b")
    found = from_frame(pauses(measured(pl.concat([steady, paused]), "series")).frame)
    told = {a.subject.label: (a.relation, a.got.value) for a in found if a.question == "io_pause"}
    assert told["w on a"][0] == "<="
    assert told["w on b"] == ("=", pytest.approx(2.0))
    with pytest.raises(AbsentError, match="no line has more than one interval"):
        iops_over_time.__wrapped__(measured(paused, "series"))


def test_a_pause_the_way_back_and_the_level_until_then():
    """2 s at 1,000 IOPS, none for 1.25 s, 1.75 s at half, then as before."""
    load = series((2, 1000), (1.25, QUIET), (1.75, 500), (3, 1000))
    found = asked(load)
    pause, back, level = (found[q] for q in ("io_pause", "time_to_level", "degraded_level"))
    # 12 empty intervals; the one with the end did 25 of its usual 100 I/Os
    assert (pause.estimate.low, pause.estimate.high) == pytest.approx((1.2, 1.4))
    assert pause.estimate.value == pytest.approx(1.275)
    assert facts(pause)["pause_begin_s"] == pytest.approx(2.0)
    assert back.estimate.value == pytest.approx(3.0)
    assert level.estimate.value == pytest.approx(0.5)
    assert said(load) == [
        "The longest pause of w was at iodepth 4, repeat 1: from 2.00 s on, no I/O completed for "
        "1.28 s (between 1.20 s and 1.40 s, by intervals of 0.100 s).",
        "3.00 s after that pause began, w was back at 90% of the 1,000 IOPS that it did before.",
        "Until then w did 500 IOPS, 50% of what it did before.",
    ]


@given(
    st.floats(0.3, 3.0), st.floats(2.0, 3.0), st.sampled_from([0.05, 0.1, 0.2]),
    st.integers(500, 20_000),
)  # fmt: skip
def test_a_planted_pause_lies_between_its_ends_and_is_found_to_an_interval(
    length, begin, interval, iops
):
    found = asked(series((begin, iops), (length, QUIET), (2, iops), interval=interval))["io_pause"]
    spacing = 2 / iops
    assert found.relation == ("=" if length >= 2 * interval + spacing else found.relation)
    if found.relation == "=":
        assert found.estimate.low - spacing <= length <= found.estimate.high + spacing
        assert found.estimate.value == pytest.approx(length, abs=interval / 10 + 2 * spacing)
    else:
        assert length <= found.estimate.value + spacing


def test_without_a_pause_it_is_said_how_long_one_would_show():
    """At 1,000 IOPS an interval of 0.1 s has 100 I/Os: a pause of two intervals empties one."""
    found = asked(series((5, 1000)))
    assert list(found) == ["io_pause"]
    assert (found["io_pause"].relation, found["io_pause"].estimate.value) == ("<=", 0.2)
    assert said(series((5, 1000))) == [
        "No pause shows in 1 point of w; one longer than 0.200 s would."
    ]


def test_of_a_slow_load_an_empty_interval_is_no_pause():
    """At 40 IOPS it takes half a second to lack 20 I/Os."""
    found = asked(series((3, 40), (0.4, QUIET), (3, 40)))["io_pause"]
    assert (found.relation, found.estimate.value) == ("<=", pytest.approx(0.6))
    assert asked(series((3, 40), (0.8, QUIET), (3, 40)))["io_pause"].relation == "="


def test_a_pause_that_is_most_of_the_point_is_none_of_the_usual():
    pause = asked(series((0.8, 1000), (3, QUIET), (0.7, 1000)))["io_pause"]
    assert pause.estimate.value == pytest.approx(3.0)


def test_one_direction_that_goes_on_is_no_pause_of_the_load():
    writes = series((2, 1000), (1, QUIET), (2, 1000), direction="write")
    assert asked(series((5, 1000)), writes)["io_pause"].relation == "<="
    assert asked(series((2, 900), (1, QUIET), (2, 900)), writes)["io_pause"].relation == "="


def test_the_longest_of_several_points_is_told_with_its_load():
    short = series((2, 1000), (0.5, QUIET), (2, 1000))
    long = series((2, 1000), (1.5, QUIET), (2, 1000), point="q", load=8.0, repeat=3)
    pause = asked(short, long)["io_pause"]
    assert (facts(pause)["iodepth"], facts(pause)["repeat"], pause.estimate.n) == (8.0, 3.0, 2)


def test_a_load_that_is_not_back_when_the_point_ends_has_a_lower_bound():
    load = series((2, 1000), (1, QUIET), (3, 600))
    back = asked(load)["time_to_level"]
    assert (back.relation, back.estimate.value) == (">=", pytest.approx(4.0))
    assert said(load)[1] == (
        "When the point ended, 4.00 s after that pause began, w was not back at 90% of the 1,000 "
        "IOPS that it did before."
    )


def test_one_good_interval_is_not_back():
    back = asked(series((2, 1000), (1, QUIET), (0.1, 1000), (1.9, 500), (3, 1000)))
    assert back["time_to_level"].estimate.value == pytest.approx(3.0)


@pytest.mark.parametrize(
    ("phases", "question", "reason"),
    [
        ([(0.3, 1000)], "io_pause", "no point has 5 intervals at a rate by which a pause would"),
        ([(3, 10)], "io_pause", "no point has 5 intervals at a rate by which a pause would"),
        ([(0.3, 1000), (1, QUIET), (3, 1000)], "time_to_level", "fewer than 5 whole intervals lie"),
        ([(2, 1000), (1, QUIET), (3, 1000)], "degraded_level", "no whole interval lies between"),
    ],
)
def test_what_the_series_does_not_tell_has_no_number_and_says_why(phases, question, reason):
    answer = asked(series(*phases))[question]
    assert (answer.status, answer.estimate) == ("missing", None)
    assert answer.reason.startswith(reason)


def test_a_time_that_is_in_no_interval_is_told_and_ends_a_pause():
    load = series((2, 1000), (2, QUIET), (2, 1000))
    found = asked(load.filter(~pl.col("t_s").is_between(2.95, 3.25)))["io_pause"]
    assert found.estimate.value == pytest.approx(0.9, abs=0.11)
    assert [item.name for item in found.cautions] == ["unseen_time"]


# --- events -----------------------------------------------------------------------------------


def with_events(load, *events, begun=1.5):
    """Events (name, time on the clock of the point) of a point whose series begins at ``begun``."""
    own = {"workload": "w", "load_kind": "iodepth", "load": 4.0, "repeat": 1, "point": "p"}
    rows = [{**own, "name": name, "t_s": t_s} for name, t_s in events]
    point = pl.DataFrame([{**own, "measured_from_s": begun}], schema_overrides=FLOAT)
    found = pauses(*(measured(frame, "x") for frame in (load, pl.DataFrame(rows), point)))
    return [a for a in from_frame(found.frame) if a.subject.get("event")], found


FLOAT = {"measured_from_s": pl.Float64}


def test_an_event_has_the_pause_after_it_and_the_time_from_it():
    """A takeover 2 s into the series; 0.5 s later nothing for 1 s, then half for 1.5 s."""
    load = series((2.5, 1000), (1, QUIET), (1.5, 500), (3, 1000))
    (pause, back, level), frame = with_events(load, ("takeover", 3.5))
    assert pause.subject.label == "w (takeover)"
    # the interval after it did half of the usual, as if it had begun in the middle of it
    assert (pause.estimate.low, pause.estimate.value) == pytest.approx((1.0, 1.05))
    assert (facts(pause)["event_s"], facts(pause)["pause_begin_s"]) == pytest.approx((2.0, 2.5))
    assert back.estimate.value == pytest.approx(3.0)
    assert level.estimate.value == pytest.approx(0.5)
    assert "3.00 s after the event at 2.00 s, w (takeover) was back at 90%" in " ".join(
        s.text for s in pk.say(frame)
    )


def test_an_event_without_a_pause_has_the_level_until_it_was_over():
    (pause, back, level), _ = with_events(series((3, 1000), (2, 600), (3, 1000)), ("rebuild", 4.5))
    assert (pause.relation, pause.estimate.value) == ("<=", pytest.approx(0.2))
    assert (back.estimate.value, level.estimate.value) == pytest.approx((2.0, 0.6))


def test_an_event_that_changes_nothing_is_said_to_do_so():
    (_, back, level), _ = with_events(series((6, 1000)), (None, 4.5))
    assert back.subject.label == "w (a mark)"
    assert {back.reason, level.reason} == {
        "over any 5 intervals it stayed at 90% of what it did before, or more"
    }


def test_each_of_two_events_has_its_own_pause():
    load = series((2, 1000), (0.5, QUIET), (2, 1000), (1, QUIET), (2, 1000))
    found, _ = with_events(load, ("path out", 3.5), ("path in", 6.0))
    lengths = {a.subject.get("event"): a.estimate.value for a in found if a.question == "io_pause"}
    assert lengths == {"path out": pytest.approx(0.5), "path in": pytest.approx(1.0)}


@pytest.mark.parametrize(("came", "known"), [(3.0, True), (4.5, False), (5.0, False), (6.0, True)])
def test_of_an_event_during_a_pause_that_began_before_it_nothing_is_said(came, known):
    """Quiet from 2 s to 4 s of the series: what a mark at 3 s did is not known."""
    load = series((2, 1000), (2, QUIET), (4, 1000))
    found, _ = with_events(load, ("pulled path A", came))
    if known:
        assert found[0].status == "measured"
    else:
        why = f"no I/O had been done for {came - 1.5 - 2:.2f} s when it came"
        assert [a.reason for a in found] == [why] * 3


def test_of_a_point_that_does_not_say_where_its_series_begins_nothing_is_said_of_events():
    found, _ = with_events(series((2, 1000), (1, QUIET), (2, 1000)), ("takeover", 3.5), begun=None)
    assert {a.status for a in found} == {"missing"}
    assert {a.reason for a in found} == {"the record does not say where its series begins"}


def test_no_series_is_no_answer():
    answer = asked(series((1, 1000)).clear())["io_pause"]
    assert (answer.status, answer.reason) == (
        "missing", "there is no time series with a count of I/Os"
    )  # fmt: skip


@pytest.mark.parametrize("question", ["io_pause", "time_to_level", "degraded_level"])
def test_every_answer_has_a_sentence(question):
    assert {(question, *kind) for kind in QUESTIONS[question].gives} <= set(templates())


@pytest.mark.parametrize("gap", [False, True])
def test_a_point_that_did_no_io_at_all_has_no_usual_rate_to_pause_from(gap):
    still = series((8, QUIET))
    if gap:  # two times without I/O, of which one alone is the longest
        still = pl.concat([still[:30], still[50:]])
    working = series((4, 1000), (2, QUIET), (2, 1000), point="q", load=8.0)
    found = from_frame(pauses(measured(pl.concat([still, working]), "series")).frame)
    told = [item for item in found if item.question == "io_pause" and item.estimate]
    assert [item.got.value for item in told] == [pytest.approx(2.0)]
