"""The offset of clocks as the load tells it, and the times of recordings that state none."""

from __future__ import annotations

import math
import random
import re
from datetime import datetime, timedelta

import numpy as np
import polars as pl
import pytest
from forges.awr.series import host_tools, series
from series_told import STUDY

import perfkit as pk
from perfkit.analysis.awr.beside import beside
from perfkit.analysis.awr.beside_time import beside_over_time, host_over_time
from perfkit.analysis.awr.clocks import clock_offsets
from perfkit.analysis.awr.lags import Match, matched
from perfkit.core.answers import from_frame, to_frame
from perfkit.core.errors import AbsentError, AnalysisError
from perfkit.core.lineage import measured
from perfkit.core.unanswered import Unanswered

EIGHT = datetime(2026, 3, 2, 8)  # noqa: DTZ001 - a report names no zone
PERIOD, STEP = 1800, 60


def loads(count, seed=5):
    """The load of every minute of so many half hours: each half hour another one."""
    random_ = random.Random(seed)
    return [
        value for _ in range(count) for value in [random_.uniform(500, 1500)] * (PERIOD // STEP)
    ]


def periods_of(load):
    """The half hours as reports state them; a read waits 0.6 ms."""
    each = PERIOD // STEP
    rows = [
        {
            "history": "SHOP", "report": f"r{number}", "source": f"r{number}",
            "elapsed_s": float(PERIOD), "begin_time": EIGHT + timedelta(seconds=PERIOD * number),
            "end_time": EIGHT + timedelta(seconds=PERIOD * (number + 1)),
            "read_event": "db file sequential read", "read_wait_s": 600e-6,
            "read_iops": sum(load[number * each:(number + 1) * each]) / each,
            "read_bytes_per_s": None, "cpu_busy_ratio": None, "iops": None,
            "log_file_sync_s": None, "log_file_syncs": None, "log_file_parallel_write_s": None,
            "log_file_parallel_writes": None,
        }
        for number in range(len(load) // each)
    ]  # fmt: skip
    return pl.DataFrame(rows).with_columns(read_waits=pl.col("read_iops") * PERIOD)


def recording(load, ahead=0.0):
    """Samples of a minute of one disk that reads what it is asked for, in 0.4 ms."""
    start = EIGHT + timedelta(seconds=ahead)
    return pl.DataFrame([
        {
            "source": "iostat.out", "sample": number + 1, "since_boot": number == 0,
            "time": start + timedelta(seconds=STEP * number), "device": "sdb", "group": False,
            "read_iops": load[max(number - 1, 0)], "read_await_s": 400e-6, "write_iops": 0.0,
            "write_await_s": None, "read_bytes_per_s": None,
        }
        for number in range(len(load) + 1)
    ])  # fmt: skip


def offset(told, recorded):
    """The answer on the host's clock."""
    found = measured(periods_of(told))
    reading = {"devices": measured(recorded), "report": measured(pl.DataFrame())}
    (answer,) = from_frame(clock_offsets(found, reading).frame)
    return answer


def taken(answer):
    return next((one.value for one in answer.conditions if one.metric == "taken"), None)


@pytest.mark.parametrize("ahead", [3600.0, -7 * 3600.0, 330.0, -900.0])
def test_the_load_tells_the_offset_of_the_clocks(ahead):
    """A time zone, minutes, ahead and behind: within the minute of the samples."""
    answer = offset(loads(20), recording(loads(20), ahead))
    assert answer.got.low <= ahead <= answer.got.high
    assert answer.got.high - answer.got.low <= 120
    assert taken(answer) == pytest.approx(ahead, abs=60)


def test_clocks_that_agree_are_not_shifted_by_what_the_samples_cannot_tell():
    """The best lag may be half a sample off: 0 lies among those that fit, and is taken."""
    answer = offset(loads(20), recording(loads(20), 10.0))
    assert answer.got.low <= 0 <= answer.got.high
    assert taken(answer) == 0


@pytest.mark.parametrize("seed", range(10))
def test_another_load_tells_no_offset(seed):
    """The best of thousands of lags is not evidence."""
    answer = offset(loads(20), recording(loads(40, seed=100 + seed), -5 * 3600.0))
    assert [answer.status, taken(answer)] == ["not_judged", None]


def wave(count):
    """A day's curve of load, smooth, with a little noise of its own."""
    minutes = count * PERIOD // STEP
    return [1000 + 500 * math.sin(2 * math.pi * minute / 1440) for minute in range(minutes)]


def test_two_loads_that_follow_the_same_day_tell_no_offset():
    """Both are low at night: their levels go together at many lags, their changes at none."""
    own, other = (
        [value + random.Random(seed * 999 + at // 30).uniform(-40, 40)
         for at, value in enumerate(wave(48))]
        for seed in (1, 2)
    )  # fmt: skip
    assert offset(own, recording(other)).status == "not_judged"


@pytest.mark.parametrize(
    ("told", "why"),
    [
        ([1000.0] * 600, "matches at no offset"),
        ([500.0] * 300 + [1500.0] * 300, "matches at no offset|only a few changes"),
    ],
)
def test_an_even_load_and_one_step_tell_no_offset(told, why):
    """A step is met by any other step."""
    answer = offset(told, recording(told))
    assert answer.status == "not_judged"
    assert re.search(why, answer.reason)


def test_a_few_periods_tell_no_offset():
    """Six periods make four changes of changes."""
    answer = offset(loads(6), recording(loads(6)))
    assert answer.reason == "8 periods in a row that both recorded are needed"


def test_the_ledger_is_on_the_clock_that_the_load_tells():
    """An hour ahead: without the offset other periods stand beside the reports."""
    found, devices = measured(periods_of(loads(20))), recording(loads(20), 3600.0)
    reading = {"devices": measured(devices), "report": measured(pl.DataFrame())}
    periods = measured(found.frame.select("source", instance=1))
    clocks = clock_offsets(found, reading)
    ledger = beside(found, periods, reading, clocks).frame.filter(place="host", operation="read")
    assert ledger["offset_s"].unique().to_list() == [taken(from_frame(clocks.frame)[0])]
    assert ledger["mean_s"].to_list() == pytest.approx([400e-6] * 20)
    stated = beside(found, periods, reading, clocks, offset_s=0.0).frame
    assert stated.filter(place="host")["offset_s"].unique().to_list() == [0.0]


def test_the_load_of_both_over_one_time_axis():
    """Reads as the reports and as the recording have them; of the CPU it says nothing."""
    found = measured(periods_of(loads(20)))
    reading = {"devices": measured(recording(loads(20))), "report": measured(pl.DataFrame())}
    host = host_over_time(found, reading)
    assert host.frame["host_read_iops"].to_list() == pytest.approx(
        host.frame["read_iops"].to_list()
    )
    assert host.frame["host_cpu_busy_ratio"].null_count() == 20
    why = Unanswered("no ledger")
    assert beside_over_time(why, host).frame.equals(host.frame)
    assert beside_over_time(why, why) is why
    late = {**reading, "devices": measured(recording(loads(20), 9e6))}
    with pytest.raises(AbsentError, match="no recording of the host covers the time of a report"):
        host_over_time(found, late)


def test_the_arrays_clock_is_told_by_its_requests():
    """ONTAP's total a minute, two hours behind the database."""
    load = loads(20)
    found = periods_of(load).with_columns(iops=pl.col("read_iops"))
    start = EIGHT - timedelta(hours=2)
    array = pl.DataFrame([
        {"source": "qos.txt", "view": "characteristics", "scope": "workload", "name": "-total-",
         "is_total": True, "started_at": start + timedelta(seconds=STEP * at), "latency_s": 3e-4,
         "iops": load[max(at - 1, 0)], "read_ratio": 0.9}
        for at in range(len(load) + 1)
    ])  # fmt: skip
    reading = {"qos_statistics": measured(array), "report": measured(pl.DataFrame())}
    (answer,) = from_frame(clock_offsets(measured(found), reading).frame)
    assert [answer.subject.get("place"), answer.metric, taken(answer)] == ["array", "iops", -7200]
    assert _said(answer).startswith("The array's clock is 7,170 s to 7,230 s behind that of SHOP")


# --- recordings without times -----------------------------------------------------------------


def cpu(file, idle, *, first=1, start=EIGHT):
    """CPU samples of three seconds; the first may be of the time since the host was started."""
    return pl.DataFrame([
        {
            "source": "run", "file": file, "sample": number, "cpu": "all", "idle_ratio": value,
            "iowait_ratio": 0.0, "since_boot": number < first,
            "time": start and start + timedelta(seconds=3 * number),
        }
        for number, value in enumerate(idle, 1)
    ], schema_overrides={"time": pl.Datetime("us")})  # fmt: skip


def idle_of(count, seed=3):
    random_ = random.Random(seed)
    return [round(random_.uniform(0.2, 0.9), 4) for _ in range(count)]


def without_times(own, other):
    """The answer on a recording without times beside another one."""
    found = measured(periods_of(loads(1)))
    reading = {"iostat_cpu": measured(own), "mpstat_cpu": measured(other),
               "report": measured(pl.DataFrame())}  # fmt: skip
    return from_frame(clock_offsets(found, reading).frame)[0]


def test_a_recording_without_times_has_those_of_one_with_the_same_samples():
    """iostat's second sample is mpstat's first; both print hundredths of a percent."""
    idle = idle_of(60)
    own = cpu("iostat.out", [0.95, *idle], first=2, start=None)
    answer = without_times(own, cpu("mpstat.out", [value + 1e-4 for value in idle]))
    assert [answer.status, answer.got.n] == ["measured", 58]
    assert answer.subject.get("beside") == "run/mpstat.out"


@pytest.mark.parametrize(
    ("beside_it", "why"),
    [
        (cpu("mpstat.out", idle_of(60, seed=4)),
         "its CPU shares are not those of run/mpstat.out, sample by sample"),
        (cpu("mpstat.out", idle_of(3)),
         "its CPU shares are not those of run/mpstat.out, sample by sample"),
        (cpu("mpstat.out", idle_of(2)),
         "its CPU shares are not those of run/mpstat.out, sample by sample"),
        (cpu("mpstat.out", idle_of(60), start=None),
         "there is no recording of the host's CPUs with times beside it"),
    ],
)  # fmt: skip
def test_without_the_same_samples_it_has_no_times(beside_it, why):
    """Another hour of the same host, or a few seconds; one that states no times either."""
    answer = without_times(cpu("iostat.out", idle_of(60), start=None), beside_it)
    assert [answer.status, answer.reason] == ["not_judged", why]


def test_a_table_of_periods_that_lacks_a_column_is_named():
    found = measured(periods_of(loads(1)).drop("cpu_busy_ratio"))
    with pytest.raises(AnalysisError, match="over_time: no column 'cpu_busy_ratio'"):
        clock_offsets(found, {"devices": measured(recording(loads(1))),
                              "report": measured(pl.DataFrame())})  # fmt: skip


def test_a_host_that_idles_alike_in_every_sample_tells_nothing():
    """99% idle throughout: any shift fits."""
    even = [0.99] * 60
    answer = without_times(cpu("iostat.out", even, start=None), cpu("mpstat.out", even))
    assert answer.status == "not_judged"


def test_the_sentences():
    """Word by word."""
    own = cpu("iostat.out", [0.95, *idle_of(60)], first=2, start=None)
    lost = cpu("iostat.out", idle_of(60), start=None)
    said = [
        _said(offset(loads(20), recording(loads(20), 3600.0))),
        _said(offset([1000.0] * 600, recording([1000.0] * 600))),
        _said(without_times(own, cpu("m.out", idle_of(60)))),
        _said(without_times(lost, cpu("m.out", idle_of(60, 4)))),
    ]
    assert said == [
        "The host's clock is 3,570 s to 3,630 s ahead of that of SHOP, judging by the load: reads "
        "per second changed together in the reports and the recording (r = 1.00 over 18 changes).",
        "Whether the host's clock agrees with that of SHOP is not judged: what they recorded "
        "matches at no offset.",
        "run/iostat.out states no times. It is given those of run/m.out: the CPU shares of both "
        "changed together, sample by sample (r = 1.00 over 58 samples).",
        "run/iostat.out states no times, so it is not set beside any report: its CPU shares are "
        "not "
        "those of run/m.out, sample by sample.",
    ]


def _said(answer):
    (statement,) = pk.say(measured(to_frame([answer])))
    return statement.text


# --- from files -------------------------------------------------------------------------------

BEHIND = timedelta(seconds=-1200)


@pytest.fixture(scope="module")
def forged(tmp_path_factory):
    """Ten half hours of a forged database, and its host's iostat, sar and vmstat, 20 min behind."""
    made, folder = series(10, ()), tmp_path_factory.mktemp("beside")
    made.write(folder)
    kinds = ""
    for tool in (host_tools.iostat, host_tools.sar, host_tools.vmstat):
        (folder / f"{tool.__name__}.out").write_text(tool(made.periods, offset=BEHIND))
        kinds += f"  - {{files: {tool.__name__}.out, kind: {tool.__name__}}}\n"
    (folder / "study.yml").write_text(STUDY.replace("criteria:", f"{kinds}criteria:"))
    reading = pk.open_study(folder / "study.yml").read_evidence()
    periods = pk.awr.periods(reading.report, reading.instances)
    over_time = pk.awr.over_time(periods, reading)
    return periods, over_time, reading, pk.awr.clock_offsets(over_time, reading)


def test_recordings_of_three_tools_stand_on_the_databases_clock(forged):
    """The forge made all of them of one count: what a read took, and what the host did."""
    periods, over_time, reading, clocks = forged
    (clock,) = from_frame(clocks.frame)
    assert [taken(clock), clock.subject.get("host")] == [-1200, "dbhost1"]
    ledger = beside(over_time, periods, reading, clocks).frame.filter(operation="read")
    session, host = (ledger.filter(place=place) for place in ("session", "host"))
    # iostat prints hundredths of a millisecond
    assert (host["mean_s"] / session["mean_s"]).to_list() == pytest.approx([0.85] * 10, rel=0.02)
    both = host_over_time(over_time, reading, clocks).frame
    for name in ("read_iops", "read_bytes_per_s", "cpu_busy_ratio"):
        told, stated = both[f"host_{name}"].to_list(), both[name].to_list()
        assert told == pytest.approx(stated, rel=0.02), name
    busy = both["cpu_busy_ratio"]
    assert both["host_runnable"].to_list() == [round(value * 16) + 1 for value in busy]


@pytest.mark.parametrize(("changes", "found"), [(6, True), (5, False)])
def test_a_lag_is_told_from_six_changes_on(changes, found):
    own = np.array([1.0, -1.0, 2.0, -2.0, 1.5, -1.5][:changes])
    other = np.random.default_rng(1).normal(size=(3, changes))
    other[1] = own
    match = matched(np.array([-1.0, 0.0, 1.0]), own, other)
    assert isinstance(match, Match) is found
    assert not isinstance(match, Match) or (match.lag, match.n) == (0.0, 6)
