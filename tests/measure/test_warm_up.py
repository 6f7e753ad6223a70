"""A warm-up: rounds until the rate, or what the array says of its hits, is steady."""

import json

import pytest

from perfkit.core.errors import RunError, UsageError
from perfkit.measure.sweep import run_sweep
from perfkit.measure.validity.rounds import is_warm, observed
from perfkit.measure.workloads import named_workload


@pytest.mark.parametrize(
    ("values", "warm"),
    [
        ([100, 100], False), ([100, 100, 100], True), ([1, 96, 100, 104], True),
        ([90, 100, 110], False), ([100, 100, 100, 120], False), ([0, 0, 0], True),
    ],
)  # fmt: skip
def test_three_rounds_within_the_tolerance_are_warm(values, warm):
    assert is_warm(values, 0.05) is warm


def test_what_is_observed_has_a_command_that_prints_it():
    with pytest.raises(UsageError, match=r"warm_up.observed: no command under observe prints a.b"):
        named_workload("oltp-select", warm_up={"observed": "a.b"})


@pytest.fixture
def warmed(small, target, runs, tmp_path):
    """Warm up by what a command prints: the next line of a file each time it is run."""

    def run(readings, **warm):
        (tmp_path / "hits").write_text("".join(f"{value}\n" for value in readings))
        counter = f"{tmp_path}/n"
        command = (
            f"n=$(($(cat {counter} 2>/dev/null || echo 0) + 1)); echo $n > {counter}; "
            f"echo hit_ratio; sed -n ${{n}}p {tmp_path}/hits"
        )
        spec = small(
            load={"iodepth": [1]}, runtime="200ms",
            observe=[{"name": "array", "command": command, "every": "60s"}],
            warm_up={"round": "100ms", "observed": "array.hit_ratio", **warm},
        )  # fmt: skip
        return run_sweep(spec, target, runs_dir=runs, run_id="r", progress=lambda _: None)

    return run


def point_of(run):
    return json.loads((run / "points" / "iodepth-1-r1" / "point.json").read_text())


@pytest.mark.slow
def test_rounds_go_on_until_the_hits_are_steady(warmed):
    """A round reads the hits at its begin and at its end; the last reading counts."""
    run = warmed([0, 0.2, 0, 0.6, 0, 0.9, 0, 0.9, 0, 0.91, 0, 0])
    [found] = json.loads((run / "run.json").read_text())["warm_ups"]
    assert (found["values"], found["warm"]) == ([0.2, 0.6, 0.9, 0.9, 0.91], True)
    assert len(list((run / "warm-up").iterdir())) == 5
    assert not [each for each in point_of(run)["cautions"] if each["name"] == "not_warm"]
    assert [path.name for path in (run / "points").iterdir()] == ["iodepth-1-r1"]


@pytest.mark.slow
def test_what_never_gets_steady_is_a_caution_of_each_point(warmed):
    run = warmed([0, 0.1, 0, 0.2, 0, 0.3, 0, 0], max_rounds=3)
    assert (
        "array.hit_ratio still moved after 3 rounds of warm-up before the load"
        in (point_of(run)["warnings"])
    )


@pytest.mark.slow
def test_a_command_that_prints_no_such_counter_ends_the_sweep(warmed):
    with pytest.raises(RunError, match="array printed 1 values of hit_ratio, not one number"):
        warmed(["n/a", "n/a"])


HEAD = {"form": "csv", "clock": "t"}


def printed(folder, *readings, **head):
    """What an observer of the array printed, reading by reading; None: it failed."""
    lines = [{**HEAD, **head}] + [
        {"text": text or "", "problem": None if text else "timed out"} for text in readings
    ]
    path = folder / "observed-array.jsonl"
    path.write_text("".join(f"{json.dumps(line)}\n" for line in lines))
    return folder


@pytest.mark.parametrize(
    ("readings", "value"),
    [(["t,hits\n1,0.5\n"], 0.5), (["t,hits\n1,0.5\n", "t,hits\n2,0.75\n"], 0.75),
     (["t,hits\n1,0.5\n", None], 0.5)],
)  # fmt: skip
def test_the_value_is_the_one_that_was_printed_last(tmp_path, readings, value):
    assert observed(printed(tmp_path, *readings), "array.hits") == value


def test_json_is_read_as_well(tmp_path):
    assert observed(printed(tmp_path, '{"hits": 0.5}', form="json"), "array.hits") == 0.5


@pytest.mark.parametrize(
    ("readings", "why"),
    [
        ([], "array printed nothing: it was not run"),
        ([None, None], "array printed nothing: timed out"),
        (["t,misses\n1,5\n"], "array printed 0 values of hits, not one number"),
        (["t,hits\n1,5\n2,6\n"], "array printed 2 values of hits, not one number"),
        (["t,hits\n1,many\n"], "array printed 1 values of hits, not one number"),
        (['t,hits\n1,"1,234"\n'], "array: "),
    ],
)
def test_what_gives_no_one_number_ends_the_warm_up(tmp_path, readings, why):
    with pytest.raises(RunError, match=f"warm-up: {why}"):
        observed(printed(tmp_path, *readings), "array.hits")
