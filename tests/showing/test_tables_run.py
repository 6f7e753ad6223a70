"""The test environment as tables: what was found in words, what was not by name, hosts apart."""

import polars as pl
import pytest

from perfkit.core.errors import AnalysisError
from perfkit.core.schema import polars_schema
from perfkit.showing.tables.run import fact_text, table_by_target, table_host, table_spec, words
from perfkit.sources.rundir.schema import RUN_TARGETS

FACTS = [
    ("host", "cpu_model", "Xeon", None),
    ("host", "cpu_governor", None, None),
    ("host", "memory_bytes", "1073741824", None),
    ("target", "device.scheduler", "none", None),
    ("target", "directory_sha256", "00ff", None),
    ("tool", "version", "fio-3.33", None),
]


def frame(rows):
    schema = dict.fromkeys(("group", "fact", "value", "host"), pl.String)
    return pl.DataFrame(rows, schema=schema, orient="row")


def texts(table):
    return [[cell.text for cell in row] for row in table.cells()]


def test_one_host_without_a_column_of_hosts():
    table = table_host(frame(FACTS))
    assert texts(table) == [
        ["Host", "CPU model", "Xeon"],
        ["Host", "Memory", "1 GiB"],
        ["Target", "Device scheduler", "none"],
        ["Tool", "Version", "fio-3.33"],
    ]
    assert table.note == "Not found on the host: CPU governor."


def test_a_part_has_its_own_table_id_and_caption():
    table = table_host(frame(FACTS), part="target")
    assert (table.id, texts(table)) == ("target", [["Device scheduler", "none"]])
    assert table.caption == "The storage under test, as the host sees it."
    assert table.note is None


def test_of_several_hosts_what_differs_stands_apart():
    """Two generators agree in one fact and differ in another; a third lacks it."""
    rows = [
        ("host", "cpu_model", "Xeon", "a"),
        ("host", "cpu_governor", "performance", "a"),
        ("host", "cpu_model", "Xeon", "b"),
        ("host", "cpu_governor", "powersave", "b"),
        ("host", "cpu_model", "Xeon", "c"),
        ("host", "cpu_governor", None, "c"),
        ("host", "cpu_turbo", None, "c"),
    ]
    table = table_host(frame(rows), part="host")
    assert texts(table) == [
        ["CPU model", "Xeon", "all"],
        ["CPU governor", "performance", "a"],
        ["CPU governor", "powersave", "b"],
    ]
    assert table.note == "Not found on the host: CPU turbo."


def test_where_perfkit_ran_is_told_from_the_generators():
    rows = [("host", "kernel", "6.1", None), ("host", "kernel", "5.14", "a"),
            ("host", "kernel", "5.14", "b")]  # fmt: skip
    assert texts(table_host(frame(rows), part="host")) == [
        ["Kernel", "6.1", "controller"],
        ["Kernel", "5.14", "all"],
    ]


def test_an_unknown_part_and_an_empty_one_are_errors():
    with pytest.raises(AnalysisError, match="no part 'targets'; did you mean 'target'"):
        table_host(frame(FACTS), part="targets")
    with pytest.raises(AnalysisError, match="no facts of consent"):
        table_host(frame(FACTS), part="consent")


@pytest.mark.parametrize(
    ("name", "value", "text"),
    [
        ("cpu_highest_hz", "3900000000", "3.90 GHz"),
        ("background_cpu_busy_ratio", "0.0125", "1.2%"),
        ("device.read_ahead_bytes", "131072", "128 KiB"),
        ("device.write_throttle_target_us", "75000", "75000 µs"),
        ("virtual_machine", "true", "yes"),
        ("cpu_governor", "performance (3), powersave (1)", "performance (3), powersave (1)"),
        ("device.model", None, None),
    ],
)
def test_values_are_printed_by_the_unit_in_their_name(name, value, text):
    assert fact_text(name, value) == text


@pytest.mark.parametrize(
    ("name", "shown"),
    [
        ("device.adapter.port_wwn", "Device adapter port world-wide name"),
        ("device.paths.queue_depth", "Device paths queue depth"),
        ("cpu_highest_hz", "CPU highest frequency"),
        ("numa_nodes", "NUMA nodes"),
    ],
)
def test_names_are_words(name, shown):
    assert words(name) == shown


def test_commands_beside_the_load_are_named_with_their_times():
    """The commands themselves stand in the record; they may be long."""
    rows = [
        ("observe", '[{"name": "array", "command": "ssh a", "every_s": 5.0, "form": "csv"}]'),
        ("events", '[{"name": "takeover", "command": "x", "at_s": 60.0}]'),
        ("background.rate_iops", "500"), ("background.block_size", "8192"), ("targets", "3"),
    ]  # fmt: skip
    table = table_spec(pl.DataFrame(rows, schema=["field", "value"], orient="row"))
    assert texts(table) == [
        ["Observed during the load", "array, every 5 s"],
        ["Events", "takeover, at 60 s"],
        ["Background load: offered IOPS", "500"],
        ["Background load: block size", "8 KiB"],
        ["Targets of the load", "3"],
    ]


def test_each_target_of_a_load_has_its_row_and_the_load_beside_its_name():
    of = {"point": "p", "workload": "w", "load_kind": "iodepth", "load": 4.0, "repeat": 1}
    usual = {**of, "ios": 1, "io_bytes": 8192, "lat_mean_s": 1e-3}
    rows = [{**usual, "target": n, "direction": side, "iops": 100.0 * n}
            for n, side in ((1, "read"), (2, "write"), (0, "read"))]  # fmt: skip
    table = table_by_target(pl.DataFrame(rows, schema=polars_schema(RUN_TARGETS)))
    assert [column.label for column in table.columns] == [
        "Direction", "iodepth", "Repeat", "Target", "IOPS", "Mean latency (ms)"
    ]  # fmt: skip
    assert texts(table)[2] == ["read", "4", "1", "the background load", "0", "1.00"]
