"""Stalls, drift, hosts apart and steady state, on made series whose answers are known."""

import math

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import perfkit as pk
from perfkit.analysis.over_time.drift import _left
from perfkit.analysis.over_time.steadiness import chance_level
from perfkit.core.answers import from_frame
from perfkit.core.cautions import caution, to_json
from perfkit.core.errors import AnalysisError
from perfkit.core.lineage import measured
from perfkit.core.schema import LOAD_POINTS, polars_schema
from perfkit.core.stats import steady_window
from perfkit.showing.statements.say import templates
from perfkit.sources.rundir.schema import RUN_SERIES, RUN_STEADY_STATE


def series(rows, **columns):
    usual = {
        "point": "p", "workload": "w", "load_kind": "iodepth", "load": 1.0, "repeat": 1,
        "interval_s": 0.5, "direction": "read",
    }  # fmt: skip
    made = [{**usual, "t_s": 0.5 * n, **columns, **row} for n, row in enumerate(rows, start=1)]
    return measured(pl.DataFrame(made, schema=polars_schema(RUN_SERIES)), "series")


def at(iops, p99=1e-3):
    """An interval of half a second at a rate."""
    return {"ios": round(iops / 2), "lat_p99_s": p99 if iops else None}


def points(rows, name="points"):
    usual = {"workload": "w", "load_kind": "iodepth", "load": 4.0, "repeat": 1,
             "direction": "total"}  # fmt: skip
    made = [{**usual, **row} for row in rows]
    return measured(pl.DataFrame(made, schema=polars_schema(LOAD_POINTS)), name)


def controls(*values):
    return points([{"repeat": n, "iops": v} for n, v in enumerate(values, start=1)])


def answers(frame):
    return {answer.question: answer for answer in from_frame(frame.frame)}


def stalled(rows, **given):
    return answers(pk.stalls(series(rows), **given))["stalled_points"]


def facts(answer):
    return {item.metric: item.value for item in answer.conditions}


def said(frame):
    return " ".join(statement.text for statement in pk.say(frame))


# --- stalls -----------------------------------------------------------------------------------


def test_a_slow_phase_that_is_most_of_the_time_is_a_stall():
    """The last 60% at a fiftieth of the rate: its median is the slow phase itself."""
    found = stalled([at(10_000)] * 8 + [at(200)] * 12)
    assert (found.estimate.value, found.estimate.n) == (1, 1)
    assert (facts(found)["slow_s"], facts(found)["watched_s"]) == (6.0, 10.0)
    assert "without_io_s" not in facts(found)


def test_latency_alone_tells_a_stall_too():
    """A paced load keeps its rate; its latency is what grows."""
    found = stalled([at(1_000)] * 8 + [at(1_000, 11e-3)] * 12)
    assert facts(found)["slow_s"] == 6.0
    assert stalled([at(1_000)] * 8 + [at(1_000, 9e-3)] * 12).estimate.value == 0


def test_a_rate_a_tenth_of_the_best_is_not_yet_slow():
    assert stalled([at(10_000)] * 8 + [at(1_000)] * 12).estimate.value == 0


def test_intervals_without_io_that_follow_each_other_are_one_time():
    found = stalled([at(2_000)] * 5 + [at(0)] * 2 + [at(2_000)] * 5 + [at(0)] + [at(2_000)] * 5)
    assert (facts(found)["without_io_s"], facts(found)["slow_s"]) == (1.0, 1.5)
    assert said(pk.stalls(series([at(2_000)] * 3 + [at(0)] * 2))) == (
        "1 of 1 point of w stalled: they did no I/O for a time, or were 10 times slower than the "
        "best rate or latency that they kept up. The worst was iodepth 1, repeat 1: slow "
        "for 1.00 s of 2.50 s, without I/O for up to 1.00 s."
    )


def test_an_empty_interval_of_a_load_of_few_ios_is_no_stall():
    """At 10 IOPS half a second without I/O is usual; three seconds are not."""
    slow = [at(10), at(0), at(10), at(20), at(0), at(10)] * 3
    assert stalled(slow).estimate.value == 0
    assert facts(stalled([*slow, *[at(0)] * 6]))["without_io_s"] == 3.0


@pytest.mark.parametrize(("iops", "quiet_s"), [(40, 0.5), (38, 0.0)])
def test_a_time_without_io_lacks_twenty_ios(iops, quiet_s):
    """Half a second at 40 IOPS lacks 20; the 19 of 38 IOPS may be chance."""
    found = stalled([at(iops)] * 10 + [at(0)] + [at(iops)] * 5)
    assert facts(found).get("without_io_s", 0.0) == quiet_s


def test_the_factor_is_the_callers_and_is_printed():
    rows = [at(1_000)] * 4 + [at(1_000, 3e-3)]
    assert stalled(rows).estimate.value == 0
    found = pk.stalls(series(rows), factor=2)
    assert "2 times slower" in said(found)
    assert answers(found)["stalled_points"].estimate.value == 1
    for factor in (1, math.nan, math.inf):
        with pytest.raises(AnalysisError, match="above 1"):
            pk.stalls(series(rows), factor=factor)


def test_without_percentiles_the_mean_is_judged():
    rows = [{"ios": 500, "lat_mean_s": 1e-3}] * 4 + [{"ios": 500, "lat_mean_s": 0.1}]
    assert facts(stalled(rows))["slow_s"] == 0.5


def test_a_time_that_is_in_no_interval_is_told():
    rows = [at(1_000), at(1_000), {**at(1_000), "t_s": 4.0}, {**at(1_000), "t_s": 4.5}]
    assert [item.text for item in stalled(rows).cautions] == [
        "2.50 s of w at iodepth 1 (repeat 1) falls in no interval, so a stall in it would not show"
    ]


@pytest.mark.parametrize(
    ("rows", "reason"),
    [
        ([], "there is no time series"),
        ([at(1_000)], "no point has two intervals"),
        ([{"ios": None}] * 4, "no point has two intervals"),
    ],
)
def test_what_cannot_be_judged_is_no_quiet_point(rows, reason):
    found = stalled(rows)
    assert (found.status, found.estimate) == ("not_judged", None)
    assert reason in said(pk.stalls(series(rows)))


def test_no_io_at_all_is_a_stall_of_the_whole_time():
    found = stalled([at(0)] * 4)
    assert (found.estimate.value, facts(found)["without_io_s"]) == (1, 2.0)


def test_an_impossible_number_is_refused():
    with pytest.raises(AnalysisError, match="nothing can measure"):
        pk.stalls(series([at(1_000), at(1_000, math.nan)]))


# --- drift ------------------------------------------------------------------------------------


def repeats(spread, loads=8, rounds=3, seed=1):
    """Load points with repeats of this spread, and a common step of 20% between two rounds."""
    rng = np.random.default_rng(seed)
    return points(
        {"load": float(load), "repeat": n, "iops": 1e4 * load * (1.2 if n > 1 else 1.0)
         * math.exp(spread * rng.normal())}
        for load in range(1, loads + 1) for n in range(1, rounds + 1)
    )  # fmt: skip


@pytest.mark.parametrize("values", [(20e3, 5e3, 5e3, 20e3), (100e3, 50e3, 104.9e3)])
def test_controls_that_fell_and_came_back_are_no_quiet_sweep(values):
    found = answers(pk.drift(controls(*values)))
    assert found["control_spread"].relation == "="
    assert found["control_spread"].estimate.value == pytest.approx(1 - min(values) / max(values))
    assert found["drift"].status == "missing"
    assert "no trend" not in said(pk.drift(controls(*values)))


def test_the_spread_of_repeats_is_what_the_rounds_leave():
    """A step between rounds is not a spread: with 1% a change by 8% is told, with 5% it is not."""
    for spread, relation in ((0.01, "="), (0.05, "<=")):
        found = answers(pk.drift(controls(100.0, 104.0, 108.0), repeats(spread)))
        assert {answer.relation for answer in found.values()} == {relation}
        assert found["drift"].cautions == ()


def test_drift_has_a_sign_and_an_interval():
    got = answers(pk.drift(controls(100.0, 95.0, 90.0), repeats(0.01)))["drift"].estimate
    # on logarithms the line goes through the middle: from first to last exactly 0.9
    assert got.value == pytest.approx(-0.1)
    assert got.low < -0.1 < got.high < 0
    assert got.level == 0.975
    assert "moved by −10%" in said(pk.drift(controls(100.0, 95.0, 90.0), repeats(0.01)))


def test_where_nothing_drifted_the_answer_is_how_much_it_can_be():
    found = answers(pk.drift(controls(100.0, 101.0, 99.0), repeats(0.02)))
    drift, spread = found["drift"], found["control_spread"]
    assert (drift.relation, spread.relation) == ("<=", "<=")
    assert drift.estimate.value == max(abs(drift.estimate.low), abs(drift.estimate.high))
    assert spread.estimate.value > facts(spread)["chance"] > 1 - 99 / 101


def test_more_controls_are_allowed_to_lie_further_apart():
    reach = [
        facts(answers(pk.drift(controls(*[100.0] * n), repeats(0.02)))["control_spread"])["chance"]
        for n in (2, 4, 10)
    ]
    assert reach == sorted(reach)
    assert reach[2] > 1.3 * reach[0]


@pytest.mark.parametrize("known", [None, repeats(0.0), repeats(0.02, rounds=1)])
def test_a_spread_that_is_not_known_is_assumed_with_a_caution(known):
    found = answers(pk.drift(controls(100.0, 103.0), known))
    assert [item.text for item in found["drift"].cautions] == [
        "the repeats of w do not show their spread: 3% was assumed"
    ]


@pytest.mark.parametrize(
    ("values", "reason"),
    [
        ((), "no control point was measured"),
        ((100.0,), "measured once"),
        ((0.0, 100.0), "a control point did no I/O"),
        ((0.0, 0.0), "a control point did no I/O"),
        ((None, 100.0), "a control point has no IOPS"),
    ],
)
def test_controls_that_say_nothing_give_no_claim(values, reason):
    frame = pk.drift(controls(*values))
    assert {answer.status for answer in answers(frame).values()} == {"missing"}
    assert reason in said(frame)


@pytest.mark.parametrize("value", [math.nan, math.inf, -1.0])
def test_controls_that_nothing_can_measure_are_refused(value):
    with pytest.raises(AnalysisError, match="nothing can measure"):
        pk.drift(controls(100.0, value))


def test_what_the_control_points_must_be_taken_with_stands_beside_their_drift():
    told = to_json([caution("busy_host", share="85%")])
    frame = pk.drift(points({"repeat": n, "iops": 100.0, "cautions": told} for n in (1, 2, 3)))
    for statement in pk.say(frame):
        assert "the host was 85% busy before the run" in statement.caution


@pytest.mark.parametrize(
    ("ask", "rows"),
    [(pk.drift, [{"repeat": n, "iops": 100.0} for n in (1, 2)]),
     (pk.host_balance, [{"host": h, "iops": 100.0} for h in "ab"])],
)  # fmt: skip
def test_two_runs_are_one_series_only_by_their_labels(ask, rows):
    """Two runs with the same labels are refused; with labels of their own, each is told."""

    def of_two(*configs):
        frames = [points(rows).frame.with_columns(config=pl.lit(c), source=pl.lit(f"run-{n}"))
                  for n, c in enumerate(configs)]  # fmt: skip
        return measured(pl.concat(frames), "points")

    with pytest.raises(AnalysisError, match="run-0 and run-1 are both"):
        ask(of_two("A", "A"))
    found = from_frame(ask(of_two("A", "B")).frame)
    assert {answer.subject.get("config") for answer in found} == {"A", "B"}


# --- hosts ------------------------------------------------------------------------------------


def hosts(*values, **columns):
    return points({"host": name, "iops": iops, **columns} for name, iops in values)


def test_hosts_apart_are_named_with_both_numbers():
    frame = pk.host_balance(hosts(("a:1", 90.0), ("a:2", 110.0)))
    found = answers(frame)["host_balance"]
    assert found.estimate.value == pytest.approx(90 / 110)
    assert [(s.subject.label, s.estimate.value) for s in found.sides] == [("a:1", 90), ("a:2", 110)]
    assert [item.name for item in found.cautions] == ["hosts_apart"]
    assert said(frame) == (
        "Of 2 hosts, the slowest, a:1, gave 90.0 IOPS, 82% of the 110 IOPS of the fastest, a:2, "
        "where they differed most, at iodepth 4, repeat 1."
    )


def test_hosts_within_the_limit_have_no_caution():
    found = answers(pk.host_balance(hosts(("a", 99.0), ("b", 100.0))))["host_balance"]
    assert found.cautions == ()
    just = pk.host_balance(hosts(("a", 75.0), ("b", 100.0)), limit_ratio=0.25)
    assert answers(just)["host_balance"].cautions == ()
    tighter = pk.host_balance(hosts(("a", 99.0), ("b", 100.0)), limit_ratio=0.005)
    assert answers(tighter)["host_balance"].cautions


@pytest.mark.parametrize(
    ("values", "reason", "cautions"),
    [
        ((("a", 0.0), ("b", 0.0)), "the hosts did no I/O at iodepth 4",
         ["w did no I/O at iodepth 4, repeat 1"]),
        ((("a", 0.0), ("b", 9.0)), "host a did no I/O", ["w did no I/O at iodepth 4, repeat 1"]),
        ((("a", None), ("b", 9.0)), "host a has no IOPS", []),
        ((("a", 9.0),), "one host only", []),
        ((), "no results of single hosts", []),
    ],
)  # fmt: skip
def test_hosts_that_cannot_be_held_against_each_other_give_no_share(values, reason, cautions):
    frame = pk.host_balance(hosts(*values))
    found = answers(frame)["host_balance"]
    assert found.estimate is None
    assert reason in said(frame)
    assert [item.text for item in found.cautions] == cautions


def test_a_host_that_is_missing_at_one_point_is_told():
    rows = [{"host": "a", "iops": 9.0}, {"host": "b", "iops": 9.0},
            {"host": "a", "iops": 9.0, "repeat": 2}]  # fmt: skip
    assert "no result of host b at iodepth 4, repeat 2" in said(pk.host_balance(points(rows)))


# --- steady state -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("values", "attained"),
    [
        ([100, 100, 100, 100, 100], True),
        # range exactly 20% of the mean, no slope
        ([90, 110, 100, 110, 90], True),
        ([89, 110, 101, 110, 90], False),
        # a straight line from 95 to 105 moves by exactly 10%; a little more is too much
        ([95, 97.5, 100, 102.5, 105], True),
        ([94.9, 97.45, 100, 102.55, 105.1], False),
    ],
)
def test_the_rule_of_the_specification(values, attained):
    window = steady_window(values)
    assert window is not None
    assert window.attained is attained
    assert (answers(steady(values))["steady_state"].status == "measured") is attained


def test_only_the_last_five_rounds_count():
    window = steady_window([1000, 500, 100, 100, 100, 100, 100])
    assert (window.first, window.last, window.attained) == (3, 7, True)
    assert steady_window([100] * 4) is None


@given(st.lists(st.floats(1, 1e6), min_size=5, max_size=5), st.floats(0.01, 100))
def test_the_rule_does_not_depend_on_the_unit(values, unit):
    one, other = steady_window(values), steady_window([value * unit for value in values])
    assert one.range_ratio == pytest.approx(other.range_ratio)
    assert one.slope_ratio == pytest.approx(other.slope_ratio, abs=1e-9)
    # the excursion of a least-squares line over five rounds is at most 1.2 ranges
    assert one.slope_ratio <= 1.2 * one.range_ratio + 1e-9


NOT_PTS = "not PTS: the target was not purged before it was filled"


def steady(values, metric="iops"):
    row = {"workload": "w", "metric": metric, "pts": False, "why_not_pts": NOT_PTS}
    outcome = measured(pl.DataFrame([row], schema=polars_schema(RUN_STEADY_STATE)), "steady_state")
    rounds = [{"repeat": n, metric: v} for n, v in enumerate(values, start=1)]
    return pk.steady_state(outcome, points(rounds))


def test_the_rounds_of_two_runs_are_not_mixed():
    """By their labels each has its own answers; with the same labels they are refused."""

    def of_two(*configs):
        row = {"workload": "w", "metric": "iops"}
        outcome = pl.DataFrame([row], schema=polars_schema(RUN_STEADY_STATE))
        values = ([100.0] * 5, [76.0, 88.0, 100.0, 112.0, 124.0])
        both = [[], []]
        for n, (config, own) in enumerate(zip(configs, values, strict=True)):
            rounds = points({"repeat": r, "iops": v} for r, v in enumerate(own, start=1)).frame
            for found, frame in zip(both, (outcome, rounds), strict=True):
                found.append(frame.with_columns(config=pl.lit(config), source=pl.lit(f"run-{n}")))
        return pk.steady_state(*(measured(pl.concat(found), "x") for found in both))

    found = from_frame(of_two("A", "B").frame)
    assert [(a.subject.label, a.status) for a in found if a.question == "steady_state"] == [
        ("A", "measured"), ("B", "not_reached"),
    ]  # fmt: skip
    with pytest.raises(AnalysisError, match="run-0 and run-1 are both"):
        of_two("A", "A")


def test_what_was_attained_is_never_called_pts():
    first = pk.say(steady([76, 88, 100, 112, 124.0]))[0]
    assert first.text.startswith(
        "By the SNIA rule w was not steady after 5 rounds: in the last five"
    )
    assert first.caution == f"Caution: the steady state of w is {NOT_PTS}."


def test_a_line_that_keeps_the_rule_still_moves():
    """95 to 105 keeps both limits of the rule, and is a trend as clear as can be."""
    found = answers(steady([95.0, 97.6, 99.9, 102.6, 105.0]))
    assert found["steady_state"].status == "measured"
    trend = found["steady_trend"]
    assert (trend.relation, trend.estimate.value) == ("=", pytest.approx(0.1, abs=1e-3))
    assert "still moved: their best-fit line moved by +10%" in said(
        steady([95, 97.6, 99.9, 102.6, 105])
    )


def test_noise_is_no_trend():
    trend = answers(steady([100.0, 103.0, 98.0, 99.0, 101.0]))["steady_trend"]
    assert trend.relation == "<="
    assert trend.estimate.low < 0 < trend.estimate.high
    assert trend.estimate.value == max(abs(trend.estimate.low), abs(trend.estimate.high))


def test_the_interval_of_a_trend_is_that_of_the_slope():
    """By hand: slope 1.1 of a mean of 12.2, squares left 2.7, t of 3 degrees 3.182446305."""
    trend = answers(steady([10.0, 11.0, 13.0, 12.0, 15.0]))["steady_trend"]
    half = 3.182446305 * (2.7 / 3 / 10) ** 0.5 * 4 / 12.2
    assert (trend.relation, trend.estimate.level, trend.estimate.n) == ("=", 0.95, 5)
    assert trend.estimate.value == pytest.approx(4.4 / 12.2)
    assert trend.estimate.low == pytest.approx(4.4 / 12.2 - half)
    assert trend.estimate.high == pytest.approx(4.4 / 12.2 + half)


def test_the_chance_level_is_that_of_walks_with_the_same_steps():
    """Against another simulation, round by round."""
    rng = np.random.default_rng(3)
    kept = 0
    for _ in range(1500):
        walk = list(np.exp(np.cumsum(0.08 * rng.standard_normal(7))))
        kept += any(steady_window(walk[:n]).attained for n in (5, 6, 7))
    assert chance_level(0.08, 7) == pytest.approx(kept / 1500, abs=0.05)
    assert chance_level(0.01, 5) > 0.99
    assert chance_level(0.5, 5) < 0.05
    found = answers(steady([100.0, 108.0, 100.0, 108.0, 100.0]))["steady_by_chance"]
    assert facts(found)["step"] == pytest.approx(math.log(1.08))
    assert found.estimate.value == chance_level(facts(found)["step"], 5)


@pytest.mark.parametrize(
    ("values", "reason"),
    [
        ([100.0] * 4, "asks for 5 rounds, and 4 were measured"),
        ([100.0, None, 100.0, 100.0, 100.0], "a round has no IOPS"),
        ([0.0] * 5, "a round did no I/O"),
        ([100.0, 0.0, 100.0, 100.0, 100.0], "a round did no I/O"),
        ([], "asks for 5 rounds, and 0 were measured"),
    ],
)
def test_rounds_that_say_nothing_give_no_claim(values, reason):
    frame = steady(values)
    assert {answer.status for answer in answers(frame).values()} == {"missing"}
    assert reason in said(frame)


def test_equal_rounds_move_by_nothing():
    trend = answers(steady([100.0] * 5))["steady_trend"]
    assert (trend.relation, trend.estimate.value) == ("<=", 0.0)


def test_every_answer_of_a_run_has_a_sentence():
    """(question, status, relation) of everything this module can give."""
    given = {
        ("stalled_points", "measured", "="), ("stalled_points", "not_judged", "="),
        *((q, "measured", r) for q in ("drift", "control_spread", "steady_trend")
          for r in ("=", "<=")),
        *((q, "missing", "=") for q in ("drift", "control_spread", "steady_trend", "steady_state",
                                        "steady_by_chance", "host_balance")),
        ("host_balance", "measured", "="), ("host_balance", "not_judged", "="),
        ("steady_state", "measured", "="), ("steady_state", "not_reached", "="),
        ("steady_by_chance", "measured", "="),
    }  # fmt: skip
    assert given <= set(templates())


# --- figures ----------------------------------------------------------------------------------


@pytest.mark.parametrize(("repeats", "left"), [((-0.1, 0.1), 0.02), ((0.1, 0.1), 0.0)])
def test_two_repeats_of_one_load_leave_one_degree_of_freedom(repeats, left):
    assert _left([dict(enumerate(repeats))]) == (pytest.approx(left), 1)
