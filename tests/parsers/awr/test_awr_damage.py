"""One lost tag, quote, cell or end: a number stays in its column, or is null, and it is told."""

from __future__ import annotations

import re
from random import Random

import awr_forge
import pytest
from awr_forge.damage import KINDS, damaged, frames, moved

from perfkit.errors import ParseError
from perfkit.parsers.awr import read_awr

HTML = ("html-19c", "html-11.2", "rac-19c", "rac-11.2")
EVENTS = "Foreground Wait Events"


def small(dialect):
    """A small content."""
    count = 3 if dialect in awr_forge.MANY else 1
    return awr_forge.sample(
        4819, instances=count, cdb=dialect == "html-pdb", narrow=dialect in awr_forge.NARROW,
        statements=2, few=True,
    )  # fmt: skip


@pytest.mark.parametrize("dialect", HTML)
def test_no_single_damage_moves_a_number(dialect, tmp_path):
    """Every kind of damage, at random places: each value is the undamaged one, or null."""
    data = awr_forge.forge(small(dialect), dialect).data
    path = tmp_path / "report.html"
    path.write_bytes(data)
    whole = frames(read_awr(path, root=tmp_path))
    random = Random(dialect)
    for kind in KINDS * 3:
        path.write_bytes(damaged(data, kind, random))
        try:
            reading = read_awr(path, root=tmp_path)
        except ParseError:
            continue
        assert list(moved(whole, without_block_size(frames(reading)))) == [], kind


def without_block_size(rows):
    """Where the table with the block size is lost, another one's is taken."""
    for row in rows["report"]:
        row["block_size_bytes"] = None
    return rows


def events(folder, change):
    """The foreground events of a report in whose table a change was made, and the warnings."""
    page = awr_forge.forge(awr_forge.sample(7), "html-19c").data.decode()
    start = page.index("<table", page.index(f">{EVENTS}</h3>"))
    end = page.index("</table>", start)
    path = folder / "report.html"
    path.write_text(page[:start] + change(page[start:end]) + page[end:])
    reading = read_awr(path, root=folder)
    rows = reading["wait_events"].frame.to_dicts()
    return [row for row in rows if row["scope"] == "foreground"], reading.evidence


def test_a_row_with_a_cell_too_few_is_left_out_and_named(tmp_path):
    """The second cell of the third row: those behind it move to the left."""
    whole, _ = events(tmp_path, str)

    def cut(table):
        rows = table.split("<tr>")
        rows[4] = re.sub(r"(</td>)<td .*?</td>", r"\1", rows[4], count=1)
        return "<tr>".join(rows)

    rows, evidence = events(tmp_path, cut)
    assert rows == [*whole[:2], *whole[3:]]
    told = [text for text in evidence.warnings if EVENTS in text]
    assert len(told) == 1
    assert "row 3: 6 cells below 7 columns" in told[0]
    assert told[0].endswith("left out")


def test_a_header_with_a_name_too_few_makes_the_section_unparsed(tmp_path):
    """No cell can be told from its neighbour: none is read, and the section says so."""
    rows, evidence = events(
        tmp_path, lambda table: re.sub(r"(</th>)<th .*?</th>", r"\1", table, count=1)
    )
    assert rows == []
    part = next(part for part in evidence.sections if part.name == "foreground_wait_events")
    assert part.status == "unparsed"


def test_a_table_that_runs_into_the_next_ends_at_its_header(tmp_path):
    """A lost quote hides the beginning of the next table, of the same width."""
    whole, _ = events(tmp_path, str)

    def joined(table):
        head, rest = table.split("<tr>", 2)[1:]
        return f"{table}<tr>{head}<tr>{rest}"

    rows, evidence = events(tmp_path, joined)
    assert rows == whole
    assert any("another header begins here" in text for text in evidence.warnings)


def test_a_text_row_that_left_its_columns_is_left_out_and_named(tmp_path):
    """Blanks before a number are lost: what follows stands under other headings."""
    data = awr_forge.forge(awr_forge.sample(7, narrow=True), "text-12.1").data
    path = tmp_path / "report.txt"
    path.write_bytes(data)
    whole = read_awr(path, root=tmp_path)["io_by_file"].frame.to_dicts()
    lines = data.decode().split("\n")
    start = next(n for n, line in enumerate(lines) if line.startswith(("File IO", "\fFile IO")))
    numbers = re.compile(r" +[\d,]+ +[\d,]+ +[\d.]+ ")
    place = next(n for n in range(start, len(lines)) if numbers.match(lines[n]))
    first, rest = re.match(r"( +[\d,]+)(.*)", lines[place]).groups()
    lines[place] = first + rest[9:]
    path.write_text("\n".join(lines))
    reading = read_awr(path, root=tmp_path)
    rows = reading["io_by_file"].frame.to_dicts()
    assert len(rows) == len(whole) - 1
    assert all(row in whole for row in rows)
    assert any("do not stand where its columns are" in text for text in reading.evidence.warnings)
