"""Sets of criteria are data with a source; a study names them, and its mistakes have a line."""

from __future__ import annotations

import pytest

from perfkit.analysis.verdicts.criteria_sets import criteria_set, criteria_set_names
from perfkit.core.errors import StudyError
from perfkit.study.opening import open_study

HEAD = "report: {title: T}\ncriteria:\n"
OWN = """\
name: ours
title: Ours
version: "3"
source: Handbook, section 7
criteria:
  - {name: Reads, metric: lat_mean_s, direction: read, comparison: "<", limit: 1 ms}
"""


def rules(name):
    return {item.name: (item.metric, item.direction, item.comparison, item.parsed_limit.value)
            for item in criteria_set(name).criteria}  # fmt: skip


def test_the_rules_of_the_epic_guide_are_those_that_the_report_prints():
    """TR-4784, section 1.1: averages at the limit still pass, percentiles must be below it."""
    assert rules("epic-hardware") == {
        "Mean read latency": ("lat_mean_s", "read", "<=", 0.002),
        "99% of reads": ("lat_p99_s", "read", "<", 0.06),
        "99.9% of reads": ("lat_p999_s", "read", "<", 0.2),
        "99.99% of reads": ("lat_p9999_s", "read", "<", 0.6),
        "Mean write latency": ("lat_mean_s", "write", "<=", 0.001),
    }
    assert criteria_set("epic-hardware").criteria[-1].note == "depending on size"


def test_the_rules_of_genio_and_of_intersystems():
    assert rules("epic-genio") == {
        "Longest write cycle": ("longest_write_cycle_s", "total", "<", 45.0),
        "Effective write latency": ("effective_write_latency_s", "total", "<", 0.001),
    }
    assert rules("intersystems-read")["Average of random reads"][2:] == ("<=", 0.002)
    assert rules("intersystems-read")["Largest average of any run"][2:] == ("<=", 0.005)


@pytest.mark.parametrize("name", criteria_set_names())
def test_every_shipped_set_is_typed_and_names_its_source_and_version(name):
    found = criteria_set(name)
    assert found.name == name
    assert all(found.source in item.source and found.version in item.source
               for item in found.sourced())  # fmt: skip


def test_an_unknown_set_is_told_with_a_suggestion():
    with pytest.raises(StudyError, match=r"no set of criteria 'epic-geniO'; did you mean"):
        criteria_set("epic-geniO")


def test_a_study_names_sets_among_its_own_criteria(tmp_path):
    (tmp_path / "own.yml").write_text(OWN)
    (tmp_path / "study.yml").write_text(
        HEAD + "  - {set: epic-genio, where: {host: rhel1}}\n  - {set: own.yml}\n"
        '  - {name: Peak, metric: iops, comparison: ">", limit: 100k}\n'
    )
    found = open_study(tmp_path).criteria
    assert [item.name for item in found] == [
        "Longest write cycle", "Effective write latency", "Reads", "Peak",
    ]  # fmt: skip
    assert [item.where for item in found] == [{"host": "rhel1"}, {"host": "rhel1"}, {}, {}]
    assert found[2].source == "Handbook, section 7 (set ours, 3)"
    assert found[3].source is None


@pytest.mark.parametrize(
    ("line", "words"),
    [("  - {set: epic-genie}\n", r"study\.yml:3: criteria\[0\]\.set: .*did you mean 'epic-genio'"),
     ("  - {set: none.yml}\n", r"study\.yml:3: criteria\[0\]\.set: .*there is no such file"),
     ("  - {set: epic-genio, were: {}}\n", r"study\.yml:3: .*unknown name"),
     ("  - {name: x, metric: lat, comparison: '<', limit: 1 ms}\n",
      r"study\.yml:3: .*not a choice"),
     ("  - plain text\n", r"study\.yml:3: ")],
)  # fmt: skip
def test_a_mistake_in_the_list_of_criteria_has_its_line(tmp_path, line, words):
    (tmp_path / "study.yml").write_text(HEAD + line)
    with pytest.raises(StudyError, match=words):
        open_study(tmp_path)


def test_a_set_with_a_name_twice_is_refused(tmp_path):
    (tmp_path / "own.yml").write_text(OWN + OWN.splitlines()[-1] + "\n")
    (tmp_path / "study.yml").write_text(HEAD + "  - {set: own.yml}\n")
    with pytest.raises(StudyError, match="two criteria have the name 'Reads'"):
        open_study(tmp_path)
