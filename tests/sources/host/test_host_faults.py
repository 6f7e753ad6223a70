"""Damaged, cut off, foreign and odd outputs of host tools."""
# ruff: noqa: DTZ001 - the tools print local times without a zone

import datetime as dt
import functools
import gzip
import json
import re

import polars as pl
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from places import TESTS

import perfkit as pk
from perfkit.core.errors import ParseError, UsageError
from perfkit.sources import kind_of
from perfkit.sources.host.clock import Times
from perfkit.sources.host.record import Recording, Row, Track
from perfkit.sources.host.sysstat_json import _skip
from perfkit.sources.host.tables import _check_seconds, _counts_caches

DATA = TESTS / "data" / "host"
READERS = {
    name: functools.partial(pk.read, kind=name) for name in ("iostat", "vmstat", "mpstat", "sar")
}
CUT = "the last report is cut off and left out"
HEADER = "Linux 5.0 (dbhost) \t{} \t_x86_64_\t(2 CPU)\n\n"
SAR_CPU = "        CPU     %user     %nice   %system   %iowait    %steal     %idle\n"
IOSTAT = (
    "avg-cpu:  %user   %nice %system %iowait  %steal   %idle\n"
    "           1.00    0.00    2.00    3.00    0.00   94.00\n\n"
    "Device            r/s     w/s     rkB/s     wkB/s\n"
    "sda              1.00    2.00      4.00      8.00\n\n"
)


FIXTURE = HealthCheck.function_scoped_fixture
SPLICED = ["\n", "\n\n", "-1", "nan", ",", ";;", "{", "]", "Device ", "9" * 20]


def write(tmp_path, text, name="out"):
    path = tmp_path / name
    path.write_text(text, encoding="utf-8")
    return path


def text_of(name):
    return (DATA / name).read_text(encoding="utf-8")


@pytest.mark.parametrize("reader", READERS.values(), ids=READERS)
@pytest.mark.parametrize(
    "text",
    ["", "\n\n", "hello\n", "{}", '{"a": [', "[1]", '{"sysstat": {"hosts": [{}]}}', "{" * 5000,
     "Linux 5.0 (h) \t01/01/26\n", "a|b|c\n1|2|3\n", "\x00\x01\x02\n"],
)  # fmt: skip
def test_what_is_no_output_of_the_tool_is_a_parse_error(tmp_path, reader, text):
    with pytest.raises(ParseError, match="out"):
        reader(write(tmp_path, text))


@pytest.mark.parametrize("tool", READERS)
def test_the_output_of_another_tool_is_refused(tool):
    """No reader takes another tool's output for its own."""
    others = {"iostat-12.6.1-x.txt", "vmstat-4.0.2.txt", "mpstat-12.6.1.txt", "sar-12.6.1-file.txt"}
    for name in others:
        if not name.startswith(tool):
            with pytest.raises(ParseError):
                READERS[tool](DATA / name)


def test_wrong_encoding_and_packed_damage_name_the_place(tmp_path):
    path = tmp_path / "x"
    path.write_bytes(text_of("iostat-12.6.1-x.txt").encode() + b"\xff\xfe\n")
    with pytest.raises(ParseError, match=r"x:\d+: not UTF-8 text"):
        pk.read(path, kind="iostat")
    packed = gzip.compress(text_of("iostat-12.6.1-x.txt").encode())
    path.write_bytes(packed[:-20])
    with pytest.raises(ParseError, match="gzip data is cut off"):
        pk.read(path, kind="iostat")
    path.write_bytes(packed)
    assert len(pk.read(path, kind="iostat").cpu) == 3


def test_other_forms_of_vmstat_are_named(tmp_path):
    path = write(tmp_path, "disk- ------------reads------------ ------------writes-----------\n")
    with pytest.raises(ParseError, match=r"out:1: vmstat -d \(disks\) is not read"):
        pk.read(path, kind="vmstat")


@pytest.mark.parametrize(
    ("tool", "name", "table"),
    [
        ("iostat", "iostat-12.6.1-xmt.txt", "devices"),
        ("iostat", "iostat-9.1.7-xmt.txt", "devices"),
        ("iostat", "iostat-12.6.1-x.json", "devices"),
        ("vmstat", "vmstat-4.0.2-t.txt", "samples"),
        ("mpstat", "mpstat-12.6.1-PALL.txt", "cpu"),
        ("mpstat", "mpstat-12.6.1-PALL.json", "cpu"),
        ("sar", "sar-12.6.1-file.txt", "cpu"),
        ("sar", "sadf-12.6.1-d.txt", "cpu"),
        ("sar", "sadf-12.6.1-j.json", "cpu"),
    ],
)
def test_cut_off_anywhere_gives_whole_reports_only(tmp_path, tool, name, table):
    """At every cut the rows that are read are the first of the whole file, or it is refused."""
    whole = text_of(name)
    full = READERS[tool](DATA / name)[table].frame
    read = 0
    for end in range(0, len(whole), max(7, len(whole) // 90)):
        path = write(tmp_path, whole[:end])
        try:
            reading = READERS[tool](path)
        except ParseError:
            continue
        part = reading[table].frame
        assert part.equals(full.head(part.height)), end
        read += 1
    assert read > 3


def test_a_report_that_is_cut_off_is_said(tmp_path):
    text = text_of("iostat-12.6.1-xmt.txt")
    cut = pk.read(write(tmp_path, text[: text.rindex("60.40") + 3]), kind="iostat")
    assert len(cut.devices) == len(cut.cpu) == 2
    assert any(CUT in warning for warning in cut.evidence.warnings)
    lines = text_of("mpstat-12.6.1-PALL.txt").split("\n")
    short = pk.read(write(tmp_path, "\n".join(lines[:9]) + "\n"), kind="mpstat")
    assert short.cpu.frame["cpu"].to_list() == ["all", "0", "1"]
    assert any(CUT in warning for warning in short.evidence.warnings)


def test_a_damaged_row_in_the_middle_is_an_error_with_its_line(tmp_path):
    text = text_of("iostat-12.6.1-xmt.txt")
    for odd, problem in (("vda 1.0 x ", "25 cells where 23"), ("vda 1,0 ", "24"), ("", "22")):
        with pytest.raises(ParseError, match=rf"out:8: {problem}"):
            pk.read(write(tmp_path, text.replace("vda ", odd, 1)), kind="iostat")
    with pytest.raises(ParseError, match=r"out:8: '26.9x' is not a number"):
        pk.read(write(tmp_path, text.replace("26.94", "26.9x", 1)), kind="iostat")
    lines = text_of("mpstat-12.6.1-PALL.txt").split("\n")
    lines[4] = " ".join(lines[4].split()[:-1])
    with pytest.raises(ParseError, match="out:5: 10 cells where 11 belong"):
        pk.read(write(tmp_path, "\n".join(lines)), kind="mpstat")
    lines = text_of("vmstat-4.0.2-t.txt").split("\n")
    lines[3] = lines[3][:30]
    with pytest.raises(ParseError, match=r"out:4: not a line of 17 columns"):
        pk.read(write(tmp_path, "\n".join(lines)), kind="vmstat")


def test_points_and_commas_in_one_file_are_refused(tmp_path):
    text = HEADER.format("11/21/26") + IOSTAT.replace("94.00", "94,00")
    with pytest.raises(ParseError, match="decimal points and commas in one file"):
        pk.read(write(tmp_path, text), kind="iostat")


def test_a_group_of_thousands_is_no_number(tmp_path):
    """1,234 could be read as 1.234: it is refused."""
    text = HEADER.format("11/21/26") + IOSTAT.replace("4.00      8.00", "1,234      8")
    with pytest.raises(ParseError, match="'1,234' is not a number"):
        pk.read(write(tmp_path, text), kind="iostat")


def test_impossible_values_are_null_and_counted(tmp_path):
    """A counter that wrapped, a negative rate, nan: null with a warning, never a number."""
    text = HEADER.format("11/21/26") + IOSTAT.replace("4.00      8.00", "-4.00      nan")
    text = text.replace("sda              1.00", "sda    184467440737095516.00")
    reading = pk.read(write(tmp_path, text), kind="iostat")
    first = reading.devices.frame.row(0, named=True)
    assert first["read_iops"] is first["read_bytes_per_s"] is first["write_bytes_per_s"] is None
    assert first["write_iops"] == 2.0
    assert sum("1 printed values cannot be" in text for text in reading.evidence.warnings) == 3


def test_means_of_no_io_are_null(tmp_path):
    """An await of 0.00 beside 0.00 I/Os is not a latency; beside I/Os it is a small one."""
    text = HEADER.format("11/21/26") + (
        "Device            r/s     w/s r_await w_await\n"
        "sda              0.00    2.00    0.00    0.00\n"
    )
    first = pk.read(write(tmp_path, text), kind="iostat").devices.frame.row(0, named=True)
    assert (first["read_await_s"], first["write_await_s"]) == (None, 0.0)


def test_an_unknown_column_is_named_and_unverified(tmp_path):
    """What perfkit does not know is in the evidence by name, and the rest is read."""
    text = HEADER.format("11/21/26") + IOSTAT.replace("wkB/s", "zz/s")
    evidence = pk.read(write(tmp_path, text), kind="iostat").evidence
    assert ("devices: column zz/s", "unparsed") in {(s.name, s.status) for s in evidence.sections}
    assert evidence.unverified


def test_two_recordings_in_one_file_without_times_are_refused(tmp_path):
    """Drawn by sample they would be one line of two recordings."""
    text = HEADER.format("11/21/26") + IOSTAT + IOSTAT
    line = text.count("\n") + 1
    with pytest.raises(ParseError, match=f":{line}: a second recording of the same host begins"):
        pk.read(write(tmp_path, text + text), kind="iostat")


def test_a_later_recording_of_the_same_host_goes_on_in_time(tmp_path):
    """Times say that it is later: one history with a gap, without the means since boot."""
    text = text_of("iostat-12.6.1-xt-iso.txt")
    later = text.replace("T06:", "T09:")
    assert later != text
    alone, both = (pk.read(write(tmp_path, found), kind="iostat") for found in (text, text + later))
    assert len(both.host_series) == 2 * len(alone.host_series)
    assert both.host_series.frame["t_s"].is_sorted()
    assert both.host_series.frame["t_s"].is_unique().all()
    for bad in (text + text, later + text):
        with pytest.raises(ParseError, match="no time says that it is the later one"):
            pk.read(write(tmp_path, bad), kind="iostat")


@pytest.mark.parametrize(
    "name",
    ["mpstat-12.6.1-PALL.txt", "sar-12.6.1-A.txt", "sadf-12.6.1-d.txt", "vmstat-4.0.2.txt",
     "vmstat-4.0.2-t.txt", "iostat-12.6.1-x.json"],
)  # fmt: skip
def test_the_same_recording_twice_is_refused_with_its_line(tmp_path, name):
    text = text_of(name)
    with pytest.raises(ParseError, match=r":\d+: "):
        pk.read(write(tmp_path, text + text))


def test_means_at_the_end_of_several_recordings_are_not_among_the_rows(tmp_path):
    text = text_of("mpstat-12.6.1-PALL.txt")
    later = re.sub(r"^06:", "09:", text, flags=re.M)
    both = pk.read(write(tmp_path, text + later), kind="mpstat")
    assert both.cpu.frame["t_s"].null_count() == 0
    assert both.host_series.frame["t_s"].is_sorted()


def test_vmstat_repeats_its_heads_after_21_lines_and_at_no_other_place(tmp_path):
    """procps: 24 lines less 3. A loop of vmstat 1 20 has heads after 20: another recording."""
    heads, row = text_of("vmstat-4.0.2.txt").splitlines()[:2], text_of("vmstat-4.0.2.txt")
    row = row.splitlines()[2]

    def text(*pages):
        return "".join("\n".join([*heads, *[row] * count]) + "\n" for count in pages)

    assert len(pk.read(write(tmp_path, text(21, 21, 5)), kind="vmstat").samples) == 47
    assert (
        len(
            pk.read(
                write(tmp_path, text(20, 21, 5)), first_report="interval", kind="vmstat"
            ).samples
        )
        == 46
    )
    assert len(pk.read(write(tmp_path, text(47, 47, 5)), page=47, kind="vmstat").samples) == 99
    for pages, line in (((20, 20), 24), ((21, 3, 3), 30), ((100, 100), 104)):
        with pytest.raises(ParseError, match=f":{line}: the header comes again, and not"):
            pk.read(write(tmp_path, text(*pages)), kind="vmstat")


def test_heads_of_a_higher_terminal_are_told_from_a_second_recording_by_the_line_below(tmp_path):
    """By hand: after 33 lines, of a terminal of 36; means since boot do not fall to a tenth."""
    title, heads = text_of("vmstat-4.0.2.txt").splitlines()[:2]
    boot = " 0  0    524 763388 147216 819640    0    0   288   108  195 2509  4  3 93  0  0"
    idle = boot.replace("288   108  195 2509  4  3 93", "  0     0   57   96  0  0 100")

    def text(*after, lines=33):
        rows = [boot, *[idle] * (lines - 1), title, heads, *after]
        return "\n".join([title, heads, *rows]) + "\n"

    found = pk.read(write(tmp_path, text(idle, idle)), kind="vmstat")
    assert found.samples.frame["since_boot"].to_list() == [True] + [False] * 34
    assert any("a terminal of 36" in text for text in found.evidence.warnings)
    soon = boot.replace(" 288 ", " 260 ")  # the same host a little later
    others = idle.replace("819640", "219640")  # and one that did something else meanwhile
    for path in (text(soon, idle), text(others, idle), text(idle, lines=12)):
        with pytest.raises(ParseError, match="the header comes again, and not"):
            pk.read(write(tmp_path, path), kind="vmstat")


@pytest.mark.parametrize(
    ("time", "goes_on"), [("06:28:09", True), ("06:28:08", False), ("06:28:15", False)]
)
def test_heads_at_an_odd_place_are_fine_where_the_times_go_on(tmp_path, time, goes_on):
    """Another height of the terminal: a second a row before and after the heads."""
    title, heads, *rows = text_of("vmstat-4.0.2-t.txt").splitlines()
    again = rows[2].replace("06:28:09", time)
    path = write(tmp_path, "\n".join([title, heads, *rows[:2], title, heads, again]) + "\n")
    if goes_on:
        assert len(pk.read(path, kind="vmstat").samples) == 3
    else:
        with pytest.raises(ParseError, match=":6: the header comes again, and not"):
            pk.read(path, kind="vmstat")


# ---- times


def iostat_at(*stamps):
    return HEADER.format(stamps[0].split()[0]) + "".join(f"{at}\n{IOSTAT}\n" for at in stamps)


def test_an_ambiguous_date_gives_no_time_until_it_is_settled(tmp_path):
    """05/06/2026 is two days: time is null with a warning; the relative time does not need it."""
    path = write(tmp_path, iostat_at("05/06/2026 23:59:58", "05/06/2026 23:59:59"))
    reading = pk.read(path, kind="iostat")
    assert reading.cpu.frame["time"].to_list() == [None, None]
    assert reading.cpu.frame["t_s"].to_list() == [0.0, 1.0]
    assert any("date_order='mdy' or 'dmy'" in warning for warning in reading.evidence.warnings)
    for order, day in (("mdy", dt.date(2026, 5, 6)), ("dmy", dt.date(2026, 6, 5))):
        settled = pk.read(path, date_order=order, kind="iostat")
        assert settled.cpu.frame["time"][0].date() == day
    with pytest.raises(UsageError, match="a date does not fit date_order='dmy'"):
        pk.read(DATA / "iostat-12.6.1-xmt.txt", date_order="dmy", kind="iostat")


def test_following_days_settle_the_order(tmp_path):
    """05/06 followed a second later by 06/06 can only be day first."""
    path = write(tmp_path, iostat_at("05/06/2026 23:59:59", "06/06/2026 00:00:00"))
    reading = pk.read(path, kind="iostat")
    assert reading.cpu.frame["time"].to_list() == [
        dt.datetime(2026, 6, 5, 23, 59, 59), dt.datetime(2026, 6, 6),
    ]  # fmt: skip
    assert reading.cpu.frame["t_s"].to_list() == [0.0, 1.0]


def test_midnight_begins_the_next_day(tmp_path):
    """Rows of sar have only the time: one that falls back by more than half a day is tomorrow's."""
    row = "     all      1.00      0.00      0.00      0.00      0.00     99.00\n"
    text = (
        HEADER.format("11/30/26") + "11:59:58 PM" + SAR_CPU[7:] + "11:59:59 PM" + row
        + "12:00:00 AM" + row
    )  # fmt: skip
    frame = pk.read(write(tmp_path, text), kind="sar").cpu.frame
    assert frame["time"].to_list() == [
        dt.datetime(2026, 11, 30, 23, 59, 59), dt.datetime(2026, 12, 1),
    ]  # fmt: skip
    assert frame["t_s"].to_list() == [1.0, 2.0]


@pytest.mark.parametrize("line", ["LINUX RESTART\t(8 CPU)", "LINUX RESTART", "LINUX - RESTART"])
def test_a_restart_is_no_sample(tmp_path, line):
    """Restarts are rows of their own table; comments of sadc are named in the evidence."""
    row = "        all      1.00      0.00      0.00      0.00      0.00     99.00\n"
    text = (
        HEADER.format("11/21/26") + "08:00:00" + SAR_CPU + "08:10:00" + row + "\n"
        + f"08:15:00     {line}\n08:16:00     COM hello\n\n" + "08:15:00" + SAR_CPU
        + "08:20:00" + row + "Average:" + row
    )  # fmt: skip
    reading = pk.read(write(tmp_path, text), kind="sar")
    assert reading.cpu.frame["t_s"].to_list() == [600.0, 1200.0]
    assert reading.restarts.frame["time"].to_list() == [dt.datetime(2026, 11, 21, 8, 15)]
    assert reading.restarts.frame["cpus"].to_list() == [8 if "8" in line else None]
    assert "comments" in {s.name for s in reading.evidence.sections if s.status == "unparsed"}


def test_a_restart_in_sadf(tmp_path):
    text = (
        "dbhost;-1;2026-11-21 09:33:38 UTC;LINUX-RESTART\t(8 CPU)\n"
        "# hostname;interval;timestamp;tps;rtps;wtps;bread/s;bwrtn/s\n"
        "dbhost;46;2026-11-21 09:34:34 UTC;3.00;1.00;2.00;8.00;16.00\n"
    )
    path = write(tmp_path, text)
    assert kind_of(path) == "sar"
    reading = pk.read(path, kind="sar")
    assert reading.restarts.frame.row(0) == (dt.datetime(2026, 11, 21, 9, 33, 38), "UTC", 8)
    assert reading.io.frame["t_s"].to_list() == [46.0]


@pytest.mark.parametrize(
    ("change", "place"),
    [
        (lambda host: host["statistics"][0]["disk"][0].update({"r/s": "x"}), r"disk\[0\].r/s"),
        (lambda host: host["statistics"][0]["disk"][0].pop("disk_device"), "disk_device"),
        (lambda host: host["statistics"][0].update({"disk": [1]}), r"disk\[0\]: is not an object"),
        (lambda host: host["statistics"][0].update({"timestamp": "noon"}), "timestamp: 'noon'"),
        (lambda host: host.update({"statistics": 3}), "statistics: is not a list"),
    ],
)
def test_damaged_json_names_the_place(tmp_path, change, place):
    document = json.loads(text_of("iostat-12.6.1-x.json"))
    change(document["sysstat"]["hosts"][0])
    with pytest.raises(ParseError, match=place):
        pk.read(write(tmp_path, json.dumps(document)), kind="iostat")


@pytest.mark.slow
@settings(max_examples=300, deadline=None, suppress_health_check=[FIXTURE])
@given(data=st.data())
def test_only_parse_errors_escape_from_mutated_files(tmp_path, data):
    """Cut, spliced and flipped outputs are read or refused; nothing else happens."""
    name = data.draw(st.sampled_from(sorted(p.name for p in DATA.iterdir() if p.suffix != ".md")))
    text = text_of(name)
    for _ in range(data.draw(st.integers(1, 3))):
        at = data.draw(st.integers(0, len(text)))
        gone = data.draw(st.integers(0, 60))
        put = data.draw(st.text(max_size=5) | st.sampled_from(SPLICED))
        text = text[:at] + put + text[at + gone :]
    path = tmp_path / "mutated"
    path.write_text(text, encoding="utf-8", errors="replace", newline="")
    tool = name.split("-")[0].replace("sadf", "sar")
    try:
        reading = READERS[tool](path)
    except ParseError:
        return
    numbers = reading.host_series.frame.select(pl.col("^cpu_.*_ratio$"))
    for column in numbers.iter_columns():
        assert column.drop_nulls().is_between(0, 1).all()


def test_seconds_since_1970_in_rows_and_other_units(tmp_path):
    """mpstat -U, and iostat in GB: the forms of sysstat 12.7.9."""
    heads = "   CPU    %usr   %nice    %sys %iowait    %irq   %soft  %steal  %guest   %idle\n"
    row = "   all    2.15   12.50    1.84    0.12    0.34    0.19    0.00    0.00   82.86\n"
    text = HEADER.format("06/01/20") + "1591016000" + heads + "1591016001" + row
    frame = pk.read(write(tmp_path, text), kind="mpstat").cpu.frame
    assert frame.row(0)[:4] == (1, dt.datetime(2020, 6, 1, 12, 53, 21), "UTC", 1.0)
    text = HEADER.format("06/13/20") + IOSTAT.replace("kB", "GB")
    assert (
        pk.read(write(tmp_path, text), kind="iostat").devices.frame["read_bytes_per_s"][0]
        == 4 * 2**30
    )


def test_pidstat_and_other_parts_of_sar_are_told(tmp_path):
    """pidstat is named and not read; sar without a part that is read says which parts it has."""
    text = HEADER.format("06/13/20") + "08:00:00      UID       PID    %usr %system  Command\n"
    with pytest.raises(ParseError, match="pidstat output, which perfkit does not read"):
        kind_of(write(tmp_path, text))
    text = HEADER.format("06/13/20") + "08:00:00       proc/s   cswch/s\n08:00:01  1.00  2.00\n"
    with pytest.raises(ParseError, match=r"none of the parts .* \(proc/s cswch/s\)"):
        pk.read(write(tmp_path, text), kind="sar")


def test_the_summary_of_usb_devices_does_not_make_a_sar_unreadable(tmp_path):
    """sar -A ends with it; its label has no colon, unlike all others."""
    text = text_of("sar-12.6.1-ud-en_US.txt")
    summary = (
        "\nSummary         BUS  idvendor    idprod  maxpower            manufact       product\n"
        "Summary           3      8087        24         0\n"
        "Summary           6       624       248       200     no manufacturer       USB HUB\n"
    )
    plain = pk.read(write(tmp_path, text), kind="sar")
    more = pk.read(write(tmp_path, text + summary), kind="sar")
    assert more["cpu"].frame.equals(plain["cpu"].frame)
    assert more["devices"].frame.equals(plain["devices"].frame)
    with pytest.raises(ParseError, match="not a line of sar: 'Summaries'"):
        pk.read(write(tmp_path, text + "\nSummaries\n\n\n09:00:00 x\n"), kind="sar")


@pytest.mark.parametrize(
    "name", ["iostat-12.6.1-x.txt", "sar-12.6.1-ud-en_US.txt", "mpstat-12.6.1.txt"]
)
def test_recordings_of_two_hosts_are_never_one(tmp_path, name):
    text = text_of(name)
    other = text.replace("(dbhost)", "(webhost)")
    line = text.count("\n") + 1
    said = f":{line}: recordings of two hosts in one file, dbhost above and webhost here"
    with pytest.raises(ParseError, match=said):
        pk.read(write(tmp_path, text + other))


def test_days_whose_rows_name_no_day_are_never_one(tmp_path):
    """The second day's rows would carry the first one's date, and count from its beginning."""
    text = text_of("sar-12.6.1-ud-en_US.txt")
    later = text.replace("11/21/2026", "11/22/2026")
    with pytest.raises(ParseError, match="two days in one file, 11/21/2026 above and 11/22/2026"):
        pk.read(write(tmp_path, text + later))
    with pytest.raises(ParseError, match="a second recording of the same host begins here"):
        pk.read(write(tmp_path, text + text))


def test_a_device_twice_in_one_report_is_refused(tmp_path):
    """Two records of one name would be mixed into one row: some numbers of each."""
    text = text_of("iostat-12.6.1-x.json")
    twice = text.replace('"disk": [', '"disk": [{"disk_device": "vda", "r/s": 1.00},', 1)
    with pytest.raises(ParseError, match="device 'vda' appears twice in one report"):
        pk.read(write(tmp_path, twice))


def iostat_json(reports):
    host = {"nodename": "h", "sysname": "Linux", "release": "5.0", "machine": "x86_64",
            "number-of-cpus": 2, "date": "2026-03-01", "statistics": reports}  # fmt: skip
    return json.dumps({"sysstat": {"hosts": [host]}})


def test_iostat_json_may_hold_processors_or_disks_alone_and_not_neither(tmp_path):
    cpu = {"user": 1.0, "nice": 0.0, "system": 2.0, "iowait": 3.0, "steal": 0.0, "idle": 94.0}
    disk = {"disk_device": "sda", "r/s": 1.0, "w/s": 2.0, "rkB/s": 4.0, "wkB/s": 8.0}
    stamp = {"timestamp": "03/01/2026 10:00:00 AM"}

    def read(part):  # twice: the first report is since boot
        return pk.read(write(tmp_path, iostat_json([{**stamp, **part}] * 2)), kind="iostat")

    cpus = read({"avg-cpu": cpu})
    assert cpus.host_series.frame["cpu_iowait_ratio"].to_list() == [0.03]
    disks = read({"disk": [disk]})
    assert disks.devices.frame["read_bytes_per_s"].to_list() == [4096.0] * 2
    with pytest.raises(ParseError, match="no report of iostat in it"):
        read({})


@pytest.mark.parametrize(
    ("share", "counted"), [(0.75, True), (0.75005, True), (0.75006, False), (0.7, False)]
)
def test_caches_count_as_used_where_used_and_free_are_all(share, counted):
    """To half of the last digit of the printed percentage, 75.00%."""
    row = {"memory_used_bytes": 3000, "memory_free_bytes": 1000, "memory_used_ratio": share}
    assert _counts_caches(row) is counted


def test_the_means_of_one_recording_bring_no_word_of_several():
    read = pk.read(DATA / "mpstat-12.6.1.txt", kind="mpstat")
    assert not [text for text in read.evidence.warnings if "several recordings" in text]


@pytest.mark.parametrize(("second_s", "refused"), [(11.0, False), (10.0, True), (None, True)])
def test_a_second_recording_begins_later_than_the_first_ends(second_s, refused):
    recording, track = Recording("sar", "out", seconds=[3]), Track("cpu")
    track.part(("idle",)).rows += [Row(1, (), ("9",), 2), Row(2, (), ("9",), 4)]
    times = Times((None, None), (10.0, second_s), (None, None))
    if not refused:
        assert _check_seconds(recording, track, times) is None
        return
    with pytest.raises(ParseError, match="out:3: a second recording of the same host"):
        _check_seconds(recording, track, times)


def test_another_day_is_no_fault_where_no_row_has_a_time():
    recording = Recording("iostat", "out")
    recording.begin(HEADER.format("03/01/26"))
    recording.track("cpu").report(None)
    assert recording.begin(HEADER.format("03/02/26"), 7)
    assert recording.seconds == [7]


def test_a_part_of_a_json_report_that_is_not_read_is_named():
    recording = Recording("iostat", "out")
    _skip(recording, {"disk": [], "filesystem": []}, {"disk"})
    assert recording.unparsed == {"filesystem": "not read by perfkit"}


def test_a_number_no_host_can_have_is_null(tmp_path):
    text = HEADER.format("2026-11-20") + IOSTAT.replace(
        "4.00      8.00", f"{2 * 10**15}.00      8.00"
    )
    row = pk.read(write(tmp_path, text), kind="iostat").devices.frame.row(0, named=True)
    assert (row["read_bytes_per_s"], row["write_bytes_per_s"]) == (None, 8192.0)


def test_two_reports_of_one_second_are_two(tmp_path):
    """The clock of a recording has no finer step; the tables are joined report by report."""
    cpu = "10:00:0{}        all      {}.00      0.00      2.00      0.00      0.00     9{}.00\n"
    disk = "10:00:0{}          sda     10.00      {}.00      0.00      0.00\n"
    text = HEADER.format("2026-01-01") + f"10:00:00{SAR_CPU}"
    text += "".join(cpu.format(*row) for row in ((1, 1, 7), (1, 3, 5), (2, 4, 4)))
    text += "\n10:00:00          DEV       tps     rkB/s     wkB/s     dkB/s\n"
    text += "".join(disk.format(*row) for row in ((1, 1), (1, 3), (2, 4)))
    found = pk.read(write(tmp_path, text), kind="sar").host_series.frame
    assert found.select("t_s", "cpu_busy_ratio", "disk_read_bytes_per_s").rows() == [
        (1.0, pytest.approx(0.03), 1024.0), (1.0, pytest.approx(0.05), 3072.0),
        (2.0, pytest.approx(0.06), 4096.0),
    ]  # fmt: skip


DEVICES = IOSTAT[IOSTAT.index("Device") :]


@pytest.mark.parametrize(
    ("last", "kept"),
    [
        (IOSTAT, 2),
        (IOSTAT.rstrip() + "\n", 2),  # as whole as the one before, but for the empty line
        (IOSTAT.partition("Device")[0].rstrip() + "\n", 1),  # its devices are missing
        (DEVICES.rstrip() + "\n", 1),  # its processors are
        (IOSTAT.replace("sda ", "sdb ").rstrip() + "\n", 1),  # a device is
        (IOSTAT.replace("     wkB/s", "").replace("      8.00", "").rstrip() + "\n", 1),  # a column
        (IOSTAT.replace("sda ", "sdb "), 2),  # one was taken away, and the report is whole
    ],
)
def test_the_last_report_is_whole_where_it_has_what_the_one_before_has(tmp_path, last, kept):
    text = HEADER.format("01/01/26") + IOSTAT + last
    found = pk.read(write(tmp_path, text), kind="iostat")
    assert len(found.devices) == kept
    assert any(CUT in warning for warning in found.evidence.warnings) is (kept == 1)
