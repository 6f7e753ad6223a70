"""Sentences on isolation: whether protected servers keep their level while another one ramps."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from perfkit.analysis.curves.metrics import share_printed
from perfkit.analysis.verdicts import isolation
from perfkit.showing.statements import say
from perfkit.showing.statements.words import number

if TYPE_CHECKING:
    from perfkit.core.answers import Answer
    from perfkit.showing.sentences import Text

_LEVELS = {isolation.OWN_LEVEL: "its own level", isolation.CONTROL_LEVEL: "its level without {b}"}


def _bully(text: Text, answer: Answer) -> str:
    return text(str(answer.subject.get("bully")))


def _level(text: Text, answer: Answer) -> str:
    words = _LEVELS[str(answer.subject.get("level_of"))]
    whose = words.format(b=_bully(text, answer)) if "{b}" in words else words
    level = text.value(answer.metric, number(answer, "level"))
    return f"{whose} of {level} ± {text(share_printed(number(answer, 'margin_ratio')))}"


def runs(text: Text, answer: Answer) -> str:
    """Over how many runs."""
    return text.many(answer.got.n or 0, "run", "runs")


sentences = partial(say.sentences, level=_level, bully=_bully)

sentences(
    "isolation_departure",
    of={
        "measured <=": "Over {runs} the {metric} of {label} was equivalent to {level}: its change "
        "and the range of its runs lie within {value:percent_3} of it.",
        "measured >=": "The {metric} of {label} did not keep {level}: over the ramp it changed by "
        "at least {value:percent_3}.",
        "missing": "Whether the {metric} of {label} kept {level} is not shown either way: {why}.",
        "not_judged": "Whether the {metric} of {label} kept its level could not be judged: {why}.",
    },
    runs=runs,
)
sentences(
    "isolation_effect",
    of={
        "measured": "While {bully} ramped from {bully_from_iops:iops} to {bully_to_iops:iops}, the "
        "{metric} of {label} changed by {value:moved_3} of its level ({confidence} interval "
        "{low:moved_3} to {high:moved_3}).",
        "not_judged": "How the {metric} of {label} changed over the ramp is not known: {why}.",
    },
    confidence=lambda text, answer: text(share_printed(answer.got.level or 0)),
)
sentences(
    "isolation_without_policy",
    of={
        "measured >=": "Cause shown: without the policy the {metric} of {label} does not keep its "
        "level, but changes by at least {value:percent_3}.",
        "measured <=": "Cause not shown: without the policy too the {metric} of {label} is "
        "equivalent to its level, within {value:percent_3}.",
        "missing": "Cause not shown: what the {metric} of {label} is without the policy does not "
        "tell: {why}.",
    },
)
sentences(
    "isolation_without_bully",
    of={
        "measured <=": "Cause shown: the {metric} of {label} with {bully} is equivalent to that "
        "without, within {value:percent_3}.",
        "measured >=": "Cause shown: the {metric} of {label} with {bully} lies at least "
        "{value:percent_3} from that without.",
        "missing": "Cause not shown: what the {metric} of {label} is without {bully} does not "
        "tell: {why}.",
    },
)
