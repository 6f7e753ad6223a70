"""A load of two numbers, iodepth and jobs: which is raised, decided over all files of a study."""

import itertools
import json

import polars as pl
import pytest
from claims.told import TRACED
from forges.fio_results import Flow, Job, document, text

import perfkit as pk
from perfkit.core.answers import from_frame
from perfkit.core.errors import AnalysisError
from perfkit.core.lineage import Measured


def iops_of(depth, jobs):
    """Of the forged results: no two loads alike, and the most neither at the ends."""
    return 1000 * depth * jobs - 100 * depth * depth - 10 * jobs * jobs


def of_clients(result, hosts):
    """What fio's client writes where each host did what this result did."""
    (job,) = result.pop("jobs")
    rows = [{**job, "hostname": host, "port": 8765} for host in hosts]
    return {**result, "client_stats": rows}


@pytest.fixture
def study(tmp_path):
    """A study of results, one for each (iodepth, jobs)."""

    def make(*pairs, rw="randread", load="", evidence="*.json", hosts=()):
        for depth, jobs in pairs:
            options = {"iodepth": str(depth), "numjobs": str(jobs), "group_reporting": "1",
                       "ioengine": "libaio", "direct": "1", "rw": rw, "bs": "4k"}  # fmt: skip
            ios = iops_of(depth, jobs) * 10
            mean = round(depth * jobs / (ios / 10) * 1e6 * (0.8 if jobs == 3 else 1))
            flow = Flow(ios, 4096, 10_000, (0, 0, 0), (1, 90_000, mean))
            direction = "write" if "write" in rw else "read"
            job = Job("iotest", {direction: flow}, options, processes=jobs)
            of_one = document((3, 1), [job])
            made = text(of_clients(of_one, hosts) if hosts else of_one)
            (tmp_path / f"{rw}-{depth}-{jobs}.json").write_text(made)
        (tmp_path / "study.yml").write_text(
            "report: {title: T}\nnotebook: fio_results\nevidence:\n"
            f"  - {{files: '{evidence}', kind: fio, labels: {{system: A}}{load}}}\n"
        )
        return pk.open_study(tmp_path).read_evidence()

    return make


def loads(found):
    frame = found.load_points.filter(direction="total").frame
    return set(frame.select("load_kind", "load", "held_kind", "held").rows())


GRID = tuple(itertools.product((1, 2, 4), (1, 3)))


def test_in_a_grid_iodepth_is_raised_and_jobs_are_held(study):
    """1 and 1 are stated too: a curve of one job is a curve of the grid."""
    assert loads(study(*GRID)) == {("iodepth", d, "numjobs", j) for d, j in GRID}


def test_a_curve_for_each_number_of_jobs(study):
    curve = pk.latency_curve(study(*GRID).load_points).frame
    for held in (1, 3):
        own = curve.filter(held=held)
        assert own["load"].to_list() == [1, 2, 4]
        assert own["iops"].to_list() == [iops_of(depth, held) for depth in (1, 2, 4)]
        assert own["in_flight"].to_list() == [depth * held for depth in (1, 2, 4)]


def test_of_several_hosts_the_jobs_of_all_of_them_are_the_second_number(study):
    hosts = {"hosts": ("h1", "h2"), "rw": "randwrite"}
    assert loads(study(*GRID, **hosts)) == {
        ("iodepth", depth, "host_numjobs", 2 * jobs) for depth, jobs in GRID
    }


def test_a_sweep_of_jobs_on_several_hosts_is_one_curve(study):
    found = study((1, 1), (1, 2), (1, 4), hosts=("h1", "h2"))
    assert loads(found) == {("host_numjobs", jobs, None, None) for jobs in (2, 4, 8)}


def test_files_of_one_host_are_no_curve_with_those_of_two(study):
    study((4, 2))
    found = study((4, 1), hosts=("h1", "h2"))
    assert loads(found) == {("iodepth", 4, "numjobs", 2), ("iodepth", 4, "host_numjobs", 2)}


@pytest.mark.parametrize(
    ("pairs", "expected"),
    [
        ([(1, 1), (2, 1), (4, 1)], {("iodepth", d, None, None) for d in (1, 2, 4)}),
        ([(1, 1), (1, 2), (1, 4)], {("numjobs", j, None, None) for j in (1, 2, 4)}),
        ([(8, 1), (8, 2)], {("numjobs", j, "iodepth", 8) for j in (1, 2)}),
        ([(1, 4), (2, 4)], {("iodepth", d, "numjobs", 4) for d in (1, 2)}),
        ([(8, 4)], {("iodepth", 8, "numjobs", 4)}),
        # two sweeps that meet in one point are not a grid
        ([(1, 1), (2, 1), (1, 2)],
         {("iodepth", 1, None, None), ("iodepth", 2, None, None), ("numjobs", 2, None, None)}),
    ],
)  # fmt: skip
def test_what_differs_between_the_files_is_the_load(study, pairs, expected):
    assert loads(study(*pairs)) == expected


def test_each_mode_is_decided_by_itself(study):
    """A grid of reads does not make a grid of writes with one job."""
    study(*GRID)
    found = study((1, 1), (2, 1), rw="randwrite")
    writes = found.load_points.filter(direction="write").frame
    assert set(writes.select("load", "held").rows()) == {(1, None), (2, None)}
    assert {"randread", "randwrite"} == {
        name.rpartition(" ")[2] for name in found.load_points.frame["workload"]
    }


def test_a_load_that_the_study_states_stands(study):
    load = ", load: {kind: rate_iops, name: '-(\\d+)-'}"
    assert loads(study((2, 3), (4, 3), load=load)) == {
        ("rate_iops", 2, None, None), ("rate_iops", 4, None, None),
    }  # fmt: skip


def test_the_same_load_twice_is_refused_and_never_pooled(study, tmp_path):
    study(*GRID)
    (tmp_path / "again.json").write_text((tmp_path / "randread-4-3.json").read_text())
    points = pk.open_study(tmp_path).read_evidence().load_points
    with pytest.raises(AnalysisError, match=r"numjobs 3, load 4.*: two results for one"):
        pk.latency_curve(points)


# ---- what is said and shown of a grid


def test_of_a_grid_the_curve_with_the_most_iops_is_told_and_the_others_counted(study):
    points = study(*GRID).load_points
    every = pk.peak(points)
    assert len(from_frame(every.frame)) == 2
    (one,) = from_frame(pk.of_grids(every).frame)
    assert one.estimate.value == max(iops_of(*pair) for pair in GRID) == iops_of(4, 3)
    told = next(item for item in one.cautions if item.name == "best_of_grid")
    assert dict(told.arguments) == {"of": "3 jobs", "curves": "2"}
    (statement,) = pk.say(pk.of_grids(every))
    # "3 jobs peaks at" did not say what peaks
    assert statement.text.startswith("iotest, 3 jobs ")


def test_of_a_grid_the_lowest_latency_and_the_worst_check_are_told(study):
    points = study(*GRID).load_points
    frame = points.filter(direction="total").frame
    (lowest,) = from_frame(pk.of_grids(pk.lowest_latency(points)).frame)
    assert lowest.estimate.value == frame["lat_mean_s"].min()
    (worst,) = from_frame(pk.of_grids(pk.littles_law(points)).frame)
    ratios = [r["iops"] * r["lat_mean_s"] / r["in_flight"] for r in frame.rows(named=True)]
    # of three jobs the latencies are a fifth too low
    assert worst.estimate.value == pytest.approx(0.8, rel=0.01)
    assert worst.estimate.value == pytest.approx(max(ratios, key=lambda ratio: abs(ratio - 1)))


def test_answers_of_no_grid_stay_as_they_are(study):
    answers = pk.peak(study((1, 1), (2, 1)).load_points)
    assert from_frame(pk.of_grids(answers).frame) == from_frame(answers.frame)


def test_what_no_curve_of_a_grid_can_answer_is_said_once_and_of_the_whole(study):
    answers = pk.of_grids(pk.repeatability(study(*GRID).load_points))
    found = from_frame(answers.frame)
    assert {(item.status, item.subject.get("held")) for item in found} == {("missing", None)}
    assert len(found) == len({item.metric for item in found})


def test_a_limit_that_no_curve_keeps_is_told_of_the_nearest(study):
    points = study(*GRID).load_points
    limit = points.frame["lat_mean_s"].min() / 2
    within = from_frame(pk.of_grids(pk.iops_at_latency(points, limit)).frame)[0]
    assert within.status == "beyond_measured"
    nearest = points.frame.filter(direction="total").sort("lat_mean_s").row(0, named=True)
    assert within.subject.get("held") == nearest["held"]


def at_limit(points, limit):
    answers = from_frame(pk.of_grids(pk.iops_at_latency(points, limit)).frame)
    return next(item for item in answers if item.question == "iops_at_latency")


@pytest.mark.parametrize(("limit", "reason"), [
    (1.2e-3, "may give more"),  # a curve of three jobs is faster, and ends below the limit
    (1.0e-3, "for more than one reason"),  # one curve lies above the limit, the other below
])  # fmt: skip
def test_what_a_grid_gives_at_a_latency_is_not_told_where_a_curve_stays_below_it(
    study, limit, reason
):
    """455,000 IOPS within 1 ms stood above "At a mean latency of 1 ms, 32 jobs gives 232K"."""
    answer = at_limit(study(*GRID).load_points, limit)
    assert (answer.status, answer.subject.get("held")) == ("missing", None)
    assert answer.reason.endswith(reason)
    assert at_limit(study(*GRID).load_points, 0.9e-3).subject.get("held") == 3


def test_what_every_curve_of_a_grid_has_is_said_of_all_of_them(study):
    """ "4 curves were measured once" stood beside a grid of 14."""
    (one,) = from_frame(pk.of_grids(pk.peak(study(*GRID).load_points)).frame)
    once = {item.of for item in one.cautions if item.name == "one_repeat"}
    assert once == {"1 job", "3 jobs"}


def test_grids_are_counted_as_grids_on_the_first_page_and_have_a_row_each(study):
    """The peaks "of all 129 curves" were those of as many grids, and "10 of 148 curves" of more."""
    study(*GRID)
    points = study(*GRID, rw="randwrite").load_points
    peak, lowest = (pk.of_grids(answers(points)) for answers in (pk.peak, pk.lowest_latency))
    (found,) = pk.finding(peak, "peak_iops")
    assert (found.headline, found.text) == (
        "The peaks of both grids, with 0% to 100% reads, are at least 10,300 IOPS.",
        "",
    )
    (found,) = pk.finding(pk.of_grids(pk.iops_at_latency(points, 1.2e-3)), "iops_at_latency")
    assert (found.headline, found.text) == (
        None,
        "At a mean latency of 1.2 ms, neither grid gives an answer.",
    )
    table = pk.table_headlines([peak, lowest], questions=["peak_iops", "lowest_latency"])
    assert [list(row) for row in table.rows] == [
        ["iotest, randread", "≥ 10,300 IOPS, 3 jobs", "854 µs, 3 jobs"],
        ["iotest, randwrite", "≥ 10,300 IOPS, 3 jobs", "854 µs, 3 jobs"],
    ]


def test_loads_of_several_kinds_say_what_they_count(study):
    """Two columns called "Load" stood side by side, with iodepths and jobs in both."""
    study((8, 1), (8, 2))
    points = study((1, 4), (2, 4), rw="randwrite").load_points
    table = pk.table_load_points(points)
    heads = [column.label for column in table.columns]
    held, load = heads.index("Held"), heads.index("Load")
    assert [(row[held], row[load]) for row in table.rows] == [
        ("4 jobs", "iodepth 1"), ("4 jobs", "iodepth 2"),
        ("iodepth 8", "1 job"), ("iodepth 8", "2 jobs"),
    ]  # fmt: skip
    alone = pk.table_load_points(points.filter(load_kind="iodepth"))
    assert "iodepth" in [column.label for column in alone.columns]


@pytest.mark.parametrize("metric", ["iops", "lat_mean_s"])
def test_the_heat_map_has_every_result_in_its_row_and_column(study, metric):
    points = study(*GRID[:-1]).load_points  # (4, 3) was not measured
    chart = pk.plot_load_grid(pk.latency_curve(points), metric=metric)
    (cells,) = chart.plotly["data"]
    layout = chart.plotly["layout"]
    assert list(layout["yaxis"]["ticktext"]) == ["1 job", "3 jobs"]
    assert list(layout["xaxis"]["ticktext"]) == ["1", "2", "4"]
    assert cells["z"][1][2] is None
    shown = {(note["y"], note["x"]): note["text"] for note in layout["annotations"]}
    assert len(shown) == len(GRID) - 1
    # darker is more, in each cell as in the numbers
    measured = {(d, j): r for (d, j), r in zip(GRID, [None] * len(GRID), strict=True)}
    for row in points.filter(direction="total").frame.rows(named=True):
        measured[row["load"], row["held"]] = row[metric]
    ranked = sorted((v, k) for k, v in measured.items() if v is not None)
    places = {(d, j): (jj, dd) for dd, d in enumerate((1, 2, 4)) for jj, j in enumerate((1, 3))}
    shades = [cells["z"][places[key][0]][places[key][1]] for _, key in ranked]
    assert (shades[0], shades[-1]) == (0, 1)
    assert shades == sorted(shades)
    if metric == "iops":
        assert shown[1, 0] == f"{iops_of(1, 3):,}"


def test_loads_of_one_number_have_no_heat_map(study):
    lacking = pk.plot_load_grid(pk.latency_curve(study((1, 1), (2, 1)).load_points))
    assert isinstance(lacking, pk.Unanswered)
    assert "no load with two numbers" in lacking.reason


@pytest.mark.parametrize("grid", [[(8, 4)], [(8, 4), (16, 4)], [(8, 2), (8, 4)]])
def test_where_one_of_the_two_numbers_was_the_same_there_is_no_grid(study, grid):
    """ "Where both the depth and the number of jobs were varied" stood above one load of each."""
    points = study(*grid).load_points.frame
    two = pl.concat(points.with_columns(config=pl.lit(name)) for name in "ab")
    lacking = pk.plot_load_grid(pk.latency_curve(Measured(two, TRACED)))
    assert isinstance(lacking, pk.Unanswered)
    assert "was the same throughout" in lacking.reason


def test_a_grid_of_more_rows_than_can_be_read_is_left_out_with_its_reason(study):
    """A folder of many results has many curves: the report goes on without the chart."""
    points = study(*GRID).load_points.frame
    many = pl.concat(points.with_columns(config=pl.lit(f"c{n}")) for n in range(10))
    lacking = pk.plot_load_grid(pk.latency_curve(Measured(many, TRACED)))
    assert isinstance(lacking, pk.Unanswered)
    assert "20 curves are too many for one grid" in lacking.reason


def test_percentiles_of_plain_json_stand_in_the_curve(study):
    """There is a histogram table without a row: what fio gave for the one repeat stands."""
    found = study(*GRID)
    assert found.histogram.frame.is_empty()
    curve = pk.latency_curve(found.load_points, found.histogram).frame
    assert curve["lat_p99_s"].unique().to_list() == [pytest.approx(400e-6)]


def test_a_total_stands_only_where_there_are_several_directions(study):
    study((1, 1), rw="randwrite")
    found = study((1, 1), (2, 1))
    directions = pk.curve_by_direction(found.load_points).frame
    assert sorted(directions["direction"]) == ["read", "read", "write"]


def test_repeats_are_listed_only_where_there_are_some(study):
    points = study((1, 1), (2, 1)).load_points
    lacking = pk.table_load_points(points, repeated=True)
    assert isinstance(lacking, pk.Unanswered)
    assert "each load point was measured once" in lacking.reason
    assert len(pk.table_load_points(points).rows) == 2


def test_two_arrays_are_compared_at_equal_jobs(study, tmp_path):
    study(*GRID)
    lines = (tmp_path / "study.yml").read_text().replace("system: A", "system: B")
    entry = lines.splitlines()[-1]
    with (tmp_path / "study.yml").open("a") as file:
        file.write(entry + "\n")
    points = pk.open_study(tmp_path).read_evidence().load_points
    changes = from_frame(pk.compare(points).frame)
    held = {
        json.dumps([answer.subject.get("held"), dict(answer.against.key)["held"]])
        for answer in changes if answer.against
    }  # fmt: skip
    assert held == {"[1.0, 1.0]", "[3.0, 3.0]"}


def test_a_heat_map_whose_ends_print_alike_says_one_value(study):
    points = study(*GRID).load_points
    same = points.frame.with_columns(pl.lit(50_000.0).alias("iops"))
    alt = pk.plot_load_grid(pk.latency_curve(Measured(same, TRACED))).alt
    assert alt == "Heat map of IOPS over 6 loads: 50,000 IOPS at each."
