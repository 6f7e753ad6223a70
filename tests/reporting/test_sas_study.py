"""The EF550 paper's study: its printed cells, its audit, and the notebook on generated logs."""

from __future__ import annotations

import csv
import re
import shutil

import pytest
from forges import make
from places import ROOT

import perfkit as pk
from perfkit.sources.sas.many import read_sas_logs

STUDY = ROOT / "data/studies/sas-ef550"
SEEDS = ROOT.parent / "shared/seeds"


@pytest.fixture(scope="module")
def evidence():
    return pk.open_study(STUDY).read_evidence()


def seed_text():
    found = sorted(SEEDS.glob("003*"))
    if not found:
        pytest.skip("the paper is not on this machine")
    return " ".join(found[0].read_text(encoding="utf-8").split())


@pytest.mark.parametrize("name", ["table-2", "table-3"])
def test_the_papers_tables_are_copied_cell_by_cell(name):
    """Heads and rows, joined as the paper's text has them, stand in it one after the other."""
    text = seed_text()
    lines = (STUDY / f"printed/{name}.csv").read_text(encoding="utf-8").splitlines()
    rows = list(csv.reader(line for line in lines if not line.startswith("#")))
    place = text.index(" ".join(rows[0]))
    for row in rows:
        found = text.index(" ".join(row), place)
        assert found - place <= len(" ".join(rows[0])) + 1, row
        place = found


@pytest.mark.parametrize("name", ["host", "arrays", "claims"])
def test_what_is_quoted_stands_in_the_paper(evidence, name):
    """Every quoted cell (all but our own names of rows) is in the paper, word for word."""
    text = seed_text().lower().replace("’", "'")
    for cell in evidence[name].frame.rows(named=True):
        if cell["column"] > 1 and cell["text"] and cell["column_key"] != "place":
            quoted = " ".join(cell["text"].lower().replace("’", "'").split())
            assert quoted in text, (cell["row_name"], cell["text"])


FINDINGS = {
    "Difference of elapsed real time": ("-19.95", "−19.13", "fails"),
    "Difference of system CPU time": ("-11.92", "−7.92", "fails"),
    "Difference of user CPU time": ("-7.86", "−7.86", "holds"),
    "Difference of memory": ("+0.00", "0.00", "holds"),
    "CPU/real ratio of spinning storage": ("1.157", "1.372", "fails"),
    "CPU/real ratio of the EF550": ("1.154", "1.379", "fails"),
    "Order of the two ratios": ("> 1.3788", "1.3717", "fails"),
    "Standard deviation larger for spinning storage": ("> 0.371", "0.369", "fails"),
    "Spread larger for spinning storage": ("> 2.228", "2.107", "fails"),
    "Name of the ratio": ("Real time/CPU time ratio", "CPU/Real Time Ratios", "fails"),
    "Jobs at once": ("30", "14", "fails"),
    "Longest test within the span": ("≤ 1 hour and 45 minute", "113", "fails"),
    "First table": ("≤ 1", "2", "fails"),
    "Product installed": ("ION Accelerator", "EF550", "fails"),
    "Reduction of elapsed time in the text": ("approximately 20 minutes", "19", "holds"),
}


def test_the_audit_finds_what_is_wrong_in_the_paper(evidence):
    """Each known disagreement is found with its recomputed value, and what agrees is let be."""
    rows = pk.audit(evidence, pk.open_study(STUDY).audit).frame.rows(named=True)
    found = {row["name"]: (row["printed"], row["recomputed"], row["outcome"]) for row in rows}
    assert {name: found[name] for name in FINDINGS} == FINDINGS
    assert not any(row["by_rounding"] for row in rows)


def test_recomputed_differences_stand_beside_the_printed_ones(evidence):
    """Under the paper's delta row; its origin is that table alone."""
    study = pk.open_study(STUDY)
    shown = pk.tables_printed(evidence, part="results", relations=study.audit)
    tables = {table.id: table for table in shown}
    last = [cell.text for cell in tables["table-2"].cells()[-1]]
    assert last == ["Aggregate DELTA, recomputed", "−19.13", "0.00", "−7.86", "−7.92"]
    assert tables["table-2"].lineage.mark().endswith("(July 2014), Table 2)")
    assert len(tables["table-3"].rows) == 2


def test_a_changed_cell_changes_table_audit_and_sentence(evidence, tmp_path):
    """Nothing of the findings is typed: the paper's right delta would clear them."""
    for path in (STUDY / "printed").iterdir():
        text = path.read_text(encoding="utf-8").replace("-19.95,", "-19.13,")
        (tmp_path / path.name).write_text(text, encoding="utf-8")
    study = pk.open_study(STUDY)
    other = {}
    for path in tmp_path.iterdir():
        other |= pk.read(path, kind="printed").tables
    before, after = (pk.audit(data, study.audit) for data in (evidence, other))
    said = [pk.say(pk.audit_summary(*pair), "relations_failed")[0].text
            for pair in ((before, evidence), (after, other))]  # fmt: skip
    assert said[0] != said[1]
    assert len(pk.table_audit(after).rows) == len(pk.table_audit(before).rows) - 1


@pytest.fixture(scope="module")
def small(tmp_path_factory):
    folder = tmp_path_factory.mktemp("sas") / "generated"
    make("sas-workload", folder, seed=550, options={"repeats": 1})
    return folder


def test_the_generator_writes_101_logs_a_run_and_the_same_bytes(small, tmp_path):
    again = tmp_path / "again"
    files = make("sas-workload", again, seed=550, options={"repeats": 1})
    logs = [name for name in files if name.endswith(".log")]
    assert len(logs) == 2 * 101
    first = {p.relative_to(small): p.read_bytes() for p in small.rglob("*.log")}
    assert first == {p.relative_to(again): p.read_bytes() for p in again.rglob("*.log")}


def test_generated_logs_are_read_together_as_one_by_one(small):
    """One pass over many logs gives what each log gives by itself, marked as generated."""
    import polars as pl

    paths = sorted((small / "array-a/run-1").glob("*.log"))[:6]
    together = read_sas_logs(paths, root=small)
    single = [pk.read(path, root=small, kind="sas") for path in paths]
    for name, table in together.items():
        assert table.frame.equals(pl.concat([item[name].frame for item in single])), name
    assert together.steps.lineage.mark() == " (generated data)"
    assert [part.sha256 for part in together.evidence.parts] == [
        item.evidence.sha256 for item in single
    ]


def test_each_test_of_the_workload_is_in_the_job_table(small):
    """The notebook's verbs on generated logs: every table and chart has its numbers."""
    study = pk.open_study(STUDY / "generated.yml")
    logs = read_sas_logs(sorted(small.rglob("*.log")), root=small.parent)
    jobs = pk.sas.jobs(logs.steps, logs.sessions, study.jobs)
    assert jobs.frame.group_by("system", "repeat").len()["len"].to_list() == [101, 101]
    assert jobs.frame["test"].n_unique() == 19
    kinds = dict(jobs.frame.unique("test").group_by("class").len().rows())
    assert kinds == {"computation": 10, "memory": 2, "I/O": 7}
    runs = pk.sas.runs(jobs).frame
    assert runs["concurrency_peak"].max() > 20
    assert runs["concurrency_mean"].max() > 10
    assert all(re.match(r"array|Array", name) for name in jobs.frame["system"].unique())


@pytest.mark.slow
@pytest.mark.parametrize("name", ["study.yml", "generated.yml"])
def test_both_reports_are_made(name, tmp_path):
    """The same notebook makes the paper's report and that of generated logs, each marked so."""
    from typer.testing import CliRunner

    from perfkit.cli.app import app

    done = CliRunner().invoke(app, ["report", str(STUDY / name), "-o", str(tmp_path)])
    assert done.exit_code == 0, done.output
    page = next(tmp_path.glob("*.html")).read_text(encoding="utf-8")
    shown, other = "GENERATED DATA", "FROM PRINTED FIGURES"
    if name == "study.yml":
        shown, other = other, shown
    assert shown in page
    assert other not in page


@pytest.mark.slow
def test_the_logs_of_one_system_make_a_report_without_what_compares(small, tmp_path):
    from perfkit.cli.app import run

    text = (STUDY / "generated.yml").read_text(encoding="utf-8")
    text = text.replace("generated.tar.xz/*/", "array-a/").replace(", array-b: Array B", "")
    text = re.sub(r"  abstract: \|\n(    .*\n)+", "", text)
    text = re.sub(r"sections:\n(  .*\n)+", "", text)
    shutil.copytree(small / "array-a", tmp_path / "array-a")
    (tmp_path / "study.yml").write_text(text, encoding="utf-8")
    assert run(["report", str(tmp_path), "-o", str(tmp_path / "out")]) in {0, 3}
    page = next((tmp_path / "out").glob("*.html")).read_text(encoding="utf-8")
    assert "only one system, Array A: there is nothing to compare with" in page
    assert "Workload aggregates by class of test" in page
