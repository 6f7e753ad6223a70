"""Findings: the few answers that a report is made for, as a value that its first page shows."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import polars as pl

from perfkit.core.answers import ANSWERS, Answer, to_frame
from perfkit.core.cautions import Caution
from perfkit.core.evidence import Lineage
from perfkit.core.plain_text import plain
from perfkit.core.units import Printed
from perfkit.core.values import MIME, OF_CONTENT, Value, escape_markdown, shown_as


@dataclass(frozen=True, eq=False)
class Finding(Value):
    """One answer as a finding.

    Attributes:
        id: Its name among the findings.
        headline: What was found, in one short sentence; None where there is no answer.
        text: What it rests on: sides, interval, conditions. Without an answer, why there is none.
        see: The id of the figure or table that shows it.
        printed: The numbers in headline and text.
        panel: The question of a panel beside the findings that it stands in; None: it is one of
            them.
        answers: The answers that it says; several where it is a range over curves.
        left_out: How many more findings its question has that were not wanted (``most``).
        others: What is to be known of those.
        of: The history that it is of: of several figures of one id, ``see`` means the one of it.
    """

    id: str
    headline: str | None
    text: str
    see: str | None = None
    printed: tuple[Printed, ...] = ()
    lineage: Lineage = OF_CONTENT
    cautions: tuple[Caution, ...] | None = None
    panel: str | None = None
    answers: tuple[Answer, ...] = ()
    left_out: int = 0
    others: tuple[Caution, ...] = ()
    of: str | None = None
    kind = "finding"

    @property
    def said(self) -> str:
        """Headline and text in a row."""
        return " ".join(filter(None, (self.headline, self.text)))

    def content(self) -> dict[str, object]:
        """What is shown."""
        return {
            "headline": self.headline,
            "text": self.text,
            "see": self.see,
            "printed": [item.record() for item in self.printed],
            **({"panel": self.panel} if self.panel else {}),
            **self._caution_content(),
        }

    def __repr__(self) -> str:
        return plain(self.said)


@dataclass(frozen=True, eq=False)
class Findings(Value):
    """The findings of a report in their order, the chart and the table that stand with them.

    Attributes:
        id: Its id.
        items: What was found.
        unanswered: What was asked and has no answer.
        hero: The ids of figures that show the findings: the first that the report has counts. Of
            several, "id" stands for "id-1".
        table: The id of a table, likewise.
    """

    id: str
    items: tuple[Finding, ...]
    unanswered: tuple[Finding, ...] = ()
    hero: tuple[str, ...] = ()
    table: str | None = None
    lineage: Lineage = OF_CONTENT
    cautions: tuple[Caution, ...] | None = None
    kind = "findings"

    def content(self) -> dict[str, object]:
        """What is shown."""
        return {
            "items": [item.content() for item in self.items],
            "unanswered": [item.text for item in self.unanswered],
            "hero": list(self.hero),
            "table": self.table,
            **self._caution_content(),
        }

    def record(self) -> dict[str, object]:
        """Content, hash and lineage; what each item rests on, and the answers that are said.

        ``behind``, of each item in order: which evidence and which steps, by their numbers from 0.
        ``histories``: the one that each is of.
        ``answers``: the rows of ``core.answers.ANSWERS``, for programs (``answers_found``).
        """
        made, whole = super().record(), self.lineage
        said = dict.fromkeys(
            one for item in (*self.items, *self.unanswered) for one in item.answers
        )
        return {
            **made,
            "behind": [_behind(item.lineage, whole) for item in self.items],
            "histories": [item.of for item in self.items],
            "answers": to_frame(said).to_dicts(),
        }

    def _repr_mimebundle_(self, **_: Any) -> dict[str, object]:
        lines = [
            f"{number}. **{escape_markdown(item.headline or '')}** {escape_markdown(item.text)}"
            for number, item in enumerate(self.items, 1)
        ]
        lines += [f"- {escape_markdown(item.text)}" for item in self.unanswered]
        more = [self.caution, self.lineage.mark().strip()]
        shown = "\n".join(lines) + "".join(f"\n\n{escape_markdown(t)}" for t in more if t)
        said = [*(item.said for item in (*self.items, *self.unanswered)), *filter(None, more)]
        return {
            MIME["findings"]: self.record(),
            "text/markdown": shown,
            "text/plain": "\n".join(map(plain, said)),
        }


def _behind(own: Lineage, whole: Lineage) -> dict[str, list[int]]:
    return {
        part: [number for number, one in enumerate(getattr(whole, part)) if one in known]
        for part in ("evidence", "steps")
        for known in [set(getattr(own, part))]
    }


def answers_found(notebook: Mapping[str, Any]) -> pl.DataFrame:
    """The answers of an executed notebook's findings: rows of ``ANSWERS``, claims counted from 1.

    Those of all its parts; none where an older release ran it.
    """
    frames = [pl.DataFrame(schema=ANSWERS)]
    count = 0
    for record in shown_as(MIME["findings"], notebook):
        frame = pl.DataFrame(record.get("answers", []), schema=ANSWERS, orient="row")
        frames.append(frame.with_columns(pl.col("claim") + count))
        count += frame["claim"].n_unique()
    return pl.concat(frames)
