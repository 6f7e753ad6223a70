"""What an audit of printed numbers found, in sentences."""

from __future__ import annotations

from perfkit.analysis.audit.run import DOUBT, FAILS, HOLDS, REMARK, ROUNDING, UNKNOWN
from perfkit.analysis.series import need
from perfkit.lineage import Measured, step
from perfkit.units import Format
from perfkit.values import Statement, say

_COUNT = Format("1", decimals=0)
_WORDS = {
    HOLDS: "{n} hold as printed",
    ROUNDING: "{n} hold within the rounding of the printed numbers",
    FAILS: "{n} fail, and no rounding explains it",
    DOUBT: "{n} are in doubt",
    UNKNOWN: "{n} could not be checked",
}


@step(version=1, name="say.audit")
def say_audit(findings: Measured, *, value_id: str = "audit-summary") -> Statement:
    """How many declared relations hold, hold within rounding, and fail, from ``audit``."""
    need(findings.frame, ("outcome",), "findings")
    found = findings.frame["outcome"].to_list()
    checked = [outcome for outcome in found if outcome != REMARK]
    if not checked:
        return Statement(value_id, "No relation between printed numbers was declared.")
    numbers = {"all": _COUNT.show(len(checked))}
    parts = []
    for name, words in _WORDS.items():
        count = checked.count(name)
        if count:
            key = f"n{len(numbers)}"
            numbers[key] = _COUNT.show(count)
            parts.append(words.format(n=f"{{{key}}}"))
    sentence = f"Relations checked between printed numbers: {{all}}. Of these {_listed(parts)}."
    remarks = found.count(REMARK)
    if remarks:
        numbers["remarks"] = _COUNT.show(remarks)
        sentence += " Found by reading: {remarks} more."
    return say(value_id, sentence, **numbers)


def _listed(parts: list[str]) -> str:
    *first, last = parts
    return f"{', '.join(first)} and {last}" if first else last
