"""A series printed in a tool's form reads back as it was, to the last digit."""
# ruff: noqa: DTZ001 - the tools print local times without a zone

import datetime as dt
from decimal import Decimal
from pathlib import Path

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import perfkit as pk
from perfkit.sources.host.clock import second_of_day, stamp_of

QUICK = settings(
    max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
HUNDREDTHS = st.integers(0, 10**9).map(lambda n: Decimal(n) / 100)
SHARES = st.integers(0, 10**4).map(lambda n: Decimal(n) / 100)
DEVICES = st.lists(
    st.from_regex(r"[a-z][a-z0-9\-]{0,30}", fullmatch=True), min_size=1, max_size=4, unique=True
)
CPU = ("user", "nice", "system", "iowait", "steal", "idle")
NAMES = {
    "r/s": ("read_iops", Decimal(1)),
    "rMB/s": ("read_bytes_per_s", Decimal(2**20)),
    "wkB/s": ("write_bytes_per_s", Decimal(1024)),
    "rrqm/s": ("read_merges_per_s", Decimal(1)),
    "aqu-sz": ("queue_length", Decimal(1)),
    "%util": ("busy_ratio", Decimal("0.01")),
}
VMSTAT = {
    "r": ("runnable", 1), "b": ("blocked", 1), "swpd": ("swap_used_bytes", 1000),
    "free": ("memory_free_bytes", 1000), "buff": ("buffers_bytes", 1000),
    "cache": ("cached_bytes", 1000), "si": ("swap_in_bytes_per_s", 1000),
    "so": ("swap_out_bytes_per_s", 1000), "bi": ("block_in_bytes_per_s", 1024),
    "bo": ("block_out_bytes_per_s", 1024), "in": ("interrupts_per_s", 1),
    "cs": ("context_switches_per_s", 1),
}  # fmt: skip
START = dt.datetime(2026, 11, 21, 23, 59, 50)


def printed(value, sign):
    return f"{value:.2f}".replace(".", sign)


@QUICK
@given(data=st.data())
def test_iostat_reads_back(tmp_path: Path, data):
    """Devices in any order of columns, with commas or points, long names, and a name line apart."""
    devices = data.draw(DEVICES)
    names = data.draw(st.permutations(list(NAMES)))
    sign = data.draw(st.sampled_from([".", ","]))
    apart = data.draw(st.booleans())
    reports = data.draw(st.integers(1, 4))
    values, shares, text = [], [], "Linux 5.0 (h) \t21.11.2026 \t_x86_64_\t(2 CPU)\n\n"
    for number in range(reports):
        at = START + dt.timedelta(seconds=5 * number)
        share = data.draw(st.lists(SHARES, min_size=6, max_size=6))
        shares.append(share)
        text += f"{at:%d.%m.%Y %H:%M:%S}\navg-cpu:  " + " ".join(f"%{name}" for name in CPU)
        text += "\n          " + "  ".join(printed(v, sign) for v in share) + "\n\n"
        text += "Device " + " ".join(names) + "\n"
        for device in devices:
            row = data.draw(st.lists(HUNDREDTHS, min_size=len(names), max_size=len(names)))
            values.append((device, row))
            line = "  ".join(printed(v, sign) for v in row)
            text += f"{device}\n             {line}\n" if apart else f"{device}  {line}\n"
        text += "\n\n"
    path = tmp_path / "iostat.out"
    path.write_text(text)
    reading = pk.read(path, kind="iostat")
    frame = reading.devices.frame
    assert frame["device"].to_list() == [device for device, _ in values]
    assert frame["t_s"].to_list() == [5.0 * n for n in range(reports) for _ in devices]
    assert frame["time"][-1] == START + dt.timedelta(seconds=5 * (reports - 1))
    for place, name in enumerate(names):
        field, factor = NAMES[name]
        assert frame[field].to_list() == [float(row[place] * factor) for _, row in values]
    for place, name in enumerate(CPU):
        expected = [float(share[place] / 100) for share in shares]
        assert reading.cpu.frame[f"{name}_ratio"].to_list() == expected
    assert len(reading.host_series) == reports - 1


@QUICK
@given(
    rows=st.lists(
        st.tuples(
            st.lists(st.integers(0, 2**40), min_size=12, max_size=12),
            st.lists(st.integers(0, 100), min_size=5, max_size=5),
        ),
        min_size=1,
        max_size=8,
    ),
    heads_every=st.integers(1, 9),
)
def test_vmstat_reads_back(tmp_path: Path, rows, heads_every):
    """Whole numbers of any width, heads repeated, memory in units of -S k."""
    text = ""
    for number, (counts, shares) in enumerate(rows):
        if number % heads_every == 0:
            text += "procs -----------memory---------- ---swap-- -----io---- -system--\n"
            text += (
                " r  b   swpd   free   buff  cache   si   so    bi    bo   in   cs us sy id wa st\n"
            )
        text += " ".join(str(value) for value in [*counts, *shares]) + "\n"
    path = tmp_path / "vmstat.out"
    path.write_text(text)
    frame = pk.read(path, unit="k", page=heads_every, kind="vmstat").samples.frame
    for place, (field, factor) in enumerate(VMSTAT.values()):
        assert frame[field].to_list() == [float(counts[place] * factor) for counts, _ in rows]
    for place, field in enumerate(("user", "system", "idle", "iowait", "steal")):
        assert frame[f"{field}_ratio"].to_list() == [
            float(Decimal(s[place]) / 100) for _, s in rows
        ]


@QUICK
@given(
    reports=st.lists(
        st.lists(st.lists(SHARES, min_size=6, max_size=6), min_size=3, max_size=3),
        min_size=1, max_size=5,
    ),
    heads_every=st.integers(1, 3),
    twelve_hours=st.booleans(),
)  # fmt: skip
def test_sar_reads_back(tmp_path: Path, reports, heads_every, twelve_hours):
    """CPUs in order over midnight, with either clock; the means at the end are not samples."""
    form = "%I:%M:%S %p" if twelve_hours else "%H:%M:%S"
    heads = "  CPU  " + "  ".join(f"%{name}" for name in CPU) + "\n"
    text = "Linux 5.0 (h) \t2026-11-21 \t_x86_64_\t(2 CPU)\n"
    for number, rows in enumerate(reports):
        if number % heads_every == 0:
            text += f"\n{START + dt.timedelta(seconds=5 * number):{form}}{heads}"
        at = START + dt.timedelta(seconds=5 * (number + 1))
        for cpu, row in zip(("all", "0", "1"), rows, strict=True):
            text += f"{at:{form}}  {cpu}  " + "  ".join(f"{v:.2f}" for v in row) + "\n"
    text += f"\nAverage:{heads}" + "".join(
        f"Average:  {cpu}  " + "  ".join(["50.00"] * 6) + "\n" for cpu in ("all", "0", "1")
    )
    path = tmp_path / "sar.txt"
    path.write_text(text)
    reading = pk.read(path, kind="sar")
    frame = reading.cpu.frame
    assert frame["cpu"].to_list() == ["all", "0", "1"] * len(reports)
    expected = [START + dt.timedelta(seconds=5 * (n + 1)) for n in range(len(reports))]
    assert frame["time"].to_list() == [at for at in expected for _ in range(3)]
    assert frame["t_s"].to_list() == [5.0 * (n + 1) for n in range(len(reports)) for _ in range(3)]
    for place, name in enumerate(CPU):
        flat = [float(row[place] / 100) for rows in reports for row in rows]
        assert frame[f"{name}_ratio"].to_list() == flat


@given(moment=st.datetimes(dt.datetime(2000, 1, 1), dt.datetime(2060, 1, 1)))
def test_a_printed_moment_reads_back(moment):
    """Every form of date and time gives the day it was printed from, at least in one order."""
    moment = moment.replace(microsecond=0)
    forms = ("%m/%d/%y %H:%M:%S", "%d/%m/%Y %I:%M:%S %p", "%d.%m.%Y %H:%M:%S",
             "%Y-%m-%d %H:%M:%S UTC", "%Y-%m-%dT%H:%M:%S+0100",
             "%Y年%m月%d日 %H时%M分%S秒")  # fmt: skip
    for form in forms:
        stamp = stamp_of(moment.strftime(form))
        assert moment.date() in dict(stamp.dates).values(), form
        assert stamp.second == moment.hour * 3600 + moment.minute * 60 + moment.second


@given(st.text(max_size=20))
def test_any_text_is_a_time_or_none(text):
    stamp, second = stamp_of(text), second_of_day(text)
    assert stamp is None or 0 <= stamp.second <= 86400
    assert second is None or 0 <= second <= 86400
