"""Redo, memory and segments of AWR readings on paper: each number as the report has it."""

import pytest

from perfkit.core.errors import AnalysisError
from perfkit.core.units import MIB
from perfkit.showing.tables.awr_storage import (
    table_buffer_pools,
    table_memory,
    table_memory_advice,
    table_pga,
    table_recovery,
    table_redo_log,
    table_segments,
)
from perfkit.sources.awr.frames import framed


def made(table, *rows):
    names = {name for row in rows for name in row}
    return framed(table, {name: [row.get(name) for row in rows] for name in names})


def labels(table):
    return [column.label for column in table.columns]


def texts(table):
    return table.content()["rows"]


def test_recovery_has_begin_and_end_side_by_side():
    """A figure that neither snapshot has makes no row; one that one of them lacks is a dash."""
    rows = (
        {"snapshot": "begin", "target_mttr_s": 0.0, "target_redo_blocks": 331776.0,
         "optimal_log_size_bytes": 731.0 * MIB},
        {"snapshot": "end", "target_mttr_s": 0.0, "target_redo_blocks": 20384298.0},
    )  # fmt: skip
    shown = table_recovery(made("instance_recovery", *rows))
    assert labels(shown) == ["Figure", "Begin", "End"]
    assert texts(shown) == [
        ["Target MTTR (s)", "0", "0"], ["Redo blocks, target", "331,776", "20,384,298"],
        ["Optimal log file size (MiB)", "731", "–"],
    ]  # fmt: skip


def test_redo_says_its_units():
    """Bytes are shown in MiB, whatever the report calls them; counts and waits as they are."""
    rows = (
        {"item": "redo_bytes", "printed": "redo size", "unit": "bytes", "total": 3.0 * MIB,
         "per_s": 0.5 * MIB, "mean_s": None},
        {"item": "redo_bytes_io", "printed": "Redo (MB):", "unit": "bytes", "per_s": 1.0 * MIB},
        {"item": "log_file_sync_foreground", "printed": "log file sync", "unit": "1",
         "total": 1234.0, "mean_s": 0.000658},
        {"item": "redo_write_time", "printed": "redo write time", "unit": "s", "total": 12.0},
    )  # fmt: skip
    shown = table_redo_log(made("redo_log", *rows))
    assert labels(shown) == ["Statistic", "Total", "Per second", "Mean wait (µs)"]
    assert texts(shown) == [
        ["redo size (MiB)", "3", "0.50", "–"], ["Redo (MiB)", "–", "1.00", "–"],
        ["log file sync", "1,234", "–", "658"], ["redo write time (s)", "12", "–", "–"],
    ]  # fmt: skip


def test_the_waits_of_an_event_say_whose_they_are():
    """Statspack has three tables of events: two rows "log file sync" stood below each other."""
    rows = [
        {"item": f"log_file_sync_{scope}", "printed": "log file sync", "unit": "1", "total": 4.0}
        for scope in ("foreground", "background", "all")
    ]
    assert [row[0] for row in texts(table_redo_log(made("redo_log", *rows)))] == [
        "log file sync", "log file sync, background", "log file sync, all sessions",
    ]  # fmt: skip


def test_memory_has_sizes_in_mib_and_shares_in_percent():
    """The block size stands with the database, not among sizes of memory."""
    rows = (
        {"item": "sga", "printed": "SGA use (MB):", "unit": "bytes", "begin": 512.5 * MIB,
         "end": 512.5 * MIB},
        {"item": "sga_pga_share", "printed": "% Host Mem used for SGA+PGA:", "unit": "1",
         "begin": 0.6125, "end": None},
        {"item": "block_size", "printed": "Std Block Size", "unit": "bytes", "begin": 8192.0},
    )  # fmt: skip
    shown = table_memory(made("memory", *rows))
    assert texts(shown) == [
        ["SGA use (MiB)", "512.50", "512.50"], ["Host Mem used for SGA+PGA (%)", "61.25", "–"],
    ]  # fmt: skip
    with pytest.raises(AnalysisError, match="no sizes of memory"):
        table_memory(made("memory", rows[2]))


def test_the_pga_of_a_cluster_has_a_row_for_each_instance_and_snapshot():
    """What RAC prints stands in columns that a report of one instance does not fill."""
    rows = [
        {"level": "instance", "instance": number, "snapshot": when, "target_bytes": 1024.0 * MIB,
         "allocated_bytes": 10.5 * MIB, "auto_work_areas_bytes": 0.0}
        for number in (1, 2) for when in ("begin", "end")
    ]  # fmt: skip
    shown = table_pga(made("pga", *rows))
    assert labels(shown) == ["I#", "Snapshot", "Target (MiB)", "Allocated (MiB)", "Automatic (MiB)"]
    assert texts(shown)[2] == ["2", "begin", "1,024.0", "10.5", "0.0"]


def test_buffer_pools_count_blocks():
    """A share in percent, counts whole."""
    row = {"pool": "D", "hit_ratio": 0.69, "physical_reads_blocks": 54959.0}
    shown = table_buffer_pools(made("buffer_pools", row))
    assert labels(shown) == ["Pool", "Hits (%)", "Reads (blocks)"]
    assert texts(shown) == [["D", "69", "54,959"]]


def test_advice_is_of_one_memory():
    """Rows of another memory are not mixed in; one that the report lacks is an error."""
    rows = (
        {"advice": "buffer_pool", "pool": "D", "size_bytes": 1280.0 * MIB, "size_factor": 0.1,
         "physical_reads_blocks": 11125196000.0, "physical_reads_factor": 48.4},
        {"advice": "pga", "size_bytes": 6144.0 * MIB, "size_factor": 0.5, "extra_bytes": 1.5 * MIB,
         "cache_hit_ratio": 0.9, "overallocations": 2.0},
    )  # fmt: skip
    advice = made("memory_advice", *rows)
    assert texts(table_memory_advice(advice)) == [["1,280", "0.10", "11,125,196,000", "48.40"]]
    shown = table_memory_advice(advice, of="pga")
    assert labels(shown)[2:] == ["Temporary I/O (MiB)", "In memory (%)", "Overallocations"]
    assert texts(shown) == [["6,144", "0.50", "1.5", "90.0", "2"]]
    with pytest.raises(AnalysisError, match="no advice on the SGA"):
        table_memory_advice(advice, of="sga")


def test_segments_are_of_one_order():
    """The unit of the order stands in the header."""
    rows = (
        {"ordered_by": "physical_reads", "object": "OBJ$", "unit": "blocks", "value": 750.0,
         "total_ratio": 0.75},
        {"ordered_by": "physical_write_requests", "object": "ORDERS", "unit": "1", "value": 7.0},
    )  # fmt: skip
    segments = made("segments", *rows)
    shown = table_segments(segments)
    assert labels(shown) == ["Object", "Physical reads (blocks)", "Of all (%)"]
    assert texts(shown) == [["OBJ$", "750", "75.0"]]
    assert labels(table_segments(segments, order="physical_write_requests")) == [
        "Object", "Physical write requests",
    ]  # fmt: skip
    with pytest.raises(AnalysisError, match="report has physical_reads, physical_write_requests"):
        table_segments(segments, order="logical_reads")
