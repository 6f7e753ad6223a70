"""Many reports as one reading: the same rows as one by one, told apart by file."""

import os
from pathlib import Path

import pytest
from forges import make
from forges.awr import forge_html, sample

import perfkit as pk
from perfkit.core.errors import ParseError, UsageError
from perfkit.core.kept import VARIABLE, kept_readings
from perfkit.sources import SOURCES
from perfkit.sources.awr import html, read_awr
from perfkit.sources.awr.many import read_awr_reports
from perfkit.sources.awr.schema import TABLES as SCHEMAS
from perfkit.study.survey import survey

TABLES = ["report", "load_points", "wait_events"]


@pytest.fixture(scope="module")
def reports(tmp_path_factory):
    folder = tmp_path_factory.mktemp("set")
    make("slob-awr", folder / "made", seed=5, options={"points": 2, "repeats": 2})
    return folder, sorted((folder / "made/fcp").rglob("awr_*"))


def test_the_rows_are_those_of_each_report_in_order(reports):
    folder, paths = reports
    many = read_awr_reports(paths, root=folder, tables=TABLES)
    assert list(many.tables) == [*TABLES] or set(many.tables) == set(TABLES)
    for name in TABLES:
        parts = [read_awr(path, root=folder, tables=TABLES) for path in paths]
        rows = [
            row | {"file": p.evidence.path} for p in parts for row in p[name].frame.rows(named=True)
        ]
        assert many[name].frame.rows(named=True) == rows


def test_no_table_has_a_column_whose_place_the_reports_name_would_take():
    assert [name for name, schema in SCHEMAS.items() if "file" in schema] == []


def test_each_report_is_a_part_with_its_hash_and_origin(reports):
    folder, paths = reports
    many = read_awr_reports(paths, root=folder)
    assert [part.path for part in many.evidence.parts] == [
        path.relative_to(folder).as_posix() for path in paths
    ]
    assert {part.origin.kind for part in many.evidence.parts} == {"generated"}
    assert many.load_points.lineage.mark() == " (generated data)"


def test_what_some_reports_lack_is_told_with_their_number(tmp_path):
    """By hand: one of three has no histogram, which single reports tell as absent."""
    for number in range(3):
        page = forge_html(sample(number, few=True)).data
        if number == 1:
            page = page.replace(b"Wait Event Histogram", b"Another Histogram").replace(
                b"total number of waits", b"another number"
            )
        (tmp_path / f"{number}.html").write_bytes(page)
    paths = sorted(tmp_path.iterdir())
    told = {
        (section.name, section.status)
        for path in paths for section in read_awr(path).evidence.sections
        if section.status != "found"
    }  # fmt: skip
    sections = read_awr_reports(paths, root=tmp_path).evidence.sections
    assert told <= {(section.name, section.status) for section in sections}
    (own,) = [item for item in sections if item.name == "event_histogram" and item.reason]
    assert (own.status, own.reason) == ("absent", "no such table in the report, in 1.html")


def test_nothing_and_no_report_are_refused(tmp_path):
    with pytest.raises(UsageError, match="no report was named"):
        read_awr_reports([])
    (tmp_path / "x.html").write_text("<html>no report</html>")
    with pytest.raises(ParseError, match=r"x\.html"):
        read_awr_reports([tmp_path / "x.html"])


STUDY = """
report: {title: T}
evidence:
  - files: made/fcp/select-100/*
    kind: awr
    labels: {system: FCP, workload: SELECT}
    load: {kind: threads, name: 't(\\d+)'}
    repeat: 'r(\\d+)'
"""


def test_a_study_labels_them_by_their_names(reports):
    """Read together (some tables) or one by one (all of them), the load points are the same."""
    folder, _ = reports
    (folder / "study.yml").write_text(STUDY)
    study = pk.open_study(folder)
    some, every = study.read_evidence(tables=TABLES), study.read_evidence()
    one, other = some.load_points.frame, every.load_points.frame
    assert one.drop("file").select(other.columns).equals(other)
    assert sorted(set(zip(one["load"], one["repeat"], strict=True))) == [
        (2.0, 1), (2.0, 2), (210.0, 1), (210.0, 2)
    ]  # fmt: skip
    assert set(one["system"]) == {"FCP"}
    assert "top_events" not in some
    assert "top_events" in every


SERIES = SOURCES["awr"].reported.tables_of_series


@pytest.fixture
def walks(monkeypatch):
    """How many pages were walked."""
    seen = []
    walked = html.tables
    monkeypatch.setattr(html, "tables", lambda *page, **cut: seen.append(1) or walked(*page, **cut))
    return seen


def a_day(folder, count=3):
    for number in range(count):
        (folder / f"{number}.html").write_bytes(forge_html(sample(number, few=True)).data)
    return sorted(folder.glob("*.html"))


def told(reading):
    return reading.evidence, {name: table.hash for name, table in reading.tables.items()}


def test_a_report_that_was_surveyed_is_not_walked_again(tmp_path, walks):
    """The survey of a folder and the reading of its series walk each file once, with one result."""
    paths = a_day(tmp_path)
    twice = read_awr_reports(paths, root=tmp_path, tables=SERIES)
    walks.clear()
    with kept_readings():
        assert len(survey([tmp_path]).pieces) == len(walks) == len(paths)
        once = read_awr_reports(paths, root=tmp_path, tables=SERIES)
    assert len(walks) == len(paths)
    assert told(once) == told(twice)


@pytest.mark.parametrize("count", [1, 2])
def test_one_report_or_a_pair_is_not_walked_again(tmp_path, walks, count):
    """A report on one or two files needs all of their tables: the survey reads them at once."""
    paths = a_day(tmp_path, count)
    (tmp_path / "README.md").write_text("what this is")
    with kept_readings():
        assert len(survey([tmp_path]).pieces) == len(walks) == count
        once = [read_awr(path, root=tmp_path) for path in paths]
    assert len(walks) == count
    assert [told(one) for one in once] == [told(read_awr(path, root=tmp_path)) for path in paths]


def test_what_was_kept_is_of_these_bytes_and_tables_alone(tmp_path, walks):
    """Other tables, another name or a file that changed since are read anew."""
    (path,) = a_day(tmp_path, 1)
    with kept_readings():
        read_awr(path, tables=["report"])
        read_awr(path, tables=["wait_events"])
        (tmp_path / "copy.html").write_bytes(path.read_bytes())
        read_awr(tmp_path / "copy.html", tables=["report"])
        path.write_bytes(forge_html(sample(7, few=True)).data)
        changed = read_awr(path, tables=["report"])
        assert len(walks) == 4
        folder = Path(os.environ[VARIABLE])
        for damaged in folder.iterdir():
            damaged.write_bytes(damaged.read_bytes()[:50])
        assert told(read_awr(path, tables=["report"])) == told(changed)
    assert len(walks) == 5
    assert not folder.exists()
    assert VARIABLE not in os.environ
