"""Damaged tables: rows whose cells cannot be assigned to columns are left out, with a warning."""

from __future__ import annotations

from dataclasses import replace

from perfkit.sources.awr.raw import MISALIGNED, indices
from perfkit.sources.awr.text_header import headed
from perfkit.sources.awr.tidy.context import Data, Found, UnreadError, size_of

_RANKED = {
    "top_events": ("i#", "event"), "sql": ("i#", "sqlid"), "segments": ("objectname",),
}  # fmt: skip
"""Ranked tables, and the cells that identify their rows."""


def check_header(found: Found) -> Found:
    """The table, with what is known of its header.

    Raises UnreadError for a header that is not whole: every number could be another's.
    """
    problem = found.table.body.problem
    if found.text and found.table.columns:
        table, problem = headed(found.table, found.section)
        found = replace(found, table=table)
    elif not found.text and _nameless_twin(found):
        problem = "a column lost its name where two have one"
    elif found.text and found.section.kind not in _HEADLESS and not found.table.is_empty:
        problem = "no line of dashes tells its columns"
    if problem:
        raise UnreadError(f"its header is damaged at {found.table.place}: {problem}")
    return found


def _nameless_twin(found: Found) -> bool:
    """Whether a column without a name may be the first of two, so that the second looks like it."""
    twins = any(name.endswith("#2") for name in found.section.columns)
    return twins and any(not column.name for column in found.table.columns[1:])


_HEADLESS = ("host_line", "instance_cpu", "memory", "efficiency")
"""Kinds of tables that text reports print without a ruler."""


def check_rows(found: Found) -> None:
    """Warnings of the rows that were left out. Raises UnreadError where none is whole."""
    table, broken = found.table, found.table.broken
    width = len(table.columns)
    if broken and all(broken.values()) and len(broken) >= len(table.rows) and not table.aligned:
        raise UnreadError(
            f"no row has a cell for each of the {width} columns, in its place, at {table.place}"
        )
    for row, count in broken.items():
        found.lost_row(row, _what(count, width))


def _what(count: int, width: int) -> str:
    if count == MISALIGNED:
        return "its cells do not stand where its columns are, so it is unclear which is which"
    if count:
        return f"{count} cells below {width} columns, so it is unclear which is which"
    return "another header begins here, of a table whose beginning was lost: not read from here on"


def without_ranks(found: Found, made: dict[str, Data]) -> None:
    """Mark rows by rank 0 where a row of the table was lost: their rank is not known."""
    for name, keys in _RANKED.items():
        if name not in made:
            continue
        order = _disorder(made[name]) if found.text else ""
        if order:
            found.warn(f"{order}; the ranks are null")
        if order or found.table.broken or _nameless(found, keys):
            made[name]["rank"] = [0] * size_of(made[name])


def _disorder(data: Data) -> str:
    """Why the rows of a ranked table cannot be in their order ("": nothing)."""
    by = _BY.get(next(iter(data.get("ordered_by", [])), ""), "total_wait_s")
    groups: dict[tuple[object, object], float] = {}
    for level, instance, value in zip(
        data["level"], data["instance"], data.get(by, []), strict=False
    ):
        if value is None:
            continue
        if value > groups.get((level, instance), value):
            return f"its rows are not in the order of {by}"
        groups[level, instance] = value
    return ""


_BY = {
    "elapsed": "elapsed_s", "cpu": "cpu_s", "user_io": "user_io_s", "gets": "buffer_gets",
    "reads": "physical_reads_blocks", "unoptimized": "unoptimized_read_requests",
    "executions": "executions",
}  # fmt: skip
"""What the statements of each list are ordered by, downwards."""


def _nameless(found: Found, keys: tuple[str, ...]) -> bool:
    places = indices(found.table.columns, keys)
    mark = places.get("i#")
    return not found.text and any(
        not all(row[place] for place in places.values())
        or (mark is not None and row[mark] != "*" and not row[mark].isalnum())
        for row in found.table.rows
    )
