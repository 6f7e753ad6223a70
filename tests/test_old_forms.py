"""What perfkit 0.1 left behind is read: studies, schedules, runs and executed notebooks."""

import io
import json
import shutil
import tarfile

import nbformat
import pytest
from hostile import words_of
from places import ROOT, TESTS

from perfkit.cli.app import app
from perfkit.core.archives import opened
from perfkit.core.errors import ParseError, ReportError, RunError, StudyError
from perfkit.measure.record.rundir import RunDirectory
from perfkit.reporting.document.assemble import read_document
from perfkit.scheduling.schedule_file import open_schedule
from perfkit.sources import read, sample_stamp
from perfkit.study.migrations import SHIPPED, Order
from perfkit.study.opening import open_study

OLD = TESTS / "data/old/0.1"
RUN = OLD / "runs/oltp-select-209e59a0"
SHIPPED_SWEEP = ROOT / "data/studies/iris-a300/generated"


@pytest.fixture
def study(tmp_path):
    """The study on generated evidence, in a folder of its own."""
    shutil.copy(OLD / "generated.yml", tmp_path / "study.yml")
    return tmp_path / "study.yml"


def totals(reading):
    return reading.load_points.frame.filter(direction="total")


def call(capsys, *argv):
    with pytest.raises(SystemExit) as ended:
        app([str(word) for word in argv])
    assert ended.value.code == 0
    return capsys.readouterr().out.splitlines()


def test_a_study_of_0_1_means_the_sweep_that_0_1_measured():
    opened_study = open_study(OLD)
    planned = json.loads((RUN / "run.json").read_text())
    assert opened_study.model.format == 1
    assert opened_study.spec.sha256() == planned["spec_sha256"]


def test_a_run_of_0_1_is_read():
    """Rates and latencies are those that fio wrote down."""
    points = totals(read(RUN))
    assert points["load"].to_list() == [1, 4]
    for load, iops, mean_s in points.select("load", "iops", "lat_mean_s").iter_rows():
        said = json.loads((RUN / f"points/iodepth-{load:.0f}-r1/fio.json").read_text())
        [job] = said["jobs"]
        assert iops == pytest.approx(job["read"]["iops"], rel=1e-3)
        assert mean_s == pytest.approx(job["read"]["lat_ns"]["mean"] / 1e9)


def test_a_schedule_of_0_1_is_read():
    nightly, weekly = open_schedule(OLD)
    assert nightly.entry.run.load == {"iodepth": [1, 16]}
    assert (weekly.entry.run, weekly.entry.evidence.settle) == (False, 120.0)


def test_a_notebook_that_0_1_executed_makes_a_web_page():
    from perfkit.reporting.write.exporters import WebReportExporter

    html, _ = WebReportExporter().from_filename(str(OLD / "executed.ipynb"))
    shown = " ".join(words_of(html).split())
    assert "A study of perfkit 0.1, kept as a sample" in shown
    assert "oltp-select gave at least 19,500 IOPS" in shown


@pytest.mark.slow
def test_a_notebook_that_0_1_executed_makes_a_pdf():
    import pypdf

    from perfkit.reporting.write.exporters import TechnicalReportExporter

    pdf, _ = TechnicalReportExporter().from_filename(str(OLD / "executed.ipynb"))
    text = " ".join(page.extract_text() for page in pypdf.PdfReader(io.BytesIO(pdf)).pages)
    assert "oltp-select gave at least 19,500 IOPS" in " ".join(text.split())


def test_generated_evidence_is_read_from_the_folder_that_0_1_filled(study):
    shutil.copytree(SHIPPED_SWEEP, study.parent / "generated")
    [entry] = open_study(study).model.evidence
    assert (entry.files, entry.generated) == ("generated/*.txt", "ranread-sweep, seed 300")
    assert len(open_study(study).files(entry)) == 1


def test_generated_evidence_is_read_from_the_archive_in_its_place(study):
    with tarfile.open(study.parent / "generated.tar.xz", "w:xz") as archive:
        for path in SHIPPED_SWEEP.iterdir():
            archive.add(path, path.name)
    [entry] = open_study(study).model.evidence
    assert (entry.files, entry.generated) == ("generated.tar.xz/*.txt", "ranread-sweep, seed 300")
    assert len(open_study(study).files(entry)) == 1


def test_an_anchor_of_generated_evidence_counts_in_each_place(study):
    """0.1's own studies wrote ``generated: &one {...}`` once, and ``*one`` after it."""
    shutil.copytree(SHIPPED_SWEEP, study.parent / "generated")
    text = study.read_text().replace("generated: {", "generated: &one {")
    study.write_text(
        text + "  - {files: generated/*.txt, generated: *one, labels: {system: again}}\n"
    )
    told = [entry.generated for entry in open_study(study).model.evidence]
    assert told == ["ranread-sweep, seed 300"] * 2


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ("", "", r"Copy data/studies/iris-a300/generated of perfkit .*as 'generated'"),
        ("ranread-sweep, seed: 300, options: {repeats: 3}", "slob-awr, seed: 4819",
         r"Copy data/studies/tr-4819/generated.tar.xz .*as 'generated.tar.xz'"),
        ("seed: 300", "seed: 7", "Put the folder 'generated' that it filled beside the study"),
        ("{repeats: 3}", "{repeats: 2}", "Put the folder 'generated' that it filled beside"),
        ("seed: 300", "seed: 300, into: made", "as 'made'"),
    ],
)  # fmt: skip
def test_generated_evidence_that_is_not_there_is_an_error_with_its_cure(study, old, new, words):
    study.write_text(study.read_text().replace(old, new))
    with pytest.raises(StudyError, match=rf"study.yml:8: evidence\[0\].generated: .*{words}"):
        open_study(study)


@pytest.mark.parametrize("stamped", [True, False])
def test_a_folder_with_other_content_is_not_taken_for_what_0_1_generated(study, stamped):
    other = ROOT / "data/studies/tr-4784/generated-qos"
    shutil.copytree(other, study.parent / "generated")
    if not stamped:
        (study.parent / "generated" / sample_stamp.STAMP).unlink()
    with pytest.raises(StudyError, match="'generated' does not contain what ranread-sweep, seed"):
        open_study(study)


@pytest.mark.parametrize(("order", "place"), SHIPPED, ids=lambda item: str(item)[:20])
def test_what_an_error_names_was_generated_by_that_order(order, place):
    stamp = sample_stamp.read(opened(ROOT / "data/studies" / place))
    assert order == Order(stamp.sample, stamp.seed, stamp.options)


def test_a_mistake_in_an_old_study_is_told_with_its_line(study):
    shutil.copytree(SHIPPED_SWEEP, study.parent / "generated")
    study.write_text(study.read_text() + "sektions: {}\n")
    with pytest.raises(StudyError, match=r"study.yml:9: sektions: unknown name"):
        open_study(study)


@pytest.mark.slow
def test_check_says_what_to_write_into_an_old_study(study, capsys):
    with tarfile.open(study.parent / "generated.tar.xz", "w:xz") as archive:
        for path in SHIPPED_SWEEP.iterdir():
            archive.add(path, path.name)
    told = call(capsys, "study", "check", study)
    assert told == [
        f"{study}: good",
        "It names no format, as in perfkit 0.1, and is read as format 1. Write:",
        "  line 1: format: 1",
        "  line 8: evidence[0].generated: ranread-sweep, seed 300",
        "  line 8: evidence[0].files: generated.tar.xz/*.txt",
    ]
    lines = study.read_text().replace("files: generated/", "files: generated.tar.xz/")
    text = lines.replace(lines[lines.index("{by:") : lines.index(", labels")],
                         '"ranread-sweep, seed 300"')  # fmt: skip
    study.write_text(f"format: 1\n{text}")
    assert call(capsys, "study", "check", study) == [f"{study}: good"]


def test_check_says_what_to_write_into_an_old_schedule(tmp_path, capsys):
    for name in ("study.yml", "schedule.yml"):
        shutil.copy(OLD / name, tmp_path / name)
    told = call(capsys, "schedule", "check", "--file", tmp_path)
    assert told[-2:] == [
        "It names no format, as in perfkit 0.1, and is read as format 1. Write:",
        "  line 1: format: 1",
    ]


@pytest.mark.parametrize("path", sorted(ROOT.glob("data/studies/*/*.yml")), ids=str)
def test_the_studies_of_this_release_name_their_format(path):
    assert "\nformat: 1\nreport:\n" in f"\n{path.read_text()}"


NEWER = r"format: 2 is from a newer perfkit; perfkit 0\.\d+\.\d+ reads up to 1"


@pytest.mark.parametrize(
    ("written", "words"),
    [
        ("2", NEWER),
        ("0", "format: 0 is not a format; the newest is 1"),
        ("'1'", "format: '1' is not a format"),
        ("true", "format: True is not a format"),
        ("1.0", "format: 1.0 is not a format"),
        ("null", "format: None is not a format"),
    ],
)
@pytest.mark.parametrize(
    ("name", "open_file"), [("study", open_study), ("schedule", open_schedule)]
)
def test_a_format_that_is_not_known_is_an_error(tmp_path, name, open_file, written, words):
    """It is told before anything else that such a file may say."""
    path = tmp_path / f"{name}.yml"
    path.write_text(f"unknown: 1\nformat: {written}\n")
    with pytest.raises(StudyError, match=rf"{name}.yml:2: {words}"):
        open_file(path)


@pytest.fixture
def run(tmp_path):
    """The run, with another format in one of its records."""
    folder = shutil.copytree(RUN, tmp_path / "run")

    def changed(name, number):
        path = folder / name
        path.write_text(json.dumps(json.loads(path.read_text()) | {"format": number}))
        return folder

    return changed


def test_a_run_of_a_newer_perfkit_is_not_read(run):
    with pytest.raises(
        ParseError,
        match=r"run.json: .*2 is from a newer perfkit; this one reads "
        r"1",
    ):
        read(run("run.json", 2), kind="perfkit-run")


def test_a_point_of_a_newer_perfkit_is_not_read(run):
    """The others are; the evidence counts the one that is missing, and says why."""
    reading = read(run("points/iodepth-1-r1/point.json", 2), kind="perfkit-run")
    assert totals(reading)["load"].to_list() == [4]
    assert any("2 is from a newer perfkit" in text for text in reading.evidence.warnings)


def test_a_run_of_another_perfkit_is_not_gone_on_with(run):
    with pytest.raises(RunError, match=r"run.json: another version wrote format 2, this one 1"):
        RunDirectory(run("run.json", 2)).record()


def test_a_value_of_a_newer_perfkit_in_a_notebook_is_an_error(tmp_path):
    """Its HTML or Markdown would pass as somebody's own."""
    text = (OLD / "executed.ipynb").read_text().replace("statement.v1+json", "statement.v2+json")
    notebook = nbformat.reads(text, as_version=4)
    with pytest.raises(
        ReportError, match=r"statement.v2\+json is from a newer .* this one reads v1"
    ):
        read_document(notebook, tmp_path)


def test_the_samples_name_nobodys_machine():
    texts = [path.read_text() for path in OLD.rglob("*") if path.is_file()]
    assert sum(map(len, texts)) < 300_000
    assert not any(word in text for text in texts for word in ("/home/", "/root/", "/work/"))
