"""Tools that perfkit does not read are named, and no file of its own kinds is taken for one."""

import re

import pytest
from places import ROOT, TESTS

from perfkit.core.errors import ParseError, UnknownKindError
from perfkit.sources import SOURCES, kind_of
from perfkit.sources.other_tools import OTHER_TOOLS, other_tool

SYSSTAT = "Linux 6.1.0 (dbhost) \t11/21/26 \t_x86_64_\t(2 CPU)\n\n"
TITLE = "-----Sequential Output------ --Sequential Input- --Random-"
SAMPLES = [
    ("DiskSpd", "\nCommand Line: diskspd -b4K -t2 -r -o32 -d10 -Sh x.dat\n\nInput parameters:\n"),
    (
        "DiskSpd",
        "Input parameters:\n\n\ttimespan:   1\n\t-------------\n\tduration: 30s\n\twarm up",
    ),
    ("DiskSpd", "WARNING: Error adjusting (1300)\nCommand Line: C:\\tools\\diskspd.exe -c1G x\n"),
    ("DiskSpd", "<Results>\n  <System>\n    <ComputerName>vm</ComputerName>\n"),
    (
        "vdbench",
        "\nCopyright (c) 2000, 2018, Oracle and/or its affiliates. All rights reserved.\n"
        "Vdbench distribution: vdbench50407 Tue June 05  9:49:29 MDT 2018\n",
    ),
    ("vdbench", "<title>Vdbench output/summary.html</title><pre>\n"),
    ("iozone", "\tIozone: Performance Test of File I/O\n\t        Version $Revision: 3.489 $\n"),
    ("iozone", "iozone automatic measurements\n\tIozone: Performance Test of File I/O\n"),
    ("Iometer", "'Test Type,Test Description\n0,\n'Version\n1.1.0\n"),
    ("bonnie++", f"Version  1.97       -{TITLE}\nConcurrency   1     -Per Chr- --Block--\n"),
    ("bonnie++", "1.97,1.97,host,1,1700000000,8G,,646,97,86208,12\n"),
    ("sysbench", "sysbench 1.0.20 (using bundled LuaJIT 2.1.0-beta2)\n\nRunning the test with\n"),
    ("sysbench", "sysbench 0.4.12:  multi-threaded system evaluation benchmark\n"),
    (
        "hdparm",
        "\n/dev/sda:\n Timing buffered disk reads: 456 MB in  3.01 seconds = 151.45 MB/sec\n",
    ),
    (
        "hdparm",
        "$ sudo hdparm -tT /dev/sda\n\n/dev/sda:\n Timing cached reads:   3462 MB in  2.0\n",
    ),
    ("dd", "1024+0 records in\n1024+0 records out\n1073741824 bytes (1.1 GB) copied, 2 s\n"),
    ("ioping", "4 KiB <<< . (ext4 /dev/sda 9 GiB): request=1 time=63.3 us (warmup)\n"),
    ("ioping", "4096 bytes from . (ext4 /dev/sda3): request=1 time=0.2 ms\n"),
    ("ioping", "\n--- /dev/sda (device 465.8 GiB) ioping statistics ---\n186 requests completed\n"),
    ("CrystalDiskMark", f"{'-' * 78}\nCrystalDiskMark 8.0.4 x64 (C) 2007-2021 hiyohiyo\n"),
    (
        "IOR",
        "IOR-4.0.0: MPI Coordinated Test of Parallel I/O\nBegan   : Tue Apr 29 14:12:28 2025\n",
    ),
    (
        "mdtest",
        "-- started at 04/29/2021 23:28:11 --\n\nmdtest-3.4.0+dev was launched with 10 total",
    ),
    ("COSBench", "Op-Type,Sample-Type,Op-Count,Byte-Count,Avg-ResTime\nread,read,933,37,6.97\n"),
    ("COSBench", "Timestamp,Op-Count,,Byte-Count,,Avg-ResTime,,\n,read,write,read,write\n"),
    ("IO500", "IO500 version io500-isc23 (standard)\n[RESULT]       ior-easy-write  0.14 GiB/s\n"),
    ("rados", "hints = 1\n  sec Cur ops   started  finished  avg MB/s  cur MB/s last lat(s)\n"),
    ("rados bench", "hints = 1\nMaintaining 16 concurrent writes of 4194304 bytes to objects of\n"),
    ("Filebench", "Filebench Version 1.5-alpha3\n0.000: Allocated 173MB of shared memory\n"),
    ("fs_mark", "\n#  ./fs_mark  -d  /mnt  -s  4096  -n  1000 \n#\tVersion 3.3, 1 thread(s)\n"),
    ("stress-ng", "stress-ng: info:  [17566] dispatching hogs: 2 cpu\n"),
    (
        "job file of fio",
        "; four jobs\n[global]\n# direct\ndirect=1\nioengine=libaio\n\n[a]\nrw=read\n",
    ),
    ("HammerDB", "HammerDB CLI v4.3\nCopyright (C) 2003-2021 Steve Shaw\n"),
    ("HammerDB", "Hammerdb Log @ Mon Jan 05 10:00:00 GMT 2026\n+-+-+-+\nVuser 1:RUNNING\n"),
    ("HammerDB", "Vuser 1:RUNNING\nVuser 1:Beginning rampup time of 2 minutes\n"),
    ("Swingbench", '<Results xmlns="http://www.dominicgiles.com/swingbench/results">\n'),
    ("pgbench", "transaction type: <builtin: TPC-B (sort of)>\nscaling factor: 100\n"),
    ("ADDM", "          ADDM Report for Task 'TASK_473'\n          -----------------------\n"),
    ("ASH report", "<html><head><title>ASH Report - From 05-Jan-26 10:00:00 To 05-Jan-26 10:15\n"),
    ("ASH report", "ASH Report For SHOP/shop1\n\nDB Name         DB Id    Instance\n"),
    (
        "AWR report of one SQL statement",
        '\n<html lang="en"><head><title>AWR SQL Report for DB: SHOP, Inst: shop1, Snaps: 1-2\n',
    ),
    ("AWR report of one SQL statement", "WORKLOAD REPOSITORY SQL Report\n\nSnapshot Period\n"),
    ("Statspack report of one SQL statement", "STATSPACK SQL report for Old Hash Value: 1 Mod\n"),
    ("SQL Monitor", "SQL Monitoring Report\n\nSQL Text\n------------------------------\n"),
    ("SQL Monitor", "<sql_monitor_report>\n  <report_parameters>\n"),
    (
        "SQL Monitor",
        '<html>\n <head>\n  <script src="a.js">\n  </script>\n </head>\n <body>\n'
        '  <script type="text/xml">\n   <!--FXTMODEL-->\n<report>\n',
    ),
    (
        "AWR report that compares two periods",
        '<html lang="en"><head><title>AWR Compare Period Report for DB: SHOP, Inst: shop1\n',
    ),
    (
        "AWR report that compares two periods",
        "WORKLOAD REPOSITORY COMPARE PERIOD REPORT (PDB snapshots)\n\nSnapshot Set    DB Id\n",
    ),
    ("tkprof", "\nTKPROF: Release 19.0.0.0.0 - Development on Thu Jun 25 05:37:55 2026\n"),
    (
        "awr_info.sh",
        "FILE|SESSIONS|ELAPSED|DB CPU|DB Tm|EXECUTES|LIO|PREADS|READ_MBS|\nawr.txt.8|8|",
    ),
    ("mgstat", "Date,       Time    ,  Glorefs, RemGrefs, GRratio,  PhyRds, Rdratio,\n"),
    ("pidstat", f"{SYSSTAT}06:28:07      UID       PID   kB_rd/s   kB_wr/s kB_ccwr/s  Command\n"),
    ("pidstat", f"{SYSSTAT}04:02:48 AM   UID       PID   kB_rd/s   kB_wr/s kB_ccwr/s  Command\n"),
    ("pidstat", f"{SYSSTAT}# Time        UID       PID    %usr %system  %guest   %wait    %CPU\n"),
    ("nmon", "AAA,progname,nmon\nAAA,command,nmon -f -s60 -c60\n"),
    ("nmon", "AAA,progname,topas_nmon\nAAA,command,topas_nmon -f\n"),
    (
        "esxtop",
        '"(PDH-CSV 4.0) (UTC)(0)","\\\\esx\\Memory\\Memory x","\\\\esx\\Physical Cpu(_Total)\\%"\n',
    ),
    (
        "Windows",
        '"(PDH-CSV 4.0) (W. Europe Standard Time)(-60)","\\\\PC\\LogicalDisk(C:)\\Reads"\n',
    ),
    (
        "Windows",
        '\r\n"(PDH-CSV 4.0)","\\\\PC\\Memory\\Commit Limit"\r\n"09/22/2026 21:42:32.8","1"\r\n',
    ),
    ("dstat", '"Dstat 0.7.2 CSV output"\n"Author:","Dag Wieers"\n'),
    ("collectl", f"{'#' * 80}\n# Collectl:   V4.3.1-1  HiRes: 1  Options: -sZC -i 10\n"),
    ("collectl", "waiting for 5 second sample...\n#Date,Time,[DSK]ReadTot,[DSK]WriteTot\n"),
    ("atop", "ATOP - dbhost  2026/11/21  06:28:07     ----  10s elapsed\n"),
    ("top", "top - 06:28:07 up 10 days,  1:00,  1 user,  load average: 0.1, 0.1, 0.1\n"),
    ("blkparse", "  8,64   3        1     0.000000000  4162  Q  RM 73992 + 8 [fs_mark]\n"),
    (
        "Solaris",
        "                    extended device statistics\ndevice    r/s    w/s   kr/s   kw/s\n",
    ),
    ("AIX", "\nSystem configuration: lcpu=8 drives=1 paths=2 vdisks=2\n\nhdisk6  xfer:  %tm_act\n"),
]


@pytest.mark.parametrize(("name", "text"), SAMPLES)
def test_it_is_named_with_what_to_do(tmp_path, name, text):
    place = tmp_path / "x.out"
    place.write_text(text, newline="")
    with pytest.raises(ParseError, match=f"{re.escape(name)}.*, which perfkit does not read: \\w"):
        kind_of(place)


def test_every_pattern_has_a_sample():
    """And of patterns that fit one text, the first names it."""
    named = [tool for _, text in SAMPLES if (tool := other_tool(text))]
    assert {tool.name for tool in named} == {tool.name for tool in OTHER_TOOLS if tool.begins}
    fits = {begins for _, text in SAMPLES for begins in _patterns_that_fit(text)}
    assert fits == {begins for tool in OTHER_TOOLS for begins in tool.begins}


def _patterns_that_fit(text):
    text = re.sub(r"^\$ .*\n", "", text.replace("\r\n", "\n")).lstrip()
    return [begins for t in OTHER_TOOLS for begins in t.begins if re.match(begins, text)]


@pytest.mark.parametrize(
    ("name", "magic"), [(tool.name, magic) for tool in OTHER_TOOLS for magic in tool.magic]
)
def test_binary_files_are_named(tmp_path, name, magic):
    place = tmp_path / "sa21"
    place.write_bytes(magic + b"\x75\x21\x00\xff" * 9)
    with pytest.raises(ParseError, match=f"{name}, which perfkit does not read"):
        kind_of(place)


def recorded():
    """Every sample file of the tests, and other people's where they are here."""
    for folder in (TESTS / "data", ROOT / "data", ROOT / "../shared/real"):
        yield from (path for path in folder.rglob("*") if path.is_file())


def test_what_holds_no_measurement_is_no_evidence_that_cannot_be_read(tmp_path):
    """A job file of fio beside its results is nothing that a report lacks."""
    for text, kind in (("[global]\nbs=4k\n", UnknownKindError), (SAMPLES[0][1], ParseError)):
        (tmp_path / "x").write_text(text)
        with pytest.raises(ParseError) as caught:
            kind_of(tmp_path / "x")
        assert type(caught.value) is kind


def test_no_sample_of_a_kind_that_is_read_is_taken_for_another_tool():
    """Whatever a file of ours is, no pattern fits it: also where a sniffer would come first."""
    taken = {}
    for path in recorded():
        data = path.read_bytes()[: 64 * 1024]
        tool = other_tool(data.decode(errors="replace"), data)
        if tool and "diskspd" not in path.name:
            taken[path.name] = tool.name
    no_evidence = {tool.name for tool in OTHER_TOOLS if not tool.is_evidence}
    assert set(taken.values()) <= no_evidence, taken


@pytest.mark.parametrize(("_", "text"), SAMPLES)
def test_no_source_takes_its_output_for_its_own(_, text):
    assert [name for name, source in SOURCES.items() if source.sniff and source.sniff(text)] == []


@pytest.mark.parametrize(
    "text",
    [
        "# Notes\n\nWe ran iozone:\n\n    Iozone: Performance Test of File I/O\n",
        "The output of dd was\n1024+0 records in\n1024+0 records out\n",
        "Date,Time,Reads\n2026-01-01,10:00:00,1\n",
        "Version 2.0 of our report\n",
        "[global]\nname = x\n\n[other]\nbs=1\n",
        "/dev/sda:\n is a disk\n",
        "1.97,2.00,3.10\n",
        SYSSTAT + "06:28:07     DEV       tps\n",
    ],
)
def test_a_text_that_only_speaks_of_a_tool_is_not_named(tmp_path, text):
    place = tmp_path / "x"
    place.write_text(text)
    with pytest.raises(ParseError, match="of no kind that perfkit reads; it begins"):
        kind_of(place)


@pytest.mark.skipif(not (ROOT / "../shared/real/foreign/diskspd").is_dir(), reason="not here")
def test_the_real_output_of_a_stranger_is_named():
    for path in (ROOT / "../shared/real/foreign/diskspd").iterdir():
        with pytest.raises(ParseError, match="DiskSpd output, which perfkit does not read"):
            kind_of(path)
