"""`perfkit study new`: what a folder of evidence becomes, and that it can be reported on."""

from __future__ import annotations

import itertools
import json
import re
import shutil
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from types import SimpleNamespace
from typing import Any

import polars as pl
import pytest
from forges import awr, make
from forges.awr.series import series
from places import ROOT, TESTS
from ruamel.yaml import YAML

from perfkit.analysis.verdicts.criteria_sets import criteria_set
from perfkit.core.errors import StudyError
from perfkit.sources import SOURCES
from perfkit.sources.source import Keys
from perfkit.study.opening import open_study
from perfkit.study.proposals import propose
from perfkit.study.series import series_apart
from perfkit.study.survey import survey

FIO = TESTS / "data" / "fio"
NOTEBOOK_DIR = ROOT / "notebooks"


def measured(sample, place):
    """A file measured as the sample was, but by itself: no two have the same bytes."""
    place.write_bytes(sample.read_bytes() + b"\n" * next(_NEXT))


_NEXT = itertools.count()


def proposed(folder):
    return YAML(typ="safe").load(propose(folder).text)


def test_folders_of_one_name_below_two_systems_stay_apart(tmp_path):
    """array-a/mix and array-b/mix are two systems' files: no part of the path is lost."""
    sample = next(FIO.glob("*.json"))
    for system in ("array-a", "array-b"):
        (tmp_path / system / "mix").mkdir(parents=True)
        measured(sample, tmp_path / system / "mix" / "qd4.json")
    labels = [entry["labels"] for entry in proposed(tmp_path)["evidence"]]
    assert labels == [
        {"system": "array-a", "config": "mix"}, {"system": "array-b", "config": "mix"},
    ]  # fmt: skip


def test_a_pattern_never_takes_files_of_another_kind(tmp_path):
    """Two kinds of .txt in one folder are named one by one, not by *.txt twice."""
    make("ranread-sweep", tmp_path / "here")
    (tmp_path / "here" / "notes.txt").write_text("what was done on Tuesday\n")
    (entry,) = proposed(tmp_path / "here")["evidence"]
    assert entry["kind"] == "ranread"
    assert entry["files"].startswith("PerfToolsRanRead_")
    assert "*" not in entry["files"]


@pytest.mark.parametrize(
    ("sample", "criteria"), [("ranread-sweep", "intersystems-read"), ("genio-ramp", "epic-genio")]
)
def test_a_tool_with_rules_of_its_own_is_judged_by_them(tmp_path, sample, criteria):
    make(sample, tmp_path / "x")
    assert proposed(tmp_path / "x")["criteria"] == [{"set": criteria}]


def test_a_number_that_all_reports_of_a_database_have_in_their_names_is_no_load(tmp_path):
    """SLOB's reports are called awr_m128_s256_t2_wu12: t2 is said of each, and tells nothing."""
    for number, report in enumerate(series(6, ()).periods):
        (tmp_path / f"awr_s{number}_t2.html").write_bytes(report.data)
    proposed = propose(tmp_path).text
    assert "load:" not in proposed
    assert "notebook: oracle_series" in proposed


def test_awr_reports_of_several_systems_over_loads_are_compared(tmp_path):
    """threads in the file names (t008), repeats too: what one asks of them is a comparison."""
    make("slob-awr", tmp_path / "x", options={"points": 2, "repeats": 1})
    study = proposed(tmp_path / "x")
    assert study["notebook"] == "compare"
    entry = study["evidence"][0]
    assert entry["load"]["kind"] == "threads"
    assert entry["labels"] == {"system": "fcp", "config": "select-100"}


@pytest.fixture(scope="module")
def reports():
    """AWR reports of three days of each of two databases, as bytes."""
    made = awr.sample(7)
    other = replace(made, database=replace(made.database, name="OTHER"))
    return [[awr.forge(later(content, day), "html-19c").data for day in range(3)]
            for content in (made, other)]  # fmt: skip


def later(content, days):
    """The same report of some days later."""
    of = content.snapshots
    begin, end = (time + timedelta(days=days) for time in (of.begin, of.end))
    number = 100 * days
    moved = replace(
        of, begin=begin, end=end, begin_id=of.begin_id + number, end_id=of.end_id + number
    )
    return replace(content, snapshots=moved)


@pytest.mark.parametrize(("counts", "notebook"), [
    ((1, 0), "oracle"), ((2, 0), "oracle_pair"), ((1, 1), "oracle"), ((2, 1), "oracle"),
    ((2, 2), "oracle"), ((3, 0), "oracle_series"), ((3, 1), "oracle_series"),
])  # fmt: skip
def test_two_reports_of_one_database_are_a_pair_and_more_a_series(
    tmp_path, reports, counts, notebook
):
    for pages, database, count in zip(reports, "ab", counts, strict=True):
        for number, data in enumerate(pages[:count]):
            (tmp_path / f"awr_{database}{number}.html").write_bytes(data)
    study = proposed(tmp_path)
    assert study["notebook"] == notebook
    assert "parts" not in study


def test_a_series_and_a_pair_in_folders_of_their_own_are_parts(tmp_path, reports):
    """Each has the report that fits it: the pair keeps its before and after."""
    for folder, pages in (("day", reports[0]), ("pair", reports[1][:2])):
        (tmp_path / folder).mkdir()
        for number, data in enumerate(pages):
            (tmp_path / folder / f"awr_{number}.html").write_bytes(data)
    assert [part["notebook"] for part in proposed(tmp_path)["parts"]] == [
        "oracle_series", "oracle_pair"]  # fmt: skip


def test_a_recording_without_a_report_of_its_own_goes_to_the_general_notebook(tmp_path):
    make("ontap-qos", tmp_path / "x")
    assert proposed(tmp_path / "x")["notebook"] == "general"


def test_what_no_notebook_shows_anything_of_is_left_out_with_the_reason(tmp_path):
    """Policies alone have neither load points nor a series: no empty report is proposed."""
    make("ontap-qos", tmp_path / "x")
    for path in (tmp_path / "x").iterdir():
        if path.name not in {"commands.txt", "policies.txt"}:
            path.unlink()
    with pytest.raises(StudyError, match="neither load points nor a series"):
        propose(tmp_path / "x")


@pytest.mark.parametrize("source", SOURCES.values(), ids=SOURCES)
def test_what_a_source_proposes_is_there(source):
    """Its notebooks are perfkit's own, and its set of criteria can be loaded."""
    notebooks = {path.stem for path in NOTEBOOK_DIR.glob("*.ipynb")}
    own = {source.reported.notebook, source.reported.of_loads, source.reported.of_series,
           source.reported.of_pair}  # fmt: skip
    assert own <= {"", *notebooks}
    if source.reported.criteria:
        assert criteria_set(source.reported.criteria).criteria


def test_files_that_state_one_load_point_are_told_apart_by_their_names(tmp_path):
    """Nothing says that they are repeats: each is a configuration, and no two are pooled."""
    for name in ("before.json", "after.json"):
        measured(FIO / "rw75_jsonplus.json", tmp_path / name)
    labels = [entry["labels"] for entry in proposed(tmp_path)["evidence"]]
    assert labels == [
        {"system": tmp_path.name, "config": "after"}, {"system": tmp_path.name, "config": "before"},
    ]  # fmt: skip


@dataclass(frozen=True)
class OfMode:
    """A file of jobs of one name that does reads or writes, as ``series_apart`` asks it."""

    rw: str
    labels: dict[str, str]
    reading: Any = ("load_points",)
    source = SimpleNamespace(keys=Keys(series=("workload", "rw")))

    def label(self, name):
        return {"load_kind": "iodepth", **self.labels}.get(name)

    def fact(self, name):
        return getattr(self, name)


@pytest.mark.parametrize(
    ("name", "workloads"),
    [("random-read", ["randread", "randwrite"]), ("oltp", ["oltp, randread", "oltp, randwrite"])],
)
def test_a_name_that_says_no_more_than_the_mode_gives_way_to_it(name, workloads):
    files = [OfMode(mode, {"workload": name}) for mode in ("randread", "randwrite")]
    assert [item.labels["workload"] for item in series_apart(files)] == workloads


def test_what_tells_jobs_of_one_name_apart_in_one_system_is_in_their_names_in_every_other():
    """Of two arrays one had been tested with 8 KiB alone: nothing of them was compared."""
    files = [
        OfMode(mode, {"workload": "scan", "system": system})
        for system, mode in (("A", "randread"), ("A", "randwrite"), ("B", "randread"))
    ]
    assert [item.labels["workload"] for item in series_apart(files)] == [
        "scan, randread", "scan, randwrite", "scan, randread",
    ]  # fmt: skip
    alone = [OfMode("randread", {"workload": "scan", "system": system}) for system in "AB"]
    assert [item.labels["workload"] for item in series_apart(alone)] == ["scan", "scan"]


def test_recordings_of_a_host_stand_below_the_results_that_they_are_of(tmp_path):
    """Their folder came first by name, and the first page began with their devices."""
    (tmp_path / "before").mkdir()
    measured(TESTS / "data/host/iostat-12.6.1-xmt.txt", tmp_path / "before" / "i.txt")
    result_of(tmp_path / "mix.json", 4)
    notebooks = [part["notebook"] for part in proposed(tmp_path)["parts"]]
    assert notebooks == ["fio_results", "general"]


def without_options(path):
    """A result as fio wrote it before 2.8: nothing says what its job was to do."""
    text = path.read_text()
    path.write_text(text.replace(re.search(r'"job options" : \{[^}]*\},', text)[0], ""))


def test_two_parts_have_two_titles(tmp_path):
    """Both were called "fio result", in the table of contents and above their chapters."""
    result_of(tmp_path / "mix.json", 4)
    shutil.copy(tmp_path / "mix.json", tmp_path / "unknown.json")
    without_options(tmp_path / "unknown.json")
    titles = [part["title"] for part in proposed(tmp_path)["parts"]]
    assert sorted(titles) == ["fio result: loads not known", "fio result: results by load"]


def test_parts_of_a_system_each_have_its_name_in_their_titles(tmp_path, reports):
    """Two databases of one name stood in one report, and nothing said which a finding was of."""
    for folder, pages in (("day", reports[0]), ("pair", reports[1][:2])):
        (tmp_path / folder).mkdir()
        for number, data in enumerate(pages):
            (tmp_path / folder / f"awr_{number}.html").write_bytes(data)
    assert [part["title"] for part in proposed(tmp_path)["parts"]] == [
        "Oracle AWR report of day: over time", "Oracle AWR report of pair: before and after",
    ]  # fmt: skip


@pytest.mark.parametrize(("given", "configs"), [(None, ["read", "write"]), ("old", ["old", "old"])])
def test_of_files_with_several_workloads_each_keeps_its_name(given, configs):
    """A word over all its rows would make one curve of them: two results for one load point."""
    files = []
    for mode in ("read", "write"):
        points = pl.DataFrame({"workload": ["4k", "8k"]})
        labels = {"config": given} if given else {}
        files.append(OfMode(mode, labels, {"load_points": SimpleNamespace(frame=points)}))
    apart = series_apart(files)
    assert [item.label("config") for item in apart] == configs
    assert [item.label("workload") for item in apart] == [None, None]


def test_two_forms_of_one_name_keep_their_endings(tmp_path):
    for ending in ("json", "txt"):
        measured(FIO / "rw75_jsonplus.json", tmp_path / f"mix.{ending}")
    configs = [entry["labels"]["config"] for entry in proposed(tmp_path)["evidence"]]
    assert configs == ["mix.json", "mix.txt"]


def test_repeats_that_are_called_so_stay_together(tmp_path):
    for repeat in (1, 2, 3):
        measured(FIO / "rw75_jsonplus.json", tmp_path / f"mix_r{repeat}.json")
    (entry,) = proposed(tmp_path)["evidence"]
    assert entry["labels"] == {"system": tmp_path.name}
    (tmp_path / "study.yml").write_text(propose(tmp_path).text)
    points = open_study(tmp_path).read_evidence().load_points.frame
    assert sorted(points["repeat"].unique()) == [1, 2, 3]


def runs_of_a_job(folder, numbers, *, ends=10, **other):
    """Results of one job of 2 s under counted names, each ``ends`` seconds after the one before."""
    sample = (FIO / "rw75_jsonplus.json").read_text()
    first = datetime(2026, 11, 21, 2, 0, 0)  # noqa: DTZ001 - fio names no zone
    for place, number in enumerate(numbers):
        text = re.sub(
            r'"time" : "[^"]*"',
            f'"time" : "{first + timedelta(seconds=place * ends):%a %b %d %H:%M:%S %Y}"',
            sample,
        )
        for old, new in other.get(f"of_{number}", {}).items():
            assert old in text
            text = text.replace(old, new)
        (folder / f"mix-{number}.json").write_text(text)


@pytest.mark.parametrize("numbers", [(1, 2, 3), (0, 1, 2)])
def test_runs_of_one_job_one_after_another_are_its_repeats(tmp_path, numbers):
    runs_of_a_job(tmp_path, numbers)
    found = propose(tmp_path)
    assert "are taken as repeats" in found.told[0]
    assert "differ in a number alone are repeats" in found.text
    (tmp_path / "study.yml").write_text(found.text)
    points = open_study(tmp_path).read_evidence().load_points.frame
    assert sorted(points["repeat"].unique()) == list(numbers)
    assert points["config"].unique().to_list() == [None]


@pytest.mark.parametrize(
    "made",
    [
        # at once: the number is of a host
        {"ends": 1},
        # much later: another array, or another set-up
        {"ends": 3600},
        # of another file
        {"of_2": {"data/f1": "data/f2"}},
        # not counted on: a RAID level, a depth
        {"numbers": (1, 5, 6)},
    ],
)
def test_a_number_alone_is_no_repeat(tmp_path, made):
    runs_of_a_job(tmp_path, **{"numbers": (1, 2, 3), **made})
    entries = proposed(tmp_path)["evidence"]
    assert len(entries) == 3
    assert not any("repeat" in entry for entry in entries)


def test_folders_called_runs_of_the_same_points_are_its_repeats(tmp_path):
    for repeat in (1, 2, 3):
        folder = tmp_path / "array-a" / "depth-4" / f"run_{repeat}"
        folder.mkdir(parents=True)
        measured(FIO / "rw75_jsonplus.json", folder / "result.json")
    (entry,) = proposed(tmp_path)["evidence"]
    assert entry["labels"] == {"system": "array-a", "config": "depth-4"}
    (tmp_path / "study.yml").write_text(propose(tmp_path).text)
    points = open_study(tmp_path).read_evidence().load_points.frame
    assert sorted(points["repeat"].unique()) == [1, 2, 3]


def test_files_that_hold_repeats_themselves_get_none_from_their_names(tmp_path):
    """Their own would be lost, and two of them be one load point's results."""
    text = (FIO / "rw75_jsonplus.json").read_text()
    stamp = int(re.search(r'"timestamp_ms" : (\d+)', text)[1])
    later = text.replace(str(stamp), str(stamp + 60_000))
    for name in ("run_1/result.json", "run_2/result.json", "mix_r1.json", "mix_r2.json"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text + later + "\n" * next(_NEXT))
    entries = proposed(tmp_path)["evidence"]
    assert len(entries) == 4
    assert not any("repeat" in entry for entry in entries)
    (tmp_path / "study.yml").write_text(propose(tmp_path).text)
    points = open_study(tmp_path).read_evidence().load_points.frame
    assert (
        points.group_by("system", "config", "direction").agg(pl.col("repeat"))["repeat"].to_list()
        == [[1, 2]] * 12
    )


def result_of(place, depth, *, later_s=0, **replaced):
    """A result of one iodepth, by which its folder may be called."""
    text = (FIO / "rw75_jsonplus.json").read_text()
    stated = re.search(r'"iodepth" : "\d+"', text)[0]
    text = text.replace(stated, f'"iodepth" : "{depth}"')
    for old, new in replaced.items():
        assert old in text
        text = text.replace(old, new)
    place.parent.mkdir(parents=True, exist_ok=True)
    place.write_text(text + "\n" * next(_NEXT))


@pytest.mark.parametrize(
    "folder", ["bs_4k.iodepth_{}.randrw", "iodepth-{:03}/randrw", "randrw/qd{}"]
)
def test_folders_called_by_the_load_that_their_files_state_are_one_curve(tmp_path, folder):
    """Eighteen curves of one load each were six of three, and none was drawn."""
    for depth in (1, 4, 16):
        result_of(tmp_path / "array-a" / folder.format(depth) / "result.json", depth)
    result_of(tmp_path / "array-a" / "other" / "result.json", 8)
    entries = proposed(tmp_path)["evidence"]
    assert len({entry["labels"]["config"] for entry in entries}) == 2
    assert not any(word in str(entry["labels"]) for entry in entries for word in ("depth", "qd"))
    (tmp_path / "study.yml").write_text(propose(tmp_path).text)
    points = open_study(tmp_path).read_evidence().load_points.frame
    curve = points.filter(pl.col("config").str.contains("randrw"), direction="total")
    assert sorted(curve["load"]) == [1, 4, 16]


def test_a_load_in_the_name_of_a_folder_stays_where_it_tells_folders_apart(tmp_path):
    for folder in ("iodepth_4.new", "iodepth_8.old", "depth4", "depth-4"):
        # the second's files state another load; of the last two each has the same
        result_of(tmp_path / "array-a" / folder / "result.json", 4)
    found = {entry["labels"]["config"] for entry in proposed(tmp_path)["evidence"]}
    assert found == {"iodepth_4.new", "iodepth_8.old", "depth4", "depth-4"}


def test_folders_called_as_raid_levels_are_configurations(tmp_path):
    for level in ("r1", "r5"):
        (tmp_path / level).mkdir()
        measured(FIO / "rw75_jsonplus.json", tmp_path / level / "result.json")
    entries = proposed(tmp_path)["evidence"]
    assert [entry["labels"] for entry in entries] == [{"system": "r1"}, {"system": "r5"}]


def test_folders_called_runs_of_unlike_points_are_no_repeats(tmp_path):
    samples = ("rw75_jsonplus.json", "rate_poisson_jsonplus.json")
    for number, sample in enumerate(samples, 1):
        (tmp_path / f"run{number}").mkdir()
        measured(FIO / sample, tmp_path / f"run{number}" / "result.json")
    assert all("repeat" not in entry for entry in proposed(tmp_path)["evidence"])


def test_names_alike_but_for_their_numbers_stay_together(tmp_path):
    """a-1 and a-4 are points of one curve, b-1 and b-4 of another."""
    loads = {"1": "rate_poisson_jsonplus.json", "4": "rw75_jsonplus.json"}
    for system in ("a", "b"):
        for number, sample in loads.items():
            measured(FIO / sample, tmp_path / f"{system}-{number}.json")
    entries = proposed(tmp_path)["evidence"]
    assert [(entry["labels"]["config"], entry["files"]) for entry in entries] == [
        ("a", ["a-1.json", "a-4.json"]), ("b", ["b-1.json", "b-4.json"]),
    ]  # fmt: skip


@pytest.mark.slow
def test_several_tools_in_one_folder_are_parts_of_one_report(tmp_path):
    """Each with its notebook; what shows nothing by itself joins what it belongs to."""
    make("genio-ramp", tmp_path / "x" / "epic")
    measured(FIO / "rw75_jsonplus.json", tmp_path / "x" / "fio.json")
    measured(TESTS / "data/host/iostat-12.6.1-xmt.txt", tmp_path / "x" / "iostat.txt")
    study = proposed(tmp_path / "x")
    assert {part["name"]: part["notebook"] for part in study["parts"]} == {
        "epic-genio": "epic_genio", "fio-results": "fio_results", "general": "general",
    }  # fmt: skip
    kinds = [[entry["kind"] for entry in part["evidence"]] for part in study["parts"]]
    assert set(kinds[0]) == {"genio", "genio-commands"}
    assert kinds[1:] == [["fio"], ["iostat"]]
    assert study["parts"][0]["criteria"] == [{"set": "epic-genio"}]
    (tmp_path / "study.yml").write_text(propose(tmp_path / "x", tmp_path).text)
    opened = open_study(tmp_path)
    assert [part.model.notebook for part in opened.parts] == [
        "epic_genio", "fio_results", "general",
    ]  # fmt: skip
    assert open_study(tmp_path / "study.yml" / "fio-results").model == opened.parts[1].model
    with pytest.raises(StudyError, match="no part 'fio'; known: epic-genio, fio-results"):
        open_study(tmp_path / "study.yml" / "fio")


def test_a_result_without_a_load_goes_to_the_general_notebook(tmp_path):
    """Beside those that make curves: it is no point of them."""
    for name in ("rw75_jsonplus.json", "fdatasync.json"):
        measured(FIO / name, tmp_path / name)
    without_options(tmp_path / "fdatasync.json")
    parts = proposed(tmp_path)["parts"]
    assert [(part["notebook"], part["evidence"][0]["files"]) for part in parts] == [
        ("general", "fdatasync.json"), ("fio_results", "rw75_jsonplus.json"),
    ]  # fmt: skip


def test_logs_beside_results_that_are_compared_are_shown_with_them(tmp_path):
    """They were a part of their own, and half of the first page was of single jobs' logs."""
    for place in ("old", "new"):
        (tmp_path / place).mkdir()
        measured(FIO / "rw75_jsonplus.json", tmp_path / place / "a.json")
        (tmp_path / place / "a_iops.1.log").write_text(f"1000, {len(place)}, 0, 0\n")
    text = propose([tmp_path / "old", tmp_path / "new"], systems=["A400", "A800"]).text
    study = YAML(typ="safe").load(text)
    assert study["notebook"] == "compare"
    assert [(entry["kind"], entry["labels"]["system"]) for entry in study["evidence"]] == [
        ("fio", "A400"), ("fio", "A800"), ("fio-log", "A400"), ("fio-log", "A800"),
    ]  # fmt: skip


def test_places_that_are_compared_are_systems(tmp_path):
    """Each by the name it is given; folders in it are its configurations."""
    for place in ("old/mix/a.json", "new/mix/a.json"):
        (tmp_path / place).parent.mkdir(parents=True)
        measured(FIO / "rw75_jsonplus.json", tmp_path / place)
    text = propose([tmp_path / "old", tmp_path / "new"], systems=["A400", "A800"]).text
    study = YAML(typ="safe").load(text)
    assert study["notebook"] == "compare"
    assert study["report"]["title"] == "Comparison: A400, A800"
    assert study["parameters"] == {"baseline": "A400"}
    assert [entry["labels"] for entry in study["evidence"]] == [
        {"system": "A400", "config": "mix"}, {"system": "A800", "config": "mix"},
    ]  # fmt: skip


def test_files_of_one_folder_can_be_compared(tmp_path):
    for name in ("a.json", "b.json"):
        measured(FIO / "rw75_jsonplus.json", tmp_path / name)
    text = propose([tmp_path / "a.json", tmp_path / "b.json"], systems=["A", "B"]).text
    entries = YAML(typ="safe").load(text)["evidence"]
    assert [(entry["files"], entry["labels"]) for entry in entries] == [
        ("a.json", {"system": "A"}), ("b.json", {"system": "B"}),
    ]  # fmt: skip


def test_two_reports_of_one_database_are_compared_as_before_and_after(tmp_path, reports):
    """Wherever each lies, and in whatever order they are given; those of two databases are not."""
    (before, after, _), (other, *_) = reports
    for folder, data in (("new", after), ("old", before), ("other", other)):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "awr.html").write_bytes(data)
    made = propose([tmp_path / "new", tmp_path / "old"], systems=["new", "old"])
    assert "the earlier is before, the later after" in made.told[1]
    study = YAML(typ="safe").load(made.text)
    assert study["notebook"] == "oracle_pair"
    (entry,) = study["evidence"]
    assert sorted(entry["files"]) == ["new/*.html", "old/*.html"]
    with pytest.raises(StudyError, match="nothing to compare"):
        propose([tmp_path / "new", tmp_path / "other"], systems=["new", "other"])


def test_what_has_no_load_is_not_compared(tmp_path):
    for system in "ab":
        (tmp_path / system).mkdir()
        measured(TESTS / "data/host/iostat-12.6.1-xmt.txt", tmp_path / system / "i.txt")
    with pytest.raises(StudyError, match="nothing to compare: no load point says its load"):
        propose([tmp_path / "a", tmp_path / "b"], systems=["A", "B"])


def test_a_run_that_is_given_itself_is_no_pattern_for_its_neighbours(tmp_path):
    run = tmp_path / "run-1"
    run.mkdir()
    (run / "slob.conf").write_text("UPDATE_PCT=25\nRUN_TIME=300\n")
    measured(TESTS / "data/host/iostat-12.6.1-xmt.txt", run / "iostat.out")
    (tmp_path / "README").write_text("of another run\n")
    (entry,) = proposed(run)["evidence"]
    assert (entry["files"], entry["labels"]) == ("run-1", {"system": "run-1"})


def test_a_slob_run_is_one_piece_of_evidence(tmp_path):
    """Its folder is proposed, not the reports and recordings in it, and the study reads it."""
    run = tmp_path / "array-a" / "run-1"
    run.mkdir(parents=True)
    (run / "slob.conf").write_text("UPDATE_PCT=25\nRUN_TIME=300\n")
    measured(TESTS / "data/host/iostat-12.6.1-xmt.txt", run / "iostat.out")
    (entry,) = proposed(tmp_path)["evidence"]
    assert entry == {"files": "array-a/run-1", "kind": "slob", "labels": {"system": "array-a"}}
    (tmp_path / "study.yml").write_text(propose(tmp_path).text)
    settings = open_study(tmp_path).read_evidence()["slob_conf"].frame
    assert settings["source"].unique().to_list() == ["array-a/run-1"]


def test_reports_beside_settings_of_slob_without_known_loads_are_reports(tmp_path):
    """They are not one run: each is taken by itself, those in folders below too."""
    folder = tmp_path / "tests"
    (folder / "old").mkdir(parents=True)
    (folder / "slob.conf").write_text("UPDATE_PCT=25\nRUN_TIME=300\n")
    (folder / ".hidden.html").write_text("")
    for seed, place in enumerate(("a.html", "b.html", "old/c.html")):
        (folder / place).write_bytes(awr.forge(awr.sample(seed), "html-19c").data)
    study = proposed(tmp_path)
    assert [(entry["kind"], entry["files"]) for entry in study["evidence"]] == [
        ("awr", "tests/*.html"), ("awr", "tests/old/*.html"),
    ]  # fmt: skip


@pytest.mark.slow
def test_every_proposal_is_a_good_study(tmp_path):
    for sample in ("genio-ramp", "ranread-sweep", "ontap-qos"):
        make(sample, tmp_path / sample)
        (tmp_path / sample / "study.yml").write_text(propose(tmp_path / sample).text)
        assert open_study(tmp_path / sample).model.evidence


@pytest.mark.parametrize(
    ("name", "stem"),
    [
        ("awr_0412.html", "awr_0412"), ("single_12.2_S.html", "single_12.2_S"),
        ("t8.html.gz", "t8"), ("qd16.json", "qd16"), ("fio-3.18", "fio-3.18"), ("log", "log"),
        (".json", ".json"),
    ],
)  # fmt: skip
def test_a_file_is_called_by_its_name_without_its_ending(name, stem):
    """A release or a block size in the name is not an ending: two files would share a name."""
    from perfkit.study.survey import stem as stem_of

    assert stem_of(name) == stem


def test_a_report_whose_events_cannot_be_read_is_left_out_of_its_series(tmp_path):
    """By hand: the first cell with a number among its waits has a decimal comma."""
    paths = sorted(series(4, ()).write(tmp_path / "day").iterdir())
    page = paths[1].read_bytes()
    start = page.index(b"db file sequential read", page.index(b">Foreground Wait Events<"))
    cell = re.compile(rb"(<td[^>]*>)\s*[\d,.]+(</td>)")
    paths[1].write_bytes(page[:start] + cell.sub(rb"\g<1>12,5\g<2>", page[start:], count=1))
    seen = survey([tmp_path / "day"])
    (left,) = seen.left_out
    assert (left.name.name, len(seen.pieces)) == (paths[1].name, 3)
    assert "decimal comma" in left.reason


@pytest.mark.parametrize(("folder", "named"), [("a", 3), ("results-of-the-first-of-june/array", 2)])
def test_the_page_of_findings_names_fewer_of_long_names_and_counts_the_rest(
    tmp_path, folder, named
):
    """Three paths of a hundred letters, for each reason, pushed the findings off their page."""
    place = tmp_path / folder
    place.mkdir(parents=True)
    measured(next(FIO.glob("*.json")), place / "qd4.json")
    for number in range(5):
        (place / f"sweep-{number}.json").write_text('{"fio version" : "fio-3.36"')
    names = [f"{folder}/sweep-{number}.json" for number in range(named)]
    (told,) = [line for line in propose(tmp_path).told if "sweep" in line]
    assert told.startswith(f"left out: 5 files: {', '.join(names)} and {5 - named} more: ")


def test_the_first_page_names_one_file_of_many_and_leaves_what_to_do_to_the_study(tmp_path):
    """Eighteen lines of names and of options of elbencho stood below the findings."""
    measured(FIO / "rw75_jsonplus.json", tmp_path / "good.json")
    for number in range(5):
        text = "IOR-3.3.0: MPI Coordinated Test of Parallel I/O\n"
        (tmp_path / f"sweep-{number}.out").write_text(f"{text}Began: {number}\n")
    made = propose(tmp_path)
    page = YAML(typ="safe").load(made.text)["report"]["not_shown"].replace("\\", "")
    assert page.endswith(
        "Files that were left out: 5 files: sweep-0.out and 4 more: IOR output, which perfkit does "
        "not read."
    )
    assert any("sweep-2.out and 2 more" in line and "repeat the load" in line for line in made.told)
    assert "sweep-4.out: IOR output, which perfkit does not read: repeat the load" in made.text


def test_reasons_that_differ_in_their_numbers_alone_are_one_with_the_first(tmp_path):
    """30 results of one faulty engine filled the first page; the study file has each."""
    measured(FIO / "rw75_jsonplus.json", tmp_path / "good.json")
    document = json.loads((tmp_path / "good.json").read_text())
    for number in range(3):
        document["jobs"][0]["read"]["iops"] = 1e6 + number
        (tmp_path / f"bad-{number}.json").write_text(json.dumps(document))
    made = propose(tmp_path)
    (told,) = [line for line in made.told if line.startswith("left out")]
    assert told.startswith(
        "left out: 3 files: bad-0.json, bad-1.json, bad-2.json: jobs[0].read.iops: 1000000.0 does "
        "not agree with "
    )
    assert told.endswith(" ms (for the first; likewise for the others)")
    assert made.text.count("# left out: bad-") == 3


def test_reports_on_the_same_periods_as_others_are_one_line(tmp_path):
    for number, period in enumerate(series(2, ()).periods):
        for name in ("a", "b"):
            page = period.data + (b"\n" if name == "b" else b"")
            (tmp_path / f"{name}{number}.html").write_bytes(page)
    (told,) = [line for line in propose(tmp_path).told if line.startswith("left out")]
    assert told == (
        "left out: 2 files: a0.html, a1.html: others report on the same periods, and are used"
    )


def test_a_name_whose_numbers_are_a_part_of_it_stays_whole(tmp_path):
    """As of a hash: without its numbers "3fa9c1" would be "fac", which is the name of nothing."""
    for name in ("3fa9c1", "77e0b4"):
        measured(next(FIO.glob("*.json")), tmp_path / f"{name}.json")
    document = json.loads((tmp_path / "77e0b4.json").read_text())
    (tmp_path / "77e0b4.json").write_text(json.dumps({**document, "timestamp": 1}))
    configs = [entry["labels"]["config"] for entry in proposed(tmp_path)["evidence"]]
    assert configs == ["3fa9c1", "77e0b4"]


def test_what_is_quoted_of_a_file_left_out_is_in_letters_that_the_report_has(tmp_path):
    """A recording in another language that cannot be read must not stop the report of the rest."""
    measured(next(FIO.glob("*.json")), tmp_path / "a.json")
    header = "Linux 5.14.0 (h) \t2026年11月21日 \t_x86_64_\t(2 CPU)\n\n計測を開始しました\n"
    (tmp_path / "測定.txt").write_text(header + "Device            tps    kB_read/s    kB_wrtn/s\n")
    made = propose(tmp_path)
    (told,) = [line for line in made.told if line.startswith("left out")]
    assert "計測" in told
    study = YAML(typ="safe").load(made.text)
    assert r"\\u8a08\\u6e2c" in study["report"]["not_shown"]
    assert "測定.txt" in study["report"]["not_shown"]  # a name is a name
