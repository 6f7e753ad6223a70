"""A choice to take along: parameters of a study, a command, and a line of Python."""

from __future__ import annotations

import json
import shlex
from typing import TYPE_CHECKING, Any

from perfkit.exploring.choices import ALIGN, Offers

if TYPE_CHECKING:
    from perfkit.exploring.answer import Choice


def parameters(
    choice: Choice, values: tuple[float, ...], offers: Offers, event: str | None = None
) -> dict[str, Any]:
    """The choice as parameters of the notebook; what is as it would be anyway is left out.

    The values are those that were compared, so that the report asks the same where the panel took
    round ones.
    """
    align = ALIGN[choice.align]
    chosen = [choice.baseline, *choice.others]
    found: dict[str, Any] = {
        "event": event,
        "direction": None if choice.direction == "total" else choice.direction,
        "metric": None if choice.metric == "lat_mean_s" else choice.metric,
        "baseline": choice.baseline,
        "systems": None if set(offers.systems) <= set(chosen) else chosen,
        "workload": choice.workload,
        "limit_us": None if choice.limit_s is None else json.loads(written(choice.limit_s, 1e-6)),
        "allow": " ".join(choice.allow) or None,
    }
    if align.parameter is not None:
        texts = [written(value, align.scale) for value in values]
        found[align.parameter] = json.loads(texts[0]) if len(texts) == 1 else " ".join(texts)
    return {name: value for name, value in found.items() if value is not None}


def written(value: float, scale: float) -> str:
    """A value as people write it: 0.0004 s are 400 in microseconds."""
    return f"{value / scale:.12g}"


def as_yaml(given: dict[str, Any]) -> str:
    """For the study's ``parameters:``."""
    lines = [f"  {name}: {json.dumps(value, ensure_ascii=False)}" for name, value in given.items()]
    return "\n".join(["parameters:", *lines])


def as_command(given: dict[str, Any], study: str) -> str:
    """The command that makes the report of this choice."""
    parts = [f"-p {shlex.quote(f'{name}={_argument(value)}')}" for name, value in given.items()]
    return " \\\n  ".join([f"perfkit report {shlex.quote(study)}", *parts])


def _argument(value: Any) -> str:
    """A value as ``-p`` reads it: JSON, and text as it stands unless it could be JSON."""
    if not isinstance(value, str):
        return json.dumps(value, ensure_ascii=False)
    try:
        json.loads(value)
    except ValueError:
        return value
    return json.dumps(value, ensure_ascii=False)


def as_python(given: dict[str, Any]) -> str:
    """For a notebook of one's own: the same panel again."""
    arguments = "".join(f"\n    {name}={value!r}," for name, value in given.items())
    return f"pk.explore(\n    points,{arguments}\n)"
