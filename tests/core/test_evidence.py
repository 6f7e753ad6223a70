"""The record of where numbers come from: complete, and the same on every machine."""

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from perfkit.core.evidence import Evidence, Lineage, Section, Step, label, sha256_bytes, sha256_file

TEXT = st.text(max_size=8)
SECTIONS = st.builds(
    Section,
    name=TEXT,
    status=st.sampled_from(["found", "absent", "empty", "unparsed"]),
    rows=st.none() | st.integers(0, 99),
    reason=st.none() | TEXT,
)


def evidences(parts):
    return st.builds(
        Evidence,
        kind=TEXT,
        path=TEXT,
        sha256=TEXT,
        tool=st.none() | TEXT,
        tool_version=st.none() | TEXT,
        sections=st.lists(SECTIONS, max_size=3).map(tuple),
        warnings=st.lists(TEXT, max_size=3).map(tuple),
        unverified=st.booleans(),
        parts=parts,
    )


@given(evidences(st.lists(evidences(st.just(())), max_size=2).map(tuple)))
def test_evidence_survives_its_journey_through_json(evidence):
    assert Evidence.from_record(json.loads(json.dumps(evidence.record()))) == evidence


def test_a_path_is_relative_to_its_root(tmp_path):
    assert label(tmp_path / "a" / "b.json", tmp_path) == "a/b.json"
    assert label(tmp_path, tmp_path) == "."


def test_a_path_beside_the_root_keeps_its_steps(tmp_path):
    assert label(tmp_path / "data" / "x", tmp_path / "study") == "../data/x"


def test_a_path_that_shares_nothing_but_the_top_shows_its_name_only():
    assert label(Path("/etc/hostname"), Path("/usr/lib")) == "hostname"


def test_without_a_root_paths_are_relative_to_the_working_directory(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert label(Path("x/y")) == "x/y"


def test_a_link_is_named_by_what_it_points_to(tmp_path):
    (tmp_path / "real").write_text("x")
    (tmp_path / "link").symlink_to(tmp_path / "real")
    assert label(tmp_path / "link", tmp_path) == "real"


def test_hashes_of_bytes_and_files_agree(tmp_path):
    (tmp_path / "x").write_bytes(b"abc")
    known = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
    assert sha256_file(tmp_path / "x") == sha256_bytes(b"abc") == known


ONE = Evidence("fio", "a.json", "11")
TWO = Evidence("fio", "b.json", "22")
STEP = Step("f", 1, "{}", ("11",), "33")


def test_joining_keeps_each_evidence_and_step_once_in_order():
    first = Lineage((ONE,), (STEP,), traceable=True)
    second = Lineage((ONE, TWO), (STEP,), traceable=True, notes=("n",))
    joined = Lineage.join([first, second])
    assert joined == Lineage((ONE, TWO), (STEP,), traceable=True, notes=("n",))


def test_one_untraceable_input_makes_the_whole_untraceable():
    whole = Lineage((ONE,), (), traceable=True)
    assert not Lineage.join([whole, Lineage()]).traceable
    assert not Lineage.join([]).traceable


def test_a_step_is_added_at_the_end():
    later = Step("g", 2, "{}", ("33",), "44")
    lineage = Lineage((ONE,), (STEP,), traceable=True).then(later)
    assert lineage.steps == (STEP, later)
    assert lineage.traceable


def test_the_record_of_a_lineage():
    record = Lineage((ONE,), (STEP,), traceable=True).record()
    assert record["steps"] == [
        {"function": "f", "version": 1, "arguments": "{}", "inputs": ["11"], "output": "33"}
    ]
    assert record["evidence"] == [ONE.record()]
    assert record["traceable"] is True


@pytest.mark.parametrize("kind", [Evidence, Section, Step])
def test_the_record_is_plain_json(kind):
    made = {Evidence: ONE, Section: Section("x", "absent"), Step: STEP}[kind]
    assert json.loads(json.dumps(made.record())) == made.record()
