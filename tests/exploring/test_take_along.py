"""What a choice becomes beside the notebook: a study with its report, and pictures."""

from __future__ import annotations

import pytest

import perfkit as pk
from perfkit.core.errors import ReportError, StudyError, UsageError
from perfkit.exploring import take_along
from perfkit.reporting.write.picture_file import save_picture

from .test_exploring import points

STUDY = """# what was tested
format: 1
report:
  title: Two arrays
  abstract: It is {{say peak-iops}}
notebook: compare
parameters:
  workload: read only
  loads: 4 8  # of the study
evidence:
  - {files: a.json, kind: fio}
"""


@pytest.fixture
def study(tmp_path):
    path = tmp_path / "study.yml"
    path.write_text(STUDY, encoding="utf-8")
    return path


def test_the_study_of_a_choice_has_its_parameters_and_all_else_as_it_was(study):
    made = take_along.write_study(study, {"baseline": "A", "latencies_us": "300 400"})
    assert made == study.with_name("study-choice.yml")
    text = made.read_text(encoding="utf-8")
    assert "  loads: 4 8" in text, "not asked by the choice"
    assert "  baseline: A\n  latencies_us: 300 400\n" in text
    assert "read only" not in text, "the choice is of every workload"
    assert "{{say" not in text
    assert text.startswith("# what was tested\nformat: 1\nreport:\n  title: Two arrays\n")
    assert study.read_text(encoding="utf-8") == STUDY


def test_the_same_choice_is_found_again_and_another_gets_a_number(study):
    first = take_along.write_study(study, {"baseline": "A"})
    assert take_along.write_study(study, {"baseline": "A"}) == first
    assert take_along.write_study(study, {"baseline": "B"}).name == "study-choice-2.yml"


def test_a_folder_that_cannot_be_written_is_named(study, monkeypatch):
    def refuse(*_):
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(take_along, "write_whole", refuse)
    with pytest.raises(StudyError, match=r"study-choice\.yml: cannot be written: Permission"):
        take_along.write_study(study, {"baseline": "A"})


@pytest.mark.slow
def test_a_report_that_fails_says_why_and_is_an_error(study):
    """The evidence of the study is not there: the command's own line is told."""
    said = []
    with pytest.raises(ReportError, match="the report was not made"):
        take_along.make_report(study, {"baseline": "A"}, study.parent / "reports", said.append)
    assert said[0] == f"study: {study.with_name('study-choice.yml')}"
    assert any("a.json" in line for line in said[1:])


def test_without_a_study_there_is_no_report_of_a_choice():
    panel = pk.explore(points(), latencies_us="150")
    with pytest.raises(UsageError, match="was given no study="):
        panel._report(panel.parameters, print)


@pytest.mark.slow
def test_a_figure_is_saved_as_svg_and_png_as_a_report_draws_it(tmp_path):
    figure = pk.plot_latency_curve(pk.latency_curve(points()))
    svg, png = take_along.save_pictures([figure], tmp_path / "pictures")
    assert [svg.name, png.name] == [f"{figure.id}.svg", f"{figure.id}.png"]
    assert "Source Sans Pro" in svg.read_text(encoding="utf-8")
    content = png.read_bytes()
    assert content.startswith(b"\x89PNG")
    # 165 mm at 300 dots an inch
    assert int.from_bytes(content[16:20]) == pytest.approx(165 / 25.4 * 300, abs=4)
    with pytest.raises(UsageError, match=r"x\.gif: a picture is saved as \.svg or \.png"):
        save_picture(figure, tmp_path / "x.gif")
