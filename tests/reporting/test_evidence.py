"""`perfkit report EVIDENCE` and `perfkit compare A B`: from what lies there to a report."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
from forges import make
from places import ROOT, TESTS
from pypdf import PdfReader

from perfkit.cli.app import run
from perfkit.core.evidence import sha256_file
from perfkit.exploring.tracing import Trace
from perfkit.reporting.check import check
from perfkit.reporting.document.assemble import read_document
from perfkit.reporting.document.lineages import Lineages
from perfkit.reporting.document.parts import PART, scoped
from perfkit.reporting.execute.quick_nbformat import nbformat
from perfkit.study.proposals import propose

FIO = TESTS / "data/fio"
HOST = TESTS / "data/host"
REAL = ROOT.parent / "shared" / "real"


def state(folder: Path) -> dict[str, str]:
    return {str(p.relative_to(folder)): sha256_file(p) for p in folder.rglob("*") if p.is_file()}


def text_of(pdf: Path, pages: int | None = None) -> str:
    """The words of the first pages, or of all."""
    return " ".join(" ".join(page.extract_text() for page in PdfReader(pdf).pages[:pages]).split())


@pytest.mark.slow
def test_a_mixed_folder_becomes_one_report_with_parts(tmp_path, capsys):
    """fio and iostat, a document and a damaged result: one command, nothing written among them."""
    folder = tmp_path / "results"
    for path, sample in (
        ("array/mix.json", FIO / "rw75_jsonplus.json"),
        ("host/iostat.txt", HOST / "iostat-12.6.1-xmt.txt"),
        ("README.md", TESTS / "data/fio/README.md"),
    ):
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(sample, folder / path)
    (folder / "array" / "cut.json").write_text((FIO / "rw75_jsonplus.json").read_text()[:2000])
    before, out = state(folder), tmp_path / "out"
    assert run(["report", str(folder), "-o", str(out)]) == 0
    assert state(folder) == before
    told = capsys.readouterr().err.splitlines()
    assert told[0] == (
        "taken: 1 x fio result (JSON or normal output); 1 x iostat of sysstat (text or JSON); "
        "systems array, host"
    )
    assert told[1] == "left out: README.md (no evidence)"
    assert told[2].startswith("left out: array/cut.json: ")
    assert told[3].startswith(f"study: {out / 'study.yml'}")
    assert not any("left out of the report" in line for line in told)
    first = text_of(out / "results.pdf", pages=2)
    assert "What this does not show" in first
    assert "Files that were left out: array/cut.json: line 76: JSON is cut off" in first
    text = text_of(out / "results.pdf")
    assert "fio result" in text
    assert "iostat of sysstat" in text

    # two notebooks may use one id: in the document the part's name stands before it
    node = nbformat.read(out / "results.ipynb", as_version=4)
    assert {cell.metadata[PART] for cell in node.cells} == {"fio-results", "general"}
    labels = read_document(node, out).labels
    assert {"fio-results-latency-curve", "general-devices-read-iops"} <= set(labels)

    # every value can be made again from the files, which lie in another folder
    stored = Lineages(node.metadata)
    records = [
        record for cell in node.cells for output in cell.get("outputs", [])
        for record in output.get("data", {}).values()
        if isinstance(record, dict) and record.get("id") == "load-points"
    ]  # fmt: skip
    Trace("load-points", stored.of(records[0], "notebook"), "").replay(out)

    # the study that it left can be run as it is, and is not overwritten once it was changed
    assert check(out / "study.yml").mistakes == []
    with (out / "study.yml").open("a") as study:
        study.write("# mine\n")
    assert run(["report", str(folder), "-o", str(out)]) == 2
    assert "was changed by hand" in capsys.readouterr().err


@pytest.mark.parametrize("out", ["results/report", "results", "."])
def test_a_report_never_lies_among_the_evidence(tmp_path, monkeypatch, capsys, out):
    """Neither in the folder that was given, nor beside a file that was."""
    (tmp_path / "results").mkdir()
    shutil.copyfile(FIO / "rw75_jsonplus.json", tmp_path / "results" / "a.json")
    shutil.copyfile(FIO / "rw75_jsonplus.json", tmp_path / "a.json")
    monkeypatch.chdir(tmp_path)
    before = state(tmp_path)
    place = "a.json" if out == "." else "results"
    assert run(["report", place, "-o", out]) == 2
    assert "lies among the evidence" in capsys.readouterr().err
    assert state(tmp_path) == before


def compared(tmp_path, samples, *options):
    places = []
    for system, sample in samples.items():
        (tmp_path / system).mkdir()
        shutil.copyfile(FIO / sample, tmp_path / system / "result.json")
        places.append(str(tmp_path / system))
    return run(["compare", *places, "-o", str(tmp_path / "out"), *options])


@pytest.mark.slow
def test_two_folders_are_compared(tmp_path, capsys):
    same = "rw75_jsonplus.json"
    assert compared(tmp_path, {"old": same, "new": same}, "--label", "A", "--label", "B") == 0
    assert "systems A, B" in capsys.readouterr().err
    assert "Comparison: A, B" in text_of(tmp_path / "out/A-vs-B.pdf", pages=1)


@pytest.mark.slow
def test_a_comparison_that_is_refused_says_so_on_page_one_and_in_its_exit_code(tmp_path, capsys):
    """Different workloads: there is a report of both, and no comparison."""
    samples = {"old": "rw75_jsonplus.json", "new": "randread_libaio_qd16.json"}
    assert compared(tmp_path, samples) == 3
    words = "nothing to compare: the curves are of different workloads"
    assert words in capsys.readouterr().err
    first = text_of(tmp_path / "out/old-vs-new.pdf", pages=1)
    assert "The systems are not compared" in first
    assert words in first
    page = (tmp_path / "out/old-vs-new.html").read_text()
    assert page.index("The systems are not compared") < page.rindex("Latency against IOPS")


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["a"], "name two places or more"),
        (["x=a", "x=b"], "two systems are called 'x'"),
        (["a", "b", "--label", "x"], "--label: 1 names for 2 systems"),
    ],
)
def test_a_comparison_needs_two_names(tmp_path, monkeypatch, capsys, arguments, words):
    monkeypatch.chdir(tmp_path)
    assert run(["compare", *arguments]) == 2
    assert words in capsys.readouterr().err


def cell(kind, source, *outputs):
    return {"cell_type": kind, "source": source, "outputs": list(outputs), "metadata": {PART: "p"}}


def test_a_part_has_ids_of_its_own_and_one_front():
    """The notebook itself is not changed."""
    from nbformat import from_dict

    from perfkit.core.values import MIME

    def shown(kind, **record):
        return {"output_type": "display_data", "data": {MIME[kind]: record}, "metadata": {}}

    node = from_dict({
        "cells": [
            cell("code", "", shown("front", title="T"), shown("front", title="T")),
            cell("markdown", "{{say peak-iops}} of {{ see load-points }}"),
            cell("code", "", shown("table", id="load-points")),
        ],
        "metadata": {}, "nbformat": 4, "nbformat_minor": 5,
    })  # fmt: skip
    before = json.dumps(node)
    fronts, text, table = scoped(node).cells
    assert [list(output.data) for output in fronts.outputs] == [[MIME["front"]]]
    assert text.source == "{{say p-peak-iops}} of {{see p-load-points}}"
    assert table.outputs[0].data[MIME["table"]]["id"] == "p-load-points"
    assert json.dumps(node) == before


@pytest.mark.slow
@pytest.mark.parametrize(
    "forge", ["genio-ramp", "ontap-qos", "ranread-sweep", "sas-workload", "slob-awr"]
)
def test_every_proposal_can_be_reported_on(tmp_path, forge):
    options = {"points": 2, "repeats": 1} if forge == "slob-awr" else None
    make(forge, tmp_path / "x", options=options)
    proposed(tmp_path, tmp_path / "x")


@pytest.mark.slow
@pytest.mark.parametrize("place", ["fio", "elbencho", "host"])
def test_every_proposal_for_our_own_samples_can_be_reported_on(tmp_path, place):
    """All forms together, with those that are damaged."""
    proposed(tmp_path, TESTS / "data" / place)


@pytest.mark.slow
@pytest.mark.skipif(not REAL.exists(), reason="other people's files are not here")
@pytest.mark.parametrize("place", ["sas", "awr", "foreign/fio_2.18_folder", "foreign/fio_single"])
def test_every_proposal_for_other_peoples_files_can_be_reported_on(tmp_path, place):
    proposed(tmp_path, REAL / place)


def proposed(home, place):
    """Propose a study for what lies there, and find no mistake in it or its notebook."""
    (home / "study.yml").write_text(propose(place, home).text)
    found = check(home / "study.yml")
    assert found.mistakes == []
    assert found.rehearsed
