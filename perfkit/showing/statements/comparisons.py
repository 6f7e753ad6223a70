"""What else the report of a comparison says: what a document asserts."""

from __future__ import annotations

from typing import TYPE_CHECKING

from perfkit.analysis.curves.series import require_columns
from perfkit.core.errors import AnalysisError, did_you_mean
from perfkit.core.lineage import Measured, step
from perfkit.core.units import Printed
from perfkit.showing.sentences import Text

if TYPE_CHECKING:
    from perfkit.core.values import Statement


@step(version=1, name="say.asserted")
def say_asserted(
    cells: Measured, row: str, *, column: str = "value", value_id: str | None = None
) -> Statement:
    """What a document asserts and gives no evidence for, quoted and told to be an assertion.

    'Asserted, without evidence: "89% to 98% of reads came from SSD" (TR-4819, Results).'

    Args:
        cells: One table of ``read_printed``; the text is one of its cells, never typed.
        row: The name of the row.
        column: The key of the column that holds the text.
        value_id: The statement's id; default: the row's name.

    Raises:
        AnalysisError: No cell, or more than one, has this row and column.
    """
    require_columns(cells.frame, ("row_name", "column_key", "text"), "printed cells")
    same = cells.frame.filter(row_name=row, column_key=column)
    found = same["text"].drop_nulls().to_list()
    if len(found) != 1:
        known = [str(name) for name in cells.frame["row_name"].unique().to_list()]
        raise AnalysisError(
            f"printed cells: {len(found)} cells of row {row!r} and column {column!r}; "
            f"{did_you_mean(row, known)}"
        )
    text = Text()
    quoted = text(Printed(found[0], None, "", "as printed"))
    where = text(cells.lineage.evidence[0].origin.of) if cells.lineage.evidence else ""
    said = f'Asserted, without evidence: "{quoted}"{f" ({where})" if where else ""}.'
    return text.done(value_id or row, [said])
