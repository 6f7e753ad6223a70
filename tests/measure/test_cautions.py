"""What an accepted point warns of: freezes, other work on host and disk, and where it is kept."""

import json
import os
import signal
import subprocess
import sys
import threading
import time
from types import SimpleNamespace

import psutil
import pytest

import perfkit as pk
from perfkit.analysis.over_time.pauses import pauses
from perfkit.core.answers import from_frame
from perfkit.formats import fio_series
from perfkit.measure.record.cautions import noted
from perfkit.measure.sweep import run_sweep
from perfkit.measure.validity import beside
from perfkit.measure.validity.stalls import (
    elbencho_without_io_s,
    fio_without_io_s,
    longest,
    overran,
    stall,
)


def point_of(run, name="iodepth-1-r1"):
    return json.loads((run / "points" / name / "point.json").read_text())


def named(record, name):
    return [each for each in record["cautions"] if each["name"] == name]


def during_the_point(do):
    """A progress function that does something a second into the first point, once."""
    started = []

    def tell(event):
        if type(event).__name__ == "PointProgress" and event.elapsed_s >= 1.0 and not started:
            started.append(threading.Thread(target=do))
            started[0].start()

    return tell, lambda: [thread.join() for thread in started]


@pytest.mark.slow
def test_a_frozen_file_system_is_told_in_the_terminal_and_beside_the_point(
    small, mounted, runs, monkeypatch, capfd
):
    """Frozen for 3 s in a point of 2 s: the point overran, and stalled for the time that passed."""
    monkeypatch.setenv("PERFKIT_PROGRESS", "lines")
    folder = mounted()
    tell, join = during_the_point(lambda: _frozen(folder, 3.0))
    from perfkit.measure import progress

    shown = progress.lines()

    def both(event):
        tell(event)
        shown(event)

    spec = small("oltp-update", load={"iodepth": [1]}, runtime="2s")
    run = run_sweep(spec, folder, runs_dir=runs, progress=both)
    join()
    record = point_of(run)
    (frozen,), (over,) = named(record, "stall"), named(record, "overran")
    # one I/O at a time: the one that was frozen spans all of it
    slowest = frozen["args"]["slowest_io_s"]
    assert 3.0 <= slowest <= over["args"]["ran_s"]
    assert 2.0 <= frozen["args"]["without_io_s"] <= slowest + 0.2
    assert over["args"]["ran_s"] >= 3.0
    assert over["args"]["asked_s"] == 2.0
    assert frozen["text"] in record["warnings"]
    told = [line for line in capfd.readouterr().err.splitlines() if "[1/1]" in line]
    assert len(told) == 1
    assert frozen["text"] in told[0]
    # the report looks for stalls over the time that passed, too
    reading = pk.read(run)
    stalled = from_frame(pk.stalls(reading.series).frame)
    longest_s = [one.value for each in stalled for one in each.conditions
                 if one.metric == "without_io_s"]  # fmt: skip
    # the runner's is a lower bound (an interval that is not known ends it); the frozen I/O an upper
    assert frozen["args"]["without_io_s"] - 0.21 <= max(longest_s) <= slowest + 0.21
    told = [item for item in reading.load_points.cautions if item.name == "stall"]
    assert [dict(item.arguments)["time"] for item in told] == [frozen["arguments"]["time"]]
    rows = reading.cautions.frame.filter(name="stall").to_dicts()
    assert [(each["point"], each["text"]) for each in rows] == [("iodepth-1-r1", frozen["text"])]
    assert json.loads(rows[0]["args"]) == frozen["args"]


def _frozen(folder, seconds):
    subprocess.run(["fsfreeze", "--freeze", folder], check=True)
    try:
        time.sleep(seconds)
    finally:
        subprocess.run(["fsfreeze", "--unfreeze", folder], check=True)


@pytest.mark.slow
def test_a_stopped_load_generator_is_a_stall(small, target, runs):
    """SIGSTOP for 2 s: of a read-only load, too."""

    def stop():
        mine = [child for child in psutil.Process().children() if child.name() == "fio"]
        for child in mine:
            os.kill(child.pid, signal.SIGSTOP)
        stopped = time.monotonic()
        time.sleep(2.0)
        for child in mine:
            os.kill(child.pid, signal.SIGCONT)
        lasted.append(time.monotonic() - stopped)

    lasted: list[float] = []
    tell, join = during_the_point(stop)
    spec = small(load={"iodepth": [4]}, runtime="2s", series="100ms")
    run = run_sweep(spec, target, runs_dir=runs, progress=tell)
    join()
    (found,) = named(point_of(run, "iodepth-4-r1"), "stall")
    # whole intervals only: at most what it was
    assert 1.0 <= found["args"]["without_io_s"] <= 2.5
    pause = next(a for a in from_frame(pauses(pk.read(run).series).frame)
                 if a.question == "io_pause")  # fmt: skip
    assert pause.estimate.value == pytest.approx(lasted[0], abs=0.2)


@pytest.mark.slow
def test_a_calm_point_has_no_caution(small, target, runs):
    run = run_sweep(small(), target, runs_dir=runs)
    for name in ("iodepth-1-r1", "iodepth-4-r1"):
        assert (point_of(run, name)["cautions"], point_of(run, name)["warnings"]) == ([], [])
    assert pk.read(run).cautions.frame.height == 0


@pytest.mark.parametrize(
    ("signs", "ios", "elapsed", "words"),
    [
        ((12.0, 12.06, 0.001), 1000, 13.3,
         "no I/O completed for at least 12 s of 13.3 s; one I/O took 12.1 s, and most 1.00 ms"),
        ((12.0, 12.0, None), 1000, 13.3, "no I/O completed for at least 12 s of 13.3 s"),
        ((None, 12.06, 0.0002), 1000, 13.3, "one I/O took 12.1 s, and most 200 µs"),
        ((1.0, 0.9, 0.001), 1000, 4.0, "no I/O completed for at least 1 s of 4 s"),
        ((0.9, 1.0, 0.001), 1000, 4.0, "one I/O took 1 s, and most 1.00 ms"),
        ((0.9, 0.9, 0.001), 1000, 4.0, None),
        # I/Os of 6 s each, and one I/O a second: gaps of their own
        ((6.0, 6.5, 6.0), 10, 60.0, None),
        ((1.5, 0.01, 0.01), 60, 60.0, None),
        ((0.0, None, None), 0, 0.0, None),
    ],
)  # fmt: skip
def test_a_stall_is_long_and_unusual(signs, ios, elapsed, words):
    found = stall(*signs, ios=ios, elapsed_s=elapsed)
    assert (found and found.text) == (words and f"stall: {words}")
    hosted = stall(*signs, ios=ios, elapsed_s=elapsed, host="a:1")
    assert (hosted and (hosted.host, hosted.text)) == (words and ("a:1", f"a:1: stall: {words}"))
    stood = words and words.startswith("no I/O")
    assert (found and found.name) == (words and ("stall" if stood else "slow_io"))


@pytest.mark.parametrize(
    ("ran", "asked", "over"), [(4.9, 4.0, False), (5.1, 4.0, True), (65.0, 60.0, False)]
)
def test_a_load_overran_when_its_last_ios_cannot_explain_it(ran, asked, over):
    assert overran(ran, asked) is over


def test_the_time_without_io_is_looked_for_over_all_jobs_and_to_the_end():
    """Two jobs with I/Os in the first second; one of them in the third; 6 s that passed."""
    head = f"job,t_ms,direction,buckets of 2^{fio_series.COARSENESS}"
    rows = ["1,1000,read,5:9", "2,1000,read,5:9", "2,3000,read,5:1", "2,3001,read,5:9"]
    text = "\n".join([head, *rows, "1,9000,read,7:1", "2,9000,read,7:1"]) + "\n"
    assert fio_without_io_s(text, 2, 1.0, 9.0) == 5.0
    assert longest([(1.0, True), (1.0, False), (0.5, True), (2.0, True)]) == 2.5


def test_elbenchos_live_file_shows_where_no_byte_moved():
    head = "ISO Date,Label,Phase,RuntimeMS,Rank,MixType,DoneBytes,Lat IO us,Service"
    done = [(500, 10), (1000, 20), (1500, 20), (2000, 20), (2500, 20), (3000, 30)]
    rows = [f"x,,RWMIX75,{t},Total,{kind},{n},5," for t, n in done for kind in ("Read", "Write")]
    rows.append("x,,RWMIX75,3500,0,Read,99,5,")
    assert elbencho_without_io_s("\n".join([head, *rows]) + "\n") == 1.5


# other work


TICKS_PER_S = os.sysconf("SC_CLK_TCK")


def ledger(at, own_user=0.0, own_bytes=0, disk=(0, 0, 0, 0), **cpu_s):
    """What the host and the tool did until a time; ``cpu_s`` are seconds of all processors."""
    ticks = {name: cpu_s.get(name, 0) * TICKS_PER_S for name in ("user", "system", "idle")}
    return beside.Ledger(at, {"cpu": ticks, "disk": disk}, own_user, own_bytes)


def test_what_the_tool_itself_read_and_wrote_is_counted_in_blocks_of_512_bytes(monkeypatch):
    """3 blocks in and 5 out are 4 KiB; its time is that of this process and of its children."""
    used = {
        beside.resource.RUSAGE_SELF: (1.5, 100, 100),
        beside.resource.RUSAGE_CHILDREN: (2, 3, 5),
    }

    def getrusage(who):
        return SimpleNamespace(**dict(zip(("ru_utime", "ru_inblock", "ru_oublock"), used[who],
                                          strict=True)))  # fmt: skip

    monkeypatch.setattr(beside.resource, "getrusage", getrusage)
    found = beside.ledger([])
    assert (found.user_s, found.io_bytes) == (3.5, 4096)


def others(after, *, direct=True):
    found = beside.others(ledger(0.0), after, ("sdb",), direct=direct)
    return [(each.name, each.args, each.text) for each in found]


def test_what_the_tool_did_not_do_was_others(crowded):
    """Of 20 s of processor time others used 8; of 100 MiB they moved 40."""
    found = others(
        ledger(10.0, own_user=2.0, own_bytes=60 << 20, disk=(90 << 20, 10 << 20, 1, 1),
               user=10.0, system=4.0, idle=6.0)
    )  # fmt: skip
    assert found == [
        ("shared_host", {"others_ratio": 0.4},
         "other programs used 40% of the processors' time during the load"),
        ("shared_target", {"device": "sdb", "others_ratio": 0.4, "others_bytes_per_s": 4 << 20},
         "40% of what sdb moved (4 MiB/s) was of another load"),
    ]  # fmt: skip


@pytest.mark.parametrize(
    "after",
    [
        # all of it the tool's own; a little more, as a journal writes; nothing counted as its own;
        # a slow trickle; counters that were set back
        ledger(10.0, own_user=10.0, own_bytes=100 << 20, disk=(100 << 20, 0, 1, 1), user=10.0),
        ledger(10.0, own_bytes=100 << 20, disk=(105 << 20, 0, 1, 1)),
        ledger(10.0, disk=(100 << 20, 0, 1, 1)),
        ledger(10.0, own_bytes=1 << 10, disk=(5 << 20, 0, 1, 1)),
        ledger(10.0, own_bytes=1 << 10, disk=(-5, 0, 1, 1)),
        ledger(10.0, own_bytes=1 << 30, disk=None),
    ],
)
def test_no_caution_without_evidence(crowded, after):
    assert others(after) == []


def test_a_buffered_load_says_nothing_of_the_disk(crowded):
    assert others(ledger(9.0, own_bytes=1, disk=(1 << 40, 0, 1, 1)), direct=False) == []


SLOWED = "the host's processors were slowed during the load"


def rows(**columns):
    return [{"t_s": float(second), **columns} for second in (1, 2, 3, 4)]


@pytest.mark.parametrize(
    ("columns", "name", "args", "words"),
    [
        ({"cpu_busy_ratio": 0.99}, "host_at_limit", {"busy_ratio": 0.99},
         "the host's processors were 99% busy during the load, so it may itself have set the pace"),
        ({"swap_in_bytes_per_s": 1048576.0, "swap_out_bytes_per_s": 0.0}, "swapping",
         {"in_bytes": 4 << 20, "out_bytes": 0},
         "4 MiB was read from the host's swap space during the load, and 0 B written to it"),
        ({"heat_throttles": 2.0}, "throttled", {"cause": "heat", "events": 8},
         f"{SLOWED}: processors slowed themselves down by heat (8 events in all)"),
        ({"quota_throttles": 1.0}, "throttled", {"cause": "quota", "events": 4},
         f"{SLOWED}: the processor quota of perfkit's control group was used up (in 4 periods)"),
        ({"cpu_steal_ratio": 0.098765}, "throttled",
         {"cause": "hypervisor", "stolen_ratio": 0.0988},
         f"{SLOWED}: the hypervisor gave 10% of the processors' time to others"),
    ],
)  # fmt: skip
def test_what_the_samples_show_is_told_of_this_host_and_of_others(
    crowded, columns, name, args, words
):
    for host in (None, "load1:8765"):
        (found,) = beside.pressure(rows(**columns), 0.0, host)
        assert (found.name, found.args, found.host) == (name, args, host)
        assert found.text == (f"{host}: {words}" if host else words)


@pytest.mark.parametrize(
    "columns",
    [
        {"cpu_busy_ratio": 0.5, "cpu_steal_ratio": 0.01, "swap_in_bytes_per_s": 100.0,
         "heat_throttles": 0.0, "quota_throttles": 0.0},
        {"cpu_busy_ratio": None, "cpu_steal_ratio": None, "swap_in_bytes_per_s": None},
        {},
    ],
)  # fmt: skip
def test_a_calm_host_is_none(crowded, columns):
    assert list(beside.pressure(rows(**columns), 0.0)) == []


def test_how_busy_the_host_was_in_the_ramp_is_of_no_account(crowded):
    samples = [{"t_s": 1.0, "cpu_busy_ratio": 1.0}, {"t_s": 2.0, "cpu_busy_ratio": 0.1}]
    assert list(beside.pressure(samples, 1.0)) == []
    assert [each.name for each in beside.pressure(samples[:1], 0.0)] == ["host_at_limit"]


def test_a_host_that_is_busy_before_the_run_is_told(crowded):
    (found,) = beside.busy_before({"background_cpu_busy_ratio": 1.0}, "a:1")
    assert found == noted("busy_host", share="100%", args={"busy_ratio": 1.0}, host="a:1")
    assert found.text == "a:1: the host was 100% busy before the run"
    assert list(beside.busy_before({"background_cpu_busy_ratio": 0.1})) == []
    assert list(beside.busy_before({"background_cpu_busy_ratio": None})) == []


@pytest.mark.slow
def test_other_work_on_all_processors_is_seen_before_and_during_the_run(
    crowded, small, target, runs
):
    spin = [sys.executable, "-c", "while True: pass"]
    started = [subprocess.Popen(spin) for _ in range(2 * (os.cpu_count() or 1))]
    try:
        time.sleep(0.5)
        spec = small(load={"iodepth": [1]}, runtime="1s")
        record = point_of(run_sweep(spec, target, runs_dir=runs))
    finally:
        for process in started:
            process.kill()
            process.wait()
    assert len(named(record, "busy_host")) == 1
    (shared,) = named(record, "shared_host")
    assert shared["args"]["others_ratio"] > 0.3
    # who kept the processors busy says more than that they were
    assert named(record, "host_at_limit") == []


@pytest.mark.slow
def test_a_second_load_on_the_same_file_system_is_seen(crowded, small, mounted, runs):
    """In another folder, by another program: no lock could tell."""
    folder = mounted()
    for name in ("a", "b"):
        (folder / name).mkdir()
    spec = small(load={"iodepth": [1]}, runtime="1s")
    alone = point_of(run_sweep(spec, folder / "a", runs_dir=runs, run_id="alone"))
    assert named(alone, "shared_target") == []
    argv = ["fio", "--name=other", f"--filename={folder / 'b' / 'file'}", "--size=8m", "--bs=8k",
            "--rw=randread", "--direct=1", "--ioengine=libaio", "--iodepth=4", "--thread",
            "--time_based", "--runtime=30"]  # fmt: skip
    other = subprocess.Popen(argv, stdout=subprocess.DEVNULL)
    try:
        time.sleep(1.0)
        both = point_of(run_sweep(spec, folder / "a", runs_dir=runs, run_id="both"))
    finally:
        other.kill()
        other.wait()
    (found,) = named(both, "shared_target")
    assert found["args"]["device"].startswith("loop")
    assert found["args"]["others_ratio"] > 0.3


@pytest.mark.parametrize("engine", ["libaio", "io_uring", "psync"])
@pytest.mark.slow
def test_the_tools_own_io_is_not_taken_for_others(crowded, small, mounted, runs, engine):
    if engine == "io_uring" and os.path.exists("/proc/sys/kernel/io_uring_disabled"):  # noqa: PTH110
        with open("/proc/sys/kernel/io_uring_disabled") as file:  # noqa: PTH123
            if file.read().strip() != "0":
                pytest.skip("io_uring is disabled here")
    load = {"numjobs": [2]} if engine == "psync" else {"iodepth": [4]}
    spec = small("oltp-mixed", ioengine=engine, load=load, ramp="500ms", runtime="1s")
    run = run_sweep(spec, mounted(), runs_dir=runs)
    (point,) = (run / "points").iterdir()
    assert named(point_of(run, point.name), "shared_target") == []


# what is kept


def test_a_record_has_the_cautions_arguments_beside_its_numbers():
    """What it is of is left out: that follows from where the record stands."""
    found = noted("stall", "stall: in own words", time="3 s", args={"s": 3.0}, host="a:1")
    assert found.record() == {
        "name": "stall",
        "arguments": {"time": "3 s"},
        "args": {"s": 3.0},
        "host": "a:1",
        "text": "a:1: stall: in own words",
    }
    assert noted("stall", time="3 s").text == "the load did no I/O for 3 s"


@pytest.mark.parametrize(
    ("gap_s", "ios", "elapsed_s", "told"),
    [
        (1.0, 1000, 101.0, True), (0.999, 1000, 101.0, False),  # a second at least
        (2.0, 500, 102.0, True), (2.0, 499, 102.0, False),  # ten times 0.2 s between completions
        (3.0, 0, 3.0, True), (None, 1000, 100.0, False),
    ],
)  # fmt: skip
def test_a_stall_is_a_second_and_ten_times_the_usual_gap(gap_s, ios, elapsed_s, told):
    found = stall(gap_s, None, None, ios=ios, elapsed_s=elapsed_s)
    assert (found.name if found else None) == ("stall" if told else None)


@pytest.mark.parametrize(
    ("slowest_s", "usual_s", "told"),
    [(1.0, 0.1, True), (0.999, 0.01, False), (1.0, 0.101, False), (None, 0.1, False),
     (5.0, None, False)],
)  # fmt: skip
def test_a_slow_io_took_a_second_and_ten_times_the_usual_one(slowest_s, usual_s, told):
    found = stall(None, slowest_s, usual_s, ios=1000, elapsed_s=100.0)
    assert (found.name if found else None) == ("slow_io" if told else None)


@pytest.mark.parametrize(
    ("ran_s", "asked_s", "told"),
    [(6.0, 5.0, False), (6.01, 5.0, True), (110.0, 100.0, False), (110.1, 100.0, True)],
)
def test_a_load_overran_by_more_than_a_second_and_a_tenth(ran_s, asked_s, told):
    assert overran(ran_s, asked_s) is told
