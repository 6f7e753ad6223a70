"""What is to be known of GenIO's summaries and of its commands."""

from __future__ import annotations

from perfkit.sources.genio.read import is_genio, is_genio_commands, read_genio, read_genio_commands
from perfkit.sources.source import Source

SOURCES = (
    Source(
        "genio",
        is_genio,
        read_genio,
        "summary.csv of Epic's GenIO",
        (".csv",),
        marker="summary.csv",
        table="genio_runs",
        row_key=("source", "host", "position"),
        series_key=("source", "host"),
        time="started_at",
        notebook="epic_genio",
        criteria="epic-genio",
    ),
    Source(
        "genio-commands",
        is_genio_commands,
        read_genio_commands,
        "commands of GenIO (RampRun.pl, dgen.pl)",
        (".txt",),
        table="genio_commands",
        row_key=("source", "line"),
        series_key=("source", "line"),
    ),
)
