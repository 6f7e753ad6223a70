"""The search for the highest load that keeps a latency: what is measured next, and that it ends."""

import json
import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from perfkit.core.errors import RunError, UsageError
from perfkit.measure import progress
from perfkit.measure.search import Bracket, bracket, latencies, next_load, searched
from perfkit.measure.sweep import run_sweep
from perfkit.measure.workloads import named_workload


def spec_of(**fields):
    search = {"latency": "1ms", "tolerance": 0.05, "max_loads": 32, **fields.pop("search", {})}
    given_ = {"load": {"iodepth": [1, 16, 64]}, "ioengine": "libaio", "repeats": 2, **fields}
    return named_workload("oltp-select", search=search, **given_)


@pytest.mark.parametrize(
    ("measured", "expected"),
    [
        ({1: 0.1, 2: 0.2}, Bracket(2, None)),
        ({1: 2.0, 2: 3.0}, Bracket(None, 1)),
        ({1: 0.1, 4: 2.0}, Bracket(1, 4)),
        ({1: 1.0, 4: 2.0}, Bracket(1, 4)),
        ({1: 0.1, 4: 2.0, 8: 0.5}, Bracket(1, 4)),
    ],
)
def test_the_bracket_ends_at_the_first_load_that_misses(measured, expected):
    """A load above it that keeps the limit again is not an answer to how much may be asked for."""
    assert bracket(measured, 1.0) == expected


@pytest.mark.parametrize(
    ("measured", "load"),
    [
        ({1: 1e-4, 16: 2e-4, 64: 9e-4}, 128),
        ({1: 2e-3, 16: 3e-3, 64: 9e-3}, None),
        ({2: 2e-3, 16: 3e-3}, 1),
        ({1: 1e-4, 16: 2e-4, 64: 2e-3}, 32),
        ({31: 9e-4, 32: 2e-3}, None),
        ({100: 9e-4, 105: 2e-3}, None),
        ({100: 9e-4, 106: 2e-3}, 103),
    ],
)
def test_what_is_measured_next(measured, load):
    assert next_load(spec_of(), measured) == load


def test_a_rate_divides_evenly_over_hosts():
    spec = spec_of(load={"rate_iops": [1000, 4000]}, hosts=["a", "b", "c", "d"])
    assert next_load(spec, {1000: 1e-4, 4000: 2e-3}) == 2000
    assert next_load(spec, {1000: 1e-4, 1100: 2e-3}) == 1048
    assert next_load(spec, {1000: 1e-4, 1004: 2e-3}) is None


@given(st.integers(1, 5000), st.sampled_from([0.02, 0.05, 0.3]))
def test_the_limit_is_bracketed_wherever_it_lies(knee, tolerance):
    """Against a ladder of every load: it is kept up to the knee, and missed above it."""
    spec = spec_of(search={"tolerance": tolerance})
    measured = {load: 5e-4 if load <= knee else 2e-3 for load in spec.load.points}
    while (load := next_load(spec, measured)) is not None:
        assert load not in measured
        measured[load] = 5e-4 if load <= knee else 2e-3
    found = bracket(measured, 1e-3)
    assert found.kept <= knee < found.missed
    assert found.missed <= max(found.kept * (1 + tolerance), found.kept + 1)
    assert len(measured) - 3 <= math.log2(5000) + 6


def test_it_ends_after_so_many_loads():
    spec = spec_of(search={"max_loads": 2})
    assert next_load(spec, dict.fromkeys((1, 16, 64), 1e-4)) == 128
    assert next_load(spec, dict.fromkeys((1, 16, 64, 128, 256), 1e-4)) is None


def test_the_points_of_a_search_are_known_by_their_names():
    names = ["iodepth-1-r1", "iodepth-23-r1", "iodepth-23-r2", "control-1"]
    assert [point.name for point in searched(spec_of(), names)] == names[1:3]


@pytest.mark.parametrize(
    ("workload", "fields", "said"),
    [
        ("sas-sequential", {}, "search: it needs random I/O"),
        ("epic-like", {}, "search: it needs random I/O"),
        ("oltp-select", {"control": 16}, "search: it cannot be combined with control"),
        ("oltp-select", {"search": {"latency": 0}}, "search.latency"),
        ("oltp-select", {"search": {"latency": "1ms", "tolerance": 0}}, "search.tolerance"),
    ],
)
def test_what_cannot_be_searched_is_refused(workload, fields, said):
    with pytest.raises(UsageError) as refused:
        named_workload(workload, **{"search": {"latency": "1ms"}, **fields})
    assert said in str(refused.value)


@pytest.mark.slow
def test_a_search_measures_whole_loads_and_goes_on_where_it_stopped(tmp_path):
    fields = {"load": {"iodepth": [1, 4]}, "file_size": "8m", "runtime": 0.2, "ramp": 0}
    spec = spec_of(**fields, search={"latency": "10s", "max_loads": 2})
    target = tmp_path / "target"
    target.mkdir()
    told = []

    def stop_at_the_first(event):
        told.append(event)
        if isinstance(event, progress.PointAccepted) and event.number == 5:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        run_sweep(spec, target, runs_dir=tmp_path, run_id="r", progress=stop_at_the_first)
    run = run_sweep(spec, target, runs_dir=tmp_path, run_id="r", progress=told.append)
    planned = json.loads((run / "run.json").read_text())["points_planned"]
    measured = {path.name for path in (run / "points").iterdir()}
    assert measured == set(planned)
    found = latencies(spec, run / "points")
    assert sorted(found) == [1, 4, 8, 16]
    assert next_load(spec, found) is None
    steps = [event for event in told if isinstance(event, progress.SearchStep)]
    assert [step.load for step in steps] == [8, 16, None]
    count = len(told)
    run_sweep(spec, target, runs_dir=tmp_path, run_id="r", progress=told.append)
    assert len(told) == count
    file = run / "points" / planned[0] / "point.json"
    record = json.loads(file.read_text())
    del record["lat_mean_s"]
    file.write_text(json.dumps(record))
    with pytest.raises(RunError, match="has no lat_mean_s"):
        run_sweep(spec, target, runs_dir=tmp_path, run_id="r")
