"""What a document states, cell by cell, for the running text of a report."""

from __future__ import annotations

from typing import TYPE_CHECKING

from perfkit.analysis.curves.series import require_columns
from perfkit.core.errors import AnalysisError, did_you_mean
from perfkit.core.lineage import Measured, step
from perfkit.core.units import Printed
from perfkit.core.values import Statement, check_id
from perfkit.showing.statements.say import slug

if TYPE_CHECKING:
    from collections.abc import Sequence


def statements_printed(cells: Measured, *, column: str = "value") -> list[Statement]:
    """The statements of one printed table, one a row: its id the row's name, its text the cell.

    Prose then says ``{{say fcp-peak}}`` for a row "fcp-peak" or "FCP, peak", and the number stands
    there exactly as printed.

    Args:
        cells: One table of ``read_printed``.
        column: The key of the column that holds what is said.
    """
    require_columns(cells.frame, ("row_name", "column_key"), "printed cells")
    names = cells.frame["row_name"].unique(maintain_order=True).to_list()
    return [say_printed(cells, name, column=column, value_id=slug(name)) for name in names]


@step(version=1, name="say.printed")
def say_printed(
    cells: Measured, row: str, *, column: str = "value", value_id: str | None = None
) -> Statement:
    """One cell of a printed table as a piece of a sentence, exactly as printed.

    Raises AnalysisError where no cell, or more than one, has this row and column.
    """
    require_columns(
        cells.frame, ("row_name", "column_key", "text", "value", "unit"), "printed cells"
    )
    found = cells.frame.filter(row_name=row, column_key=column).rows(named=True)
    if len(found) != 1 or found[0]["text"] is None:
        known: Sequence[str] = cells.frame["row_name"].unique().to_list()
        raise AnalysisError(
            f"printed cells: {len(found)} cells of row {row!r} and column {column!r}; "
            f"{did_you_mean(row, list(known))}"
        )
    cell = found[0]
    printed = Printed(cell["text"], cell["value"], cell["unit"] or "", "as printed")
    return Statement(check_id(value_id or row), cell["text"], (printed,))
