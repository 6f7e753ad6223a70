"""Samples of active sessions, services, locks, undo and efficiency, as text (real: 11.2 to 19c)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from forges.awr.sheet import Block, Line
from forges.awr.single import activity

if TYPE_CHECKING:
    from collections.abc import Sequence

    from forges.awr.content import Content, Instance
    from forges.awr.sheet import Sheet
    from forges.awr.text.dialect import BlockMaker, TextDialect

_NUMBERS = (9,) * 8

_STATEMENT = ("                 SQL ID            Plan Hash           Executions     % Activity",)
_SQL = ("select a.name, round(sum(b.bytes)/1048576, 2)", " from files a, segments b")
"""The text of a statement, on lines that break it anywhere."""

_FORMS: tuple[tuple[str, tuple[int, ...], tuple[tuple[int, ...], ...], tuple[tuple[str, ...], ...]],
              ...] = (
    # heading, which columns of the HTML table, widths, headers
    ("Service Statistics", (0, 1, 2, 3, 4), ((-28, 12, 12, 12, 12),), ((
        "                                                           Physical      Logical",
        "Service Name                  DB Time (s)   DB CPU (s)    Reads (K)    Reads (K)",
    ),)),
    ("Service Wait Class Stats", tuple(range(9)), ((-64,), _NUMBERS), (("Service Name",), (
        " User I/O  User I/O  Concurcy  Concurcy     Admin     Admin   Network   Network",
        "Total Wts   Wt Time Total Wts   Wt Time Total Wts   Wt Time Total Wts   Wt Time",
    ))),
    ("Buffer Wait Statistics", (0, 1, 2, 3), ((-18, 11, 19, 14),), ((
        "Class                    Waits Total Wait Time (s)  Avg Time (ms)",
    ),)),
    ("Enqueue Activity", tuple(range(7)), ((-77,), (12, 12, 11, 11, 12, 14)), (
        ("Enqueue Type (Request Reason)",),
        ("    Requests    Succ Gets Failed Gets       Waits  Wt Time (s) Av Wt Time(ms)",),
    )),
    ("Undo Segment Summary", (3, 4, 5, 6, 7, 0, 1, 2), ((4, 10, 15, 8, 8, -9, -5, -14),), ((
        "Undo   Num Undo       Number of  Max Qry   Max Tx Min/Max   STO/     uS/uR/uU/",
        " TS# Blocks (K)    Transactions  Len (s) Concurcy TR (mins) OOS      eS/eR/eU",
    ),)),
    ("Top Events", (0, 1, 2, 3, 4), ((-35, -15, -15), (10, 10)), (
        ("Event                               Event Class     Session Type",),
        ("           Avg Active", "% Activity   Sessions"),
    )),
    ("Top SQL with Top Events", (0, 1, 4, 5, 2, 6, 3, 7),
     ((23, 20, 20, 14), (-30, 7, -33, 7)), (_STATEMENT, (
        "                                                                           % Row",
        "Event                          % Event Top Row Source                     Source",
    ))),
    ("Top SQL with Top Row Sources", (0, 1, 4, 5, 2, 7, 3, 6),
     ((23, 20, 20, 14), (-40, 7, -23, 7)), (_STATEMENT, (
        "                                           % Row",
        "Row Source                                Source Top Event               % Event",
    ))),
    ("Activity Over Time", (0, 2, 1, 3, 4), ((-20, 8, -30, 8, 7),), ((
        "                         Slot                                   Event",
        "Slot Time (Duration)    Count Event                             Count % Event",
    ),)),
)  # fmt: skip


def _maker(
    heading: str,
    places: Sequence[int],
    widths: tuple[tuple[int, ...], ...],
    heads: tuple[tuple[str, ...], ...],
) -> BlockMaker:
    def make(content: Content, instance: Instance, _dialect: TextDialect) -> Block:
        sheet = activity.of_heading(heading, content, instance)
        tail = (*_SQL, "") if sheet.table == "ash_sql" else ()
        text = {"text": "".join(_SQL)} if tail else {}
        lines = tuple(
            Line(
                [line.cells[place] for place in places], {**line.also, **text}, said=line.said,
                tail=tail,
            )
            for line in sheet.lines
        )  # fmt: skip
        keys = tuple(sheet.columns[place].key for place in places)
        return Block(sheet.table, heading, keys, widths, heads, lines, fixed=sheet.fixed)

    return make


ACTIVITY: tuple[BlockMaker, ...] = tuple(_maker(*form) for form in _FORMS)
"""These sections, in the order in which a report has them."""


def efficiency_block(content: Content, instance: Instance, _dialect: TextDialect) -> Block:
    """Instance efficiency: two pairs in a line, and one in the last; then the shared pool."""
    sheet = activity.efficiency_sheet(content, instance)
    return Block("efficiency", "", lines=sheet.lines, style="literal", text=efficiency_text(sheet))


def efficiency_text(sheet: Sheet) -> str:
    """The lines of the section, and the table without a title that follows it."""
    lines = [sheet.heading, "~" * len(sheet.heading)]
    for line in sheet.lines:
        cells = [cell.text for cell in line.cells]
        lines.append(
            "".join(
                f"{name:>{width}} {value:>7}"
                for name, value, width in zip(cells[::2], cells[1::2], (26, 24), strict=False)
            )
        )
    return "\n".join(lines) + _SHARED_POOL


_SHARED_POOL = """

 Shared Pool Statistics        Begin    End
                              ------  ------
             Memory Usage %:   37.35   49.38
    % SQL with executions>1:   56.25   67.83

"""
