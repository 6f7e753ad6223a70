"""init.ora parameters of Statspack."""

from __future__ import annotations

from typing import TYPE_CHECKING

from forges.awr.printing import word
from forges.awr.sheet import Block, Line

if TYPE_CHECKING:
    from forges.awr.content import Content, Instance


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
