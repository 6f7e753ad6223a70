"""Commands and job files of sweeps: one of each, and where the others differ."""

from __future__ import annotations

import polars as pl
import pytest

from perfkit.analysis.commands import sweep_commands
from perfkit.core.evidence import Evidence
from perfkit.core.lineage import Measured, Reading
from perfkit.core.schema import polars_schema
from perfkit.showing.chapters import list_commands
from perfkit.sources.rundir.schema import RUN_COMMANDS

JOB = "[global]\nbs=8k\n\n[load]\nrw=randread\niodepth={depth}\nrandseed={seed}\n"
COMMAND = "elbencho -r -t {threads} --iodepth={depth} /dev/x\n"


def commands(*texts, file="job.fio", **more):
    rows = [
        {**dict.fromkeys(RUN_COMMANDS), "workload": "oltp-select", "point": f"iodepth-{number}-r1",
         "file": file, "text": text}
        for number, text in enumerate(texts, 1)
    ]  # fmt: skip
    frame = pl.DataFrame(rows, schema=polars_schema(RUN_COMMANDS))
    return Measured(frame.with_columns(pl.lit(value).alias(name) for name, value in more.items()))


@pytest.mark.parametrize(
    ("texts", "file", "differing"),
    [
        ([JOB.format(depth=1, seed=3)], "job.fio", None),
        ([JOB.format(depth=1, seed=3)] * 3, "job.fio", None),
        ([JOB.format(depth=n, seed=3) for n in (1, 2)], "job.fio", "iodepth"),
        ([JOB.format(depth=n, seed=n) for n in (1, 2, 3)], "job.fio", "iodepth, randseed"),
        ([JOB, JOB + "direct=1\n"], "job.fio", "direct"),
        ([JOB + "direct=1\n", JOB], "job.fio", "direct"),
        (["[a]\nbs=4k\n[b]\nbs=8k\n", "[a]\nbs=4k\n[b]\nbs=16k\n"], "job.fio", "bs"),
        ([COMMAND.format(threads=n, depth=1) for n in (1, 2)], "command.json", "-t"),
        ([COMMAND.format(threads=1, depth=n) for n in (1, 2)], "command.json", "--iodepth"),
        (["fio a.fio", "fio b.fio"], "command.json", "the command"),
    ],
)
def test_the_settings_that_differ_are_named(texts, file, differing):
    [row] = sweep_commands(commands(*texts, file=file)).frame.rows(named=True)
    assert (row["text"], row["others"], row["differing"]) == (texts[0], len(texts) - 1, differing)


def test_each_sweep_has_its_own():
    """Runs of one study are told apart by where they lie."""
    own = [commands(JOB, source=name).frame for name in ("runs/a", "runs/b")]
    found = sweep_commands(Measured(pl.concat(own))).frame
    assert found["source"].to_list() == ["runs/a", "runs/b"]
    assert found["others"].to_list() == [0, 0]


def reading(table):
    return Reading({"commands": table}, Evidence("perfkit-run", "runs/a", "0" * 64))


@pytest.mark.parametrize(
    ("texts", "note"),
    [
        ([JOB], None),
        ([JOB, JOB], "The other point has the same."),
        ([JOB.format(depth=n, seed=3) for n in (1, 2, 4)],
         "The 2 other points have the same but for iodepth."),
    ],
)  # fmt: skip
def test_a_listing_says_of_which_point_it_is_and_of_the_others(texts, note):
    [listing] = list_commands(reading(commands(*texts)))
    assert (listing.id, listing.title) == ("command-1", "Job file of oltp-select")
    assert (listing.place, listing.text) == ("points/iodepth-1-r1/job.fio", texts[0])
    assert listing.note == note
    assert [step.function for step in listing.lineage.steps] == ["run.commands", "listing.command"]


def test_where_no_command_was_kept_there_is_no_listing():
    assert list_commands(reading(commands())) == []
    assert list_commands(Reading({}, Evidence("fio", "x.json", "0" * 64))) == []
