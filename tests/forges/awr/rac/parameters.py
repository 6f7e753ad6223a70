"""init.ora parameters, RAC-global."""

from __future__ import annotations

from typing import TYPE_CHECKING

from forges.awr.printing import BLANK, word
from forges.awr.rac.cells import hidden, level, number
from forges.awr.sheet import Column, Line, Sheet

if TYPE_CHECKING:
    from forges.awr.content import Content
    from forges.awr.rac.dialect import RacDialect


def parameters_sheet(content: Content, _dialect: RacDialect) -> Sheet:
    """init.ora Parameters."""
    columns = (
        Column("Parameter Name", "parameter", left=True), Column("I#"),
        Column("Begin value", "value", left=True),
        Column("End value (if different)", "end_value", left=True),
    )  # fmt: skip
    lines = []
    for name, begin, end in content.instances[0].parameters:
        cells = [word(name), number("*"), word(begin), word(end)]
        lines.append(Line(cells, level(None)))
    for place, instance in enumerate(content.instances):
        named = word("instance_name")
        cells = [
            hidden(named) if place else named,
            number(instance.number),
            word(instance.name),
            BLANK,
        ]
        lines.append(Line(cells, level(instance)))
    return Sheet(
        "parameters", "init.ora Parameters",
        "This table displays values for init.ora parameters", columns, tuple(lines), anchor="12080",
        bullets=("'*' indicates same value across all instances",),
    )  # fmt: skip
