"""TR-4819, Appendix A: the four tables of its AWR report, read back cell for cell.

The golden file has the figures as printed, corrected where the seed's text was damaged by OCR, and
lists each correction. Forged into a RAC-global page, they must come out as what they say. They
are also checked against each other: what is printed as Sum, Avg and Std belongs to the rows.
"""

from __future__ import annotations

import json
import re
import statistics
from datetime import datetime
from decimal import Decimal
from pathlib import Path

import pytest
from forges import awr
from forges.awr import Shown
from forges.awr.rac import report
from forges.awr.rac.cells import hidden
from forges.awr.rac.load import scales, system_columns
from forges.awr.rac.top import event_columns, events_sheet
from forges.awr.sheet import Line, Sheet
from places import ROOT

from perfkit.sources.awr import read_awr

GOLDEN = json.loads(
    (Path(__file__).parent / "golden" / "tr4819_appendix_a.json").read_text(encoding="utf-8")
)
SEED = next(iter((ROOT / "../shared/seeds").glob("004*")), None)
STATISTICS = GOLDEN["system_statistics_per_second"]
SUMMARY = dict(zip(range(16), GOLDEN["database_summary"]["rows"][0], strict=True))
INSTANCES = GOLDEN["database_instances"]["rows"]
EVENTS = GOLDEN["top_timed_events"]["rows"]
HALF = Decimal("0.005")
"""Half of the last printed digit."""


def number(text):
    """A figure without its commas."""
    return Decimal(text.replace(",", ""))


def seconds(text):
    """An average wait: a number and its unit."""
    units = {"ns": "1e-9", "us": "1e-6", "ms": "1e-3"}
    return number(text[:-2]) * Decimal(units[text[-2:]]) if text else None


def moment(text):
    """A moment as Oracle prints it."""
    return datetime.strptime(text, "%d-%b-%y %H:%M")  # noqa: DTZ007 - the report names no zone


def shown(cells):
    """Cells as they are printed."""
    return [Shown(cell) for cell in cells]


@pytest.fixture(scope="module")
def reading(tmp_path_factory):
    """The four tables forged into a page and read."""
    hide = [Line([hidden(Shown("*")), *shown(row[1:])]) for row in EVENTS[1:]]
    sheets = [
        report.summary_sheet(shown(GOLDEN["database_summary"]["rows"][0]), {}),
        report.instances_sheet(tuple(Line(shown(row)) for row in INSTANCES)),
        events_sheet(
            "Top Timed Events", "12050", "all", (Line(shown(EVENTS[0])), *hide)
        ),
        Sheet(
            "system_statistics", "System Statistics - Per Second",
            "System Statistics - Per Second", system_columns("/s", "_per_s"),
            tuple(Line(shown(row)) for row in STATISTICS["rows"] + STATISTICS["summary"]),
            anchor="12017",
        ),
    ]  # fmt: skip
    forged = awr.rac_page(SUMMARY[1], int(SUMMARY[8]), int(SUMMARY[9]), sheets)
    path = tmp_path_factory.mktemp("golden") / "tr4819.html"
    path.write_bytes(forged.data)
    return read_awr(path, root=path.parent)


def test_the_forged_page_has_the_columns_of_the_appendix():
    """The golden file's headers are those of the forge, which are those of real reports."""
    assert STATISTICS["columns"] == [c.title for c in system_columns("/s", "_per_s")]
    assert GOLDEN["database_summary"]["columns"] == [c.title for c in report.SUMMARY_NEW]
    assert GOLDEN["database_instances"]["columns"] == [c.title for c in report.INSTANCES]
    titles = [column.title for column in event_columns(True, "db_time_ratio")]
    assert GOLDEN["top_timed_events"]["columns"] == titles


def test_system_statistics_per_second_cell_for_cell(reading):
    """Ten figures of four instances; reads and writes are blocks; redo was printed in KiB."""
    frame = reading["system_statistics"].frame.to_dicts()
    keys = [c.key for c in system_columns("/s", "_per_s")[1:]]
    worth = scales()
    assert [row["instance"] for row in frame] == [1, 2, 3, 4]
    for row, cells in zip(frame, STATISTICS["rows"], strict=True):
        expected = [number(text) * unit for text, unit in zip(cells[1:], worth, strict=True)]
        assert [row[key] for key in keys] == pytest.approx([float(v) for v in expected], rel=1e-14)
    assert frame[0]["physical_reads_blocks_per_s"] == 66010.70
    assert frame[0]["redo_bytes_per_s"] == 17551.12 * 1024


def test_database_summary_cell_for_cell(reading):
    """One row: the database, its snapshots, what the report covers, DB time and elapsed time."""
    (row,) = reading["report"].frame.to_dicts()
    expected = {
        "form": "awr", "format": "html", "scope": "rac", "db_id": 2686306097, "db_name": "RA400N",
        "unique_name": "RA400N", "role": "PRIMARY", "edition": "EE", "rac": True, "cdb": False,
        "block_size_bytes": 8192, "snap_begin_id": 3014, "snap_end_id": 3015,
        "instances_in_report": 4, "instances_total": 4, "hosts_in_report": 4, "hosts_total": 4,
        "release": "18.0.0.0.0",
    }  # fmt: skip
    assert {key: row[key] for key in expected} == expected
    assert row["db_time_s"] == pytest.approx(float(number(SUMMARY[14]) * 60), rel=1e-14)
    assert row["elapsed_s"] == pytest.approx(float(number(SUMMARY[15]) * 60), rel=1e-14)


def test_database_instances_cell_for_cell(reading):
    """Four rows: names, moments, elapsed and DB time, up time, average active sessions."""
    frame = reading["instances"].frame.to_dicts()
    for row, cells in zip(frame, INSTANCES, strict=True):
        names = (row["instance_name"], row["host"], row["release"], row["platform"])
        assert names == (cells[1], cells[2], cells[6], cells[11])
        assert row["instance"] == int(cells[0])
        moments = [row["startup_time"], row["begin_time"], row["end_time"]]
        assert moments == [moment(text) for text in cells[3:6]]
        printed = [row["elapsed_s"], row["db_time_s"], row["up_time_s"]]
        scaled = [number(cells[7]) * 60, number(cells[8]) * 60, number(cells[9]) * 3600]
        assert printed == pytest.approx([float(value) for value in scaled], rel=1e-14)
        assert row["average_active_sessions"] == float(number(cells[10]))


def test_top_timed_events_cell_for_cell(reading):
    """Ten rows of the cluster: waits, seconds, averages with their units, and their spread."""
    frame = reading["top_events"].frame.to_dicts()
    assert len(frame) == len(EVENTS)
    for rank, (row, cells) in enumerate(zip(frame, EVENTS, strict=True), 1):
        assert (row["level"], row["instance"], row["rank"]) == ("cluster", None, rank)
        assert (row["wait_class"], row["event"]) == (cells[1] or None, cells[2])
        assert row["waits"] == (float(number(cells[3])) if cells[3] else None)
        assert row["timeouts_ratio"] == (0.0 if cells[4] else None)
        assert row["total_wait_s"] == float(number(cells[5]))
        assert row["db_time_ratio"] == pytest.approx(float(number(cells[7]) / 100), rel=1e-14)
        keys = ("avg_wait_s", "instances_avg_s", "instances_min_s", "instances_max_s",
                "instances_std_s")  # fmt: skip
        for key, text in zip(keys, (cells[6], *cells[8:12]), strict=True):
            value = seconds(text)
            assert row[key] == (None if value is None else pytest.approx(float(value), rel=1e-14))
        assert row["instances_count"] == int(cells[12])


# -------------------------------------------------------------- whether the figures agree
def columns():
    """The ten columns: (title, the four instances, Sum, Avg, Std)."""
    rows = [[number(text) for text in row[1:]] for row in STATISTICS["rows"]]
    below = [[number(text) for text in row[1:]] for row in STATISTICS["summary"]]
    for place, title in enumerate(STATISTICS["columns"][1:]):
        yield title, [row[place] for row in rows], *(row[place] for row in below)


def deviation_between(values, half):
    """The least and greatest sample deviation of values known to half a digit."""
    spread = statistics.stdev(values)
    # moving every value by at most h moves the deviation by at most h * sqrt(n / (n - 1))
    room = half * (Decimal(len(values)) / (len(values) - 1)).sqrt()
    return spread - room, spread + room


def test_sum_avg_and_std_agree_with_the_instances_in_all_ten_columns():
    """Each printed figure is within rounding of what the four rows give: no digit was misread."""
    checked = 0
    for title, values, total, mean, deviation in columns():
        assert abs(sum(values) - total) <= HALF * (len(values) + 1), title
        assert abs(sum(values) / len(values) - mean) <= HALF * 2, title
        low, high = deviation_between(values, HALF)
        assert low - HALF <= deviation <= high + HALF, title
        checked += 3
    assert checked == 30


def test_std_is_the_sample_deviation_not_that_of_the_population():
    """Where the two differ by more than rounding (8 of the 10 columns), only the sample's fits."""
    decided = 0
    for title, values, _, _, deviation in columns():
        population = statistics.pstdev(values)
        if abs(population - statistics.stdev(values)) > 4 * HALF:
            assert abs(population - deviation) > 2 * HALF, title
            decided += 1
    assert decided == 8


def test_the_sum_is_not_that_of_the_printed_rows_but_of_the_unrounded_ones():
    """Four sums differ from the rows' by one in the last digit: they are figures of their own."""
    off = [title for title, values, total, _, _ in columns() if sum(values) != total]
    assert off == ["Logical Reads/s", "Redo Size (k)/s", "Execs/s", "Txns/s"]


def test_averages_db_time_and_shares_of_the_appendix_agree_with_each_other():
    """Total / waits, DB time / elapsed, and the instances' sum of DB time: all within rounding."""
    for cells in EVENTS:
        if cells[3]:
            low, high = (number(cells[5]) + sign * HALF for sign in (-1, 1))
            average, step = seconds(cells[6]), seconds("0.005" + cells[6][-2:])
            waits = number(cells[3])
            assert low / waits - step <= average <= high / waits + step, cells[2]
    db_time = sum(number(cells[8]) for cells in INSTANCES)
    assert abs(db_time - number(SUMMARY[14])) <= HALF * 5
    for cells in INSTANCES:
        assert abs(number(cells[8]) / number(cells[7]) - number(cells[10])) <= Decimal("0.02")
    whole = number(SUMMARY[14]) * 60
    for cells in EVENTS:
        assert abs(number(cells[5]) / whole * 100 - number(cells[7])) <= HALF * 2, cells[2]


def test_reading_it_gives_no_warning_that_its_figures_contradict_each_other(reading):
    """The cross-checks find the appendix in order."""
    assert reading.evidence.warnings == ()


@pytest.mark.skipif(SEED is None, reason="the folder of seeds is not beside the checkout")
def test_every_figure_stands_in_the_seed_as_it_is_here():
    """No figure was corrected: only names, marks and headers were; each correction is listed."""
    text = SEED.read_text(encoding="utf-8")
    appendix = text[text.rindex("Appendix A: AWR Report") :]
    printed = set(re.findall(r"[\d,.]+(?:us|ms|ns)?", appendix))
    figures = re.compile(r"[\d,.]+(?:us|ms|ns)?")
    missing = [
        cell
        for table in GOLDEN.values()
        if isinstance(table, dict)
        for row in table["rows"] + table.get("summary", [])
        for cell in row
        if figures.fullmatch(cell) and cell not in printed
    ]
    assert missing == []
    for correction in GOLDEN["corrections"]:
        first = correction["seed"].split(",")[0]
        if correction["seed"] not in {"empty", "_"} and " in one cell" not in first:
            assert first in re.sub(r"\\", "", appendix).replace("\t", " "), correction
