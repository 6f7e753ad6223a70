"""The chain behind a value: shown to the files, and run again from them to the same hashes."""

from __future__ import annotations

import html
import inspect
import json
import shutil
from dataclasses import replace
from pathlib import Path

import polars as pl
import pytest
from core.test_step_names import names
from places import TESTS

import perfkit as pk
from perfkit.core.errors import AnalysisError, ParseError, UsageError
from perfkit.core.evidence import Evidence, Lineage
from perfkit.core.lineage import REGISTRY, Measured, reading, step
from perfkit.exploring.tracing import DIGITS
from perfkit.showing.display import numbered
from perfkit.sources import SOURCES
from perfkit.study.opening import open_study

FIO = TESTS / "data" / "fio" / "rw75_jsonplus.json"
LIMIT = pk.Criterion(name="Latency", metric="lat_mean_s", comparison="<", limit="2 ms")


def points_of(path, load=16.0, **labels):
    given = {"system": "b", "config": "a", "load_kind": "iodepth", "load": load, **labels}
    return pk.read(path, root=path.parent, labels=given, kind="fio").load_points


@pytest.fixture
def file(tmp_path):
    return Path(shutil.copy(FIO, tmp_path / "rw75.json"))


def both(file):
    """Load points of two systems, from two files."""
    other = Path(shutil.copy(file, file.with_name("other.json")))
    other.write_text(other.read_text().replace('"fio version"', ' "fio version"'))
    return [points_of(file), points_of(other, system="c")]


STUDY = """
report: {title: T}
notebook: fio_results
evidence: [{files: '*.json'}]
systems:
  - {id: array, caption: The array., columns: [Part, Number], rows: [[Disk, "4"], [Port, "2"]]}
test_bed: {hosts: [{name: Host}], controllers: [{name: Array}], links: [{from: Host, to: Array}]}
"""


def study_of(file):
    (file.parent / "study.yml").write_text(STUDY)
    return open_study(file.parent)


CHAINS = {
    "a table as it was read": points_of,
    "filter": lambda f: points_of(f).filter(direction="total", repeat=None),
    "curve": lambda f: pk.latency_curve(points_of(f)),
    "knee": lambda f: pk.knee(points_of(f)),
    "little": lambda f: pk.say(pk.littles_law(points_of(f)))[0],
    "figure": lambda f: pk.plot_latency_curve(pk.latency_curve(points_of(f))),
    "table": lambda f: pk.table_load_points(pk.latency_curve(points_of(f))),
    "statement": lambda f: pk.say(pk.peak(points_of(f)))[0],
    "verdict": lambda f: pk.judge(points_of(f), [LIMIT]),
    "rows of a verdict": lambda f: pk.say_verdict(pk.judge(points_of(f), [LIMIT])),
    "two files": lambda f: pk.compare(both(f), latencies_s=[0.001]),
    "renamed": lambda f: pk.table_load_points(pk.latency_curve(points_of(f))).renamed("x"),
    "captioned": lambda f: pk.plot_latency_curve(pk.latency_curve(points_of(f))).captioned("Mine."),
    "of one source of many": lambda f: numbered(pk.say(pk.peak(points_of(f)))[0], 2, "rw75.json"),
    "rules": lambda _: pk.table_rules([LIMIT]),
    "a system's parts": lambda f: study_of(f).tables_systems()[0],
    "a test bed": lambda f: study_of(f).test_bed()[0],
    "policies": lambda _: pk.ontap.adaptive_qos(pk.ontap.default_policies(), "value", to_tb=4),
}


@pytest.mark.parametrize("make", CHAINS.values(), ids=CHAINS)
def test_a_chain_runs_again_from_the_files_to_the_same_hash(file, make):
    value = make(file)
    again = pk.trace(value).replay(file.parent)
    assert pk.trace(again).output == pk.trace(value).output
    assert again.lineage.steps == value.lineage.steps


def test_a_chain_that_was_read_back_from_json_runs_again(file):
    """What travels in a notebook is enough."""
    value = pk.judge(points_of(file), [LIMIT])
    record = json.loads(json.dumps(value.lineage.record()))
    read = Lineage(
        tuple(Evidence.from_record(item) for item in record["evidence"]),
        tuple(type(value.lineage.steps[0]).from_record(item) for item in record["steps"]),
        traceable=record["traceable"],
    )
    again = pk.trace(replace(value, lineage=read)).replay(file.parent)
    assert again.content_hash() == value.content_hash()


def test_the_working_directory_is_the_root_where_none_is_named(file, monkeypatch):
    monkeypatch.chdir(file.parent)
    assert len(pk.trace(points_of(file)).replay()) == len(points_of(file))


def test_a_file_that_was_changed_is_told(file):
    found = pk.trace(pk.latency_curve(points_of(file)))
    file.write_text(file.read_text() + "\n")
    with pytest.raises(AnalysisError, match=r"rw75\.json has the hash .*, and had .* when it was"):
        found.replay(file.parent)
    file.unlink()
    with pytest.raises(ParseError, match="there is no such file"):
        found.replay(file.parent)


def test_a_study_that_was_changed_is_told(file):
    found = pk.trace(study_of(file).tables_systems()[0])
    study = file.with_name("study.yml")
    study.write_text(STUDY.replace("4", "12"))
    with pytest.raises(AnalysisError, match=r"study\.yml has the hash .*, and had .* when it was"):
        found.replay(file.parent)


def test_what_a_study_does_not_state_is_told(file):
    found = pk.trace(study_of(file).tables_systems()[0])
    (done,) = found.steps
    other = replace(found.lineage, steps=(replace(done, arguments='{"value_id":"gone"}'),))
    with pytest.raises(AnalysisError, match=r"study\.yml states no 'gone' now"):
        replace(found, lineage=other).replay(file.parent)


def test_a_function_that_gives_something_else_now_is_told(file, monkeypatch):
    found = pk.trace(pk.latency_curve(points_of(file)))
    first, last = found.steps
    other = replace(found.lineage, steps=(first, replace(last, output="ab" * 32)))
    with pytest.raises(AnalysisError, match=r"curve\.latency v1 gave abab.* and gives .* now$"):
        replace(found, lineage=other).replay(file.parent)
    monkeypatch.setitem(REGISTRY, "curve.latency", 2)
    with pytest.raises(AnalysisError, match=r"\(it is v2 now\)$"):
        replace(found, lineage=other).replay(file.parent)


def test_a_function_that_takes_other_arguments_now_is_told(file):
    found = pk.trace(pk.table_load_points(pk.latency_curve(points_of(file))))
    *others, last = found.steps
    given = last.arguments.replace("{", '{"caption":null,', 1)
    before = replace(last, version=2, arguments=given)
    other = replace(found.lineage, steps=(*others, before))
    with pytest.raises(AnalysisError, match=r"v2 does not take what is recorded.*it is v4 now"):
        replace(found, lineage=other).replay(file.parent)


@pytest.mark.slow
def test_a_function_that_is_not_there_is_named(file):
    found = pk.trace(pk.latency_curve(points_of(file)))
    first, last = found.steps
    gone, unread = replace(last, function="mine.gone"), replace(first, function="read.gone")
    for steps, told in (
        ((first, gone), r"'mine\.gone': import its module"),
        ((unread, last), r"no reader read_gone can repeat read\.gone"),
    ):
        other = replace(found.lineage, steps=steps)
        with pytest.raises(AnalysisError, match=told):
            replace(found, lineage=other).replay(file.parent)


@pytest.mark.parametrize(
    ("lineage", "told"),
    [
        (Lineage(notes=("typed by hand",)), "typed by hand, so it cannot be made again"),
        (Lineage((Evidence("a", "b", "c"),), (), traceable=True), "no step of it is recorded"),
    ],
)
def test_what_has_no_chain_does_not_run_again(lineage, told):
    value = Measured(pl.DataFrame({"x": [1]}), lineage)
    with pytest.raises(AnalysisError, match=told):
        pk.trace(value).replay()


def test_data_stated_without_a_step_are_told(file):
    """A chain that begins with a frame that no step made."""
    stated = Lineage((Evidence("a", "b", "c"),), (), traceable=True)
    points = Measured(points_of(file).frame, stated)
    with pytest.raises(AnalysisError, match=r"no recorded step gives .*: it was stated"):
        pk.trace(pk.latency_curve(points)).replay(file.parent)


def test_every_reader_can_be_found_by_its_name():
    readers = [name for name in names() if name.startswith("read.")]
    assert len(readers) > 15
    declared = {
        read.__name__: read
        for source in SOURCES.values()
        for read in (source.read, source.read_many)
        if read
    }
    for name in readers:
        function = name.replace("read.", "read_")
        found = getattr(pk, function, None) or declared[function]
        assert "root" in inspect.signature(found).parameters


@pytest.mark.parametrize("option", [{}, {"first_report": "interval"}, {"interval_s": 1.0}])
@pytest.mark.parametrize("tool", ["iostat", "vmstat"])
def test_the_options_of_a_reader_are_in_its_record(tool, option):
    """Else the file gives other numbers when it is read again."""
    folder = TESTS / "data" / "host"
    file = next(path for path in sorted(folder.glob(f"{tool}-*.txt")))
    found = pk.read(file, kind=tool, root=folder, **option)
    assert pk.trace(found.host_series).replay(folder).hash == found.host_series.hash


# --- what is shown ------------------------------------------------------------------------------


def test_the_chain_is_shown_from_the_value_to_the_file(file):
    value = pk.table_load_points(pk.latency_curve(points_of(file)))
    read, curve, table = (item.output[:DIGITS] for item in value.lineage.steps)
    digest = points_of(file).lineage.evidence[0].sha256
    assert repr(pk.trace(value)).split("\n") == [
        f"Table load-points  sha256 {table}",
        f"└─ table.load_points v4() → {table}",
        f'   └─ curve.latency v1(direction="total") → {curve}',
        '      └─ read.fio v2(labels={"system": "b", "config": "a", "load_kind": "iodepth", '
        f'"loa…, table="load_points") → {read}',
        f"         └─ rw75.json  fio 3.33  sha256 {digest[:DIGITS]}",
    ]
    assert pk.trace(value).files == [("rw75.json", digest)]


def test_jupyterlab_shows_the_same_text(file):
    found = pk.trace(pk.latency_curve(points_of(file)))
    page = found._repr_html_()
    assert page.startswith("<pre") and page.endswith("</pre>")  # noqa: PT018
    assert html.unescape(page[page.index(">") + 1 : -len("</pre>")]) == repr(found)


def test_what_several_steps_rest_on_is_shown_once(file):
    found = repr(pk.trace(pk.compare(both(file), latencies_s=[0.001])))
    assert found.count("read.fio") == 2
    points = points_of(file)
    twice = repr(pk.trace(pair(points, points.filter(direction="total"))))
    assert twice.count("rw75.json") == 1
    assert twice.count("(as above)") == 1


@step(version=1, name="tests.pair")
def pair(one: Measured, two: Measured, note: str | None = None) -> pl.DataFrame:
    return one.frame


@step(version=1, name="tests.all_of")
def all_of(parts: list[Measured]) -> pl.DataFrame:
    return pl.concat([part.frame for part in parts])


def many(count):
    frames = [pl.DataFrame({"x": [number]}) for number in range(count)]
    files = [Evidence("k", f"{number}.csv", f"{number:064x}") for number in range(count)]
    return [
        reading("tests.read", 1, {"t": frame}, file)["t"]
        for frame, file in zip(frames, files, strict=True)
    ]


def test_of_many_branches_and_files_the_first_are_shown():
    text = repr(pk.trace(all_of(many(200))))
    assert "0.csv" in text
    assert "… and 194 more of the kind" in text
    assert "rests on, too" not in text
    assert len(text.split("\n")) < 20
    parts = tuple(Evidence("k", f"p{number}", f"{number:064x}") for number in range(99))
    whole = Evidence("run", "runs/a", "ab" * 32, parts=parts)
    table = reading("tests.read", 1, {"t": pl.DataFrame({"x": [1]})}, whole)["t"]
    found = pk.trace(table)
    assert "· … and 96 more files (all in .files)" in " ".join(repr(found).split())
    assert len(found.files) == 99


def test_a_filter_without_effect_does_not_turn_the_chain_into_a_circle():
    """It gives what it was given: the same hash in and out."""
    (table,) = many(1)
    same = table.filter(x=0)
    assert same.hash == table.hash
    lines = repr(pk.trace(same.filter(x=0))).split("\n")
    assert [line.split()[-4 if "sha" in line else 1] for line in lines][1:2] == ["data.filter"]
    assert sum("tests.read" in line for line in lines) == 1


def test_files_of_equal_content_are_both_shown(file):
    other = Path(shutil.copy(file, file.with_name("copy.json")))
    text = repr(pk.trace(all_of([points_of(file), points_of(other)])))
    assert "rw75.json" in text
    assert "copy.json" in text


def test_what_is_not_traceable_says_why(file):
    bare = points_of(file).frame
    assert "(a bare frame: not traceable)" in repr(pk.trace(bare))
    assert "(a bare frame: not traceable)" in repr(pk.trace(pk.latency_curve(bare)))
    changed = replace(points_of(file), frame=bare.head(1))
    assert "(the frame is not what its last step gave: not traceable)" in repr(pk.trace(changed))


def test_a_value_with_other_words_than_its_last_step_gave_is_not_traceable(file):
    table = pk.table_load_points(pk.latency_curve(points_of(file)))
    changed = pk.trace(replace(table, caption="Tripled."))
    assert "(the table is not what its last step gave: not traceable)" in repr(changed)
    with pytest.raises(AnalysisError, match=r"not what its last step gave.* cannot be made again"):
        changed.replay(file.parent)


def test_generated_evidence_and_what_was_filtered_out_are_marked(tmp_path):
    paths = ["a.csv", "b.csv"]
    parts = [
        reading("tests.read", 1, {"t": pl.DataFrame({"source": [path]})},
                Evidence("k", path, path * 8))["t"]
        for path in paths
    ]  # fmt: skip
    text = repr(pk.trace(all_of(parts).filter(source="a.csv")))
    assert "b.csv  k  sha256 b.csvb.csvb.csvb  (a filter left no row of it)" in text
    assert "a.csv  k  sha256 a.csva.csva.csva\n" in text


@pytest.mark.parametrize("value", [1.5, "text", [1]])
def test_what_holds_no_chain_is_refused(value):
    with pytest.raises(UsageError, match=f"a {type(value).__name__} has no chain"):
        pk.trace(value)


def test_of_a_reading_a_table_is_asked_for(file):
    found = pk.read(file, kind="fio")
    with pytest.raises(UsageError, match=r"trace one of its tables: .*load_points"):
        pk.trace(found)
