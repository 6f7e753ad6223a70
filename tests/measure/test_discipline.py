"""How points are measured: rounds to steady state, control points, caches, series, paced loads."""

import contextlib
import json
from typing import get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

import perfkit as pk
from perfkit.core.errors import ParseError, RunError, UsageError
from perfkit.formats import fio_series
from perfkit.measure.engines import EngineName
from perfkit.measure.engines.engine import Acceptance, engine_of
from perfkit.measure.parts import Steady
from perfkit.measure.points import planned_points
from perfkit.measure.sweep import run_sweep
from perfkit.measure.validity.acceptance import (
    Expectation,
    ExpectedJob,
    Outcome,
    accept,
    expectation,
)
from perfkit.measure.validity.cache import drop, resident_bytes
from perfkit.measure.validity.rounds import Rounds
from perfkit.sources.fio.latency import bounds


def rounds_of(small, tmp_path, values, **steady):
    """Rounds that give these IOPS one after the other; their outcome and how many were run."""
    left = iter(values)
    asked = Steady(**{"max_rounds": 8, **steady})

    def measure(point):
        assert point.load == 4
        return Acceptance(accepted=True, iops=next(left), lat_mean_s=1e-3)

    rounds = Rounds(small(steady_state=asked), tmp_path / "rounds")
    return rounds, lambda: rounds.run(asked, measure)


def test_rounds_end_with_the_first_window_that_is_steady(small, tmp_path):
    rounds, run = rounds_of(small, tmp_path, [50, 80, 100, 100, 100, 100, 100, 100])
    found = run()
    assert (found.rounds, found.attained, found.window_first) == (7, True, 3)
    assert rounds.outcome == found


def test_rounds_that_run_out_are_told_and_not_hidden(small, tmp_path):
    _, run = rounds_of(small, tmp_path, [50, 100] * 4)
    found = run()
    assert (found.rounds, found.attained, found.pts) == (8, False, False)


def test_a_sweep_may_insist_on_steady_state(small, tmp_path):
    _, run = rounds_of(small, tmp_path, [50, 100] * 4, required=True)
    with pytest.raises(RunError, match=r"not attained in 8 rounds.*asked for it"):
        run()


@pytest.mark.slow
def test_rounds_and_controls_are_kept_apart_from_the_points(small, target, runs):
    spec = small(
        "oltp-mixed",
        load={"iodepth": [4]},
        runtime="150ms",
        steady_state={"round": "150ms", "max_rounds": 5},
        control=4,
        repeats=2,
        fills=2,
    )
    run = run_sweep(spec, target, runs_dir=runs, run_id="r")
    found = pk.read(run)
    assert found.rounds.frame.filter(direction="total")["repeat"].to_list() == [1, 2, 3, 4, 5]
    controls = found.control_points.frame.filter(direction="total")
    assert controls["repeat"].to_list() == [1, 2, 3]
    points = found.load_points.frame.filter(direction="total")
    assert points.select("load", "repeat").rows() == [(4.0, 1), (4.0, 2)]
    (steady,) = found.steady_state.frame.rows(named=True)
    assert (steady["rounds"], steady["pts"]) == (5, False)
    told = json.loads((run / "rounds" / "steady.json").read_text())
    (run / "rounds" / "steady.json").write_text(json.dumps({**told, "range_ratio": 0.001}))
    if told["range_ratio"] > 0.03:
        with pytest.raises(ParseError, match="and the rounds give"):
            pk.read(run)


def test_control_points_stand_before_between_and_after(small):
    names = [p.name for p in planned_points(small(control=1, repeats=2))]
    assert names == [
        "control-1", "iodepth-1-r1", "iodepth-4-r1", "control-2", "iodepth-1-r2", "iodepth-4-r2",
        "control-3",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("overrides", "said"),
    [
        ({"control": 7}, "control: 7 is not among the load's points"),
        ({"drop_caches": True}, "direct I/O bypasses the page cache"),
        ({"steady_state": {"max_rounds": 4}}, "steady_state.max_rounds"),
    ],
)
def test_what_makes_no_sense_is_refused_by_field(small, overrides, said):
    with pytest.raises(UsageError, match=said):
        small(**overrides)


def test_a_sweep_without_the_later_fields_has_its_old_record(small):
    """So the runs that are there keep their ids and hashes."""
    later = {"fills", "steady_state", "control", "drop_caches", "series_s", "hosts"}
    assert not later & set(small().record())
    assert small(control=4).record()["control"] == 4


def test_a_dropped_cache_is_seen_to_be_empty(tmp_path):
    path = tmp_path / "f"
    path.write_bytes(b"x" * 2**20)
    with path.open("rb") as file:
        assert resident_bytes(file.fileno(), 2**20) == 2**20
    seen = drop(path, 2**20)
    assert (seen["resident_before_bytes"], seen["resident_after_bytes"]) == (2**20, 0)


def test_a_cache_that_stays_is_no_cold_cache(tmp_path, monkeypatch):
    path = tmp_path / "f"
    path.write_bytes(b"x" * 2**16)
    monkeypatch.setattr("perfkit.measure.validity.cache.resident_bytes", lambda *_: 4096)
    with pytest.raises(RunError, match="4096 of 65536 bytes are still in the page cache"):
        drop(path, 2**16)


@pytest.mark.slow
def test_the_series_sums_up_to_the_points_ios(small, target, runs):
    """What fio has not written of the last interval is left out; every other I/O is in one."""
    spec = small("oltp-mixed", load={"iodepth": [4]}, runtime="1s")
    found = pk.read(run_sweep(spec, target, runs_dir=runs))
    ios = dict(found.load_points.frame.select("direction", "ios").rows())
    for direction in ("read", "write"):
        own = found.series.frame.filter(direction=direction)
        assert own["t_s"].to_list() == pytest.approx([0.1 * n for n in range(1, own.height + 1)])
        assert own.height in {9, 10}
        assert 0.6 * ios[direction] < own["ios"].sum() <= ios[direction]


@pytest.mark.slow
def test_streams_of_a_sequential_load_have_rates_of_their_own(small, target, runs):
    spec = small("sas-sequential", load={"numjobs": [4]}, runtime="1s", file_size="64 MiB")
    found = pk.read(run_sweep(spec, target, runs_dir=runs))
    streams = found.streams.frame
    assert sorted(set(streams.select("stream", "direction").rows())) == [
        (1, "read"), (2, "read"), (3, "write"), (4, "write"),
    ]  # fmt: skip
    rates = [streams.filter(stream=n)["bw_bytes_per_s"].mean() for n in (1, 2, 3, 4)]
    total = found.load_points.frame.filter(direction="total")["bw_bytes_per_s"].item()
    assert sum(rates) == pytest.approx(total, rel=0.25)


@pytest.mark.slow
def test_an_epic_like_point_shows_its_drains_over_time(small, target, runs):
    spec = small(
        "epic-like", load={"rate_iops": [200]}, runtime="2s", file_size="64 MiB", series="100ms",
        drain={"blocks": 4000, "period": "1s"},
    )  # fmt: skip
    found = pk.read(run_sweep(spec, target, runs_dir=runs))
    assert any("counts from the issue of an I/O" in text for text in found.evidence.warnings)
    drains = found.series.frame.filter(direction="write")
    assert set(drains["drain"]) <= {1, 2}
    second = drains.filter(drain=2)
    assert second.is_empty() or min(second["t_s"]) > 1.0
    assert set(found.series.frame.filter(direction="read")["drain"]) == {None}


def test_coarse_buckets_are_eight_of_fios():
    assert fio_series.edges_ns(0) == (0, 8)
    for bucket in range(1, 200):
        lower, upper = fio_series.edges_ns(bucket)
        assert fio_series.edges_ns(bucket - 1)[1] == lower
        assert lower < upper <= 1.126 * lower or lower < 64
    # 128 to 143 ns: fio's buckets of 2 ns, whose middle is the odd number
    assert fio_series.edges_ns(16) == (128, 144)
    assert bounds(129) == (128, 130)


@pytest.mark.parametrize(
    "line", ["1,x,read,1:2", "1,5,sideways,1:2", "1,5,read", "1,5,read,1:-2", "1,5,read,a"]
)
def test_a_damaged_series_names_its_line(line):
    text = f"job,t_ms,direction,buckets of 2^3\n1,5,read,1:2\n{line}\n"
    with pytest.raises(ParseError, match="3: "):
        list(fio_series.intervals(text, "s.csv"))


def test_the_jobs_logs_become_one_file(tmp_path):
    (tmp_path / "log_clat_hist.2.log").write_text("501, 1, 8192, 0, 3, 0\n")
    (tmp_path / "log_clat_hist.1.log").write_text("500, 0, 8192, 1, 0, 2\n")
    fio_series.gather(tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["latency-series.csv"]
    rows = list(fio_series.intervals((tmp_path / "latency-series.csv").read_text(), "s"))
    assert [(r.job, r.t_ms, r.direction, r.counts) for r in rows] == [
        (1, 500, "read", ((0, 1), (2, 2))),
        (2, 501, "write", ((1, 3),)),
    ]


def sent_by_a_server(counts):
    """What fio's server makes of an interval's counts: from the counters so far it subtracts the
    row that it sent before, though it should be the counters at that time."""
    rows, total = [], [0] * len(counts[0])
    for own in counts:
        total = [sum(pair) for pair in zip(total, own, strict=True)]
        before = rows[-1] if rows else [0] * len(own)
        rows.append([now - then for now, then in zip(total, before, strict=True)])
    return rows


COUNTED = [[500, 100], [400, 0], [600, 200], [0, 0], [500, 300]]
"""Two buckets over five intervals: 2,600 I/Os."""


def logged(folder, rows, ios=2600, host=2):
    """A load generator's log of these rows, gathered: its counts by interval."""
    text = "".join(
        f"{100 * n}, 0, 8192, {', '.join(map(str, row))}\n" for n, row in enumerate(rows, 1)
    )
    (folder / f"log-{host}_clat_hist.1.log.127.0.0.1").write_text(text)
    fio_series.gather(folder, ["a:1", "b:2"], {("b:2", "read"): ios})
    assert [path.name for path in folder.iterdir()] == ["latency-series-b:2.csv"]
    found = fio_series.intervals((folder / "latency-series-b:2.csv").read_text(), "s")
    return [sum(count for _, count in row.counts) for row in found]


def test_a_hosts_histograms_are_put_right(tmp_path):
    assert logged(tmp_path, sent_by_a_server(COUNTED)) == [600, 400, 800, 0, 800]


def test_a_server_that_sends_them_right_is_believed(tmp_path):
    assert logged(tmp_path, COUNTED) == [600, 400, 800, 0, 800]


def test_histograms_that_do_not_fit_the_result_are_no_series(tmp_path):
    many = [[1000 * n for n in row] for row in COUNTED]
    with pytest.raises(ValueError, match="b:2: its histograms do not fit its 2,600 I/Os"):
        logged(tmp_path, many)
    assert not (tmp_path / "latency-series-b:2.csv").exists()
    # rows that may be either: a rising rate, and a result that both would fit
    with pytest.raises(ValueError, match="do not fit"):
        logged(tmp_path, [[1], [1], [2], [2]])


@given(st.lists(st.lists(st.integers(0, 50), min_size=3, max_size=3), min_size=1, max_size=12))
def test_what_a_server_sends_gives_its_counts_or_none(counts):
    rows = sent_by_a_server(counts)
    cells = [(1, [str(n), "0", "8192", *map(str, row)]) for n, row in enumerate(rows)]
    done = {("h:1", "read"): sum(map(sum, counts))}
    with contextlib.suppress(ValueError):
        found = fio_series._as_counted(cells, "h:1", done)
        assert [list(map(int, row[3:])) for _, row in found] == counts


def paced(iops, levels, tolerance):
    """A paced point's warnings: offered 1000 IOPS, done at another rate."""
    flow = {"total_ios": 1000, "runtime": 1000, "iops": iops, "lat_ns": {"mean": 1e6, "N": 1000}}
    job = {"jobname": "load", "error": 0, "read": flow, "iodepth_level": levels}
    expected = Expectation((ExpectedJob("load", ("read",), 1.0),), 1000, None, tolerance)
    text = json.dumps({"fio version": "fio-3.33", "jobs": [job]})
    found = accept(Outcome(0, text), expected, "fio.json")
    assert found.accepted
    return tuple(caution.text for caution in found.cautions)


@pytest.mark.parametrize(
    ("iops", "tolerance", "said"),
    [
        (995.0, 0.01, ()),
        (985.0, 0.01, ("achieved 98.5% of the offered 1000 IOPS (tolerance 1.0%)",)),
        # some fio versions double the rate of random arrivals: more than offered is told as well
        (2000.0, 0.01, ("achieved 200.0% of the offered 1000 IOPS (tolerance 1.0%)",)),
        (965.0, 0.095, ()),
    ],
)
def test_a_rate_that_was_not_the_offered_one_is_told(iops, tolerance, said):
    assert paced(iops, {"1": 99.0}, tolerance) == said


def test_a_full_queue_is_told():
    (said,) = paced(1000.0, {"1": 70.0, "32": 30.0}, 0.01)
    assert said.startswith("30% of the paced I/Os found the queue full")


def test_random_arrivals_may_differ_by_three_deviations(small):
    """1,000 arrivals a second in 0.3 s are 300, give or take 3 x 17."""
    spec = small(load={"rate_iops": [1000]}, rate_process="poisson")
    wanted = expectation(spec, planned_points(spec)[0])
    assert wanted.rate_tolerance == pytest.approx(3 / 300**0.5)
    even = small(load={"rate_iops": [1000]})
    assert expectation(even, planned_points(even)[0]).rate_tolerance == 0.01


def test_every_named_engine_declares_itself_and_its_server():
    names = get_args(EngineName)
    assert [engine_of(name).name for name in names] == list(names)
    assert [engine_of(name).server.engine for name in names] == list(names)
