"""The whole way: fio measures, the notebook runs, the report is typeset, and every number follows.

One small sweep is measured for all tests here; the reports are made by the command line.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from pathlib import Path

import pypdf
import pytest
from places import ROOT, TESTS

from perfkit.cli.app import run
from perfkit.core.unanswered import UNANSWERED_MIME
from perfkit.core.values import MIME, WORDS_MIME
from perfkit.reporting.document.lineages import Lineages

pytestmark = pytest.mark.slow


STUDY = """\
report:
  title: A small sweep
  subtitle: 'Values with # $ * _ @ [ < in them'
  number: TR-9001
  date: 2026-03-04
  authors: [Somebody]
  copyright: Example Lab
  abstract: "{{say peak-iops}}"
run:
  workload: oltp-mixed
  target: .
  file_size: 32 MiB
  load: {iodepth: [1, 2, 4]}
  ramp: 0s
  runtime: 0.5s
  repeats: 2
criteria:
  - {name: Mean read latency, metric: lat_mean_s, direction: read, at: lowest load,
     comparison: "<=", limit: LIMIT s}
"""


def text_of(pdf: Path) -> str:
    """The text of a PDF, blanks folded."""
    return " ".join(" ".join(p.extract_text() for p in pypdf.PdfReader(pdf).pages).split())


@pytest.fixture(scope="module")
def measured(tmp_path_factory):
    """A study that was measured and reported once: folder, run id."""
    folder = tmp_path_factory.mktemp("study")
    (folder / "study.yml").write_text(STUDY.replace("LIMIT", "10"))
    assert run(["report", str(folder), "-o", str(folder / "out")]) == 0
    (run_dir,) = (folder / "runs").iterdir()
    return folder, run_dir.name


@pytest.fixture
def study(measured, tmp_path):
    """A copy of the measured study, free to be changed."""
    folder, run_id = measured
    copy = tmp_path / "copy"
    shutil.copytree(folder, copy)
    return copy, run_id


def test_measuring_leaves_a_report_and_no_target_file(measured):
    """PDF, HTML and executed notebook, named after the study; the target file is gone."""
    folder, run_id = measured
    name = folder.name
    assert sorted(p.name for p in (folder / "out").iterdir()) == [
        f"{name}.html", f"{name}.ipynb", f"{name}.pdf",
    ]  # fmt: skip
    assert not list(folder.glob("perfkit-*"))
    text = text_of(folder / "out" / f"{name}.pdf")
    for words in (
        "TECHNICAL REPORT",
        "A SMALL SWEEP",
        "TR-9001",
        "MARCH 2026",
        "CRITERIA MET 1 OF 1",
    ):
        assert words in text.upper()
    assert "# $ * _ @ [ <" in text
    assert run_id in text


def test_the_same_run_and_date_give_the_same_bytes(study):
    """Reporting again measures nothing and writes the same PDF, byte for byte."""
    folder, run_id = study
    before = {path: path.stat().st_mtime_ns for path in (folder / "runs").rglob("*")}
    pdfs = []
    for number in (1, 2):
        out = folder / f"again{number}"
        assert run(["report", str(folder), "-o", str(out), "-p", f"run_id={run_id}"]) == 0
        pdfs.append((out / "copy.pdf").read_bytes())
    assert pdfs[0] == pdfs[1]
    assert before == {path: path.stat().st_mtime_ns for path in (folder / "runs").rglob("*")}


SECRETS = {
    "host": "db-load_07.corp.example.com",
    "serial": "S5GXNX0R123456",
    "wwid": "naa.600a098038303053453f463045727777",
    "address": "10.20.30.40",
    "mac": "00:1b:44:11:3a:b7",
}


def test_an_anonymised_report_holds_no_name_serial_or_address(study, tmp_path):
    """Not in PDF, HTML, executed notebook, or a file's name; and the same word for the same host.

    The names stand in the study's prose, in the run's facts and warnings, and in paths of evidence.
    """
    folder, run_id = study
    host, *others = SECRETS.values()
    short = host.split(".")[0]
    run_dir = folder / "runs" / f"{short}-try"
    (folder / "runs" / run_id).rename(run_dir)
    record = json.loads((run_dir / "run.json").read_text())
    record["host"]["hostname"] = host
    record["target"]["device"] = {"name": "sdb", "serial": others[0], "wwid": others[1]}
    record["target"]["mount_options"] = f"rw,addr={others[2]}"
    record["warnings"] = [f"{short.upper()} ({others[2]}, {others[3]}) was busy with {others[0]}"]
    (run_dir / "run.json").write_text(json.dumps(record))
    named = tmp_path / f"study-{short}"
    folder.rename(named)
    study_file = named / "study.yml"
    text = STUDY.replace("LIMIT", "10").replace("A small sweep", f"A small sweep on {short}")
    study_file.write_text(text.replace('"{{say peak-iops}}"', f'"From {host} to {others[2]}."'))

    out = tmp_path / "out"
    arguments = ["report", str(named), "-o", str(out), "-p", f"run_id={short}-try"]
    assert run([*arguments, "--anonymise"]) == 0
    files = sorted(out.iterdir())
    assert [path.name for path in files] == [
        f"study-host-1{end}" for end in (".html", ".ipynb", ".pdf")
    ]
    page, notebook, pdf = files
    contents = {
        "html": page.read_text(),
        "notebook": notebook.read_text(),
        "pdf text": text_of(pdf),
        "pdf bytes": pdf.read_bytes().decode("latin-1"),
        "pdf facts": str(pypdf.PdfReader(pdf).metadata),
    }
    for place, content in contents.items():
        for secret in (short, short.replace("_", "\\_"), "corp.example.com", *others):
            assert secret.lower() not in content.lower(), f"{secret} in {place}"
    for content in (contents["html"], contents["pdf text"]):
        assert "A small sweep on host-1".lower() in content.lower()
        assert "From host-1 to address-" in content
        assert "serial-1" in content
    # the same report without hiding has them all: the search above can find what is there
    assert run([*arguments, "-o", str(tmp_path / "plain")]) == 0
    plain = (tmp_path / "plain" / f"study-{short}.ipynb").read_text()
    assert all(secret in plain for secret in (host, *others))


def test_one_changed_cell_changes_the_table_the_sentence_and_the_verdict(study):
    """Nothing is typed: another mean latency in one fio result shows wherever it is printed."""
    folder, run_id = study
    # the load of the lowest latency: which one that is, is the machine's business
    loads = {}
    for path in sorted((folder / "runs" / run_id / "points").glob("iodepth-*-r*/fio.json")):
        loads.setdefault(path.parent.name.rpartition("-r")[0], []).append(path)
    results = min(loads.values(), key=lambda paths: sum(map(mean_of, paths)) / len(paths))
    read = json.loads(results[0].read_text())["jobs"][0]["read"]
    slow = 0.9 * read["lat_ns"]["max"]
    limit = (read["lat_ns"]["mean"] + slow) / 4 / 1e9
    load = results[0].parent.name.split("-")[1]
    judged = STUDY.replace("LIMIT", f"{limit:.9f}").replace("lowest load", load)
    (folder / "study.yml").write_text(judged)
    assert run(["report", str(folder), "-o", str(folder / "a"), "-p", f"run_id={run_id}"]) == 0

    for path in results:
        document = json.loads(path.read_text())
        document["jobs"][0]["read"]["lat_ns"]["mean"] = slow
        path.write_text(json.dumps(document))
    assert run(["report", str(folder), "-o", str(folder / "b"), "-p", f"run_id={run_id}"]) == 3

    before, after = text_of(folder / "a/copy.pdf"), text_of(folder / "b/copy.pdf")
    # a line of the PDF may end at the hyphen
    lowest = re.compile(r"The lowest mean latency of oltp-\s?mixed is (?:at most )?([\d.,]+ \S+)\.")
    assert lowest.search(before).group(1) != lowest.search(after).group(1)
    assert "CRITERIA MET 1 of 1" in before
    assert "CRITERIA NOT MET: PASSED 0 of 1" in after
    shown = [
        {t["id"]: t["rows"] for t in tables(folder / x / "copy.ipynb")} for x in ("a", "b")
    ]  # fmt: skip
    assert shown[0]["load-points"] != shown[1]["load-points"]
    assert shown[0]["repeats"] != shown[1]["repeats"]
    assert shown[0]["sweep"] == shown[1]["sweep"]


def mean_of(path: Path) -> float:
    """The mean latency over reads and writes that a fio result states, in ns."""
    job = json.loads(path.read_text())["jobs"][0]
    flows = [job["read"], job["write"]]
    count = sum(flow["total_ios"] for flow in flows)
    return sum(flow["lat_ns"]["mean"] * flow["total_ios"] for flow in flows) / count


def tables(notebook: Path):
    """The table records of an executed notebook."""
    for cell in json.loads(notebook.read_text())["cells"]:
        for output in cell.get("outputs", []):
            record = output.get("data", {}).get("application/vnd.perfkit.table.v1+json")
            if record:
                yield record


WITHOUT_KIND = {MIME["front"], WORDS_MIME, UNANSWERED_MIME}
"""What stands beside the values: front matter, words below a chart, what is not answered."""


def test_every_value_shown_can_be_traced_to_files(measured):
    """Each figure, table, finding and statement carries evidence, and no path of this machine."""
    folder, run_id = measured
    notebook = json.loads((folder / "out" / f"{folder.name}.ipynb").read_text())
    lineages = Lineages(notebook["metadata"])
    kinds = set()
    for cell in notebook["cells"]:
        for output in cell.get("outputs", []):
            for mime, record in output.get("data", {}).items():
                if not mime.startswith("application/vnd.perfkit.") or mime in WITHOUT_KIND:
                    continue
                kinds.add(record["kind"])
                lineage = lineages.of(record, "a cell")
                assert lineage.traceable, record["id"]
                assert lineage.evidence[0].path == f"runs/{run_id}"
                assert lineage.steps[-1].output == record["sha256"]
    assert kinds == {"figure", "findings", "listing", "statement", "table", "verdict"}
    assert str(folder) not in json.dumps(notebook)


def test_nbconvert_makes_the_same_pdf_of_the_executed_notebook(measured, tmp_path):
    """`jupyter nbconvert --to perfkit-pdf` needs the notebook alone."""
    folder, _ = measured
    made = folder / "out" / f"{folder.name}.pdf"
    executed = shutil.copy(made.with_suffix(".ipynb"), tmp_path / "executed.ipynb")
    for form in ("perfkit-pdf", "perfkit-html"):
        argv = [Path(sys.executable).with_name("jupyter"), "nbconvert", "--to", form, executed]
        subprocess.run(argv, check=True, capture_output=True)
    assert (tmp_path / "executed.pdf").read_bytes() == made.read_bytes()
    assert (tmp_path / "executed.html").read_bytes() == made.with_suffix(".html").read_bytes()


def answer_of(address):
    """The JSON that a server answers with, once it does."""
    while True:
        try:
            with urllib.request.urlopen(address, timeout=30) as answer:
                return json.load(answer)
        except urllib.error.URLError:
            time.sleep(0.1)


def test_jupyterlab_serves_the_notebooks_on_this_machine_only(tmp_path):
    """`perfkit lab notebooks`: the notebook is there, on the loopback address."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    argv = [sys.executable, "-m", "perfkit", "lab", str(ROOT / "notebooks"), "--no-browser"]
    environment = {**os.environ, "JUPYTER_TOKEN": "t", "JUPYTER_CONFIG_DIR": str(tmp_path)}
    lab = subprocess.Popen(
        [*argv, "--port", str(port)], env=environment, stderr=subprocess.PIPE, text=True
    )
    try:
        # the line with the address comes before the server listens: ask until it answers
        line = next(line for line in lab.stderr if f"127.0.0.1:{port}" in line)
        assert f"http://127.0.0.1:{port}/lab" in line
        address = f"http://127.0.0.1:{port}/api/contents/sweep.ipynb?content=0&token=t"
        assert answer_of(address)["type"] == "notebook"
    finally:
        lab.terminate()
        lab.communicate()


@pytest.mark.parametrize(
    ("argv", "words"),
    [
        (["-p", "run_id=none"], "there is no run 'none'"),
        (["-p", "runid=x"], "no parameter 'runid'; did you mean 'run_id'?"),
        (["-p", "target=missing"], "missing"),
        (["--date", "soon"], "'soon' is not a date"),
    ],
)
def test_a_failing_report_keeps_the_last_good_one(study, capsys, argv, words):
    """One clear line, exit code 1, and the report of before is untouched."""
    folder, _ = study
    out = folder / "kept"
    out.mkdir()
    (out / "copy.pdf").write_bytes(b"the last good one")
    assert run(["report", str(folder), "-o", str(out), *argv]) == 1
    captured = capsys.readouterr().err
    errors = [line for line in captured.splitlines() if line.startswith("error: ")]
    assert len(errors) == 1
    assert words in errors[0]
    assert (out / "copy.pdf").read_bytes() == b"the last good one"


def test_a_mistyped_placeholder_names_its_section(study, capsys):
    """{{say ...}} of a statement that is not there is an error with file and suggestion."""
    folder, run_id = study
    (folder / "more.md").write_text("# More\n\n{{say peak-iop}}\n")
    with (folder / "study.yml").open("a") as file:
        file.write("sections: {after: [more.md]}\n")
    assert run(["report", str(folder), "-o", str(folder / "x"), "-p", f"run_id={run_id}"]) == 1
    message = capsys.readouterr().err
    assert "more.md" in message
    assert "did you mean 'peak-iops'" in message
    assert not list((folder / "x").glob("*.pdf"))


def test_results_measured_elsewhere_become_a_report(tmp_path):
    """`perfkit study new` on a folder of fio results, then `perfkit report`, and nothing more."""
    sample = TESTS / "data/fio/rw75_jsonplus.json"
    folder = tmp_path / "results"
    folder.mkdir()
    for repeat in (1, 2):
        shutil.copy(sample, folder / f"qd16_r{repeat}.json")
    assert run(["study", "new", str(folder)]) == 0
    assert run(["report", str(folder), "-o", str(tmp_path / "out")]) == 0
    assert "Storage performance: results" in text_of(tmp_path / "out/results.pdf")


def test_an_interrupted_report_resumes_with_what_is_missing(tmp_path):
    """Ctrl-C says one line and keeps the accepted points; the next call measures the rest."""
    study = STUDY.replace("LIMIT", "10").replace("runtime: 0.5s", "runtime: 1s")
    (tmp_path / "study.yml").write_text(study)
    argv = [sys.executable, "-m", "perfkit", "report", str(tmp_path), "-o", str(tmp_path / "out")]
    lines = []
    with subprocess.Popen(argv, stderr=subprocess.PIPE, text=True, start_new_session=True) as first:
        for line in first.stderr:
            lines.append(line)
            if line.startswith("[2/6]"):
                first.send_signal(signal.SIGINT)
    assert first.returncode == 130
    assert lines[-1].startswith("error: interrupted")
    assert not any("Traceback" in line for line in lines)
    assert not (tmp_path / "out" / f"{tmp_path.name}.pdf").exists()
    (run_dir,) = (tmp_path / "runs").iterdir()
    kept = {path.name for path in (run_dir / "points").glob("[!.]*")}
    assert kept == {"iodepth-1-r1", "iodepth-2-r1"}

    second = subprocess.run(argv, capture_output=True, text=True, check=True)
    assert "6 points, 2 of them measured before" in second.stderr
    assert (tmp_path / "out" / f"{tmp_path.name}.pdf").exists()
    assert not list(tmp_path.glob("perfkit-*"))
