"""The parts of SNIA's PTS that runs kept, on made runs; each part is broken by itself."""

import polars as pl
import pytest
from places import ROOT

import perfkit as pk
from perfkit.analysis.over_time.pts import TESTS, pts_answers, pts_parts, pts_tracked
from perfkit.core.answers import QUESTIONS, from_frame
from perfkit.core.errors import AnalysisError
from perfkit.core.lineage import measured
from perfkit.core.schema import LOAD_POINTS, polars_schema
from perfkit.showing.statements.say import templates
from perfkit.showing.tables.run import table_pts
from perfkit.sources.rundir.schema import RUN_HOST, RUN_SPEC

GIB = 1 << 30
BLOCKS = [512, 4096, 8192, 16384, 32768, 65536, 131072, 1048576]
MIXES = [100, 95, 65, 50, 35, 5, 0]
LATENCY = [(block, mix) for block in BLOCKS[:3] for mix in (100, 65, 0)]


def runs(cells, values=(1e3,) * 5, *, device=True, in_flight=8.0, **fields):
    """A run of each combination, in as many rounds as there are values; of a dict, its own."""
    spec, points, host = [], [], []
    for block, mix in cells:
        of = {"config": f"{block} {mix}"}
        usual = {"pattern": "random", "block_size": block, "read_percent": mix, "runtime_s": 60.0,
                 "fills": 2, "file_size": 100 * GIB, **fields}  # fmt: skip
        spec += [{**of, "field": name, "value": str(value)} for name, value in usual.items()]
        points += [
            {**of, "workload": "w", "load_kind": "iodepth", "load": 8.0, "repeat": n, "iops": value,
             "lat_mean_s": 1 / value if value else None, "bw_bytes_per_s": 4096 * value,
             "runtime_s": 60.0, "in_flight": in_flight, "direction": side}
            for n, value in enumerate(values[block, mix] if isinstance(values, dict) else values, 1)
            for side in ("total", "write")
        ]  # fmt: skip
        host.append({**of, "group": "consent" if device else "target", "fact": "x", "value": "y"})
        size = {"group": "target", "fact": "device.size_bytes", "value": str(100 * GIB)}
        host.append({**of, **size})
    config = {"config": pl.String}
    schemas = (LOAD_POINTS, RUN_SPEC, RUN_HOST)
    return [
        measured(pl.DataFrame(rows, schema={**polars_schema(schema), **config}), "x")
        for rows, schema in zip((points, spec, host), schemas, strict=True)
    ]


def kept(of, test="iops"):
    return {row["part"]: row["kept"] for row in pts_parts(*of, test=test).frame.rows(named=True)}


def told(of, test="iops"):
    return pts_answers(pts_parts(*of, test=test), pts_tracked(*of, test=test), test=test)


def answers(of, test="iops"):
    return {answer.question: answer for answer in from_frame(told(of, test).frame)}


EVERY = [(block, mix) for block in BLOCKS for mix in MIXES]


def test_of_a_whole_matrix_on_a_device_purge_and_fill_are_what_is_not_kept():
    of = runs(EVERY)
    assert kept(of) == {
        "purge": False, "target": True, "preconditioning": False, "data": True,
        "combinations": True, "rounds": True,
    }  # fmt: skip
    assert [s.text for s in pk.say(told(of))] == [
        "The run kept 4 of 6 parts of the IOPS test of SNIA's PTS; not kept: purge, "
        "preconditioning. Its result is therefore PTS-like, not a PTS result. What PTS requires "
        "is taken from SNIA's pages and from public implementations of it, not from its text.",
        "The IOPS test was steady by the SNIA rule after 5 rounds, at 4 KiB and 0% reads (of the 3 "
        "combinations by which it is judged, the one that moved most): in the last five the IOPS "
        "moved by 0.0% of their mean and their best-fit line by 0.0%.",
    ]


def test_a_device_that_was_written_twice_by_128_kib_keeps_the_preconditioning():
    assert kept(runs(EVERY, fill_block=128 * 1024))["preconditioning"] is True
    assert kept(runs(EVERY, fill_block=128 * 1024, fills=1))["preconditioning"] is False
    assert kept(runs(EVERY, fill_block=128 * 1024, device=False))["preconditioning"] is False


@pytest.mark.parametrize("name", sorted(TESTS))
def test_the_ready_study_of_a_test_asks_for_all_that_a_user_can_do(name):
    """Of its combinations, those by which it is steady are watched."""
    study, test = pk.open_study(ROOT / "templates" / "pts" / f"{name}.yml"), TESTS[name]
    specs = [sweep.spec for sweep in study.target_sweeps()]
    cells = [(spec.block_size, spec.read_percent) for spec in specs]
    assert sorted(cells) == sorted((block, mix) for block in test.blocks for mix in test.mixes)
    assert {spec.pattern for spec in specs} == {test.pattern}
    assert {spec.runtime_s for spec in specs} == {60.0}
    watched = {cell for cell, spec in zip(cells, specs, strict=True) if spec.until_steady}
    if test.fills is None:
        assert watched == set(test.tracked)
        assert {(spec.fills, spec.fill_block, spec.repeats) for spec in specs} == {(2, 131072, 25)}
    else:
        assert (watched, specs[0].repeats) == (set(), 360)
    assert study.model.parameters == {"pts": name}


@pytest.mark.parametrize(
    ("part", "given"),
    [
        ("target", {"device": False}),
        ("target", {"region.size": GIB}),
        ("target", {"file_size": 99 * GIB}),
        ("data", {"data.dedupe_percent": 30}),
        ("data", {"data.compress_percent": 30}),
        ("combinations", {"pattern": "sequential"}),
        ("rounds", {"runtime_s": 59.0}),
        ("rounds", {"values": (1e3,) * 4}),
    ],
)
def test_each_part_is_told_by_itself(part, given):
    found = kept(runs(EVERY, **given))
    assert {name for name, fits in found.items() if not fits} == {"purge", "preconditioning", part}


def test_a_combination_that_is_missing_is_counted():
    rows = pts_parts(*runs(EVERY[:-1]), test="iops").frame.rows(named=True)
    [found] = [row["found"] for row in rows if row["part"] == "combinations"]
    assert found == "55 of 56"
    without = [cell for cell in EVERY if cell != (65536, 65)]
    found = answers(runs(without))["pts_rounds"]
    assert (found.status, found.reason) == (
        "missing", "0 rounds of 64 KiB and 65% reads have a value, and the rule asks for 5"
    )  # fmt: skip


def test_the_iops_test_is_steady_once_all_that_it_is_judged_by_is():
    """PTS 2.0.2 tracks 4 KiB writes, 64 KiB at 65:35 and 1 MiB reads."""
    flat, falls = (100.0,) * 7, (300.0, 112.0, 100.0, 100.0, 100.0, 100.0, 100.0)
    tracked = dict.fromkeys(TESTS["iops"].tracked, flat)
    for cell in tracked:
        found = answers(runs(tracked, {**tracked, cell: falls}))["pts_rounds"]
        where = {item.metric: item.value for item in found.conditions}
        # by hand: 112, 100, 100, 100, 100 has a range of 11.7%, and its line moves by 9.4%
        assert where["rounds"] == 6
        assert (where["block_bytes"], where["read_ratio"]) == (cell[0], cell[1] / 100)
        never = answers(runs(tracked, {**tracked, cell: (200.0, 100.0) * 3}))["pts_rounds"]
        assert never.status == "not_reached"


@pytest.mark.parametrize(
    ("values", "status", "rounds"),
    [
        ((200.0, 150.0, 100.0, 100.0, 100.0, 100.0, 100.0), "measured", 7),
        # by hand: 112, 100, 100, 100, 100 has a range of 11.7%, and its line moves by 9.4%
        ((1 / 300, 1 / 112, 0.01, 0.01, 0.01, 0.01, 0.01), "measured", 6),
        # and 114 one of 13.6%, and 10.9%
        ((1 / 300, 1 / 114, 0.01, 0.01, 0.01, 0.01, 0.01), "measured", 7),
        ((200.0, 100.0, 200.0, 100.0, 200.0, 100.0), "not_reached", 6),
        ((100.0,) * 4, "missing", None),
    ],
)
def test_the_first_window_that_keeps_the_rule_is_the_one(values, status, rounds):
    found = answers(runs(LATENCY, values), "latency")["pts_rounds"]
    where = {item.metric: item.value for item in found.conditions}
    assert (found.status, where.get("rounds")) == (status, rounds)


@pytest.mark.parametrize(("in_flight", "alone"), [(1.0, True), (8.0, False), (None, False)])
def test_the_latency_test_has_one_in_flight(in_flight, alone):
    of = runs(LATENCY, in_flight=in_flight)
    assert kept(of, "latency")["queue"] is alone
    assert kept(of, "latency")["combinations"]
    assert kept(of, "latency")["histogram"] is False


@pytest.mark.parametrize(
    ("iops", "rounds", "enough"),
    # 4 x 100 GiB by 4 KiB are 104,857,600 writes: 1,747,627 IOPS for a minute
    [(1_747_627.0, 1, True), (1_747_626.0, 1, False), (10.0, 360, True), (10.0, 359, False)],
)
def test_write_saturation_is_as_long_as_it_writes_and_never_steady(iops, rounds, enough):
    of = runs([(4096, 0)], (iops,) * rounds)
    assert kept(of, "write-saturation")["length"] is enough
    assert list(answers(of, "write-saturation")) == ["pts_parts"]


def test_the_table_says_what_was_asked_and_done():
    table = table_pts(pts_parts(*runs([(4096, 0)], fills=3), test="throughput"))
    rows = {row[0]: [cell.text if hasattr(cell, "text") else cell for cell in row]
            for row in table.rows}  # fmt: skip
    assert rows["Preconditioning"][2:] == [
        "the target was written 3 times, in sequence, by 1 MiB", "no"
    ]  # fmt: skip
    assert rows["Combinations"][1:3] == ["sequential I/O of 1 MiB; 100, 0% reads", "0 of 2"]
    assert rows["128 KiB"][2:] == ["not measured", "no"]
    assert "not from its text" in table.note


def test_an_unknown_test_is_refused():
    with pytest.raises(AnalysisError, match="no test 'iop' of PTS"):
        pts_parts(*runs([(4096, 0)]), test="iop")
    assert set(TESTS) == {"iops", "throughput", "latency", "write-saturation"}


@pytest.mark.parametrize("question", ["pts_parts", "pts_rounds"])
def test_every_answer_has_a_sentence(question):
    assert {(question, *kind) for kind in QUESTIONS[question].gives} <= set(templates())


def test_rounds_without_io_are_no_window():
    found = answers(runs(EVERY, (0.0,) * 5))["pts_rounds"]
    assert (found.status, found.reason) == ("missing", "a round did no I/O")
