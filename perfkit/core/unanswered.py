"""What the evidence cannot answer is a value too: ``Unanswered``, with the reason.

The public verbs pass it on: given one, a verb returns it. So a notebook needs no ``if``, and a
report leaves out a chapter in which nothing could be answered and says why.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any, Literal, Self

from perfkit.core.errors import AbsentError
from perfkit.core.plain_text import plain

UNANSWERED_MIME = "application/vnd.perfkit.unanswered.v1+json"


@dataclass(frozen=True)
class Unanswered:
    """What cannot be answered, with the reason. It is false, as an empty frame is.

    Attributes:
        reason: Why, in words that end a sentence.
        of: Of which report or workload, where only that one lacks it.
        headline: What it means for the report, where the report is made for this answer: the first
            page says it with the reason.
        lacks: What the evidence does not have ("load profile"), where that is the whole reason.
        elsewhere: Whether it is said elsewhere: a report then says nothing in its place.
    """

    reason: str
    of: str | None = None
    headline: str | None = None
    lacks: str | None = None
    elsewhere: bool = False

    def __bool__(self) -> Literal[False]:
        return False

    def renamed(self, _value_id: str) -> Self:
        """Itself, as a value in its place is renamed."""
        return self

    captioned = renamed

    @property
    def text(self) -> str:
        """The sentence in place of the value."""
        return f"{self.of}: {self}" if self.of else str(self)

    def __str__(self) -> str:
        if self.lacks:
            return f"{self.reason[0].upper()}{self.reason[1:]}."
        return f"Not shown: {self.reason}."

    def _repr_mimebundle_(self, **_: Any) -> dict[str, object]:
        from perfkit.core.values import escape_markdown

        printed = "" if self.elsewhere else self.text
        record = {"reason": self.reason, "of": self.of, "text": printed}
        return {
            UNANSWERED_MIME: record | ({"headline": self.headline} if self.headline else {}),
            "text/markdown": f"*{escape_markdown(self.text)}*",
            "text/plain": plain(self.text),
        }


def absent(problem: AbsentError) -> Unanswered:
    """The error as a value; a table that its message begins with gets its words, load profile."""
    reason = str(problem)
    table = re.match(r"[a-z]+(_[a-z]+)+(?=: )", reason)
    words = table[0].replace("_", " ") + reason[table.end() :] if table else reason
    return Unanswered(words, lacks=problem.lacks, elsewhere=problem.elsewhere)


def takes_unanswered(verb: Callable[..., Any]) -> Callable[..., Any]:
    """Mark a public verb that takes Unanswered as any other value: it shows what it gets."""
    verb.__dict__["takes_unanswered"] = True
    return verb


def answering(verb: Callable[..., Any]) -> Callable[..., Any]:
    """A verb as users call it: what it cannot answer is returned as Unanswered.

    That is where an argument (or an item of one) is Unanswered, and where the verb finds that its
    data do not hold what it needs (``AbsentError``). Every other error stays one. Inside perfkit
    verbs are called as they are, and raise.
    """
    if "takes_unanswered" in vars(verb):
        return verb

    @functools.wraps(verb)
    def call(*args: Any, **kwargs: Any) -> Any:
        lacking = next(_unanswered([*args, *kwargs.values()]), None)
        if lacking is not None:
            return lacking
        try:
            return verb(*args, **kwargs)
        except AbsentError as problem:
            return absent(problem)

    return call


def _unanswered(arguments: Iterable[Any]) -> Iterator[Unanswered]:
    for argument in arguments:
        if isinstance(argument, Unanswered):
            yield argument
        elif isinstance(argument, list | tuple):
            yield from (item for item in argument if isinstance(item, Unanswered))
        elif isinstance(argument, dict):
            yield from (item for item in argument.values() if isinstance(item, Unanswered))
