"""init.ora parameters of Statspack."""

from __future__ import annotations

from typing import TYPE_CHECKING

from perfkit.samples.awr_forge.printing import word
from perfkit.samples.awr_forge.sheet import Block, Line

if TYPE_CHECKING:
    from perfkit.samples.awr_forge.content import Content, Instance


def parameters_block(_content: Content, instance: Instance) -> Block:
    """init.ora Parameters."""
    heads = (
        "                                                                  End value",
        "Parameter Name                Begin value                       (if different)",
    )
    lines = tuple(
        Line([word(name), word(begin), word(end)]) for name, begin, end in instance.parameters
    )
    return Block(
        "parameters", "init.ora Parameters", ("parameter", "value", "end_value"),
        ((-29, -33, -14),), (heads,), lines,
    )  # fmt: skip
