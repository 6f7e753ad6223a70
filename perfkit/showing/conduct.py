"""How a sweep was conducted, for a report: steady before it, the same during it, hosts alike."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from perfkit.analysis.over_time.drift import drift
from perfkit.analysis.over_time.steadiness import host_balance, steady_state
from perfkit.core.errors import AbsentError
from perfkit.showing.statements.say import say
from perfkit.showing.tables.load_points import table_points

if TYPE_CHECKING:
    from perfkit.core.lineage import Reading


def steadiness(reading: Reading) -> list[Any]:
    """What the runs measured of how they were conducted, for ``show``.

    Steady state where rounds ran, drift where a load was measured again and again, and balance
    where hosts have results of their own, each as sentences with the table they rest on.

    Raises AbsentError where the runs measured none of them.
    """
    found = [*_before(reading), *_during(reading), *_hosts(reading)]
    if not found:
        raise AbsentError("no steady state, drift or balance of hosts was measured")
    return found


def _before(reading: Reading) -> list[Any]:
    outcome, rounds = reading.get("steady_state"), reading.get("rounds")
    if not outcome or not rounds:
        return []
    caption = "The rounds before the first load point."
    table = table_points(rounds, counted="Round").renamed("rounds").captioned(caption)
    return [*say(steady_state(outcome, rounds)), table]


def _during(reading: Reading) -> list[Any]:
    controls = reading.get("control_points")
    if not controls:
        return []
    caption = "The control points, in the order in which they were measured."
    table = table_points(controls, counted="Control").renamed("control-points")
    return [*say(drift(controls, reading.load_points)), table.captioned(caption)]


def _hosts(reading: Reading) -> list[Any]:
    points = reading.get("host_points")
    if not points:
        return []
    caption = "What each host gave at each load point."
    return [*say(host_balance(points)),
            table_points(points).renamed("host-points").captioned(caption)]  # fmt: skip
