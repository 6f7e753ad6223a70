"""Many reports as one reading: the same rows as one by one, told apart by file."""

import pytest
from forges import make
from forges.awr import forge_html, sample

import perfkit as pk
from perfkit.core.errors import ParseError, UsageError
from perfkit.sources.awr import read_awr
from perfkit.sources.awr.many import read_awr_reports
from perfkit.sources.awr.schema import TABLES as SCHEMAS

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
