"""The commands and job files of sweeps: one of each, and in which settings the others differ."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Sequence

import polars as pl

from perfkit.analysis.curves.series import require_rows
from perfkit.core.lineage import Measured, step
from perfkit.core.schema import Row

_SCHEMA = {
    "source": pl.String, "workload": pl.String, "point": pl.String, "file": pl.String,
    "text": pl.String, "others": pl.Int64, "differing": pl.String,
}  # fmt: skip


@step(version=1, name="run.commands")
def sweep_commands(commands: Measured) -> pl.DataFrame:
    """One command and one job file of each sweep, as the tool was given them at its first point.

    Columns: ``source`` (the run; null of a single one), ``workload``, ``point``, ``file``,
    ``text``, ``others`` (points with such a file beside it), ``differing`` (the settings in which
    those differ, joined by ", "; null where they are alike).

    Args:
        commands: A run's ``commands``.

    Raises:
        AnalysisError: The table lacks a column.
        AbsentError: The run kept no command.
    """
    rows = require_rows(commands, "commands", ("point", "file", "text"), otherwise="no command")
    sweeps: dict[tuple[str | None, str], list[Row]] = {}
    for row in rows:
        sweeps.setdefault((row.get("source"), row["file"]), []).append(row)
    return pl.DataFrame([_first(own) for own in sweeps.values()], schema=_SCHEMA)


def _first(rows: Sequence[Row]) -> Row:
    first, *others = rows
    differing = dict.fromkeys(name for row in others for name in _differing(first, row))
    return {
        **{name: first.get(name) for name in _SCHEMA},
        "others": len(others),
        "differing": ", ".join(differing) or None,
    }


def _differing(one: Row, other: Row) -> Iterator[str]:
    """The settings whose lines or words are not the same in both texts."""
    ours, theirs = _settings(one), _settings(other)
    for name in dict.fromkeys([*ours, *theirs]):
        if ours.get(name) != theirs.get(name):
            yield name


def _settings(row: Row) -> dict[str, list[str]]:
    """Each setting with its values: of a job file its lines, of a command its words.

    A word that begins with no dash belongs to the option before it.
    """
    found: dict[str, list[str]] = {}
    if row["file"].endswith(".fio"):
        for line in row["text"].splitlines():
            name, _, value = line.partition("=")
            found.setdefault(name.strip(), []).append(value.strip())
        return found
    option = "the command"
    for word in shlex.split(row["text"]):
        name, sign, value = word.partition("=")
        option = name if word.startswith("-") else option
        found.setdefault(option, []).append(value if sign and option == name else word)
    return found
