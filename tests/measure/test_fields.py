"""Every field of a sweep: asked for in two ways, recorded, shown, compared by, and explained.

The fields are those of the typed sweep: one that is added and left out of a table here fails.
"""

import re

import polars as pl
import pytest
import yaml
from places import ROOT

import perfkit as pk
from perfkit.analysis.compare.conditions import conditions
from perfkit.cli.measure import parse_fields
from perfkit.core.lineage import measured
from perfkit.measure.fields import SweepFields
from perfkit.measure.spec import RECORDED_WHEN_SET
from perfkit.measure.workloads import sweep_spec
from perfkit.sources.rundir.tables import _spec

PLAIN = {"workload": "w", "block_size": "8k", "file_size": "1 GiB", "load": {"iodepth": [1]}}
WRITES = {"read_percent": 0}
PACED = {"load": {"rate_iops": [4000]}}
COMMAND = "{name: a, command: 'true', every: 5s}"

SET = {
    "region": {"region.start": "8 MiB", "region.size": "16 MiB"},
    "data": {"data.dedupe_percent": 30, "data.compress_percent": 50, "data.compress_chunk": "4k"},
    "numa": {"numa.nodes": "0", "numa.memory": "local"},
    "fio_options": {"fio_options.hipri": 1},
    "steady_state": {"steady_state.round": "10s"},
    "warm_up": {"warm_up.round": "10s"},
    "search": {"search.latency": "1ms"},
    "background": {"background.target": "/b", "background.rate_iops": 10},
    "distribution": {"distribution": "zipf:1.2"},
    "block_mix": {"block_mix": "8k/70:64k/30"},
    "think_time_s": {"think_time": "1ms"},
    "fsync_every": {"fsync_every": 16},
    "cpus": {"cpus": "0-1"},
    "array_cache": {"array_cache": "1 GiB"},
    "files": {"files": 2},
    "targets": {"targets": "/a,/b"},
    "trim": {"trim": "true"},
    "rate_process": {"rate_process": "poisson"},
    "fills": {"fills": 2},
    "fill_block": {"fill_block": "128k"},
    "until_steady": {"until_steady": "iops"},
    "control": {"control": 1},
    "verify": {"verify": "true"},
    "drop_caches": {"drop_caches": "true"},
    "series_s": {"series": "100ms"},
    "block_size_max": {"block_size_max": "64k"},
    "ioengine": {"ioengine": "io_uring"},
    "label": {"label": "like, not"},
    "iodepth": {"iodepth": 4},
    "numjobs": {"numjobs": 2},
    "ramp_s": {"ramp": "1s"},
    "runtime_s": {"runtime": "10s"},
    "repeats": {"repeats": 5},
    "order": {"order": "shuffled"},
    "seed": {"seed": 7},
    "direct": {"direct": "false"},
    "read_percent": {"read_percent": 80},
    "pattern": {"pattern": "sequential"},
    "engine": {"engine": "elbencho"},
    "drain": {"drain.blocks": 100},
}
"""Field -> what ``--set`` says, by its dotted names."""

LISTS = {
    "observe": "[{name: a, command: date, every: 5s}]",
    "events": "[{name: takeover, command: date, at: 3s}]",
    "hosts": "[a, b]",
}
"""Fields that are lists -> as a study says them; ``--hosts`` is an option of its own."""

ELSEWHERE = {"workload", "block_size", "file_size", "load", "job_file"}
"""What every sweep has, and the job file, which is what is run."""

WITH = {
    "trim": WRITES, "fsync_every": WRITES, "data": WRITES, "rate_process": PACED,
    "drain": {**PACED, "runtime": "100s"}, "drop_caches": {"direct": False, "ioengine": "psync"},
    "direct": {"ioengine": "psync"}, "numjobs": {"load": {"iodepth": [1, 2]}},
    "iodepth": {"load": {"numjobs": [1]}}, "events": {"runtime": "10s"},
    "block_size_max": {"pattern": "sequential"},
}  # fmt: skip
"""Field -> what it goes with."""

COMPARED = {
    "engine": "tool", "ioengine": "engine", "direct": "direct", "pattern": "pattern",
    "block_mix": "block_mix", "distribution": "distribution", "region": "region_start_bytes",
    "think_time_s": "think_time", "fsync_every": "fsync_every", "cpus": "cpus",
    "data": "dedupe_percent", "numa": "numa_memory", "fio_options": "fio_options",
    "targets": "targets", "files": "files", "trim": "trim", "rate_process": "rate_process",
    "drain": "drain_blocks", "background": "background_block_bytes", "fills": "preconditioning",
    "fill_block": "fill_block_bytes",
    "steady_state": "steady_state", "warm_up": "warm_up", "events": "events",
    "drop_caches": "drop_caches",
}  # fmt: skip
"""Field -> the condition by which curves are kept apart."""

MEASURED_THERE = {
    "block_size_max": "the mean sizes", "read_percent": "the mix", "hosts": "the hosts' results",
    "iodepth": "the load", "numjobs": "the load",
}  # fmt: skip
"""What the results themselves tell."""

NO_CONDITION = {
    "label": "words", "array_cache": "what the user knows", "ramp_s": "does not count",
    "runtime_s": "how long is looked", "repeats": "how often", "order": "in which order",
    "seed": "which random numbers", "until_steady": "how often",
    "control": "loads of its own", "search": "more loads",
    "observe": "only looks", "verify": "after the last point", "series_s": "how fine",
}  # fmt: skip
"""What does not change what is measured."""

FIELDS = sorted(set(SweepFields.model_fields) - ELSEWHERE)


def asked(field):
    """The sweep of a field as the command line says it, or a study where that cannot."""
    given = {**PLAIN, **WITH.get(field, {})}
    if field in LISTS:
        return sweep_spec({**given, field: yaml.safe_load(LISTS[field])})
    texts = [f"{name}={value}" for name, value in SET[field].items()]
    if field == "block_mix":
        del given["block_size"]
    return sweep_spec(parse_fields(texts, given))


def nested(given):
    found = {}
    for name, value in given.items():
        first, _, rest = name.partition(".")
        found = {**found, first: {**found.get(first, {}), rest: value} if rest else value}
    return found


def settings(spec):
    """The rows of a run's ``spec`` table."""
    return [{"field": name, "value": value} for name, value in _spec({"spec": spec.record()})]


def test_no_field_is_forgotten_here():
    assert sorted({*SET, *LISTS}) == FIELDS
    assert sorted([*COMPARED, *MEASURED_THERE, *NO_CONDITION]) == FIELDS


@pytest.mark.parametrize("field", sorted(SET))
def test_a_study_and_the_command_line_ask_for_the_same(field):
    given = {**PLAIN, **WITH.get(field, {}), **nested(SET[field])}
    if field == "block_mix":
        del given["block_size"]
    assert sweep_spec(given) == asked(field)
    assert getattr(asked(field), field) != getattr(
        sweep_spec({**PLAIN, **WITH.get(field, {})}), field
    )


@pytest.mark.parametrize("field", FIELDS)
def test_a_field_stands_in_the_record_and_in_the_table_of_the_sweep(field):
    spec = asked(field)
    assert field in spec.record()
    rows = [row for row in settings(spec) if row["field"].partition(".")[0] == field]
    assert rows
    table = pk.table_spec(measured(pl.DataFrame(settings(spec)), "spec"))
    assert len(table.rows) == len([row for row in settings(spec) if row["value"] is not None])
    for words, value in table.rows:
        assert not re.search("[_.]", words), "words, and no name of the code"
        assert not re.search('[{"]', value), "words, and no JSON"


@pytest.mark.parametrize("field", sorted(RECORDED_WHEN_SET - {"job_file"}))
def test_a_record_of_a_sweep_without_a_field_is_as_before_there_was_one(field):
    assert field not in sweep_spec({**PLAIN, **WITH.get(field, {})}).record()


POINT = {"workload": "w", "load_kind": "iodepth", "direction": "total", "host": None, "iops": 1.0,
         "bw_bytes_per_s": 1.0}  # fmt: skip


def conditions_of(spec):
    rows = [{"option": row["field"], "value": row["value"]} for row in settings(spec)]
    return conditions([POINT], rows).fields


@pytest.mark.parametrize("field", sorted(COMPARED))
def test_curves_that_differ_in_it_are_kept_apart_by_name(field):
    plain = {**PLAIN, **{k: v for k, v in WITH.get(field, {}).items() if k != "load"}}
    own, other = conditions_of(asked(field)), conditions_of(sweep_spec(plain))
    name = COMPARED[field]
    assert own[name] is not None
    assert other[name] is not None
    assert own[name] != other[name]


@pytest.mark.parametrize("field", FIELDS)
def test_the_page_on_measuring_names_it(field):
    page = (ROOT / "docs/measuring.md").read_text()
    code = [*re.findall(r"`([^`\n]+)`", page), *re.findall(r"```yaml.*?```", page, re.S)]
    name = field.removesuffix("_s")
    assert [text for text in code if re.search(rf"(?<!\w){name}(_s)?(?!\w)", text)]
