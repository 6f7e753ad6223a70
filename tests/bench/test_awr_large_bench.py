"""Files larger than any report, and damage that repeats: bounded in time and memory, and told."""

from __future__ import annotations

import gzip
import subprocess
import sys
import time

import pytest
from forges import awr

from perfkit.sources.awr import html, html_rows

READ = """
import sys, time
from pathlib import Path
from perfkit.core.errors import ParseError
from perfkit.sources.awr.read import read_awr

def peak():
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith("VmHWM"))

read_awr(sys.argv[1])
before, clock = peak(), time.process_time()
try:
    reading = read_awr(sys.argv[2])
    rows, told = sum(map(len, reading.values())), len(reading.evidence.warnings)
    said = f"read: {rows} rows, {told} warnings"
except ParseError as problem:
    said = f"ParseError: {problem.message if hasattr(problem, 'message') else problem}"
print(peak() - before, time.process_time() - clock, said[:200].replace("\\n", " "), sep="\\t")
"""
SECONDS = 120.0
"""CPU for the largest file that is read; one that is refused takes less than a tenth of it."""


def repeated(size):
    """A report whose sections come again and again, up to so many bytes."""
    page = awr.forge_html(awr.sample(1, statements=20, longest=4000)).data
    start, end = page.index(b"<h3"), page.rindex(b"End of Report")
    count = (size - len(page)) // (end - start) + 1
    return page[:end] + page[start:end] * count + page[end:]


@pytest.mark.parametrize("packed", [False, True], ids=["plain", "gz"])
@pytest.mark.parametrize("size", [120_000_000, 200_000_000])
def test_a_file_larger_than_any_report(size, packed, tmp_path):
    """120 MB of sections are read, or refused with the reason; 200 MB are refused at once."""
    data = repeated(size)
    big, small = tmp_path / "big.html", tmp_path / "small.html"
    big.write_bytes(gzip.compress(data, 1) if packed else data)
    small.write_bytes(awr.forge_html(awr.sample(2)).data)
    done = subprocess.run(
        [sys.executable, "-c", READ, str(small), str(big)], capture_output=True, text=True,
        check=True,
    )  # fmt: skip
    peak, took, said = done.stdout.strip().split("\t")
    multiple = int(peak) * 1024 / len(data)
    kind = "gz" if packed else "plain"
    print(f"\nAWR large: {len(data) / 1e6:.0f} MB {kind}: {float(took):.1f} s of CPU, peak "
          f"{multiple:.1f} x, {said}")  # fmt: skip
    assert multiple <= 12
    refused = size > 128 * 1024**2
    assert float(took) < (SECONDS / 10 if refused else SECONDS)
    assert ("larger than any report" in said) == refused


HEAD = b"<html><title>AWR Report for</title><table summary='x'><tr><td>1</td></tr>"


@pytest.mark.parametrize(
    "piece",
    [b"<table><tr><td>", b"<table>", b"<b <table", b'<td x="<tr ', b"<!-- ", b"<a name=x>",
     b"<h3>", b"<script>", b"<table summary='", b"</table>", b"<tr><td>", b"<td>1", b"<tr "],
    ids=repr,
)  # fmt: skip
def test_time_grows_with_the_size_alone(piece):
    """Eight times as much damage takes about eight times as long, not sixty-four times."""
    times = []
    for size in (250_000, 2_000_000):
        page = HEAD + piece * (size // len(piece)) + b"</table>"
        clock = time.process_time()
        try:
            made, _ = html.tables(page, page.lower(), cut=False)
            for table in made[:20]:
                table.open().fetch()
        except html_rows.DamagedError:
            pass
        times.append(time.process_time() - clock)
    print(f"\nAWR damage {piece!r}: {times[0]:.3f} s for 0.25 MB, {times[1]:.3f} s for 2 MB")
    assert times[1] < 24 * max(times[0], 0.02)
