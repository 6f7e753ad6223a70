"""Recall and false alarms of the audit over a corpus."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

import perfkit as pk

if TYPE_CHECKING:
    from forges.audit_corpus.corpus import Document


@dataclass
class Score:
    """What was found of what was put in, and what was found besides."""

    errors: int = 0
    found: int = 0
    sound: int = 0
    checked: int = 0
    alarms: int = 0
    missed: list[str] = field(default_factory=list)
    false: list[str] = field(default_factory=list)
    kinds: Counter[str] = field(default_factory=Counter)

    @property
    def recall(self) -> float:
        return self.found / self.errors

    @property
    def false_rate(self) -> float:
        return self.alarms / self.sound


def measure(documents: list[Document], folder: Path) -> Score:
    """Audit each document as a file and hold the findings against what is known of it.

    An error is found where a finding stands on its cell, or on one it is an input of. A finding
    is a false alarm where neither its cell nor an input of its relations is wrong.
    """
    score = Score()
    for document in documents:
        path = folder / document.name
        path.write_text(document.text, encoding="utf-8")
        rows = pk.audit_document(pk.read_document(path)).frame.rows(named=True)
        # all documents hold one table, the one with the most cells checked
        fails = [row for row in rows if row["outcome"] == "doubt"]
        places = {(row["row"] - 1, row["column"] - 1) for row in fails if row["row"]}
        made = document.made
        held = {(row["row"] - 1, row["column"] - 1) for row in rows if row["row"]}
        for at in sorted(made.wrong):
            own = {at} | {r.claim for r in made.relations if at in r.inputs}
            score.errors += 1
            kind = next(r.kind for r in made.relations if r.claim == at)
            score.kinds[kind] += 1
            if own & places:
                score.found += 1
            else:
                score.missed.append(f"{document.name} {kind} {at} {made.cells[at[0]]}")
        sound = [r for r in made.relations if not {r.claim, *r.inputs} & made.wrong]
        score.sound += len(sound)
        score.checked += sum(r.claim in held for r in sound)
        for row in fails:
            at = (row["row"] - 1, row["column"] - 1) if row["row"] else None
            known = [r for r in made.relations if r.claim == at]
            cells = {at} | {p for r in known for p in r.inputs}
            if not cells & made.wrong:
                score.alarms += 1
                score.false.append(
                    f"{document.name}:{row['line']} {row['name']}: {row['printed']} "
                    f"{row['recomputed']} {row['rule']}"
                )
    return score
