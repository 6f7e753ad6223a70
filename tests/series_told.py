"""Whether the answers on a forged series name what was planted in it, and nothing else."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING

import perfkit as pk

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from forges.awr.series import Cause, Series

    from perfkit.core.answers import Answer

NAMED = {
    "storage slow": "cause reads_slower",
    "noisy neighbour": "cause reads_slower",
    "log slow": "cause log_slower",
    "CPU starved": "cause cpu_busy",
    "backup": "cause backup",
    "lock storm": "cause event",
    "plan change": "cause statement",
}
"""Each cause with the condition of an answer that names it."""
OF = {"lock storm": "of event", "plan change": "of statement", "backup": "of backup"}
"""Where the cause has a name of its own, what it stands under in the subject."""

STUDY = (
    "format: 1\nreport: {title: A series}\nevidence:\n  - files: '*.html'\n    kind: awr\n"
    "    labels: {system: shop}\ncriteria: []\nnotebook: oracle_series\n"
)


def frames(found: Series, folder: Path):
    """The periods of a series, what they did, and the reading."""
    found.write(folder)
    (folder / "study.yml").write_text(STUDY)
    reading = pk.open_study(folder / "study.yml").read_evidence()
    periods = pk.awr.periods(reading.report, reading.instances)
    return periods, pk.awr.over_time(periods, reading), reading


def by_name(found: Series) -> dict[str, Cause]:
    """What was planted."""
    return {cause.name: cause for cause in found.causes}


def told_of(answers: Sequence[Answer], cause: Cause, found: Series) -> bool:
    """Whether an answer names a cause and gives its period to the half hour."""
    if cause.spanned:
        (coverage,) = (one for one in answers if one.question == "series_periods")
        spanning = [one.name.removesuffix(".html") for one in found.periods if one.spans]
        return list(coverage.inputs) == spanning
    question = "series_gap" if cause.missing else "series_change"
    own = [
        one for one in answers
        if one.question == question and one.estimate and interval(one) == found.times(cause)
    ]  # fmt: skip
    return len(own) == 1 and names(own[0], cause)


def interval(answer: Answer) -> tuple[datetime, datetime]:
    """When an answer says that it was."""
    begin, end = (datetime.fromisoformat(answer.subject.get(name)) for name in ("begin", "end"))
    return begin, end


def names(answer: Answer, cause: Cause) -> bool:
    """Whether the answer's first cause is this one, by name."""
    if cause.missing:
        return (answer.subject.get("restart") is not None) == cause.restarted
    told = [item for item in answer.conditions if item.metric.startswith("cause ")]
    known = {item.metric: item.value for item in told}
    of = answer.subject.get(OF.get(cause.name, ""))
    enough = known.get(NAMED[cause.name], 0.0) >= 0.5 * max(known.values(), default=0.0)
    return enough and (cause.name not in OF or of in cause.names)


def false_causes(answers: Sequence[Answer], found: Series) -> list[str]:
    """Changes and gaps at times in which nothing was planted."""
    planted = [found.times(cause) for cause in found.causes]
    return [
        f"{one.question} {interval(one)}"
        for one in answers
        if one.question in {"series_change", "series_gap"} and one.estimate
        and not any(begin < interval(one)[1] and interval(one)[0] < end for begin, end in planted)
    ]  # fmt: skip
