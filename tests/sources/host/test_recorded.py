"""Recorded outputs of iostat, vmstat, mpstat, sar and sadf: exact values, and every file whole."""
# ruff: noqa: DTZ001 - the tools print local times without a zone

import datetime as dt
import json
import re
from fractions import Fraction

import polars as pl
import pytest
from places import TESTS

import perfkit as pk
from perfkit.core.errors import ParseError, UsageError
from perfkit.sources import kind_of, read
from perfkit.sources.host.columns import HOST_SERIES, TABLES
from perfkit.sources.rundir.schema import RUN_HOST_SERIES

DATA = TESTS / "data" / "host"
FILES = sorted(path for path in DATA.iterdir() if path.name != "README.md")
REFUSED = {"sadf-12.6.1-dh.txt"}


def kind(path):
    tool = path.name.split("-")[0]
    return "sar" if tool == "sadf" else tool


def row(frame, index=0):
    return frame.row(index, named=True)


@pytest.mark.parametrize("path", FILES, ids=lambda p: p.name)
def test_every_recorded_output_is_told_apart_and_read(path):
    """Each file is of its own kind, verified, and gives the schema's columns and a host series."""
    assert kind_of(path) == kind(path)
    if path.name in REFUSED:
        return
    reading = read(path)
    assert not reading.evidence.unverified
    assert reading.host_series.frame.columns == list(HOST_SERIES)
    for name, schema in TABLES.items():
        if name in reading:
            assert reading[name].frame.columns == list(schema)
    assert len(reading.host_series) >= 1
    assert not [s for s in reading.evidence.sections if ": column " in s.name]


def test_iostat_in_slobs_mode():
    """iostat -t -xm: MiB/s to bytes, ms to s, % to ratios, to the last printed digit."""
    reading = pk.read(DATA / "iostat-12.6.1-xmt.txt", kind="iostat")
    last = row(reading.devices.frame, 2)
    assert last["device"] == "vda"
    assert last["time"] == dt.datetime(2026, 11, 21, 6, 28, 9)
    assert (last["sample"], last["t_s"], last["since_boot"], last["zone"]) == (3, 2.0, False, None)
    assert last["read_iops"] == 40626.0
    assert last["read_bytes_per_s"] == float(Fraction("317.31") * 2**20)
    assert last["read_await_s"] == 0.00015
    assert last["read_request_bytes"] == 8192.0
    assert last["write_request_bytes"] == 24115.2
    assert last["flush_await_s"] == 0.00044
    assert last["queue_length"] == 6.02
    assert last["busy_ratio"] == 0.604
    assert last["await_s"] is None  # this release prints none
    cpu = row(reading.cpu.frame, 2)
    assert (cpu["user_ratio"], cpu["system_ratio"], cpu["idle_ratio"]) == (0.269, 0.4772, 0.2538)


@pytest.mark.parametrize(
    ("name", "status", "said"),
    [
        ("iostat-12.6.1-xt-iso.txt", "found", "zone +0000"),
        ("vmstat-4.0.2-t.txt", "found", "zone UTC"),
        ("iostat-12.6.1-xmt.txt", "found", "the host's local time: no zone is printed"),
        ("vmstat-4.0.2.txt", "absent", "no dated time printed: samples are numbered"),
    ],
)
def test_the_zone_of_the_times_is_told_and_that_none_is_printed(name, status, said):
    sections = read(DATA / name).evidence.sections
    (times,) = [section for section in sections if section.name == "times"]
    assert (times.status, times.reason) == (status, said)


def test_a_report_is_counted_once_whatever_tables_it_has():
    """Two reports of iostat, each with CPU and devices, have two times."""
    sections = read(DATA / "iostat-12.6.1-xt-iso.txt").evidence.sections
    assert [section.rows for section in sections if section.name == "times"] == [2]


def test_iostats_first_report_is_since_boot():
    """It is marked in the tables, left out of the host series, and the series counts from it."""
    reading = pk.read(DATA / "iostat-12.6.1-xmt.txt", kind="iostat")
    assert reading.devices.frame["since_boot"].to_list() == [True, False, False]
    assert reading.host_series.frame["t_s"].to_list() == [1.0, 2.0]
    given = pk.read(DATA / "iostat-12.6.1-xmt.txt", first_report="interval", kind="iostat")
    assert given.devices.frame["since_boot"].to_list() == [False, False, False]


def test_iostat_y_leaves_its_mark():
    """-y prints two blank lines after the header: the first report is one of the recording."""
    reading = pk.read(DATA / "iostat-12.6.1-xkty.txt", kind="iostat")
    assert reading.devices.frame["since_boot"].to_list() == [False, False]


def test_host_series_of_iostat_means_what_a_runs_means():
    """Busy is neither idle nor waiting; the disk is the only one."""
    series = row(pk.read(DATA / "iostat-12.6.1-xkty.txt", kind="iostat").host_series.frame)
    assert series["cpu_busy_ratio"] == pytest.approx(1 - 0.2814 - 0.0151, abs=1e-9)
    assert series["cpu_user_ratio"] == 0.1859
    assert series["cpu_system_ratio"] == 0.5176
    assert series["cpu_iowait_ratio"] == 0.0151
    assert series["disk_read_bytes_per_s"] == 485388 * 1024
    assert series["disk_write_iops"] == 113.0
    assert series["memory_used_bytes"] is None
    assert set(RUN_HOST_SERIES) <= set(HOST_SERIES)


@pytest.mark.parametrize(
    ("name", "zone"),
    [
        ("iostat-12.6.1-xt-en_US.txt", None),
        ("iostat-12.6.1-xt-de_DE.txt", None),
        ("iostat-12.6.1-xt-fr_FR.txt", None),
        ("iostat-12.6.1-xt-ja_JP.txt", None),
        ("iostat-12.6.1-xt-iso.txt", "+0000"),
        ("iostat-12.7.9-xtU.txt", "UTC"),
        ("iostat-12.6.1-xt.json", None),
    ],
)
def test_times_of_several_locales_are_one_time(name, zone):
    """AM/PM, points, years first, Japanese, ISO and seconds since 1970; a zone only if printed."""
    frame = pk.read(DATA / name, kind="iostat").devices.frame
    assert frame["time"][0] == dt.datetime(2026, 11, 21, 6, 28, 7)
    assert frame["zone"][0] == zone


def test_a_decimal_comma_is_read_and_said():
    """Under a German locale the comma is the decimal sign, and the evidence says so."""
    reading = pk.read(DATA / "iostat-12.6.1-xt-de_DE.txt", kind="iostat")
    assert row(reading.cpu.frame)["user_ratio"] == 0.1243
    assert "numbers are written with a decimal comma and were read so" in reading.evidence.warnings


def test_sectors_and_blocks_are_of_512_bytes():
    """POSIXLY_CORRECT gives sectors; without -x blocks, and totals beside the rates."""
    sectors = row(pk.read(DATA / "iostat-12.6.1-x-sectors.txt", kind="iostat").devices.frame)
    assert sectors["read_bytes_per_s"] == float(Fraction("55172.05") * 512)
    blocks = row(pk.read(DATA / "iostat-12.6.1-blocks.txt", kind="iostat").devices.frame)
    assert blocks["read_bytes"] == 280626106 * 512
    assert blocks["transfers_per_s"] == 3241.25


def test_old_columns_of_iostat():
    """sysstat 9: request size in sectors, await over reads and writes, svctm."""
    first = row(pk.read(DATA / "iostat-9.1.7-xmt.txt", kind="iostat").devices.frame)
    assert first["request_bytes"] == float(Fraction("19.74") * 512)
    assert (first["queue_length"], first["await_s"], first["service_s"]) == (0.71, 0.00022, 0.00002)
    assert first["read_request_bytes"] is None


def test_iostat_for_people_is_one_row_a_device():
    """-h writes four lines a device and rounds: one row, with a warning."""
    reading = pk.read(DATA / "iostat-12.6.1-xh.txt", kind="iostat")
    assert len(reading.devices) == 2
    first = row(reading.devices.frame)
    assert first["read_bytes_per_s"] == float(Fraction("26.9") * 2**20)
    assert (first["read_iops"], first["write_await_s"], first["busy_ratio"]) == (
        3114.04,
        0.00019,
        0.07,
    )
    assert any("rounded for people" in text for text in reading.evidence.warnings)


def test_a_group_is_no_device():
    """iostat -g: the group's row is marked; with several devices the host series has no disk."""
    reading = pk.read(DATA / "iostat-12.6.1-xg.txt", kind="iostat")
    assert reading.devices.frame.filter(pl.col("group"))["device"].unique().to_list() == ["ALL"]
    assert reading.host_series.frame["disk_read_iops"].to_list() == [None]
    named = pk.read(DATA / "iostat-12.6.1-xg.txt", device="vda", kind="iostat")
    assert named.host_series.frame["disk_read_iops"][0] > 0
    with pytest.raises(UsageError, match="no device 'vdz'"):
        pk.read(DATA / "iostat-12.6.1-xg.txt", device="vdz", kind="iostat")


def test_json_and_text_of_iostat_have_the_same_columns():
    """What -x prints as text and as JSON fills the same columns."""
    text = pk.read(DATA / "iostat-12.6.1-x.txt", kind="iostat").devices.frame
    json = pk.read(DATA / "iostat-12.6.1-x.json", kind="iostat").devices.frame

    def filled(frame):
        return {name for name in frame.columns if frame[name].null_count() < frame.height}

    assert filled(text) == filled(json)
    assert text.filter(pl.col("sample") == 1)["read_request_bytes"].is_between(9070, 9080).all()


def test_vmstat_exact():
    """KiB to bytes, whole percents, blocks of 1,024 bytes; the zone stands over the times."""
    reading = pk.read(DATA / "vmstat-4.0.2-t.txt", kind="vmstat")
    second = row(reading.samples.frame, 1)
    assert second["time"] == dt.datetime(2026, 11, 21, 6, 28, 8)
    assert (second["zone"], second["t_s"]) == ("UTC", 1.0)
    assert second["memory_free_bytes"] == 22404204 * 1024
    assert second["block_in_bytes_per_s"] == 488240 * 1024
    assert (second["context_switches_per_s"], second["runnable"]) == (12385.0, 3.0)
    assert (second["user_ratio"], second["idle_ratio"], second["iowait_ratio"]) == (
        0.19,
        0.29,
        0.02,
    )
    assert reading.samples.frame["since_boot"].to_list() == [True, False, False, False]
    assert reading.host_series.frame["cpu_busy_ratio"].to_list() == [0.69, 0.75, 0.6]
    assert reading.host_series.frame["memory_used_bytes"].null_count() == 3


def test_vmstats_unit_is_not_printed():
    """KiB is taken and said; numbers far too small for it are null until the unit is given."""
    default = pk.read(DATA / "vmstat-4.0.2-t.txt", kind="vmstat")
    section = next(s for s in default.evidence.sections if s.name == "samples")
    assert section.reason == "the unit of memory is not printed: KiB, the default, is taken"
    scaled = DATA / "vmstat-4.0.2-wtSM.txt"
    unsaid = pk.read(scaled, kind="vmstat")
    assert unsaid.samples.frame["memory_free_bytes"].null_count() == 3
    assert "too small to be KiB for sure; say unit=K" in unsaid.evidence.warnings[0]
    said = pk.read(scaled, unit="M", kind="vmstat")
    assert said.samples.frame["memory_free_bytes"][0] == 21877 * 2**20
    assert said.samples.frame["block_in_bytes_per_s"][1] == 489828 * 1024  # -S does not scale it
    with pytest.raises(UsageError, match="no unit 'G'"):
        pk.read(scaled, unit="G", kind="vmstat")


def test_repeated_heads_of_vmstat_are_no_samples():
    assert len(pk.read(DATA / "vmstat-4.0.2-headers.txt", kind="vmstat").samples) == 24


def test_without_times_the_callers_interval_counts():
    """The report since boot is the beginning; without an interval t_s is null, samples numbered."""
    path = DATA / "vmstat-4.0.2.txt"
    assert pk.read(path, kind="vmstat").samples.frame["t_s"].to_list() == [None, None, None]
    given = pk.read(path, interval_s=3.0, kind="vmstat")
    assert given.samples.frame["t_s"].to_list() == [0.0, 3.0, 6.0]
    assert given.host_series.frame["t_s"].to_list() == [3.0, 6.0]
    section = next(s for s in given.evidence.sections if s.name == "times")
    assert (section.status, section.reason) == (
        "absent", "no dated time printed: samples are numbered",
    )  # fmt: skip


def test_mpstat_exact():
    """Every CPU; no means among the rows; the series counts from the first heading's time."""
    reading = pk.read(DATA / "mpstat-12.6.1-PALL.txt", kind="mpstat")
    second = row(reading.cpu.frame, 1)
    assert (second["cpu"], second["t_s"]) == ("0", 1.0)
    assert second["time"] == dt.datetime(2026, 11, 21, 6, 28, 8)
    assert (second["usr_ratio"], second["sys_ratio"], second["iowait_ratio"]) == (
        0.202, 0.4747, 0.0202,
    )  # fmt: skip
    assert reading.cpu.frame.height == 9
    series = row(reading.host_series.frame)
    assert series["cpu_busy_ratio"] == 0.69
    assert series["cpu_system_ratio"] == 0.505  # kernel and both kinds of interrupt


def test_mpstat_without_an_interval_holds_means_since_boot(tmp_path):
    """ "70% busy in the one interval recorded" was the mean of days: its headings' time tells."""
    place = tmp_path / "mpstat.txt"
    text = (DATA / "mpstat-12.6.1.txt").read_text().split("\nAverage")[0]
    header, heads, *rows = [line for line in text.split("\n") if line]
    began, ended = heads.split()[0], rows[0].split()[0]
    place.write_text(f"{header}\n\n{heads}\n{rows[0]}\n")
    assert pk.read(place).cpu.frame["since_boot"].to_list() == [False]
    place.write_text(f"{header}\n\n{heads.replace(began, ended)}\n{rows[0]}\n")
    alone = pk.read(place)
    assert alone.cpu.frame["since_boot"].to_list() == [True]
    assert len(alone.host_series) == 0
    assert len(pk.read(place, first_report="interval").host_series) == 1


def test_one_report_of_mpstat_in_json_may_hold_means_since_boot(tmp_path):
    document = json.loads((DATA / "mpstat-12.6.1-PALL.json").read_text())
    (host,) = document["sysstat"]["hosts"]
    host["statistics"] = host["statistics"][:1]
    (tmp_path / "mpstat.json").write_text(json.dumps(document))
    alone = pk.read(tmp_path / "mpstat.json")
    assert set(alone.cpu.frame["since_boot"]) == {None}
    assert len(alone.host_series) == 0
    assert any("first_report='since-boot' or 'interval'" in w for w in alone.evidence.warnings)
    told = pk.read(tmp_path / "mpstat.json", first_report="interval")
    assert len(told.host_series) == 1


def test_mpstat_names_what_it_does_not_read():
    reading = pk.read(DATA / "mpstat-12.6.1-A.txt", kind="mpstat")
    unparsed = {s.name for s in reading.evidence.sections if s.status == "unparsed"}
    assert {"CPU intr/s", "NODE %usr %nice %sys …"} <= unparsed


def test_a_date_with_its_year_first_is_a_date_in_every_language():
    """A report's typeface need not have the signs of the host's language for it."""
    facts = pk.read(DATA / "iostat-12.6.1-xt-ja_JP.txt")["host"].frame
    assert facts.filter(pl.col("fact") == "date")["value"].to_list() == ["2026-11-21"]
    facts = pk.read(DATA / "iostat-12.6.1-xt-en_US.txt")["host"].frame
    assert facts.filter(pl.col("fact") == "date")["value"].to_list() == ["11/21/2026"]


def test_sar_exact_and_joined():
    """Four parts with one clock; means never among the rows; the series joins them."""
    reading = pk.read(DATA / "sar-12.6.1-file.txt", kind="sar")
    assert reading.io.frame["read_bytes_per_s"][0] == 982808 * 512
    assert reading.devices.frame["request_bytes"][0] == float(Fraction("8.14") * 1024)
    assert reading.devices.frame["await_s"].to_list() == [0.00014, 0.00015, 0.00039, 0.00011]
    assert 30412.72 not in reading.devices.frame["transfers_per_s"].to_list()
    assert reading.host_memory.frame["memory_available_bytes"][0] == 23927460 * 1024
    series = reading.host_series.frame
    assert series["t_s"].to_list() == [1.0, 2.0, 3.0, 4.0]
    assert series["memory_used_bytes"][0] == 412764 * 1024
    assert series["disk_read_bytes_per_s"][0] == 491404 * 1024
    assert series["disk_read_iops"].null_count() == 4  # sar -d has no reads apart


def test_used_memory_of_old_sar_counts_caches():
    """As printed in the table; null in the series, where used memory means something else."""
    reading = pk.read(DATA / "sar-9.1.7-udbr.txt", kind="sar")
    assert reading.host_memory.frame["memory_used_bytes"][0] == 2303176 * 1024
    assert reading.host_series.frame["memory_used_bytes"].null_count() == 2
    assert reading.devices.frame["read_bytes_per_s"][0] == 981872 * 512


@pytest.mark.parametrize("name", ["sadf-12.6.1-d.txt", "sadf-12.6.1-j.json"])
def test_sadf_and_sar_say_the_same(name):
    """The same recording through sar, sadf -d and sadf -j gives the same values; sadf knows UTC."""
    sar, sadf = pk.read(DATA / "sar-12.6.1-file.txt", kind="sar"), pk.read(DATA / name, kind="sar")
    assert sadf.cpu.frame["zone"].to_list() == ["UTC"] * 4
    for table in ("cpu", "devices", "io", "host_memory"):
        assert sadf[table].frame.drop("zone").equals(sar[table].frame.drop("zone")), table
    assert sadf.host_series.frame.drop("zone").equals(sar.host_series.frame.drop("zone"))


NUMBER = re.compile(r"-?\d+(?:[.,]\d+)?$")
CHECKED = {
    "%user": ("user_ratio", Fraction(1, 100)), "%usr": ("usr_ratio", Fraction(1, 100)),
    "%idle": ("idle_ratio", Fraction(1, 100)), "%iowait": ("iowait_ratio", Fraction(1, 100)),
    "r/s": ("read_iops", 1), "w/s": ("write_iops", 1), "tps": ("transfers_per_s", 1),
    "rkB/s": ("read_bytes_per_s", 1024), "wMB/s": ("write_bytes_per_s", 2**20),
    "rd_sec/s": ("read_bytes_per_s", 512), "rsec/s": ("read_bytes_per_s", 512),
    "bread/s": ("read_bytes_per_s", 512), "wkB/s": ("write_bytes_per_s", 1024),
    "wr_sec/s": ("write_bytes_per_s", 512), "rMB/s": ("read_bytes_per_s", 2**20),
    "wsec/s": ("write_bytes_per_s", 512), "bwrtn/s": ("write_bytes_per_s", 512),
    "kbmemfree": ("memory_free_bytes", 1024),
    "%util": ("busy_ratio", Fraction(1, 100)), "bi": ("block_in_bytes_per_s", 1024),
    "cs": ("context_switches_per_s", 1), "us": ("user_ratio", Fraction(1, 100)),
}  # fmt: skip


def printed_values(path):
    """Field -> its values, read by the place of a heading counted from the end of the line."""
    expected, heads = {}, []
    for line in path.read_text().split("\n"):
        cells = line.replace(";", " ").split()
        if not cells or line.startswith(("Linux", "Average", "Durchschn")):
            continue
        if any(NUMBER.match(cell) for cell in cells[1:]):
            for place, name in enumerate(reversed(heads), 1):
                if name in CHECKED and place <= len(cells):
                    field, factor = CHECKED[name]
                    value = float(Fraction(cells[-place].replace(",", ".")) * factor)
                    expected.setdefault(field, []).append(value)
        else:
            heads = [] if "NODE" in cells else cells
            heads = [*heads[:-1], "date", "clock"] if heads[-1:] == ["UTC"] else heads
    return expected


@pytest.mark.parametrize(
    "path",
    [p for p in FILES if p.suffix == ".txt" and p.name not in REFUSED | {"iostat-12.6.1-xh.txt"}],
    ids=lambda p: p.name,
)
def test_an_independent_reading_finds_the_same_numbers(path):
    """Cells taken from the text by their heading, in fractions, are all of the tables' values."""
    reading = read(path)
    tables = [reading[name].frame for name in TABLES if name in reading]
    expected = printed_values(path)
    assert expected
    for field, values in expected.items():
        got = [v for t in tables if field in t.columns for v in t[field].drop_nulls().to_list()]
        assert sorted(got) == sorted(values), field


def test_the_form_for_databases_with_all_in_one_row_is_refused():
    with pytest.raises(ParseError, match=r":1: sadf -d -h .* is not read: leave -h out"):
        pk.read(DATA / "sadf-12.6.1-dh.txt", kind="sar")


def test_mib_of_a_large_host_are_not_read_as_kib(tmp_path):
    """vmstat -S M of a host with 512 GiB: 500,000 MiB idle would be 490 MiB of a small one."""
    path = tmp_path / "vmstat.out"
    path.write_text(
        "procs -----------memory---------- ---swap-- -----io---- -system-- ------cpu-----\n"
        " r  b   swpd   free   buff  cache   si   so    bi    bo   in   cs us sy id wa st\n"
        " 1  0      0 400000   2000  98000    0    0   139   218  753 4356 12  4 84  0  0\n"
        " 3  0      0 400000   2000  98000    0    0   488   397  759 1238 19 52 29  0  0\n"
    )
    assert pk.read(path, kind="vmstat").samples.frame["memory_free_bytes"].to_list() == [None, None]
    said = pk.read(path, unit="M", kind="vmstat").samples.frame["memory_free_bytes"]
    assert said.to_list() == [400_000 * 1024**2] * 2
    kib = pk.read(path, unit="K").samples.frame["memory_free_bytes"]
    assert kib.to_list() == [400_000 * 1024] * 2
