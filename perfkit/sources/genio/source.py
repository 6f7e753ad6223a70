"""The declaration of GenIO's summaries and of its commands."""

from __future__ import annotations

from perfkit.core.schema import LOAD_POINTS
from perfkit.sources.genio import schema
from perfkit.sources.genio.read import is_genio, is_genio_commands, read_genio, read_genio_commands
from perfkit.sources.source import Keys, Reported, Source

_COMMANDS = {"genio_commands": schema.GENIO_COMMANDS}

SOURCES = (
    Source(
        "genio",
        is_genio,
        read_genio,
        "summary.csv of Epic's GenIO",
        markers=("summary.csv",),
        tables={
            "genio_runs": schema.GENIO_RUNS,
            **_COMMANDS,
            "genio_extra": schema.GENIO_EXTRA,
            "load_points": LOAD_POINTS,
        },
        table="genio_runs",
        keys=Keys(row=("source", "host", "position"), series=("source", "host")),
        time="started_at",
        reported=Reported(notebook="epic_genio", criteria="epic-genio"),
        overview=("genio_runs",),
        asks=("curves", "genio"),
        leading={
            "genio_runs": (
                "host",
                "test",
                "run",
                "total_iops",
                "achieved_to_target_ratio",
                "random_read_average_s",
                "longest_write_cycle_s",
            ),
        },
    ),
    Source(
        "genio-commands",
        is_genio_commands,
        read_genio_commands,
        "commands of GenIO (RampRun.pl, dgen.pl)",
        tables=_COMMANDS,
        table="genio_commands",
        keys=Keys(row=("source", "line"), series=("source", "line")),
        reported=Reported(joins=("epic_genio",)),
        leading={
            "genio_commands": ("server", "tool", "min_iops", "max_iops", "num_runs", "runtime"),
        },
    ),
)
