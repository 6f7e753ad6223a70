"""How a sweep was conducted, for a report: steady before it, the same during it, hosts alike."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from perfkit.analysis.over_time.drift import drift
from perfkit.analysis.over_time.steadiness import host_balance, steady_state
from perfkit.showing.display import prose
from perfkit.showing.statements.say import say
from perfkit.showing.tables.load_points import table_points

if TYPE_CHECKING:
    from perfkit.core.lineage import Reading

CHAPTER = """
{level} Steadiness

Whether the storage was steady before the first load point and stayed the same while the sweep ran,
and whether the hosts that made the load were alike: as far as the runs measured it.
"""


def steadiness(reading: Reading, *, level: int = 2) -> list[Any]:
    """A chapter for ``show``: what the runs measured of how they were conducted.

    Steady state where rounds ran, drift where a load was measured again and again, and balance
    where hosts have results of their own, each as sentences with the table they rest on. Empty
    where the runs measured none of them.

    Args:
        reading: Of a run, or of a study's evidence.
        level: Of the chapter's heading.
    """
    found = [*_before(reading), *_during(reading), *_hosts(reading)]
    return [prose(CHAPTER.format(level="#" * level)), *found] if found else []


def _before(reading: Reading) -> list[Any]:
    outcome, rounds = reading.get("steady_state"), reading.get("rounds")
    if not outcome or not rounds:
        return []
    caption = "The rounds before the first load point."
    table = table_points(rounds, counted="Round", value_id="rounds", caption=caption)
    return [*say(steady_state(outcome, rounds)), table]


def _during(reading: Reading) -> list[Any]:
    controls = reading.get("control_points")
    if not controls:
        return []
    caption = "The control points, in the order in which they were measured."
    table = table_points(controls, counted="Control", value_id="control-points", caption=caption)
    return [*say(drift(controls, reading.load_points)), table]


def _hosts(reading: Reading) -> list[Any]:
    points = reading.get("host_points")
    if not points:
        return []
    caption = "What each host gave at each load point."
    return [*say(host_balance(points)),
            table_points(points, value_id="host-points", caption=caption)]  # fmt: skip
