"""Cautions as a run records them: those of ``perfkit.cautions``, with numbers and a host beside."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from perfkit.core.cautions import Caution, caution, places

OF = "the load"
"""What a caution is of until it is read: the reader calls each point by its name."""


@dataclass(frozen=True)
class Noted:
    """A caution that a run shows, as it stands in run.json and point.json.

    Attributes:
        caution: It, with ``OF`` for what it is of.
        words: What the terminal says, where the run knows more than the caution's own words.
        args: The numbers in it; a unit is part of each name.
        host: The load generator (``name:port``) it is about, where there are several.
    """

    caution: Caution
    words: str | None = None
    args: Mapping[str, Any] = field(default_factory=dict)
    host: str | None = None

    @property
    def name(self) -> str:
        """The caution's name."""
        return self.caution.name

    @property
    def text(self) -> str:
        """It in words, after the host's label where it is one of many."""
        return f"{f'{self.host}: ' if self.host else ''}{self.words or self.caution.text}"

    def record(self) -> dict[str, Any]:
        """The JSON form; what it is of follows from where it stands."""
        arguments = {name: text for name, text in self.caution.arguments if name != "of"}
        return {"name": self.name, "arguments": arguments, "args": dict(self.args),
                "host": self.host, "text": self.text}  # fmt: skip


def noted(
    name: str,
    words: str | None = None,
    *,
    args: Mapping[str, Any] | None = None,
    host: str | None = None,
    **arguments: str,
) -> Noted:
    """The caution of that name and arguments, with what is recorded beside it."""
    of = {"of": OF} if "of" in places(name) else {}
    return Noted(caution(name, **arguments, **of), words, args or {}, host)


def recorded(cautions: Sequence[Noted]) -> dict[str, Any]:
    """Cautions as run.json and point.json hold them: in words, and by name with their numbers."""
    return {
        "warnings": [item.text for item in cautions],
        "cautions": [item.record() for item in cautions],
    }
