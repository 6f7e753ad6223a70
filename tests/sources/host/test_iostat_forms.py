"""iostat without its first line, and the columns of old versions of sysstat."""

import pytest
from places import TESTS

import perfkit as pk
from perfkit.core.errors import ParseError
from perfkit.sources import kind_of

DATA = TESTS / "data" / "host"
CPU = """\
avg-cpu:  %user   %nice    %sys %iowait   %idle
           1.00    0.00    2.00    3.00   94.00
"""
BEFORE_7 = """\
Device:    rrqm/s wrqm/s   r/s   w/s  rsec/s  wsec/s    rkB/s    wkB/s avgrq-sz avgqu-sz   await  \
svctm  %util
sda          1.00   2.00  4.00 10.00   64.00  160.00    32.00    80.00    16.00     0.50    2.50   \
1.25  10.00
"""
BEFORE_9_1 = """\
Device:         rrqm/s   wrqm/s     r/s     w/s   rsec/s   wsec/s avgrq-sz avgqu-sz   await  \
svctm  %util
sda               1.00     2.00    4.00   10.00    64.00   160.00    16.00     0.50    2.50   \
1.25  10.00
"""


def recorded(tmp_path, name, dropped=2):
    """A recorded output without its first lines."""
    lines = (DATA / name).read_text().splitlines(keepends=True)
    place = tmp_path / "iostat.out"
    place.write_text("".join(lines[dropped:]))
    return place


@pytest.mark.parametrize(
    "name",
    ["iostat-12.6.1-xmt.txt", "iostat-9.1.7-xmt.txt", "iostat-12.6.1-x.txt", "iostat-12.6.1-d.txt"],
)
def test_without_its_first_line_the_numbers_are_the_same(tmp_path, name):
    """What only that line says is null: date and host, and what the first report is."""
    whole, found = pk.read(DATA / name), pk.read(recorded(tmp_path, name))
    assert found.evidence.kind == "iostat"
    for table in ("devices", "cpu"):
        own = found[table].frame
        assert own.drop("since_boot").equals(whole[table].frame.drop("since_boot"))
        assert own["since_boot"].to_list() == [
            None if first else since
            for first, since in zip(
                own["sample"] == 1, whole[table].frame["since_boot"], strict=True
            )
        ]
    assert found.host.frame.height == 0
    assert any("is not known: it is left out of host_series" in w for w in found.evidence.warnings)


def test_the_caller_says_what_the_first_report_is(tmp_path):
    place = recorded(tmp_path, "iostat-12.6.1-xmt.txt")
    assert pk.read(place).host_series.frame.height == 2
    every = pk.read(place, first_report="interval")
    assert every.host_series.frame.height == 3
    assert every.evidence.warnings == ()
    boot = pk.read(place, first_report="since-boot")
    assert boot.devices.frame["since_boot"].to_list() == [True, False, False]
    assert boot.evidence.warnings == ()


def test_a_time_without_a_date_stays_one(tmp_path):
    """Old versions print only the time of day: the date stood in the line that is missing."""
    place = tmp_path / "iostat.out"
    reports = "".join(f"Time: 11:00:0{n} PM\n{CPU}\n{BEFORE_7}\n" for n in range(3))
    place.write_text(reports)
    devices = pk.read(place).devices.frame
    assert devices["time"].to_list() == [None] * 3
    assert devices["t_s"].to_list() == [0.0, 1.0, 2.0]


@pytest.mark.parametrize("time", ["Zeit: 23:00:0{}", "Heure : 23:00:0{}", "時間: 23時00分0{}秒"])
def test_the_word_before_the_time_is_of_the_hosts_language(tmp_path, time):
    place = tmp_path / "iostat.out"
    reports = "".join(f"{time.format(n)}\n{BEFORE_7}\n" for n in range(3))
    place.write_text(f"Linux 2.6.18 (dbhost) \t2011-04-12\n\n{reports}")
    devices = pk.read(place).devices.frame
    assert [str(at) for at in devices["time"]] == [f"2011-04-12 23:00:0{n}" for n in range(3)]


@pytest.mark.parametrize("glued", [False, True])
@pytest.mark.parametrize("text", [BEFORE_7, BEFORE_9_1])
def test_the_columns_of_old_versions(tmp_path, text, glued):
    """Sectors are of 512 bytes; one latency for reads and writes; the rest is null."""
    place = tmp_path / "iostat.out"
    head = "Linux 2.6.9 (dbhost) \t05/13/2006\n\n"
    text = (
        text.replace("Device:    ", "Device:").replace("Device:     ", "Device:") if glued else text
    )
    place.write_text(f"{head}{CPU}\n{text}\n{CPU}\n{text}\n")
    found = pk.read(place)
    assert not found.evidence.unverified
    row = found.devices.frame.row(1, named=True)
    assert (row["device"], row["since_boot"]) == ("sda", False)
    assert (row["read_bytes_per_s"], row["write_bytes_per_s"]) == (64 * 512.0, 160 * 512.0)
    assert (row["read_merges_per_s"], row["read_iops"], row["write_iops"]) == (1.0, 4.0, 10.0)
    assert (row["await_s"], row["request_bytes"], row["busy_ratio"]) == (0.0025, 8192.0, 0.1)
    assert row["read_await_s"] is row["write_await_s"] is row["flush_await_s"] is None
    cpu = found.cpu.frame.row(1, named=True)
    assert (cpu["sys_ratio"], cpu["iowait_ratio"], cpu["steal_ratio"]) == (0.02, 0.03, None)


@pytest.mark.parametrize(
    "text",
    [
        "Device  name  state\nsda  x  ok\n",
        "avg-cpu:  %mine\n 1.0\n",
        "notes of iostat\n" + CPU + BEFORE_7,
        CPU.splitlines()[0] + "\n",
    ],
)
def test_what_only_looks_like_it_is_none(tmp_path, text):
    place = tmp_path / "x"
    place.write_text(text)
    with pytest.raises(ParseError, match="of no kind that perfkit reads"):
        kind_of(place)
