"""Which number is wrong: relations that fail share one, and what holds elsewhere clears a number."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from typing import TYPE_CHECKING

from perfkit.auditing.relations.run import DOUBT, FAILS, HOLDS, ROUNDING
from perfkit.formats.printed_text import rounded_text

if TYPE_CHECKING:
    from perfkit.auditing.found.relate import Check, Trial
    from perfkit.auditing.found.sheets import Sheet, Slot

_BAD = (FAILS, DOUBT)


def blamed(checks: Sequence[Check], sheets: Sequence[Sheet]) -> list[Check]:
    """The same checks; of those that fail one for each number that is likely wrong."""
    failing = [c for c in checks if c.outcome in _BAD and c.trial]
    others = [c for c in checks if not (c.outcome in _BAD and c.trial)]
    cleared = Counter(
        key for c in others if c.trial and c.outcome in {HOLDS, ROUNDING}
        and c.kind not in {"limit", "stated_twice"} for key in c.places
    )  # fmt: skip
    by_name = {sheet.name: sheet for sheet in sheets}
    told: list[Check] = []
    while failing:
        count: Counter[str] = Counter(slot.key for c in failing for slot in _suspects(c))
        score = {key: n - cleared[key] for key, n in count.items()}
        claims = {c.trial.claim.key for c in failing if c.trial}
        worst = max(score, key=lambda key: (score[key], key in claims))
        own = [c for c in failing if worst in {slot.key for slot in _suspects(c)}]
        first = next((c for c in own if c.trial and c.trial.claim.key == worst), None)
        told.append(first or _moved(own[0], worst, by_name))
        failing = [c for c in failing if c not in own]
    return [*others, *told]


def _suspects(check: Check) -> tuple[Slot, ...]:
    trial = check.trial
    assert trial  # noqa: S101 - those that fail have one
    return (trial.claim,) if check.kind == "limit" else (trial.claim, *trial.inputs)


def _moved(check: Check, key: str, sheets: dict[str, Sheet]) -> Check:
    """A check told of one of its inputs: the claim it does not fit is right elsewhere."""
    trial = check.trial
    assert trial  # noqa: S101
    slot = next(s for s in trial.inputs if s.key == key)
    value = _solved(trial, slot)
    factor = slot.factor or Fraction(1)
    fit = None if value is None else rounded_text(value / factor, slot.quantity.decimals)
    return replace(
        check, place=sheets[slot.table].place(slot), line=slot.line, printed=slot.quantity.text,
        row=slot.row, column=slot.column, recomputed=fit, claim=None, result=None, moved=check.places,
        rule=f"{check.printed} ({check.place}) is {check.rule}",
    )  # fmt: skip


def _solved(trial: Trial, slot: Slot) -> Fraction | None:
    """What an input would have to be for the claim to hold; None where that is not simple."""
    claim, at = trial.claim.exact, trial.inputs.index(slot)
    value = Fraction(trial.formula(*(s.exact for s in trial.inputs)))
    if not value or not claim:
        return None
    many = len(trial.inputs)
    options = [slot.exact + claim - value, slot.exact - claim + value, slot.exact * claim / value,
               slot.exact * value / claim, slot.exact + (claim - value) * many]  # fmt: skip
    for option in options:
        inputs = [option if n == at else s.exact for n, s in enumerate(trial.inputs)]
        try:
            again = float(trial.formula(*inputs))
        except (ZeroDivisionError, ValueError):
            continue
        if abs(again - float(claim)) <= 1e-9 * abs(float(claim)):
            return option
    return None
