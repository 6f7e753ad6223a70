"""Recovery, memory pools, advisories, segments and I/O sizes: what was put in comes out.

What is expected is what the page says: its rounded, exact decimal, as in test_forged.
"""

from __future__ import annotations

import dataclasses
import math
from decimal import Decimal

import pytest
from forges import awr
from forges.awr import DIALECTS, MANY, NARROW, Cut, storage
from forges.awr.lines.storage import ORDERS
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from perfkit.core.units import MIB
from perfkit.sources.awr import read_awr
from perfkit.sources.awr.schema import TABLES

NEW = (
    "instance_recovery", "checkpoint_writes", "mttr_advice", "buffer_pools", "pga",
    "pga_work_areas", "memory_advice", "segments", "io_sizes",
)  # fmt: skip
HTML = {*NEW} - {"io_sizes"}
PRINTED = {
    **dict.fromkeys([name for name in DIALECTS if name.startswith("html")], HTML),
    "html-pdb": {"segments"},
    "text-12.1": HTML - {"mttr_advice"},
    "text-19c": set(),
    "statspack": {*NEW} - {"checkpoint_writes", "mttr_advice"},
    "rac-19c": {"pga"}, "rac-11.2": set(), "rac-text": set(),
}  # fmt: skip
"""The tables that each form is known to print: no real report shows the others."""


def read(folder, forged, name="report"):
    """The reading of a forged report."""
    path = folder / name
    path.write_bytes(forged.data)
    return read_awr(path, root=folder)


def same(expected, found):
    """Whether a value is what the page says."""
    if isinstance(expected, Decimal) and found is not None:
        return math.isclose(found, float(expected), rel_tol=1e-12, abs_tol=1e-18)
    return found == (str(expected) if isinstance(expected, Cut) else expected)


def differences(forged, reading):
    """Every cell of the new tables that is not what the page says, every row too many or few."""
    for name in {*NEW} & forged.tables.keys():
        expected, found = forged.tables[name], reading[name].frame.to_dicts()
        if len(found) != len(expected):
            yield f"{name}: {len(expected)} rows expected, {len(found)} found"
            continue
        for wanted, row in zip(expected, found, strict=True):
            for key, value in wanted.items():
                if not same(value, row[key]):
                    yield f"{name}, {key}: {value!r} expected, {row[key]!r} found"


COUNTS = st.integers(0, 99_999)
FACTORS = st.integers(1, 999)


def made(part, /, **fields):
    """A part of the content, its fields drawn by their names' ranges."""
    names = [field.name for field in dataclasses.fields(part)]
    return st.builds(part, **{name: fields.get(name, COUNTS) for name in names})


RECOVERY = made(
    storage.Recovery, target_mttr=st.integers(0, 9999), estimated_mttr=st.integers(0, 9999),
    interval_blocks=st.none() | COUNTS, optimal_log_mb=st.none() | COUNTS,
    rac_seconds=st.none() | st.integers(0, 9999),
)  # fmt: skip
MTTR = made(
    storage.MttrAdvice, cache_factor=FACTORS,
    totals=st.none() | st.tuples(COUNTS, FACTORS, COUNTS, FACTORS),
)  # fmt: skip
POOL = made(
    storage.Pool, name=st.sampled_from(["D", "K", "R", "16k"]), hit=st.integers(0, 100),
    buffers=st.integers(1000, 10**6), free_waits=st.integers(0, 999),
    write_waits=st.integers(0, 999), busy_waits=st.integers(0, 999),
).map(lambda pool: dataclasses.replace(pool, name=pool.name[:3]))  # fmt: skip
PGA = made(storage.Pga, target_mb=st.integers(1, 99_999), allocated=st.integers(1, 10**7))
AREAS = made(storage.WorkAreas, hit=st.integers(0, 10_000))
BUFFERS = made(
    storage.BufferAdvice, pool=st.sampled_from(["D", "K"]), factor=FACTORS, reads_factor=FACTORS,
)  # fmt: skip
PGA_ADVICE = made(storage.PgaAdvice, factor=FACTORS, hit=st.integers(0, 100))
SGA_ADVICE = made(
    storage.SgaAdvice, factor=FACTORS, db_time_factor=FACTORS, db_time_s=st.integers(0, 9999),
)  # fmt: skip
NAMES = st.sampled_from(["T_ORDER", "I_ORDER$", "SYS_LOB0000092764C00009$$", "WRH$_SQL_PLAN"])
SEGMENT = made(
    storage.Segment, owner=st.sampled_from(["SYS", "PERFSTAT", "IDC_U_UNIAUTH"]),
    tablespace=st.sampled_from(["SYSTEM", "USERS"]), name=NAMES,
    partition=st.sampled_from(["", "P_2026_11", "WRH$_ACTIVE_2028335103_18170"]),
    kind=st.sampled_from(["TABLE", "INDEX", "LOB PARTITION"]), number=st.integers(1, 10**6),
    data_number=st.integers(1, 10**6), container=st.sampled_from(["PDB1", "CDB$ROOT"]),
    counts=st.fixed_dictionaries({order.name: COUNTS for order in ORDERS}),
)  # fmt: skip
FOUR = st.tuples(*[st.integers(0, 10**6)] * 4)
SIZES = made(
    storage.IoSize, function=st.sampled_from(["LGWR", "DBWR", "Buffer Cache Reads"]),
    filetype=st.sampled_from(["", "Log File", "Data File"]), requests=FOUR,
    bytes=st.tuples(*[st.integers(0, 10**9)] * 4), wait_ms=st.integers(0, 10**6),
)  # fmt: skip


def few(part, key):
    """One to five of them, no two of one name or size, as reports have them."""
    return st.lists(part, min_size=1, max_size=5, unique_by=key).map(tuple)


STORAGES = st.builds(
    storage.Storage, recovery=st.tuples(RECOVERY, RECOVERY), checkpoints=made(storage.Checkpoints),
    mttr_advice=few(MTTR, lambda row: row.seconds), pools=few(POOL, lambda row: row.name),
    pga=st.tuples(PGA, PGA), work_areas=AREAS,
    buffer_advice=few(BUFFERS, lambda row: row.size_mb),
    pga_advice=few(PGA_ADVICE, lambda row: row.size_mb),
    sga_advice=few(SGA_ADVICE, lambda row: row.size_mb),
    segments=few(SEGMENT, lambda row: row.name),
    io_sizes=few(SIZES, lambda row: (row.function, row.filetype)),
)  # fmt: skip


def report(kept, dialect, seed=4819):
    """A report whose every instance says this of its storage."""
    content = awr.sample(
        seed, instances=2 if dialect in MANY else 1, cdb=dialect == "html-pdb",
        narrow=dialect in NARROW, statements=1, few=True,
    )  # fmt: skip
    instances = tuple(dataclasses.replace(one, storage=kept) for one in content.instances)
    return awr.forge(dataclasses.replace(content, instances=instances), dialect)


PLAIN = storage.Storage(
    recovery=(
        storage.Recovery(
            82, 77, 2391, 19_258_026, 20_384_298, 20_384_298, 28_543_919, None, 731, 39
        ),
        storage.Recovery(186, 42, 25_722, 3_281_426, 20_384_298, 20_384_298, 27_926_095),
    ),
    checkpoints=storage.Checkpoints(0, 1_898_139, 0, 0, 14_399_783, 0),
    mttr_advice=(storage.MttrAdvice(30, 149_205, 1_165_278, 107),),
    pools=(storage.Pool("D", 844_000, 99, 12_552_655, 46_290, 46_477, 0, 0, 184),),
    pga=(
        storage.Pga(10_240, 8901, 57_500, 3450, 1150, 1024),
        storage.Pga(10_240, 8914, 58_000, 4350, 0, 1024),
    ),
    work_areas=storage.WorkAreas(7200, 4_546_524, 1_764_819),
    buffer_advice=(
        storage.BufferAdvice("D", 1280, 10, 78, 4840, 1_112_519),
        storage.BufferAdvice("D", 12_800, 100, 780, 100, 23_000),
    ),
    pga_advice=(storage.PgaAdvice(6144, 50, 156_300, 17_300, 90, 1712),),
    sga_advice=(storage.SgaAdvice(6400, 50, 18_646, 190, 324_442_721),),
    segments=(
        storage.Segment("SYS", "SYSTEM", "OBJ$", "", "TABLE", 18, 18,
                        {order.name: 750 for order in ORDERS}, "PDB1"),
        storage.Segment("SCOTT", "USERS", "ORDERS", "P1", "INDEX", 92_079, 92_080,
                        {order.name: 250 for order in ORDERS}, "PDB1"),
    ),
    io_sizes=(
        storage.IoSize("LGWR", "", (0, 0, 168, 7), (0, 0, 2 * MIB, 9 * MIB)),
        storage.IoSize("LGWR", "Log File", (0, 0, 0, 0), (0, 0, 2 * MIB, 9 * MIB), 52, 57),
    ),
)  # fmt: skip
"""Figures that every form prints in full: nothing of them is rounded off."""


@pytest.mark.parametrize("dialect", DIALECTS)
def test_each_form_prints_what_it_is_known_to_and_it_comes_out(dialect, tmp_path):
    """Every cell; no section is unparsed, and the tables not printed are empty, not made up."""
    forged = report(PLAIN, dialect)
    assert {name for name in NEW if name in forged.tables} == PRINTED[dialect]
    reading = read(tmp_path, forged)
    assert list(differences(forged, reading)) == []
    assert [part for part in reading.evidence.sections if part.status == "unparsed"] == []
    assert not [text for text in reading.evidence.warnings if "not known" in text]
    assert all(not len(reading[name]) for name in {*NEW} - PRINTED[dialect])


@pytest.mark.parametrize("dialect", [name for name in DIALECTS if PRINTED[name]])
@settings(max_examples=15, deadline=None, suppress_health_check=list(HealthCheck))
@given(kept=STORAGES)
def test_any_figures_come_out_to_the_last_printed_digit(dialect, tmp_path, kept):
    """Figures of any size that the columns hold, with and without those that may be missing."""
    forged = report(kept, dialect)
    assert list(differences(forged, read(tmp_path, forged))) == []


KEYS = {
    "instance_recovery": ("snapshot",), "buffer_pools": ("pool",), "pga": ("snapshot",),
    "pga_work_areas": (), "memory_advice": ("advice", "size_bytes"), "checkpoint_writes": (),
    "segments": ("ordered_by", "object"),
}  # fmt: skip


@pytest.mark.parametrize("forms", [("html-11.2", "text-12.1"), ("html-11.2", "statspack"),
                                   ("html-19c", "html-11.2")])  # fmt: skip
def test_html_and_text_of_one_content_give_equal_frames(forms, tmp_path):
    """What both forms print is the same number, to the last bit."""
    one, other = (read(tmp_path, report(PLAIN, form), form) for form in forms)
    compared = 0
    for table, keys in KEYS.items():
        sides = [
            {tuple(row[key] for key in keys): row for row in side[table].frame.to_dicts()}
            for side in (one, other)
        ]
        for name in sides[0].keys() & sides[1].keys():
            for column, value in sides[0][name].items():
                twin = sides[1][name][column]
                if value is not None and twin is not None and column not in ("instance", "level"):
                    assert value == twin, (table, name, column)
                    compared += 1
    assert compared > 60


def test_rac_and_one_instance_say_the_same_of_a_pga(tmp_path):
    """MB of RAC-global and M and K of one instance are the same bytes."""
    rac = read(tmp_path, report(PLAIN, "rac-19c"), "rac")["pga"].frame.to_dicts()
    one = read(tmp_path, report(PLAIN, "html-19c"), "one")["pga"].frame.to_dicts()
    assert [row["instance"] for row in rac] == [1, 1, 2, 2]
    for ours, theirs in zip(rac[:2], one, strict=True):
        for column in ("snapshot", "target_bytes", "auto_target_bytes", "allocated_bytes",
                       "global_memory_bound_bytes"):  # fmt: skip
            assert ours[column] == theirs[column], column
        parts = ours["auto_work_areas_bytes"] + ours["manual_work_areas_bytes"]
        assert parts == theirs["work_areas_bytes"]
        assert theirs["auto_work_areas_bytes"] is None


def test_redo_figures_in_seconds_and_bytes(tmp_path):
    """The issue's figures: MTTR, redo blocks, size of log files; what is not printed is null."""
    rows = read(tmp_path, report(PLAIN, "html-12.2"))["instance_recovery"].frame.to_dicts()
    assert [row["snapshot"] for row in rows] == ["begin", "end"]
    assert (rows[0]["target_mttr_s"], rows[0]["estimated_mttr_s"]) == (82.0, 77.0)
    assert rows[0]["optimal_log_size_bytes"] == 731 * MIB
    assert rows[0]["log_checkpoint_interval_redo_blocks"] is None
    assert rows[1]["optimal_log_size_bytes"] is None
    assert rows[1]["target_redo_blocks"] == 20_384_298


def test_the_advisory_of_mttr_and_that_of_the_buffer_pool_share_a_summary(tmp_path):
    """Oracle's own mistake: the columns tell one from the other."""
    reading = read(tmp_path, report(PLAIN, "html-19c"))
    assert len(reading["mttr_advice"]) == 1
    advice = reading["memory_advice"].frame
    assert advice.filter(advice["advice"] == "buffer_pool")["size_bytes"].to_list() == [
        1280 * MIB, 12_800 * MIB,
    ]  # fmt: skip


@pytest.mark.parametrize("dialect", ["text-12.1", "statspack"])
def test_a_row_that_left_its_columns_gives_no_number_to_another(dialect, tmp_path):
    """A character lost in front of a row of segments: the row is left out and told, no rank."""
    kept = dataclasses.replace(PLAIN, segments=PLAIN.segments * 3)
    forged = report(kept, dialect)
    text = forged.data.decode()
    start = text.index("Segments by Physical Reads")
    place = text.index("750", start)
    broken = text[: place - 1] + text[place:]
    damaged = awr.Forged(dialect, broken.encode(), forged.tables, forged.sheets)
    rows = read(tmp_path, damaged)["segments"].frame
    own = rows.filter(rows["ordered_by"] == "physical_reads")
    assert set(own["value"].drop_nulls()) <= {750.0, 250.0}
    assert own["rank"].null_count() == own.height


def test_every_new_table_has_units_in_its_names():
    """Bytes, seconds, blocks and ratios say so in their names; the others are plain counts."""
    endings = {"bytes": "_bytes", "s": "_s"}
    for table in NEW:
        for name, field in TABLES[table].items():
            if field.unit:
                assert name.endswith(endings[field.unit]), (table, name)


REDO = (
    ("redo blocks written", 4096), ("redo log space wait time", 250), ("redo synch time", 1200),
    ("redo write time", 3301), ("redo writes", 900),
)  # fmt: skip


@pytest.mark.parametrize("dialect", ["html-19c", "text-12.1", "statspack"])
def test_redo_of_the_instance_activity_is_in_seconds_and_bytes(dialect, tmp_path):
    """Oracle counts times of redo in hundredths of a second."""
    content = awr.sample(7, narrow=True, few=True)
    activity = tuple(sorted((*content.instances[0].activity, *REDO)))
    instance = dataclasses.replace(content.instances[0], activity=activity)
    forged = awr.forge(dataclasses.replace(content, instances=(instance,)), dialect)
    rows = {row["item"]: row for row in read(tmp_path, forged)["redo_log"].frame.to_dicts()}
    assert (rows["redo_write_time"]["total"], rows["redo_write_time"]["unit"]) == (33.01, "s")
    assert rows["redo_log_space_wait_time"]["total"] == 2.5
    assert rows["redo_synch_time"]["total"] == 12.0
    assert (rows["redo_writes"]["total"], rows["redo_writes"]["unit"]) == (900.0, "1")
    assert rows["redo_bytes"]["total"] == instance.counters["redo_bytes"]
    assert rows["redo_bytes"]["printed"] == "redo size"
