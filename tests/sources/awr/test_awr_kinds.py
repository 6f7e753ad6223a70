"""What is made of several sections is of one kind: bytes like the IOPS, redo per second, CPU by
host."""

import pytest

from perfkit.sources.awr import derived
from perfkit.sources.awr.schema import TABLES

EMPTY = {name: {} for name in TABLES}
ONE = {"level": "instance", "instance": 1}


def data(*rows):
    """Rows as the columns of a section's table."""
    names = list(dict.fromkeys(name for row in rows for name in row))
    return {name: [row.get(name) for row in rows] for name in names}


def profile(**rows):
    """An IO Profile: statistic -> read and write per second."""
    return data(*(
        {**ONE, "statistic": name, "read_per_s": read, "write_per_s": write,
         "total_per_s": read + write}
        for name, (read, write) in rows.items()
    ))  # fmt: skip


def load(**rows):
    return data(*({**ONE, "statistic": name, "per_s": value} for name, value in rows.items()))


def points(**tables):
    head = {**dict.fromkeys(TABLES["report"]), "elapsed_s": 3600.0}
    made = {**EMPTY, "report": data(head), **tables}
    made["iops_source"] = derived.iops_source(made)
    found = derived.load_points(made, "a.html")
    rows = [dict(zip(found, values, strict=True)) for values in zip(*found.values(), strict=True)]
    return {row["direction"]: row for row in rows}


def test_bytes_are_of_the_same_kind_of_io_as_the_iops():
    """The IO Profile prints all I/O, the database's and redo: each its requests and its bytes."""
    every = {
        "total_requests": (100.0, 60.0), "total_bytes": (1e6, 6e5),
        "database_requests": (80.0, 40.0), "database_bytes": (8e5, 3e5),
        "redo_requests": (1.0, 9.0), "redo_bytes": (1e3, 9e4),
    }  # fmt: skip
    rows = points(io_profile=profile(**every))
    assert [rows[d]["bw_bytes_per_s"] for d in ("read", "write", "total")] == [1e6, 6e5, 1.6e6]
    # the requests of the total are not printed: those of the database are used, and its bytes
    less = {name: value for name, value in every.items() if name != "total_requests"}
    rows = points(io_profile=profile(**less))
    assert [rows[d]["iops"] for d in ("read", "write", "total")] == [80.0, 40.0, 120.0]
    assert [rows[d]["bw_bytes_per_s"] for d in ("read", "write", "total")] == [8e5, 3e5, 1.1e6]
    # bytes of the other kind are not taken in their place
    other = {name: every[name] for name in ("database_requests", "total_bytes")}
    assert points(io_profile=profile(**other))["total"]["bw_bytes_per_s"] is None


def test_bytes_of_the_load_profile_are_those_of_the_database():
    """Beside requests of the whole instance they would be too few for them."""
    bytes_ = load(read_bytes=5e5, write_bytes=1e5)
    own = load(read_requests=50.0, write_requests=10.0, read_bytes=5e5, write_bytes=1e5)
    assert points(load_profile=own)["total"]["bw_bytes_per_s"] == 6e5
    activity = data(
        {**ONE, "statistic": "physical read total IO requests", "per_s": 70.0},
        {**ONE, "statistic": "physical write total IO requests", "per_s": 20.0},
    )
    rows = points(load_profile=bytes_, instance_activity=activity)
    assert (rows["total"]["iops"], rows["total"]["bw_bytes_per_s"]) == (90.0, None)
    database = data(
        {**ONE, "statistic": "physical read IO requests", "per_s": 50.0},
        {**ONE, "statistic": "physical write IO requests", "per_s": 10.0},
    )
    rows = points(load_profile=bytes_, instance_activity=database)
    assert (rows["total"]["iops"], rows["total"]["bw_bytes_per_s"]) == (60.0, 6e5)


@pytest.mark.parametrize(
    ("row", "per_s"),
    [
        ({"statistic": "log switches (derived)", "total": 2.0, "per_hour": 36.0}, 0.01),
        # what is printed per hour goes before what is printed per second
        ({"statistic": "log switches (derived)", "per_hour": 36.0, "per_s": 5.0}, 0.01),
        ({"statistic": "redo size", "total": 600.0, "per_s": 10.0}, 10.0),
        # Oracle counts times in hundredths of a second
        ({"statistic": "redo write time", "total": 300.0, "per_s": 5.0}, 0.05),
    ],
)
def test_redo_stands_per_second_whatever_it_is_printed_per(row, per_s):
    made = derived.redo_log({**EMPTY, "instance_activity": data({**ONE, **row})})
    assert made["per_s"] == [per_s]


def hosts(*rows):
    return data(*(
        {"level": "instance", "instance": n, "cpus": cpus, "busy_ratio": busy, "idle_ratio": idle}
        for n, (cpus, busy, idle) in enumerate(rows, 1)
    ))  # fmt: skip


@pytest.mark.parametrize(
    ("rows", "busy"),
    [
        # (2 x 50% + 8 x 10%) / 10 CPUs: neither host counts the same as the other
        ([(2, 0.5, None), (8, 0.1, None)], 0.18),
        ([(8, 0.5, None), (2, 0.1, None)], 0.42),
        ([(4, None, 0.75), (12, 0.5, None)], 0.4375),
        ([(2, 0.5, None), (None, 0.1, None)], None),
        ([(2, 0.5, None), (8, None, None)], None),
        ([(None, 0.3, None)], 0.3),
    ],
)
def test_the_cpu_of_several_hosts_is_weighted_by_their_cpus(rows, busy):
    found = points(host_cpu=hosts(*rows))["total"]["cpu_busy_ratio"]
    assert found == (None if busy is None else pytest.approx(busy))
