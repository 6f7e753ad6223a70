"""What was put in comes out: forged reports of known content, in every dialect, to the last digit.

What is expected is what the page says (its rounded, exact decimal), not what the forger had before
rounding. The naive reader at the end of this file is a second opinion on the forge itself.
"""

from __future__ import annotations

import dataclasses
import gzip
import html
import math
import re
import time
from datetime import datetime
from decimal import Decimal
from html.parser import HTMLParser
from random import Random

import pytest
from forges import awr
from forges.awr import DIALECTS, MANY, NARROW, Cut
from forges.awr.faults import mutations
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from perfkit.core.errors import ParseError
from perfkit.sources import kind_of
from perfkit.sources.awr import read_awr

HTML = [name for name in DIALECTS if name.startswith(("html", "rac-1"))]
EDGES = {"lower_s", "upper_s"}
"""A bucket printed <1s ends at 1 s, or at 1024 ms, as Oracle's note has it: either is right."""


def sample(dialect, seed=4819, **options):
    """A content that fits the dialect."""
    count = 3 if dialect in MANY else 1
    return awr.sample(
        seed, instances=count, cdb=dialect == "html-pdb", narrow=dialect in NARROW, **options
    )


def read(folder, forged, name="report"):
    """The reading of a forged report."""
    path = folder / name
    path.write_bytes(forged.data)
    return read_awr(path, root=folder)


def plain(value):
    """A name as both sides are compared: single blanks (HTML), no colon, one name for the sum."""
    bare = " ".join(value.rstrip(":").split())
    return "Total" if bare == "TOTAL" else bare


def same(key, expected, found):  # noqa: PLR0911 - one rule a kind of value
    """Whether the value of a column is what the page says."""
    if expected is None or found is None:
        return expected is None and found is None
    if isinstance(expected, Cut):
        # a text report cuts names off; a reader may know the whole name
        return found in {str(expected), expected.full}
    if key in EDGES:
        return math.isclose(found, float(expected), rel_tol=0.05)
    if isinstance(expected, Decimal):
        return math.isclose(found, float(expected), rel_tol=1e-12, abs_tol=1e-18)
    if isinstance(expected, str):
        return plain(found) == plain(expected)
    if isinstance(expected, datetime):
        return found == expected
    return found == expected


def differences(forged, tables):
    """Every cell in which a reading is not what the report says, and every row too many or few."""
    for name, expected in forged.tables.items():
        found = tables[name].frame.to_dicts()
        if len(found) != len(expected):
            yield f"{name}: {len(expected)} rows expected, {len(found)} found"
            continue
        for number, (wanted, row) in enumerate(zip(expected, found, strict=True), 1):
            for key, value in wanted.items():
                if not same(key, value, row[key]):
                    yield f"{name} row {number}, {key}: {value!r} expected, {row[key]!r} found"


MISPLACED = ("writes", "one_block_read_iops", "one_block_read_avg_s")
# Numbers that 11.2 prints in Tablespace IO Stats below the titles of
# others: the reader may leave them null, with a warning that says so.
LEFT_NULL = {
    "html-11.2": {("io_by_tablespace", key) for key in MISPLACED},
}


def unexplained(forged, reading):
    """The differences, without the nulls that a warning explains."""
    for line in differences(forged, reading):
        names = {(line.split()[0], line.split(", ")[1].split(":")[0])} if " row " in line else set()
        if names & LEFT_NULL.get(forged.dialect, set()) and line.endswith("None found"):
            told = ("is not known, not read", "1-bk Rds/s and Av 1-bk Rd")
            assert any(part in warning for warning in warnings(reading) for part in told)
            continue
        yield line


def warnings(reading):
    """The warnings of a reading."""
    return reading.evidence.warnings


@pytest.mark.parametrize("dialect", DIALECTS)
def test_what_was_put_in_comes_out_in_every_dialect(dialect, tmp_path):
    """Every row and cell of every section of a full report, and no table without a word."""
    forged = awr.forge(sample(dialect), dialect)
    reading = read(tmp_path, forged)
    assert list(unexplained(forged, reading)) == []
    sections = reading.evidence.sections
    assert [item for item in sections if item.status == "unparsed"] == []
    assert [text for text in warnings(reading) if "does not know" in text] == []
    found = [item for item in sections if item.status == "found" and "not read: " not in item.name]
    assert [item for item in found if not item.rows] == []
    assert kind_of(tmp_path / "report") == reading.evidence.kind


@pytest.mark.parametrize("dialect", DIALECTS)
@settings(max_examples=6, deadline=None, suppress_health_check=list(HealthCheck))
@given(data=st.data())
def test_any_content_comes_out_to_the_last_printed_digit(dialect, tmp_path, data):
    """The same for contents of any size of number, with few rows or many."""
    content = data.draw(
        awr.contents(
            instances=3 if dialect in MANY else 1, cdb=dialect == "html-pdb",
            narrow=dialect in NARROW,
        )
    )  # fmt: skip
    forged = awr.forge(content, dialect)
    assert list(unexplained(forged, read(tmp_path, forged))) == []


@pytest.mark.parametrize("rate", [0.001, 0.01, 0.4, 1, 30])
def test_the_misplaced_numbers_of_11_2_are_right_or_null(rate, tmp_path):
    """Tablespace IO Stats of 11.2.0.4: three numbers below the titles of others, at any rate."""
    content = awr.sample(5)
    count = int(rate * content.seconds)
    files = tuple(
        awr.content.FileIo(name, f"/u01/{name}.dbf", *(2 * count, 1200 * count, 2 * count),
                                 *(count, 650 * count, 3 * count, 800 * count, 0, 0))
        for name in ("USERS", "SYSTEM")
    )  # fmt: skip
    instance = dataclasses.replace(content.instances[0], files=files)
    content = dataclasses.replace(content, instances=(instance,))
    forged = awr.forge(content, "html-11.2")
    found = read(tmp_path, forged)["io_by_tablespace"].frame.to_dicts()
    for row, said in zip(found, forged.tables["io_by_tablespace"], strict=True):
        for key in MISPLACED:
            assert row[key] is None or same(key, said[key], row[key]), (key, said[key], row[key])
        assert same("reads", said["reads"], row["reads"])
        assert same("write_iops", said["write_iops"], row["write_iops"])


@pytest.mark.parametrize("dialect", ["html-12.2", "html-19c", "html-pdb", "rac-19c", "rac-11.2"])
def test_a_report_that_agrees_with_itself_brings_no_warning(dialect, tmp_path):
    """The cross-checks are quiet where totals, averages, sums and rates belong together."""
    assert warnings(read(tmp_path, awr.forge(sample(dialect), dialect))) == ()


@pytest.mark.parametrize("dialect", DIALECTS)
def test_no_forged_section_is_unparsed_and_no_table_unknown(dialect, tmp_path):
    """Each section is found, empty or absent; none is left out for a reason of its form."""
    evidence = read(tmp_path, awr.forge(sample(dialect), dialect)).evidence
    assert [part for part in evidence.sections if part.status == "unparsed"] == []
    assert [text for text in evidence.warnings if "not known to perfkit" in text] == []


@pytest.mark.parametrize("dialect", [name for name in DIALECTS if name != "rac-text"])
def test_only_what_is_asked_for_is_read(dialect, tmp_path):
    """The chosen tables are those of the whole reading; the others are listed as not asked for."""
    forged = awr.forge(sample(dialect), dialect)
    whole = read(tmp_path, forged)
    part = read_awr(tmp_path / "report", root=tmp_path, tables=["load_points", "wait_classes"])
    assert set(part) == {"load_points", "wait_classes"}
    assert all(part[name].hash == whole[name].hash for name in part)
    listed = {item.name: item for item in part.evidence.sections}["background_wait_events"]
    assert (listed.status, listed.rows, listed.reason) == ("found", None, "not asked for")


def test_cpus_cores_and_sockets_that_a_text_leaves_blank_shift_no_number(tmp_path):
    """Blank counts are printed without their width: the load stands where the sockets would."""
    content = sample("text-12.1")
    host = dataclasses.replace(content.instances[0], cores=None, sockets=None)
    forged = awr.forge(dataclasses.replace(content, instances=(host,)), "text-12.1")
    row = read(tmp_path, forged).host_cpu.frame.row(0, named=True)
    assert (row["cpus"], row["cores"], row["sockets"]) == (host.cpus, None, None)
    (expected,) = forged.tables["host_cpu"]
    names = ("load_average_begin", "load_average_end", "idle_ratio")
    assert all(same(name, expected[name], row[name]) for name in names)
    assert None not in [expected[name] for name in names]


def test_a_dialect_without_a_real_report_is_marked_unverified(tmp_path):
    """Forged reports alone prove nothing: of 21c no whole report was seen, of 19c many."""
    marks = {}
    for dialect in (
        "rac-text", "html-pdb", "rac-11.2", "text-19c", "html-21c", "html-23ai", "rac-19c",
        "html-19c",
    ):  # fmt: skip
        forged = awr.forge(sample(dialect), dialect)
        marks[dialect] = read(tmp_path, forged, dialect).evidence.unverified
    assert marks == {
        "rac-text": True, "html-pdb": True, "rac-11.2": True, "text-19c": False, "html-21c": True,
        "html-23ai": False, "rac-19c": False, "html-19c": False,
    }  # fmt: skip


# ---------------------------------------------------------------------- one content, two forms
KEYS = {
    "load_profile": ("printed",), "io_profile": ("printed",), "time_model": ("statistic",),
    "os_statistics": ("statistic",), "top_events": ("event",), "wait_events": ("scope", "event"),
    "wait_classes": ("scope", "wait_class"), "instance_activity": ("statistic",),
    "sql": ("ordered_by", "sql_id"), "io_by_function": ("function",),
    "io_by_filetype": ("filetype",), "io_by_tablespace": ("tablespace",),
    "io_by_file": ("data_file",), "event_histogram": ("range", "event", "lower_s"),
    "memory": ("printed",), "parameters": ("parameter",), "host_cpu": (), "instance_cpu": (),
}  # fmt: skip
PRINTED_ONCE = {"text", "statistic", "event", "function", "filetype", "wait_class", "printed"}


def by_key(forged, reading, table):
    """The rows of a table by their whole names: what was read, and what the page says."""
    found = {}
    rows = reading[table].frame.to_dicts()
    for row, said in zip(rows, forged.tables[table], strict=True):
        name = tuple(getattr(said.get(key), "full", said.get(key, row[key])) for key in KEYS[table])
        found[name] = (row, said)
    return found


def apart(one, other):
    """The columns in which two readings of one row differ by more than both forms rounded off."""
    (row, said), (other_row, other_said) = one, other
    for key in said.keys() & other_said.keys() - PRINTED_ONCE:
        a, b = row[key], other_row[key]
        if isinstance(a, float) and isinstance(b, float):
            steps = [getattr(part[key], "step", 0) for part in (said, other_said)]
            if abs(a - b) > float(sum(steps)) / 2 * (1 + 1e-9) + 1e-12:
                yield key, a, b
        elif a is not None and b is not None and a != b:
            yield key, a, b


@pytest.mark.parametrize("forms", [("html-11.2", "text-12.1"), ("html-19c", "text-19c"),
                                   ("html-11.2", "statspack")])  # fmt: skip
def test_html_and_text_of_one_content_give_equal_frames(forms, tmp_path):
    """Row by row, column by column, as exact as each form prints."""
    content = awr.sample(7, narrow=True)
    sides = []
    for form in forms:
        forged = awr.forge(content, form)
        sides.append((forged, read(tmp_path, forged, form)))
    compared = 0
    for table in KEYS:
        if not all(table in forged.tables for forged, _ in sides):
            continue
        one, other = (by_key(forged, reading, table) for forged, reading in sides)
        for name in one.keys() & other.keys():
            if "statspack" in forms and table in {"top_events", "wait_events"}:
                continue  # its shares are of other wholes
            assert list(apart(one[name], other[name])) == [], (table, name)
            compared += 1
    assert compared > (60 if "statspack" in forms else 120)


# ------------------------------------------------------------------------------- as they come
def test_the_form_survives_sqlplus_pages_of_14_lines(tmp_path):
    """OUTPUT between any two lines, as SQL*Plus spools it, changes no number."""
    content = awr.sample(11, narrow=True)
    forged = awr.forge_text(content, "text-12.1", spooled=True)
    assert b"\nOUTPUT\n" in forged.data
    assert list(differences(forged, read(tmp_path, forged))) == []


def test_a_number_wider_than_its_column_is_null_with_a_warning(tmp_path):
    """##### says nothing: null, never 0, and the evidence names the column."""
    forged = awr.forge(awr.sample(13), "statspack")
    assert b"#####" in forged.data
    reading = read(tmp_path, forged)
    assert list(differences(forged, reading)) == []
    assert any("wider than its column" in text for text in warnings(reading))


@pytest.mark.parametrize("lost", [1, 5, 9, 14])
def test_a_lost_end_of_a_table_loses_no_other_table(lost, tmp_path):
    """Six real reports of seven lack a </table>: the tables behind it nest, and are read."""
    forged = awr.forge(sample("rac-19c"), "rac-19c")
    parts = forged.data.split(b"</table>")
    data = b"</table>".join(parts[:lost]) + b"</table>".join([b"", *parts[lost:]])[8:]
    assert data.count(b"</table>") == forged.data.count(b"</table>") - 1
    nested = awr.Forged(forged.dialect, data, forged.tables, forged.sheets)
    assert list(differences(nested, read(tmp_path, nested))) == []


def test_a_report_without_title_and_in_any_order_of_line_ends_is_read(tmp_path):
    """Anonymised files have no title; Windows writes CRLF; some come packed."""
    forged = awr.forge(sample("html-19c"), "html-19c")
    bare = re.sub(rb"<title>.*?</title>", b"", forged.data)
    for name, data in {
        "bare": bare, "crlf": bare.replace(b"\n", b"\r\n"), "packed.gz": gzip.compress(bare)
    }.items():  # fmt: skip
        changed = awr.Forged(forged.dialect, data, forged.tables, forged.sheets)
        assert list(differences(changed, read(tmp_path, changed, name))) == []


# -------------------------------------------------------------------------------------- faults
SECONDS = 10.0
"""CPU time: more than any damaged report of this size takes."""


@pytest.mark.slow
def test_only_parse_errors_escape_from_damaged_reports(tmp_path):
    """Cut anywhere, spliced, tags swapped, bytes flipped, rows repeated or dropped: 300 of them."""
    reports = [awr.forge(sample(name, statements=1), name).data for name in DIALECTS]
    path = tmp_path / "damaged"
    outcomes = {"read": 0, "refused": 0}
    for number, (kind, data) in enumerate(mutations(reports, 300, seed=4819)):
        path.write_bytes(data)
        clock = time.process_time()
        try:
            read_awr(path, root=tmp_path)
        except ParseError:
            outcomes["refused"] += 1
        except Exception as problem:
            raise AssertionError(f"mutation {number} ({kind}): {problem!r}") from problem
        else:
            outcomes["read"] += 1
        assert time.process_time() - clock < SECONDS, (number, kind)
    assert outcomes["read"] > 100
    assert outcomes["refused"] > 3


@pytest.mark.parametrize("dialect", ["html-19c", "rac-19c", "html-11.2"])
def test_a_cut_page_gives_rows_of_the_whole_one_or_says_that_it_is_cut(dialect, tmp_path):
    """An upload that broke off: no number that the whole page has not, and not in silence."""
    forged = awr.forge(sample(dialect), dialect)
    names = [name for name in forged.tables if KEYS.get(name)]
    kept = {name: read(tmp_path, forged)[name].frame.to_dicts() for name in names}
    random = Random(dialect)
    refused = 0
    for _ in range(25):
        path = tmp_path / "cut"
        path.write_bytes(forged.data[: random.randrange(3000, len(forged.data) - 200)])
        try:
            reading = read_awr(path, root=tmp_path)
        except ParseError:
            refused += 1
            continue
        assert any("End of Report" in text or "cut" in text for text in warnings(reading))
        for name in names:
            rows = reading[name].frame.to_dicts()
            strange = [row for row in rows if row not in kept[name]]
            assert strange == [], name
    assert refused < 10


# ------------------------------------------------------------------------------ second opinion
class Naive(HTMLParser):
    """Cells of all tables, by the summary of the table: no knowledge of sections or units."""

    def __init__(self):
        super().__init__()
        self.tables, self._cell = [], None

    def handle_starttag(self, tag, attrs):
        if tag == "table":
            self.tables.append((" ".join(dict(attrs)["summary"].split()), []))
        elif tag == "tr":
            self.tables[-1][1].append([])
        elif tag in {"td", "th"}:
            self._cell = []

    def handle_data(self, data):
        if self._cell is not None:
            self._cell.append(data)

    def handle_endtag(self, tag):
        if tag in {"td", "th"} and self._cell is not None:
            text = "".join(self._cell).replace("\xa0", " ").strip()
            self.tables[-1][1][-1].append(text)
            self._cell = None


def number(text):
    """A printed number by the rules of the notes, written a second time and apart."""
    units = {
        "ns": "1e-9", "us": "1e-6", "ms": "1e-3", " s": "1", "K": "1e3", "(mins)": "60",
    }  # fmt: skip
    for unit, worth in units.items():
        if text.endswith(unit):
            return Decimal(text.removesuffix(unit).replace(",", "").strip()) * Decimal(worth)
    return Decimal(text.replace(",", ""))


@pytest.mark.parametrize("dialect", HTML)
def test_a_naive_reader_finds_the_forged_cells_in_their_tables(dialect):
    """The forge's own promise: every cell of a sheet stands in the table of its summary."""
    forged = awr.forge(sample(dialect), dialect)
    naive = Naive()
    naive.feed(forged.data.decode("ascii"))
    sheets = [sheet for sheet in forged.sheets if sheet.lines]
    assert len(naive.tables) == len(sheets)
    for (summary, rows), sheet in zip(naive.tables, sheets, strict=True):
        assert summary == " ".join(sheet.summary.split())
        body = rows[-len(sheet.lines) :]
        for cells, line in zip(body, sheet.lines, strict=True):
            shown = [re.sub(r"^<div[^>]*>|</div>$", "", cell.text) for cell in line.cells]
            assert cells == [html.unescape(text).replace("\xa0", " ").strip() for text in shown]


def test_perfkit_and_a_naive_reader_agree_on_the_events(tmp_path):
    """Two readers that share no line: waits, seconds and averages of the foreground events."""
    forged = awr.forge(sample("html-19c"), "html-19c")
    naive = Naive()
    naive.feed(forged.data.decode("ascii"))
    rows = next(body for name, body in naive.tables if "Foreground Wait Events" in name)[1:]
    frame = read(tmp_path, forged)["wait_events"].frame.to_dicts()
    ours = [row for row in frame if row["scope"] == "foreground"]
    assert len(ours) == len(rows)
    for row, cells in zip(ours, rows, strict=True):
        assert row["event"] == cells[0]
        assert row["waits"] == float(number(cells[1]))
        assert row["total_wait_s"] == float(number(cells[3]))
        assert row["avg_wait_s"] == pytest.approx(float(number(cells[4])), rel=1e-12)
