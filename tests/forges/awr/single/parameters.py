"""init.ora parameters of one instance, in HTML."""

from __future__ import annotations

from typing import TYPE_CHECKING

from forges.awr.printing import Shown, word
from forges.awr.sheet import Column, Line, Sheet

if TYPE_CHECKING:
    from forges.awr.content import Content, Instance
    from forges.awr.single.dialect import Dialect


def parameters_sheet(_content: Content, instance: Instance, _dialect: Dialect) -> Sheet:
    """init.ora Parameters."""
    columns = (
        Column("Parameter Name", "parameter", left=True), Column("Begin value", "value", left=True),
        Column("End value (if different)", "end_value", left=True),
    )  # fmt: skip
    lines = tuple(
        Line([word(name), word(begin), word(end) if end else Shown("\xa0\xa0")])
        for name, begin, end in instance.parameters
    )
    return Sheet(
        "parameters", "init.ora Parameters",
        "This table displays name and value of init.ora parameters", columns, lines, anchor="6800",
    )  # fmt: skip
