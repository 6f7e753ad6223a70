"""Real reports, where they are at hand: values checked by eye, and nothing left silent."""

from datetime import datetime

import polars as pl
import pytest
from places import ROOT

from perfkit import sources as parsers
from perfkit.sources.awr import read_awr

REAL = ROOT / "../shared/real/awr"
FILES = sorted([*REAL.glob("*.html"), *REAL.glob("*.lst")] if REAL.is_dir() else [])
pytestmark = pytest.mark.skipif(not FILES, reason="the real reports are not at hand")


def report(name):
    path = REAL / name
    if not path.is_file():
        pytest.skip(f"{name} is not at hand")
    return read_awr(path)


def one(table, **equal):
    rows = table.filter(**equal).frame.to_dicts()
    assert len(rows) == 1, (equal, len(rows))
    return rows[0]


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_every_section_is_read_and_every_table_is_listed(path):
    """No section is unparsed, and each table is a section, left out by name, or in a warning.

    The header of Smart I/O in three reports lacks two names below its groups: which, none can say.
    """
    reading = read_awr(path)
    sections = reading.evidence.sections
    unread = {item.name for item in sections if item.status == "unparsed"}
    assert unread == ({"cell_smart_io"} if path.stem[-2:] in ("_U", "_V", "_Z") else set())
    assert not any("does not know" in text for text in reading.evidence.warnings)
    assert any(item.name.startswith("not read: ") for item in sections)
    found = {item.name: item.rows for item in sections if item.status == "found"}
    assert all(rows for name, rows in found.items() if not name.startswith("not read: "))
    assert len(reading.load_points) == 3


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_the_kind_is_told_by_the_content(path):
    """A report is known as AWR or Statspack without its name."""
    assert parsers.kind_of(path) == ("statspack" if "statspack" in path.stem else "awr")


def test_rac_19c_by_instance_and_cluster():
    """The golden values of a RAC-global report: blocks are blocks, IOPS come from IO Profile."""
    reading = report("rac_19c_U.html")
    rows = {row["instance"]: row for row in reading.system_statistics.frame.to_dicts()}
    assert set(rows) == {1, 2}  # Sum, Avg and Std are not instances
    assert rows[1]["physical_reads_blocks_per_s"] == 44394.59
    assert rows[1]["physical_writes_blocks_per_s"] == 904.78
    assert rows[1]["redo_bytes_per_s"] == 1638.71 * 1024
    assert rows[2]["physical_reads_blocks_per_s"] == 38693.34
    assert rows[2]["redo_bytes_per_s"] == 1562.24 * 1024
    times = {row["instance"]: row for row in reading.instances.frame.to_dicts()}
    assert times[1]["db_time_s"] == 29147.65 * 60
    assert times[2]["average_active_sessions"] == 3.43
    assert times[2]["begin_time"] == datetime(2023, 2, 15)  # noqa: DTZ001
    assert one(reading.host_cpu, instance=1)["busy_ratio"] == pytest.approx(0.1702, abs=1e-12)
    cell = one(
        reading.top_events, level="cluster", scope="all", event="cell single block physical read"
    )
    assert cell["waits"] == 277137577
    assert cell["total_wait_s"] == 136130.50
    assert cell["avg_wait_s"] == pytest.approx(491.20e-6, abs=1e-12)
    assert cell["wait_class"] == "User I/O"
    assert cell["instances_std_s"] == pytest.approx(13.12e-6, abs=1e-12)
    assert cell["instances_count"] == 2
    assert one(reading.top_events, level="cluster", scope="all", event="DB CPU")["waits"] is None
    points = {row["direction"]: row for row in reading.load_points.frame.to_dicts()}
    assert [points[name]["iops"] for name in ("read", "write", "total")] == [
        1739.39, 632.50, 2371.89,
    ]  # fmt: skip
    source = one(reading.iops_source, used=True)
    assert (source["section"], source["counts"]) == ("IO Profile", "total")
    assert not reading.evidence.unverified


def test_the_wrong_counter_of_exadata_is_told():
    """IO by Function has 298,914,443 requests/s where IO Profile has 2,371.89: a warning."""
    warnings = report("rac_19c_U.html").evidence.warnings
    assert any("IO by Function 2.98914e+08" in text for text in warnings)


def test_rac_histogram_counts_in_brackets():
    """``0.0(6)`` is a share of 0.0 and a count of 6, in the bucket its column names."""
    rows = report("rac_19c_U.html").event_histogram.filter(event="ADR block file read").frame
    bucket = [row for row in rows.to_dicts() if row["count"] == 6]
    assert [(row["lower_s"], row["upper_s"], row["waits_ratio"]) for row in bucket] == [
        (0.128, 0.256, 0.0)
    ]
    assert rows["waits"].to_list() == [12300.0] * rows.height


def test_single_11_2():
    """11.2 prints average waits in whole ms: the computed one has the digits."""
    reading = report("single_11.2.0.4.html")
    read = one(reading.top_events, event="direct path read")
    assert read["avg_wait_s"] == 0.0
    assert read["avg_wait_computed_s"] == 720.2 / 2144793
    assert one(reading.load_profile, statistic="physical_reads")["unit"] == "blocks"
    # a bare number under "Data per sec" is MB in this release
    direct = one(reading.io_by_function, function="Direct Reads", filetype=None)
    assert direct["read_bytes_per_s"] == 554.061 * 1024**2
    assert direct["read_bytes"] == 1.9 * 1024**4
    assert direct["read_iops"] == 594.84


def test_the_header_of_11_2_that_names_columns_in_a_wrong_order():
    """917,089 stands under '1-bk Rds/s', but over the elapsed time it is the writes per second."""
    reading = report("single_11.2.0.4.html")
    row = one(reading.io_by_tablespace, tablespace="TS_UNIAUTH")
    assert (row["writes"], row["write_iops"]) == (917089.0, 254.0)
    assert row["one_block_read_iops"] == 544.81
    assert any("numbers contradict" in text for text in reading.evidence.warnings)


def test_single_12_2():
    """K on a count is 1000, G on data is 1024^3, and the unit stands in the cell."""
    reading = report("single_12.2_S.html")
    top = one(reading.top_events, event="cell single block physical read")
    assert top["total_wait_s"] == 35000.0
    assert top["avg_wait_s"] == pytest.approx(353.90e-6, abs=1e-12)
    row = reading.report.frame.row(0, named=True)
    assert (row["cpus"], row["cores"], row["sockets"]) == (32, 16, 2)
    assert row["elapsed_s"] == pytest.approx(4319.92 * 60)
    assert row["block_size_bytes"] == 16384
    assert len(reading.os_statistics_detail) == 289
    ranges = set(reading.event_histogram.frame["range"])
    assert {"all", "up to 64 us", "up to 32 ms", "up to 1 hr"} <= ranges


def test_text_12_1_where_empty_columns_have_no_width():
    """Cores and Sockets are blank and printed without their width: the load is still the load."""
    reading = report("text_12.1.lst")
    host = reading.host_cpu.frame.row(0, named=True)
    assert (host["cpus"], host["cores"], host["sockets"]) == (4, None, None)
    assert (host["load_average_begin"], host["load_average_end"]) == (0.04, 0.0)
    assert host["idle_ratio"] == pytest.approx(0.983)
    assert one(reading.wait_classes, scope="foreground", wait_class="Application")["waits"] == 8
    rows = reading.io_by_function.filter(filetype="Control File").frame
    assert set(rows["function"]) == {"Others", "Direct Reads"}
    file = one(reading.io_by_file, tablespace="SYSAUX")
    assert (file["reads"], file["writes"]) == (53164.0, 478.0)
    first = one(reading.sql, ordered_by="elapsed", rank=1)
    assert (first["sql_id"], first["elapsed_s"], first["module"]) == (
        "ahth7r350rv06", 39.3, "SQL*Plus",
    )  # fmt: skip
    assert first["text"].startswith("select a.TABLESPACE_NAME, min(a.BYTES)")


def test_statspack_12_1():
    """A blank database name is null, ``#####`` is null and told, CPUs stand beside a heading."""
    reading = report("statspack_12.1.lst")
    row = reading.report.frame.row(0, named=True)
    assert (row["db_name"], row["db_id"], row["host"]) == (None, 1440100868, "cent6.ostrich")
    assert row["elapsed_s"] == 4.03 * 60
    assert (row["db_cpu_s"], row["average_active_sessions"]) == (0.03 * 60, 0.0)
    assert reading.host_cpu.frame["cpus"].to_list() == [1]
    assert sum("wider than its column" in text for text in reading.evidence.warnings) == 3
    wide = one(reading.instance_activity, statistic="physical read bytes")
    assert (wide["total"], wide["per_transaction"]) == (502792192.0, None)
    assert one(reading.iops_source, used=True)["section"] == "Instance Activity"
    assert len(reading.io_by_file) == 4
    assert len(reading.io_profile) == 0


def test_only_what_is_asked_for_is_read():
    """A reading of two tables has them alone; the other sections are told as not asked for."""
    path = REAL / "rac_19c_U.html"
    if not path.is_file():
        pytest.skip("the file is not at hand")
    whole, part = read_awr(path), read_awr(path, tables=["load_points", "top_events"])
    assert list(part) == ["top_events", "load_points"]
    assert part.load_points.hash == whole.load_points.hash
    skipped = {item.name: item for item in part.evidence.sections}["event_histogram"]
    assert (skipped.status, skipped.rows, skipped.reason) == ("found", None, "not asked for")


def test_recovery_and_log_files_in_html_and_text():
    """The same figures in three forms: seconds, redo blocks, sizes; N/A and blank are null."""
    html = report("single_12.2_S.html").instance_recovery
    begin, end = one(html, snapshot="begin"), one(html, snapshot="end")
    assert (begin["target_mttr_s"], begin["estimated_mttr_s"]) == (82.0, 77.0)
    assert (end["recovery_estimated_ios"], end["actual_redo_blocks"]) == (257226.0, 3281426.0)
    assert (begin["optimal_log_size_bytes"], begin["estimated_rac_available_time_s"]) == (
        73103 * 1024**2, 39.0,
    )  # fmt: skip
    assert begin["log_checkpoint_interval_redo_blocks"] is None
    text = one(report("text_12.1.lst").instance_recovery, snapshot="end")
    assert (text["target_redo_blocks"], text["log_size_redo_blocks"]) == (5607.0, 331776.0)
    assert text["optimal_log_size_bytes"] is None
    statspack = one(report("statspack_12.1.lst").instance_recovery, snapshot="begin")
    assert statspack["log_checkpoint_timeout_redo_blocks"] == 9309.0
    assert statspack["log_checkpoint_interval_redo_blocks"] is None


def test_memory_of_server_processes_of_a_cluster_and_of_one_instance():
    """RAC prints MB, one instance M and K: bytes of both."""
    rac = one(report("rac_19c_U.html").pga, instance=2, snapshot="end")
    assert rac["target_bytes"] == 25600 * 1024**2
    assert rac["auto_work_areas_bytes"] == 1304.58 * 1024**2
    assert rac["work_areas_bytes"] is None
    single = one(report("single_12.2_S.html").pga, snapshot="begin")
    assert single["allocated_bytes"] == 2840.50 * 1024**2
    assert single["global_memory_bound_bytes"] == 1024**3
    assert single["manual_work_areas_ratio"] == pytest.approx(0.1599)
    areas = report("single_12.2_S.html").pga_work_areas.frame.row(0, named=True)
    assert areas["cache_hit_ratio"] == pytest.approx(0.7204)
    assert areas["extra_bytes"] == 1764819 * 1024**2


def test_statspack_reads_of_each_file_by_their_time():
    """36,205 reads of one file took less than 2 ms, and none longer."""
    frame = report("statspack_12.1.lst").file_read_histogram.frame
    assert frame.height == 4 * 6
    first = frame.filter(pl.col("data_file") == "/u01/oradata/orcl/sysaux01.dbf")
    assert first.select("lower_s", "upper_s", "reads").rows() == [
        (0.0, 0.002, 36205.0), (0.002, 0.004, 0.0), (0.004, 0.008, 0.0), (0.008, 0.016, 0.0),
        (0.016, 0.032, 0.0), (0.032, None, 0.0),
    ]  # fmt: skip


def test_statspack_sizes_of_io():
    """55K requests and 428M of one function; nothing printed is null, 0 is 0."""
    sizes = report("statspack_12.1.lst").io_sizes
    reads = one(sizes, function="Buffer Cache Reads", filetype=None)
    assert (reads["small_read_requests"], reads["large_read_requests"]) == (55000.0, 6.0)
    assert reads["small_read_bytes"] == 428 * 1024**2
    assert reads["small_write_requests"] is None
    others = one(sizes, function="Others", filetype=None)
    assert (others["small_write_requests"], others["small_write_bytes"]) == (168.0, 2 * 1024**2)
    log = one(sizes, function="LGWR", filetype="Log File")
    assert (log["large_write_bytes"], log["small_read_bytes"]) == (3 * 1024**2, 0.0)
    assert one(sizes, function="LGWR", filetype="Other(8)")["wait_s"] == 0.057


def test_segments_pools_and_advice():
    """Blocks and requests apart; the rank is the place in the list."""
    reading = report("single_11.2.0.4.html")
    first = one(reading.segments, ordered_by="physical_reads", rank=1)
    assert (first["object"], first["value"], first["unit"]) == (
        "T_ONLINE_USER", 249733757.0, "blocks",
    )  # fmt: skip
    asked = one(reading.segments, ordered_by="physical_read_requests", rank=1)
    assert (asked["value"], asked["unit"]) == (2040761.0, "1")
    assert one(reading.buffer_pools, pool="D")["physical_writes_blocks"] == 224612.0
    assert one(reading.checkpoint_writes)["log_size_writes"] == 222817.0
    text = one(report("text_12.1.lst").segments, ordered_by="physical_reads", rank=1)
    assert (text["owner"], text["object"], text["data_object_id"]) == ("SYS", "HISTGRM$", 64.0)
    advice = report("single_12.2_T.html")
    assert len(advice.mttr_advice) == 5
    smallest = one(advice.memory_advice, advice="buffer_pool", size_bytes=1984 * 1024**2)
    assert smallest["physical_reads_blocks"] == 26409414000.0
