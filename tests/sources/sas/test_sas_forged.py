# ruff: noqa: DTZ001 - logs name no zone
"""Known steps in every dialect, with page headers at every line of a block, come out equal."""

import itertools
from datetime import datetime, timedelta

import pytest
from forges.sas import DIALECTS, Log, Step, block_lines, expected, page_header
from hypothesis import given, settings
from hypothesis import strategies as st

from perfkit.sources.sas.read import read_sas

MEASURES = (
    "real_time_s", "user_cpu_s", "system_cpu_s", "cpu_s", "memory_bytes", "os_memory_bytes",
    "timestamp", "step_count", "switch_count", "page_faults", "page_reclaims", "page_swaps",
    "voluntary_context_switches", "involuntary_context_switches", "block_input_operations",
    "block_output_operations", "excp_count",
)  # fmt: skip
HEADER_FORMS = 5


def fine(dialect):
    """Milliseconds in the smallest step that the dialect prints."""
    unit = DIALECTS[dialect].finest_ms
    return st.integers(0, 100 * 3600 * 1000 // unit).map(lambda n: n * unit)


@st.composite
def steps(draw, dialect):
    count = st.integers(0, 2**40)
    return Step(
        name=draw(st.sampled_from(["DATA", "SORT", "SQL", "HPFOREST", "_X9"])),
        real_ms=draw(fine(dialect)),
        user_ms=draw(fine(dialect)),
        system_ms=draw(fine(dialect)),
        memory_ck=draw(st.integers(0, 10**9)),
        os_memory_ck=draw(st.integers(0, 10**10)),
        end=draw(st.datetimes(datetime(1996, 1, 1), datetime(2035, 1, 1))).replace(microsecond=0),
        **{name: draw(count) for name in MEASURES[7:16]},
    )


def lines_of(step, dialect, header, at):
    """A small program around the step's block, with a page header before the block's line."""
    block = [*block_lines(step, dialect), "      ", ""]
    block[at:at] = header
    before = DIALECTS[dialect].before
    lines = ["1    data work.x;", "2    run;", "", *block, "3    data y; real time = 1;"]
    return [line if before is None else before(step.end) + line for line in lines]


def check(row, step, dialect):
    want = expected(step, dialect)
    if dialect == "server":
        want["timestamp"] = step.end
    assert {name: row[name] for name in want} == want
    assert [name for name in MEASURES if name not in want and row[name] is not None] == []
    assert row["complete"]
    assert row["other"] is None


def one(tmp_path, lines, dialect, newline="\n"):
    path = tmp_path / "x.log"
    path.write_bytes((newline.join(lines) + newline).encode(DIALECTS[dialect].encoding))
    return read_sas(path)


STEPS = [
    Step(),
    Step("SORT", real_ms=75_470, user_ms=3_661_250, system_ms=4960,
         block_output_operations=2_018_776_904),
    Step("SQL", real_ms=4_547_420, user_ms=0, system_ms=0),
]  # fmt: skip


@pytest.mark.parametrize("dialect", DIALECTS)
def test_a_page_header_may_stand_at_every_line_of_a_block(tmp_path, dialect):
    """Every form of header, before every line of the block: the figures are the same."""
    cases, lines, places = [], [], []
    for step, form in itertools.product(STEPS, range(HEADER_FORMS)):
        for at in range(1, len(block_lines(step, dialect)) + 2):
            cases.append(step)
            places.append(len(lines) + 4)
            lines += lines_of(step, dialect, page_header(dialect, 7, form), at)
    rows = one(tmp_path, lines, dialect).steps.frame.to_dicts()
    assert [row["line"] for row in rows] == places
    for row, step in zip(rows, cases, strict=True):
        check(row, step, dialect)


@pytest.mark.parametrize("dialect", DIALECTS)
@settings(max_examples=12)
@given(data=st.data())
def test_known_steps_come_out_equal(tmp_path_factory, dialect, data):
    """Any values, one or more steps, LF or CRLF, page headers where a page ends."""
    known = data.draw(st.lists(steps(dialect), min_size=1, max_size=5))
    log = Log(
        known, dialect, page_lines=data.draw(st.integers(0, 25)),
        newline=data.draw(st.sampled_from(["\n", "\r\n"])), ends=data.draw(st.booleans()),
        host="node7",
    )  # fmt: skip
    path = tmp_path_factory.mktemp("log") / "x.log"
    path.write_bytes(log.data())
    found = read_sas(path)
    rows = found.steps.frame.to_dicts()
    assert len(rows) == len(known)
    for number, (row, step) in enumerate(zip(rows, known, strict=True), 1):
        check(row, step, dialect)
        assert (row["session"], row["step"]) == (1, number)
    (session,) = found.sessions.frame.to_dicts()
    assert (session["steps"], session["ended"]) == (len(known), log.ends)
    assert session["host"] == "node7"
    if log.ends:
        want = expected(log.total, dialect)
        want = {name: value for name, value in want.items() if name in MEASURES}
        assert {name: session[name] for name in want} == want


@pytest.mark.parametrize("dialect", DIALECTS)
def test_what_was_never_met_in_a_real_log_says_so(tmp_path, dialect):
    path = tmp_path / "x.log"
    path.write_bytes(Log(STEPS, dialect).data())
    unmet = {"6.11", "z/os", "z/os fullstats", "German", "French", "Spanish", "Chinese", "Japanese"}
    assert read_sas(path).evidence.unverified == (dialect in unmet)


def test_the_start_is_the_end_less_the_elapsed_time(tmp_path):
    path = tmp_path / "x.log"
    step = Step(real_ms=75_470, end=datetime(2026, 3, 1, 0, 0, 30))
    path.write_bytes(Log([step]).data())
    (row,) = read_sas(path).steps.frame.to_dicts()
    assert row["start"] == step.end - timedelta(milliseconds=75_470)
    assert row["time_source"] == "timestamp"
    assert row["timestamp_text"] == "03/01/2026 12:00:30 AM"


def test_a_server_s_log_gives_the_end_to_the_millisecond(tmp_path):
    end = datetime(2021, 5, 15, 8, 3, 54, 925_000)
    path = tmp_path / "x.log"
    path.write_bytes(Log([Step(end=end, real_ms=10)], "server").data())
    (row,) = read_sas(path).steps.frame.to_dicts()
    assert (row["timestamp"], row["time_source"]) == (end, "prefix")
    assert row["start"] == end - timedelta(milliseconds=10)


@pytest.mark.parametrize("blanks", [b"", b" ", b"   ", b"\t"])
def test_a_message_of_a_server_s_log_may_be_indented(tmp_path, blanks):
    """As copies have it: what is searched behind a dash is what the form of a line allows."""
    path = tmp_path / "x.log"
    data = Log([Step(real_ms=10), Step(real_ms=20)], "server").data()
    assert data.count(b"- NOTE: ") >= 2
    path.write_bytes(data.replace(b"- NOTE: ", b"- " + blanks + b"NOTE: "))
    assert read_sas(path).steps.frame["real_time_s"].to_list() == [0.01, 0.02]


def test_several_sessions_in_one_file(tmp_path):
    """Logs one behind the other, of several dialects: each session has its own steps and totals."""
    logs = [
        Log(STEPS, "9.4 unix"),
        Log(STEPS[:1], "9.4 windows", ends=False),
        Log(STEPS[:2], "slc"),
    ]
    path = tmp_path / "x.log"
    path.write_bytes(b"".join(log.data() for log in logs))
    found = read_sas(path)
    sessions = found.sessions.frame.to_dicts()
    assert [row["steps"] for row in sessions] == [3, 1, 2]
    assert [row["ended"] for row in sessions] == [True, False, True]
    assert [row["product"] for row in sessions] == ["SAS", "SAS", "Altair SLC"]
    assert [row["os"] for row in sessions] == ["Linux", "Windows", "Windows"]
    assert [row["release"] for row in sessions] == ["9.4", "9.4", "2026"]
    assert found.steps.frame["session"].to_list() == [1, 1, 1, 2, 3, 3]
    assert found.steps.frame["step"].to_list() == [1, 2, 3, 1, 1, 2]
