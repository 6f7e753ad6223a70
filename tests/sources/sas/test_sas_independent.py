# ruff: noqa: DTZ007 - logs name no zone
"""A second, naive reader of logs, line by line, which shares no code with perfkit's.

It knows only what the real files hold: STIMER and FULLSTIMER of SAS 9.4 and Viya in English. Forged
logs of these forms stand beside the real ones, which are not part of the repository.
"""

import random
import re
from datetime import datetime

import pytest
from forges.sas import Log, Step
from places import ROOT

from perfkit.sources.sas.read import read_sas

REAL = ROOT / "../shared/real/sas"
FILES = sorted(REAL.glob("*.*")) if REAL.is_dir() else []

OWN = ("9.4 unix", "9.4 stimer", "viya 4")


def steps(seed):
    """Steps of a session, times and counts drawn."""
    dice = random.Random(seed)
    names = ("DATA", "SORT", "MEANS", "SQL", "DATA", "GLM", "PRINT")
    return [
        Step(
            name=name, step_count=number, switch_count=dice.randrange(99),
            real_ms=10 * dice.randrange(1, 2_000_000),
            user_ms=10 * dice.randrange(9_000), system_ms=10 * dice.randrange(9_000),
            page_faults=dice.randrange(9), voluntary_context_switches=dice.randrange(10**6),
            block_output_operations=dice.randrange(10**9),
            read=((f"WORK.IN{number}", dice.randrange(1, 10**7)),),
            written=((f"WORK.OUT{number}", dice.randrange(10**7), dice.randrange(1, 99)),),
            messages=("WARNING: a value is missing.",) * dice.randrange(3),
        )
        for number, name in enumerate(names, 1)
    ]  # fmt: skip


@pytest.fixture(params=[*OWN, *FILES], ids=lambda log: getattr(log, "name", log))
def path(request, tmp_path):
    """A log: a forged one in a dialect, with page headers, or a real one."""
    if request.param not in OWN:
        return request.param
    file = tmp_path / "forged.log"
    file.write_bytes(Log(steps(7), request.param, page_lines=40).data())
    return file


LABELS = {
    "real time": "real_time_s", "user cpu time": "user_cpu_s", "system cpu time": "system_cpu_s",
    "cpu time": "cpu_s", "memory": "memory_bytes", "OS Memory": "os_memory_bytes",
    "Timestamp": "timestamp", "Page Faults": "page_faults", "Page Reclaims": "page_reclaims",
    "Page Swaps": "page_swaps", "Voluntary Context Switches": "voluntary_context_switches",
    "Involuntary Context Switches": "involuntary_context_switches",
    "Block Input Operations": "block_input_operations",
    "Block Output Operations": "block_output_operations",
}  # fmt: skip


def value_of(column, text):
    """A value in SI units, by cutting the text up."""
    if column == "timestamp":
        return datetime.strptime(text, "%m/%d/%Y %I:%M:%S %p")
    if column.endswith("memory_bytes"):
        return float(text.rstrip("k")) * 1024
    if not column.endswith("_s"):
        return int(text)
    total = 0
    for part in text.replace("seconds", "").strip().split(":"):
        total = total * 60 + float(part)
    return total


def naive(path):
    """Blocks as dictionaries, with line and what the NOTE said."""
    lines = path.read_text("latin-1").replace("\r", "").split("\n")
    blocks = []
    block = None
    gap = 0
    for number, raw in enumerate(lines, 1):
        line = raw.strip("\f ")
        head = re.match(r"NOTE: (.*) used(?: \(Total process time\))?:$", line)
        if head:
            block = {"line": number, "what": head[1]}
            blocks.append(block)
            gap = 0
            continue
        if block is None:
            continue
        label = next(
            (name for name in LABELS if re.match(rf"{name}\s", line) and LABELS[name] not in block),
            None,
        )
        counts = re.match(r"Step Count\s+(\d+)\s+Switch Count\s+(\d+)$", line)
        if counts and "step_count" not in block:
            block["step_count"], block["switch_count"] = int(counts[1]), int(counts[2])
        elif label and re.match(r"\s{5}", raw):
            text = line[len(label) :].strip()
            block[LABELS[label]] = value_of(LABELS[label], text)
        elif not line or "The SAS System" in line:
            gap += 1
            # a block's end is blank; a page header lies within a few lines
            if gap > 5 or "cpu_s" in block:
                block = None
        else:
            block = None
    return [block for block in blocks if "real_time_s" in block]


def of_step(block):
    what = re.fullmatch(r"(DATA) statement|PROCEDURE (\S+)", block["what"])
    return (what[1] or what[2]) if what else None


def test_every_field_of_every_block_agrees(path):
    found = read_sas(path)
    want = [block for block in naive(path) if of_step(block)]
    rows = found.steps.frame.to_dicts()
    assert rows
    assert [row["line"] for row in rows] == [block["line"] for block in want]
    for row, block in zip(rows, want, strict=True):
        assert row["name"] == of_step(block)
        assert row["complete"]
        for column in [*LABELS.values(), "step_count", "switch_count"]:
            if column == "cpu_s" and "user_cpu_s" in block:
                continue
            got, expected = row[column], block.get(column)
            close = pytest.approx(expected, abs=1e-9) if isinstance(expected, float) else expected
            assert got == close, (path.name, block["line"], column)


def test_sums_counts_and_sessions_agree(path):
    found = read_sas(path)
    blocks = naive(path)
    steps = [block for block in blocks if of_step(block)]
    assert found.steps.frame["real_time_s"].sum() == pytest.approx(
        sum(block["real_time_s"] for block in steps)
    )
    ends = [block for block in blocks if block["what"] == "The SAS System"]
    starts = [block for block in blocks if block["what"].lower() == "sas initialization"]
    sessions = found.sessions.frame
    assert sessions["ended"].sum() == len(ends)
    assert sessions["initialization_real_time_s"].drop_nulls().to_list() == [
        block["real_time_s"] for block in starts
    ]
    assert sessions.filter("ended")["real_time_s"].to_list() == [b["real_time_s"] for b in ends]
    assert len(blocks) == len(steps) + len(ends) + len(starts) + len(found.other_blocks)


def test_rows_and_messages_agree(path):
    """Counted by patterns over the whole text, without regard to steps."""
    text = path.read_text("latin-1").replace("\r", "")
    found = read_sas(path)
    joined = re.sub(r"data set\s*\n\s+", "data set ", text)
    read = [
        int(n) for n in re.findall(r"^ ?NOTE: There were (\d+) observations read", joined, re.M)
    ]
    written = re.findall(
        r"^ ?NOTE: The data set (\S+) has (\d+) observations and (\d+) variables", joined, re.M
    )
    frame = found.datasets.frame.filter(found.datasets.frame["kind"] == "data set")
    rows = frame.to_dicts()
    assert [
        row["observations"] for row in rows if row["role"] == "read" and row["observations"]
    ] == [n for n in read if n]
    assert [
        (row["name"], row["observations"], row["variables"]) for row in rows
        if row["role"] == "written"
    ] == [(name.upper(), int(n), int(v)) for name, n, v in written]  # fmt: skip
    messages = re.findall(r"^ ?(ERROR|WARNING)(?: \d+-\d+)?:(?! Errors? printed on)", text, re.M)
    assert found.messages.frame["level"].to_list() == messages


@pytest.mark.skipif(not FILES, reason="real SAS logs are not part of the repository")
def test_the_sums_of_the_largest_log():
    """What a text search over the file counts: 4,101 blocks."""
    found = read_sas(REAL / "batch_4101_blocks.log")
    data = (REAL / "batch_4101_blocks.log").read_bytes()
    assert len(found.steps) == data.count(b"real time") == 4101
