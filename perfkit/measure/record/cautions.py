"""Cautions as a run records them: by name, with numbers and a host beside."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from perfkit.core.cautions import Caution, caution, places
from perfkit.core.files import Json

OF = "the load"
"""The subject of a recorded caution; a reader replaces it with the point's name."""


@dataclass(frozen=True)
class Noted:
    """A caution of a run, as run.json and point.json hold it.

    Attributes:
        caution: The caution, with ``OF`` as its subject.
        words: What the terminal says, where the run knows more than the caution's own words.
        args: Its numbers; each name contains the unit.
        host: The load generator (``name:port``) it concerns, where there are several.
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
        """The caution in words, after the host's label where there are several."""
        return f"{f'{self.host}: ' if self.host else ''}{self.words or self.caution.text}"

    def record(self) -> Json:
        """The JSON form, without the subject: the file that holds it has the name."""
        arguments = {name: text for name, text in self.caution.arguments if name != "of"}
        return {
            "name": self.name,
            "arguments": arguments,
            "args": dict(self.args),
            "host": self.host,
            "text": self.text,
        }


def noted(
    name: str,
    words: str | None = None,
    *,
    args: Mapping[str, Any] | None = None,
    host: str | None = None,
    **arguments: str,
) -> Noted:
    """A caution by name and arguments, with what is recorded beside it."""
    of = {"of": OF} if "of" in places(name) else {}
    return Noted(caution(name, **arguments, **of), words, args or {}, host)


def recorded(cautions: Sequence[Noted]) -> Json:
    """Cautions as run.json and point.json hold them: in words, and by name with their numbers."""
    return {
        "warnings": [item.text for item in cautions],
        "cautions": [item.record() for item in cautions],
    }
