"""The ledger of a read and a commit: what the database waited, and what the host and array took."""

from __future__ import annotations

from datetime import datetime, timedelta

import polars as pl
import pytest

import perfkit as pk
from perfkit.analysis.awr.beside import LEDGER, beside, time_between
from perfkit.analysis.awr.beside_time import beside_over_time
from perfkit.analysis.awr.recorded import is_layer
from perfkit.core.answers import from_frame, to_frame
from perfkit.core.cautions import from_json
from perfkit.core.errors import AbsentError, AnalysisError
from perfkit.core.evidence import Evidence
from perfkit.core.lineage import Reading, measured

EIGHT = datetime(2026, 3, 2, 8)  # noqa: DTZ001 - a report names no zone
HALF_HOUR = 1800
READ, SYNC, WRITE = "db file sequential read", "log file sync", "log file parallel write"


def over_time(*begins, reads=1_800_000.0, syncs=360_000.0, history="SHOP", slower=1.0):
    """Half hours that begin so many seconds after eight, of 1,000 reads a second.

    A read of one block waits 0.6 ms, a commit 0.9 ms, a write of the log takes 0.5 ms.
    """
    rows = [
        {
            "history": history, "report": f"{history}_{number}", "source": f"{history}_{number}",
            "elapsed_s": float(HALF_HOUR), "begin_time": EIGHT + timedelta(seconds=begin),
            "end_time": EIGHT + timedelta(seconds=begin + HALF_HOUR), "read_event": READ,
            "read_wait_s": 600e-6 * slower, "read_waits": reads,
            "log_file_sync_s": 900e-6 if syncs >= 1000 else None, "log_file_syncs": syncs,
            "log_file_parallel_write_s": 500e-6, "log_file_parallel_writes": 300_000.0,
            "read_iops": 1000.0,
        }
        for number, begin in enumerate(begins)
    ]  # fmt: skip
    return pl.DataFrame(rows)


def periods(over_time, instance=1):
    """What else is known of them: the instance; null of a cluster."""
    number = pl.lit(instance, dtype=pl.Int64)
    return over_time.select("source", instance=number)


def held(found, devices=None, *, instance=1, array=None, paths=None, **given):
    """The ledger of some periods."""
    tables = {"devices": devices, "qos_statistics": array, "multipath_paths": paths}
    reading = {name: measured(frame) for name, frame in tables.items() if frame is not None}
    return beside(measured(found), measured(periods(found, instance)), reading, **given)


def devices(seconds=HALF_HOUR, *, step=60, shift=0, **of):
    """A recording of the half hour: sdb reads 600/s of 0.4 ms, sdc 400/s of 0.5 ms, dm-0 both."""
    chosen = of or {"sdb": (600.0, 400e-6), "sdc": (400.0, 500e-6), "dm-0": (1000.0, 450e-6)}
    rows = [
        {
            "source": "iostat.out", "time": EIGHT + timedelta(seconds=at + shift),
            "since_boot": at == 0, "device": name, "group": False, "read_iops": rate,
            "read_await_s": wait, "write_iops": 83.0, "write_await_s": 300e-6,
        }
        for at in range(0, seconds + 1, step)
        for name, (rate, wait) in chosen.items()
    ]  # fmt: skip
    return pl.DataFrame(rows)


def ledger(devices, **given):
    """The rows of one report by operation and place."""
    found = held(over_time(0), devices, **given)
    return {(row["operation"], row["place"]): row for row in found.frame.rows(named=True)}


def test_a_read_from_the_session_to_the_devices():
    """0.6 ms waited; (600 x 0.4 + 400 x 0.5) / 1000 = 0.44 ms at the devices: 0.16 ms between."""
    found = ledger(devices())
    session, host = found["read", "session"], found["read", "host"]
    assert [session["mean_s"], session["operations"]] == [600e-6, 1_800_000]
    assert host["mean_s"] == pytest.approx(440e-6)
    assert host["operations"] == pytest.approx(1_800_000)
    assert session["between_s"] == pytest.approx(160e-6)
    told = ("of", "covered_ratio", "offset_s", "between_s", "note")
    assert [host[name] for name in told] == ["sdb, sdc", 1.0, 0.0, None, None]


def test_a_commit_ends_at_the_log_writer_where_nobody_names_the_logs_devices():
    """The writes of all devices are mostly those of the database writer."""
    found = ledger(devices())
    assert found["commit", "session"]["between_s"] == pytest.approx(400e-6)
    assert found["commit", "log_writer"]["between_s"] is None
    host = found["commit", "host"]
    assert [host["mean_s"], host["note"]] == [
        None,
        "which devices hold the redo logs is not stated",
    ]


def test_a_commit_goes_down_to_the_named_devices():
    """300,000 log writes in 1,800 s are 167/s: two devices of 83/s each."""
    found = ledger(devices(), log_device=["sdb", "sdc"])
    assert found["commit", "log_writer"]["between_s"] == pytest.approx(200e-6)
    assert found["commit", "host"]["mean_s"] == pytest.approx(300e-6)


def test_periods_without_a_recording_have_no_row():
    """The recording is of the second of three half hours; the others are not in the ledger."""
    found = held(over_time(-HALF_HOUR, 0, HALF_HOUR), devices())
    assert found.frame.schema == LEDGER
    assert found.frame["report"].unique().to_list() == ["SHOP_1"]


@pytest.mark.parametrize(
    ("given", "why"),
    [
        ({"shift": 7200}, "no recording of the host or the array overlaps a report in time"),
        ({"seconds": 0}, "no recording of the host or the array overlaps a report in time"),
    ],
)
def test_without_overlap_in_time_nothing_stands_side_by_side(given, why):
    """Two hours later, and a recording without an interval."""
    with pytest.raises(AbsentError, match=why):
        ledger(devices(**given))


def test_a_recording_without_times_is_named():
    """As iostat prints it without -t: whose interval it is, nobody knows."""
    untimed = devices().with_columns(time=pl.lit(None, pl.Datetime("us")))
    with pytest.raises(AbsentError, match="the host's recording has no times"):
        ledger(untimed)


NO_WAITS = {name: pl.lit(None, pl.Float64) for name in ("read_await_s", "write_await_s")}


def test_one_wait_for_reads_and_writes_is_called_so():
    """sar, and iostat before 10.2: 1,000 reads and 166 writes a second took 0.5 ms on average."""
    old = devices().with_columns(**NO_WAITS, await_s=pl.lit(500e-6))
    host = ledger(old)["read", "host"]
    assert host["of"] == "sdb, sdc, reads and writes together"
    assert host["mean_s"] == pytest.approx(500e-6)
    assert host["operations"] == pytest.approx(1166 * 1800)


def test_one_wait_of_mostly_writes_is_no_reads_wait():
    """600 of 1,600 operations are reads: their mean stands there, and no difference to it."""
    mostly = devices(sdb=(600.0, 400e-6)).with_columns(
        **NO_WAITS, write_iops=pl.lit(1000.0), await_s=pl.lit(500e-6))  # fmt: skip
    found = ledger(mostly)
    assert found["read", "host"]["note"] == "38% of its operations are reads"
    assert found["read", "session"]["between_s"] is None


def test_without_any_wait_of_the_devices_there_is_no_ledger():
    """vmstat, and iostat without -x."""
    with pytest.raises(AbsentError, match="gives no wait of its devices"):
        ledger(devices().with_columns(**NO_WAITS))


def test_without_a_recording_there_is_no_ledger():
    """The reports alone say nothing of the host's devices."""
    with pytest.raises(AbsentError, match="nothing was recorded of the host or the array"):
        ledger(None)


@pytest.mark.parametrize(
    ("made", "note"),
    [
        (devices(900), "its samples cover 50% of the period"),
        (devices(sdb=(40.0, 1e-3)), "it did 40/s where the database did 1,000/s"),
        (devices(sdb=(2500.0, 1e-3)), "it did 2,500/s where the database did 1,000/s"),
        (devices(sdb=(0.0, None)), "it did nothing in this period"),
    ],
)
def test_what_does_not_carry_the_databases_load_has_no_mean(made, note):
    """Half of the period, another disk, another load beside it, an idle disk."""
    found = ledger(made)
    assert [found["read", "host"][name] for name in ("mean_s", "note")] == [None, note]
    assert found["read", "session"]["between_s"] is None


def test_reads_of_many_blocks_make_two_means_incomparable():
    """Half of the database's reads are of one block: the devices' mean is of other reads."""
    found = held(over_time(0, reads=900_000.0), devices()).frame
    rows = {(row["operation"], row["place"]): row for row in found.rows(named=True)}
    host = rows["read", "host"]
    assert host["mean_s"] == pytest.approx(440e-6)
    assert host["note"] == "50% of the database's reads are db file sequential read"
    assert rows["read", "session"]["between_s"] is None


def test_a_mean_of_few_waits_is_none():
    """205 waits once showed 9.9 ms."""
    found = held(over_time(0, syncs=205.0), devices()).frame
    (sync,) = found.filter(operation="commit", place="session").rows(named=True)
    assert [sync["mean_s"], sync["operations"], sync["note"]] == [
        None,
        205,
        "fewer than 1,000 waits",
    ]


def test_the_offset_of_the_clocks_is_taken_away_and_stated():
    """The host's clock is an hour ahead: its samples of nine are those of eight."""
    ahead = devices(shift=3600)
    found = ledger(ahead, offset_s=3600.0)
    assert found["read", "host"]["offset_s"] == 3600.0
    assert found["read", "session"]["between_s"] == pytest.approx(160e-6)
    with pytest.raises(AbsentError):
        ledger(ahead)


def test_two_recordings_of_one_moment_are_refused():
    """Which host the database ran on is for the caller to say."""
    other = devices(shift=7).with_columns(source=pl.lit("other.out"))
    with pytest.raises(AnalysisError, match="two recordings cover the same moment"):
        ledger(pl.concat([devices(), other]))


def hosts_of(**names):
    """What the heads of recordings say of their hosts."""
    return pl.DataFrame([
        {"group": "host", "fact": "host", "value": name, "source": f"{file}.out"}
        for file, name in names.items()
    ])  # fmt: skip


def of_hosts(frame, hosts, reported=None):
    """The ledger of one report where the recordings, and the report, name their hosts."""
    found = over_time(0)
    tables = {"devices": frame, "host": hosts}
    if reported:
        tables["report"] = found.select("source", host=pl.lit(reported))
    reading = {name: measured(table) for name, table in tables.items()}
    return beside(measured(found), measured(periods(found)), reading)


def test_of_two_recordings_of_one_host_the_one_counts_that_tells_reads_from_writes():
    """sar -d beside iostat -x: both are of the same devices at the same time."""
    sar = devices().with_columns(
        **NO_WAITS, await_s=pl.lit(9e-3), source=pl.lit("sar.out"))  # fmt: skip
    both = pl.concat([sar, devices()], how="diagonal")
    found = of_hosts(both, hosts_of(iostat="db1", sar="db1"))
    (host,) = found.frame.filter(operation="read", place="host").rows(named=True)
    assert host["mean_s"] == pytest.approx(440e-6)


def test_the_recording_of_the_reports_own_host_counts():
    """Two instances of a cluster, and iostat of both hosts; names with and without a domain."""
    other = devices().with_columns(source=pl.lit("other.out"), read_await_s=pl.lit(550e-6))
    both, hosts = pl.concat([devices(), other]), hosts_of(iostat="db1.shop.example", other="DB2")
    for reported, mean in (("db1", 440e-6), ("db2.shop.example", 550e-6)):
        found = of_hosts(both, hosts, reported).frame
        (host,) = found.filter(operation="read", place="host").rows(named=True)
        assert host["mean_s"] == pytest.approx(mean)
    with pytest.raises(AbsentError):
        of_hosts(both, hosts, "db3")


def test_a_device_that_is_not_there_is_refused():
    """With the name that was perhaps meant."""
    with pytest.raises(AnalysisError, match=r"no device 'sdd'"):
        ledger(devices(), device=["sdd"])


def test_a_missing_wait_in_one_device_takes_its_interval_out():
    """A sum without it would be too small: one of thirty intervals is lost."""
    gone = (pl.col("device") == "sdb") & (pl.col("time") == EIGHT + timedelta(seconds=600))
    holed = devices().with_columns(
        read_await_s=pl.when(gone).then(None).otherwise(pl.col("read_await_s"))
    )
    host = ledger(holed)["read", "host"]
    assert host["covered_ratio"] == pytest.approx(29 / 30)
    assert host["mean_s"] == pytest.approx(440e-6)


def array(read_ratio, iops=1000.0):
    """What an array says of all its workloads: 0.3 ms an operation."""
    rows = [
        {
            "source": "qos.txt", "view": "characteristics", "scope": "workload", "name": "-total-",
            "is_total": True, "started_at": EIGHT + timedelta(seconds=at), "iops": iops,
            "latency_s": 300e-6, "read_ratio": read_ratio,
        }
        for at in range(0, HALF_HOUR + 1, 60)
    ]  # fmt: skip
    return pl.DataFrame(rows)


def test_the_array_stands_below_the_devices():
    """0.44 ms at the devices, 0.3 ms in the array: 0.14 ms on the way."""
    found = ledger(devices(), array=array(0.95))
    assert found["read", "host"]["between_s"] == pytest.approx(140e-6)
    assert found["read", "array"]["of"] == "all workloads"


def test_an_array_that_mostly_writes_has_a_mean_and_no_difference():
    """Its latency is of reads and writes together."""
    found = ledger(devices(), array=array(0.6))
    assert found["read", "array"]["mean_s"] == pytest.approx(300e-6)
    assert found["read", "array"]["note"] == "60% of its operations are reads"
    assert found["read", "host"]["between_s"] is None


def test_reports_of_a_cluster_are_of_several_hosts():
    """Nothing is set beside them."""
    with pytest.raises(AbsentError):
        held(over_time(0), devices(), instance=None)


@pytest.mark.parametrize(
    ("name", "layer"),
    [
        ("dm-3", True), ("md127", True), ("emcpowera", True), ("mpathb", True),
        ("sda1", True), ("nvme0n1p2", True), ("sda", False), ("nvme0n1", False), ("sdaa", False),
        ("sdb1", False),
    ],
)  # fmt: skip
def test_layers_and_partitions_are_counted_below(name, layer):
    """A partition whose disk is not listed (sdb1) is all that there is of it."""
    assert is_layer(name, ["sda", "nvme0n1", name]) is layer


def test_devices_that_took_longer_than_the_session_waited_did_other_reads():
    """1 ms at the devices of 0.6 ms waited: no difference below zero stands as a result."""
    found = ledger(devices(sdb=(1000.0, 1e-3)))
    assert found["read", "session"]["between_s"] is None
    told = "it took longer than the place above: these are other operations"
    assert found["read", "host"]["note"] == told


def between(made, **given):
    """The answers of a ledger by operation."""
    found = from_frame(time_between(held(over_time(0), made, **given)).frame)
    return {answer.subject.get("operation"): answer for answer in found}


def test_what_lies_between_is_an_answer_with_both_means():
    """Of 0.6 ms 0.44 ms are the devices'; of a commit's 0.9 ms 0.5 ms are the log's write."""
    found = between(devices())
    assert found["read"].got.value == pytest.approx(160e-6)
    told = {item.metric: item.value for item in found["read"].conditions}
    assert told == pytest.approx({"waited": 600e-6, "below": 440e-6, "periods": 1.0, "offset": 0.0})
    assert found["commit"].got.value == pytest.approx(400e-6)
    assert "offset" not in {item.metric for item in found["commit"].conditions}


def test_the_answer_is_weighted_by_the_databases_waits():
    """0.6 ms of 1.8 million waits and 1.2 ms of 1.6 million."""
    both = pl.concat([over_time(0), over_time(HALF_HOUR, reads=1_600_000.0, slower=2.0)])
    named = both.with_columns(source=pl.Series(["a", "b"]), report=pl.Series(["a", "b"]))
    found = held(named, devices(2 * HALF_HOUR))
    (read, _) = from_frame(time_between(found).frame)
    waited = next(item.value for item in read.conditions if item.metric == "waited")
    assert waited == pytest.approx((1.8 * 600e-6 + 1.6 * 1200e-6) / 3.4)
    assert read.got.n == 2


def test_an_answer_that_is_missing_says_why():
    """Another disk was watched."""
    found = between(devices(sdb=(40.0, 1e-3)))["read"]
    assert [found.status, found.reason] == [
        "missing", "it did 40/s where the database did 1,000/s",
    ]  # fmt: skip


def said(answers):
    (statement,) = pk.say(measured(to_frame(answers)))
    return statement.text


def test_the_sentences_say_both_means_and_the_clocks():
    """Word by word."""
    assert said([between(devices(shift=60), offset_s=60.0)["read"]]) == (
        "From 2026-03-02 08:00 to 2026-03-02 08:30 a read of SHOP took 600 µs as the sessions "
        "saw it and 440 µs at sdb, sdc, leaving 160 µs in between, over 1 report. The host's "
        "clock is "
        "taken to be 60 s ahead of the database's."
    )
    assert "took 900 µs as the sessions saw it and 500 µs in log file parallel write" in said([
        between(devices())["commit"]
    ])  # fmt: skip
    assert said([between(devices(sdb=(40.0, 1e-3)))["read"]]) == (
        "What lies between the wait of SHOP for a read and sdb is not known: it did 40/s where the "
        "database did 1,000/s."
    )


def test_the_ledger_as_a_table():
    """Five rows a report: two of a read, three of a commit."""
    table = pk.awr.table_beside(held(over_time(0, HALF_HOUR), devices(2 * HALF_HOUR)))
    assert [column.label for column in table.columns][:4] == [
        "Report", "Operation", "Place", "Event or devices",
    ]  # fmt: skip
    assert len(table.rows) == 10
    assert table.note.endswith(
        "The clocks of the recordings are taken to agree with the database's."
    )


def test_the_ledger_over_one_time_axis():
    """A row a period and a column a place; what has no mean is null, and is not a line."""
    drawn = beside_over_time(held(over_time(0, HALF_HOUR), devices(2 * HALF_HOUR)))
    (first, _) = drawn.frame.rows(named=True)
    assert first["read_session_s"] == 600e-6
    assert first["read_host_s"] == pytest.approx(440e-6)
    assert [first["read_array_s"], first["commit_host_s"]] == [None, None]
    figure = pk.awr.plot_periods(drawn, panels=["read_path", "commit_path"])
    assert "host's devices at 440 µs" in figure.alt
    assert "array" not in figure.alt + figure.caption


def test_two_databases_of_one_host_are_answered_apart():
    """Their waits are of different reads: no mean is over both, and no chart."""
    found = held(pl.concat([over_time(0), over_time(0, history="HR", slower=2.0)]), devices())
    answers = from_frame(time_between(found).frame)
    assert [(one.subject.label, one.subject.get("operation")) for one in answers] == [
        ("SHOP", "read"), ("SHOP", "commit"), ("HR", "read"), ("HR", "commit"),
    ]  # fmt: skip
    assert [round(one.got.value * 1e6) for one in answers] == [160, 400, 760, 400]


# --- paths ------------------------------------------------------------------------------------


def listed(**failed):
    """Two paths to data1 (sdb, sdx), two to data2 (sdc, sdy); which of them had failed."""
    rows = [("data1", "dm-2", "sdb"), ("data1", "dm-2", "sdx"), ("data2", "dm-3", "sdc"),
            ("data2", "dm-3", None)]  # fmt: skip
    return pl.DataFrame([
        {"source": "multipath.txt", "map": name, "dm_device": dm, "device": device,
         "failed": failed.get(device or "gone", False)}
        for name, dm, device in rows
    ])  # fmt: skip


def told(paths, recorded=None):
    """What is said of a listing."""
    tables = {"multipath_paths": paths, "devices": recorded}
    reading = Reading(
        {name: measured(frame) for name, frame in tables.items() if frame is not None},
        Evidence("study", "study.yml", "0" * 64),
    )
    return [statement.text for statement in pk.say(pk.awr.paths_beside(reading))]


def test_the_paths_to_the_recorded_devices_are_counted():
    """iostat recorded sdb alone: data2 is not asked about; without a recording both are."""
    assert told(listed(), devices(sdb=(600.0, 4e-4))) == [
        "When multipath was queried (multipath.txt), all 2 paths to 1 device worked."
    ]
    assert told(listed(sdx=True, gone=True)) == [
        "When multipath was queried (multipath.txt), 2 of 4 paths to 2 devices had failed: 1 of 2 "
        "to data1 (sdx); 1 of 2 to data2."
    ]
    assert told(listed(), devices(nvme0n1=(600.0, 4e-4))) == [
        "Whether the paths to the recorded devices worked is not known from multipath.txt: none of "
        "the devices that were recorded is in it."
    ]


def test_without_a_listing_nothing_is_said_of_paths():
    reading = Reading({}, Evidence("study", "study.yml", "0" * 64))
    assert "no listing of multipath -ll" in str(pk.awr.paths_beside(reading))


def test_a_failed_path_is_a_caution_beside_the_hosts_devices_alone():
    """The mean of sdb and sdc is that of the paths that are left; the session's wait is a wait."""
    found = held(over_time(0), devices(), paths=listed(gone=True))
    cautions = {
        row["place"]: row["cautions"] for row in found.frame.filter(operation="read").to_dicts()
    }
    assert cautions["session"] is None
    (one,) = from_json(cautions["host"])
    assert one.text == "1 of 2 paths to data2 had failed when multipath listed them"
