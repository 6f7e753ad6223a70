"""Text of the evidence that a report prints as it is: a job file, a command."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from perfkit.core.plain_text import plain, plain_lines
from perfkit.core.values import MIME, OF_CONTENT, Value, escape_markdown

if TYPE_CHECKING:
    from perfkit.core.cautions import Caution
    from perfkit.core.evidence import Lineage


@dataclass(frozen=True, eq=False)
class Listing(Value):
    """A text as it stands in the evidence; a report has it in an appendix.

    Attributes:
        id: Its name in the report.
        title: What it is.
        place: The file that it is, as the evidence names it.
        text: The text.
        note: What is to be said of it, such as that others are alike.
        language: For the colours of its words; None: none.
    """

    id: str
    title: str
    place: str
    text: str
    note: str | None = None
    language: str | None = None
    lineage: Lineage = OF_CONTENT
    cautions: tuple[Caution, ...] | None = None
    kind = "listing"

    def content(self) -> dict[str, Any]:
        """What is shown."""
        names = ("title", "place", "text", "note", "language")
        return {name: getattr(self, name) for name in names} | self._caution_content()

    def _repr_mimebundle_(self, **_: Any) -> dict[str, Any]:
        text = plain_lines(self.text)
        about = plain(" ".join(filter(None, (f"{self.title}: {self.place}.", self.note))))
        # a fence longer than any in the text
        inside = (len(line) for line in text.split("\n") if set(line) == {"`"})
        fence = "`" * max(3, 1 + max(inside, default=0))
        return {
            MIME["listing"]: self.record(),
            "text/markdown": f"{escape_markdown(about)}\n\n{fence}\n{text}\n{fence}",
            "text/plain": f"{about}\n{text}",
        }
