"""init.ora parameters, as text."""

from __future__ import annotations

from typing import TYPE_CHECKING

from perfkit.samples.awr_forge.printing import word
from perfkit.samples.awr_forge.sheet import Block, Line

if TYPE_CHECKING:
    from perfkit.samples.awr_forge.content import Content, Instance
    from perfkit.samples.awr_forge.text.dialect import TextDialect


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
