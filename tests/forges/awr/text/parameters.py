"""init.ora parameters, as text."""

from __future__ import annotations

from typing import TYPE_CHECKING

from forges.awr.printing import word
from forges.awr.sheet import Block, Line

if TYPE_CHECKING:
    from forges.awr.content import Content, Instance
    from forges.awr.text.dialect import TextDialect


def parameters_block(_content: Content, instance: Instance, _dialect: TextDialect) -> Block:
    """init.ora Parameters."""
    heads = (
        "                                                                End value",
        "Parameter Name                Begin value                       (if different)",
    )
    lines = tuple(
        Line([word(name), word(begin), word(end)]) for name, begin, end in instance.parameters
    )
    return Block(
        "parameters", "init.ora Parameters", ("parameter", "value", "end_value"),
        ((-29, -33, -14),), (heads,), lines,
    )  # fmt: skip
