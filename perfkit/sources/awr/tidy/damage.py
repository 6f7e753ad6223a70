"""Damaged tables: rows whose cells cannot be told apart are left out, and told."""

from __future__ import annotations

from typing import TYPE_CHECKING

from perfkit.sources.awr.raw import MOVED, RawTable, indices
from perfkit.sources.awr.text_header import headed
from perfkit.sources.awr.tidy.context import Context, Data, UnreadError, size_of

if TYPE_CHECKING:
    from perfkit.sources.awr.sections import Section

_RANKED = {
    "top_events": ("i#", "event"), "sql": ("i#", "sqlid"), "segments": ("objectname",),
}  # fmt: skip
"""Tables in which a row's place counts, and the cells without which a row is not known."""


def check_header(table: RawTable, section: Section, context: Context) -> RawTable:
    """The table with what is known of its header.

    Raises UnreadError for a header that is not whole: every number could be another's.
    """
    problem = table.body.problem
    if context.text and table.columns:
        table, problem = headed(table, section)
    elif context.text and section.kind not in _HEADLESS and not table.is_empty:
        problem = "no line of dashes tells its columns"
    if problem:
        raise UnreadError(f"its header is damaged at {table.place}: {problem}")
    return table


_HEADLESS = ("host_line", "instance_cpu", "memory")
"""Kinds of tables that text reports print without a ruler."""


def check_rows(table: RawTable, context: Context) -> None:
    """Warnings of the rows that were left out. Raises UnreadError where none is whole."""
    broken = table.broken
    width = len(table.columns)
    if broken and all(broken.values()) and len(broken) >= len(table.rows) and not table.placed:
        raise UnreadError(
            f"no row has a cell for each of the {width} columns, in its place, at {table.place}"
        )
    for row, count in broken.items():
        context.lost_row(table, row, _what(count, width))


def _what(count: int, width: int) -> str:
    if count == MOVED:
        return "its cells do not stand where its columns are, so that none can be told from another"
    if count:
        return f"{count} cells below {width} columns, so that none can be told from another"
    return "another header begins here, of a table whose beginning was lost: not read from here on"


def without_ranks(table: RawTable, context: Context, made: dict[str, Data]) -> None:
    """Marks the rows whose place is not known, as one of the table was lost, by a rank of 0."""
    for name, keys in _RANKED.items():
        if name not in made:
            continue
        order = _disorder(made[name]) if context.text else ""
        if order:
            context.warn(f"{table.label}: {order}; the ranks are null")
        if order or table.broken or _nameless(table, keys, context):
            made[name]["rank"] = [0] * size_of(made[name])


def _disorder(data: Data) -> str:
    """What says that rows of a ranked table do not stand in their order ("": nothing)."""
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


def _nameless(table: RawTable, keys: tuple[str, ...], context: Context) -> bool:
    places = indices(table.columns, keys)
    mark = places.get("i#")
    return not context.text and any(
        not all(row[place] for place in places.values())
        or (mark is not None and row[mark] != "*" and not row[mark].isalnum())
        for row in table.rows
    )
