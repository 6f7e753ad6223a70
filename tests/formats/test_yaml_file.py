"""YAML with lines: every mistake is told with file, line and the path inside the file."""

from __future__ import annotations

import pytest
from pydantic import BaseModel, ConfigDict

from perfkit.core.errors import StudyError
from perfkit.formats.yaml_file import line_of, load, load_model, plain


class Limit(BaseModel):
    model_config = ConfigDict(extra="forbid")
    metric: str
    value: float


class Sheet(BaseModel):
    model_config = ConfigDict(extra="forbid")
    title: str
    limits: list[Limit] = []


def write(tmp_path, text):
    path = tmp_path / "sheet.yml"
    path.write_text(text, encoding="utf-8")
    return path


def test_a_good_file_becomes_the_model(tmp_path):
    """Values arrive as plain Python values."""
    path = write(tmp_path, "title: A\nlimits:\n  - {metric: iops, value: 2}\n")
    assert load_model(path, Sheet) == Sheet(title="A", limits=[Limit(metric="iops", value=2)])


@pytest.mark.parametrize(
    ("text", "line", "words"),
    [
        ("title: A\nlimits:\n  - metric: iops\n    value: much\n", 4, "limits[0].value: Input"),
        ("title: A\ntitel: B\n", 2, "titel: unknown name; did you mean 'title'?"),
        ("limits: []\n", 1, "title: is missing"),
        ("title: A\nlimits:\n  - {metric: iops, limit: 1, value: 2}\n", 3, "limits[0].limit: unk"),
        ("title: A\nlimits:\n  - metric: iops\n", 3, "limits[0].value: is missing"),
        ("title: A\ntitle: B\n", 2, "not YAML: found duplicate key"),
        ("title: [A\n", 2, "not YAML"),
        ("- a\n- b\n", 1, "a study is a mapping"),
        ("", 1, "a study is a mapping"),
    ],
)
def test_a_mistake_is_told_with_line_and_place(tmp_path, text, line, words):
    """One line: file, line number, place inside the file, and what is wrong."""
    with pytest.raises(StudyError) as problem:
        load_model(write(tmp_path, text), Sheet)
    assert f"sheet.yml:{line}: " in str(problem.value)
    assert words in str(problem.value)
    assert "\n" not in str(problem.value)


def test_every_mistake_is_told(tmp_path):
    """A misspelled name first, which explains the missing one below it."""
    with pytest.raises(StudyError, match=r"titel: unknown name; .*\n  line 1: title: is missing$"):
        load_model(write(tmp_path, "titel: A\n"), Sheet)


def test_a_missing_file_and_a_wrong_encoding_are_named(tmp_path):
    """What cannot be read is told by name."""
    with pytest.raises(StudyError, match=r"none\.yml: there is no such file"):
        load(tmp_path / "none.yml")
    path = tmp_path / "latin.yml"
    path.write_bytes(b"title: caf\xe9\n")
    with pytest.raises(StudyError, match=r"latin\.yml: cannot be read"):
        load(path)


def test_line_of_finds_the_deepest_part_that_stands_in_the_file(tmp_path):
    """A place that is not in the file has the line of its nearest parent."""
    path = write(tmp_path, "title: A\nlimits:\n  - metric: x\n    value: 1\n  - metric: y\n")
    assert line_of(path, ["limits", 0, "value"]) == 4
    assert line_of(path, ["limits", 1, "value"]) == 5
    assert line_of(path, ["nothing"]) == 1


def test_plain_strips_every_type_of_the_yaml_library(tmp_path):
    """Models and JSON see dict, list, str, int, float and bool only."""
    document = plain(load(write(tmp_path, "a: 1\nb: [true, 1.5, 'x', null]\nc: {d: 2026-01-01}\n")))
    assert document["a"] == 1
    assert [type(item) for item in document["b"]] == [bool, float, str, type(None)]
