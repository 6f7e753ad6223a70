"""The test bed in a study file: what it may say, and every mistake with its line."""

from __future__ import annotations

import pytest
from places import ROOT

from perfkit.core.errors import StudyError
from perfkit.core.unanswered import answering
from perfkit.study.opening import open_study

STUDY = """\
report: {title: T}
notebook: fio_results
evidence: [{files: '*.json'}]
test_bed:
  hosts:
    - {name: Host, count: 4, text: 2 x 32G FC}
  switches: [{name: Fabric A}, {name: Fabric B}]
  controllers:
    - {name: Array}
  links:
    - {from: Host, to: [Fabric A, Fabric B], paths: 1, speed: 32G FC}
    - {from: Array, to: [Fabric A, Fabric B], paths: 4}
"""


@pytest.fixture
def study(tmp_path):
    def write(text=STUDY):
        (tmp_path / "study.yml").write_text(text, encoding="utf-8")
        return open_study(tmp_path)

    return write


def test_a_study_draws_its_test_bed(study):
    """A link may name the lower part first, and several parts at once."""
    [figure] = study().test_bed()
    assert (figure.id, figure.caption) == ("test-bed", "The test bed.")
    assert figure.lineage.mark() == " (as stated by the authors)"
    assert [item.path for item in figure.lineage.evidence] == ["study.yml"]
    assert figure.alt == (
        "Topology, from the top. Hosts: Host 1 to Host 4 (2 x 32G FC). Switches: Fabric A; "
        "Fabric B. Controllers: Array. Links: Host 1 to Host 4 with Fabric A and Fabric B, 1 path "
        "each, 32G FC; Fabric A with Array, 4 paths; Fabric B with Array, 4 paths."
    )


def test_the_caption_names_the_document_that_states_it(study):
    text = STUDY.replace("  hosts:\n", "  drawn_from: 'TR-1, section 2'\n  hosts:\n")
    assert study(text).test_bed()[0].caption == "The test bed. Drawn from TR-1, section 2."


def test_the_example_of_the_docs_is_drawn(study):
    docs = (ROOT / "docs/reports-and-studies.md").read_text(encoding="utf-8")
    example = docs[docs.index("test_bed:\n") :].partition("```")[0]
    [figure] = study(STUDY[: STUDY.index("test_bed:")] + example).test_bed()
    assert figure.alt.count("paths each, 32G FC") == 2


def test_a_study_without_one_draws_none(study):
    opened = study(STUDY[: STUDY.index("test_bed:")])
    assert answering(opened.test_bed)() == []


@pytest.mark.parametrize(
    ("old", "new", "line", "words"),
    [
        ("Fabric A, Fabric B], paths: 1", "Fabrik A], paths: 1", 11,
         "test_bed.links[0].to[0]: no part 'Fabrik A'; did you mean 'Fabric A'?"),
        ("from: Host", "form: Host", 11, "links[0].form: unknown name; did you mean 'from'?"),
        ("from: Array", "from: Fabric A", 12, "test_bed.links[1]: links 'Fabric A' with itself"),
        ("name: Fabric B", "name: Fabric A", 7,
         "switches[1].name: 'Fabric A' is the name of another part"),
        ("name: Array", "name: Host 3", 9,
         "controllers[0].name: 'Host 3' is the name of another part"),
        ("name: Array", "name: ' '", 9, "test_bed.controllers[0].name: is empty"),
        ("name: Array", "name: 阵列 A", 9,
         "controllers[0].name: the typeface of reports has no 阵 列: write it in Latin"),
        ("count: 4", "count: 0", 6, "test_bed.hosts[0].count"),
        ("paths: 4", "paths: many", 12, "test_bed.links[1].paths"),
        ("hosts:", "servers:", 5, "test_bed.servers: unknown name"),
        ("name: Array", f"name: Array, text: {'word ' * 2000}", 4, "is taller than a page"),
        ("    - {name: Array}\n", "    - {name: Array}\n" + "".join(
            f"    - {{name: Array {n}}}\n" for n in range(299)), 8,
         "test_bed.controllers: 300 parts do not fit side by side"),
    ],
)  # fmt: skip
def test_a_mistake_is_told_with_its_line(study, old, new, line, words):
    with pytest.raises(StudyError) as told:
        study(STUDY.replace(old, new))
    assert f"study.yml:{line}: " in str(told.value)
    assert words in str(told.value)


def test_all_mistakes_are_told_at_once(study):
    text = STUDY.replace("[Fabric A, Fabric B], paths: 1", "Nowhere, paths: 1")
    with pytest.raises(StudyError) as told:
        study(text.replace("name: Array", "name: Fabric B").replace("from: Array", "from: Arrays"))
    lines = str(told.value).splitlines()
    assert len(lines) == 3
    assert "controllers[0].name: 'Fabric B' is the name of another part" in lines[0]
    assert lines[1].startswith("  line 11: test_bed.links[0].to: no part 'Nowhere'")
    assert lines[2].startswith("  line 12: test_bed.links[1].from: no part 'Arrays'")


def test_a_label_of_two_hundred_letters_is_drawn(study):
    """In lines, and cut nowhere."""
    label = "controller " * 18
    [figure] = study(STUDY.replace("name: Array", f"name: {label}").replace(
        "from: Array", f"from: {label}")).test_bed()  # fmt: skip
    shown = [note.text for note in figure.plotly.layout.annotations]
    assert any(text.count("controller") == 18 for text in shown)


@pytest.mark.parametrize("name", ["tr-4784", "tr-4819", "sas-ef550", "iris-a300"])
def test_the_studies_of_documents_say_where_their_test_bed_is_stated(name):
    [figure] = open_study(ROOT / "data/studies" / name).test_bed()
    assert "Drawn from " in figure.caption
    assert figure.lineage.mark() == " (as stated by the authors)"
