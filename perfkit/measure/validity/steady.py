"""Rounds of the workload until the storage is steady, and what became of them.

The rule is the one of the SNIA Solid State Storage Performance Test Specification
(``stats.steady_window``). A whole PTS measurement begins with a purge, which perfkit does not do
(it would need the device's own erase command): so what is attained here is never named PTS.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from perfkit.core.errors import RunError
from perfkit.core.stats import SteadyWindow, steady_window
from perfkit.measure.points import round_point

if TYPE_CHECKING:
    from pathlib import Path

    from perfkit.measure.engines.engine import Acceptance
    from perfkit.measure.points import Point
    from perfkit.measure.spec import Steady, SweepSpec

NOT_PTS = "not PTS: the target was not purged before it was filled"
OUTCOME = "steady.json"

RunRound = Callable[["Point"], "Acceptance"]


@dataclass
class Rounds:
    """The rounds of one sweep, in the folder ``rounds`` of its run."""

    spec: SweepSpec
    folder: Path
    values: list[float] = field(default_factory=list)

    @property
    def outcome(self) -> dict[str, Any] | None:
        """What was found out before; None if the rounds did not end."""
        try:
            record = json.loads((self.folder / OUTCOME).read_text(encoding="utf-8"))
        except (OSError, ValueError):
            return None
        return record if isinstance(record, dict) else None

    def run(self, steady: Steady, measure: RunRound) -> dict[str, Any]:
        """Rounds until the rule holds or ``max_rounds``; the outcome, also kept in the folder.

        They begin anew: after an interruption the storage has rested.
        """
        shutil.rmtree(self.folder, ignore_errors=True)
        self.folder.mkdir()
        window: SteadyWindow | None = None
        while len(self.values) < steady.max_rounds and not (window and window.attained):
            judged = measure(round_point(self.spec, len(self.values) + 1))
            value = getattr(judged, steady.metric)
            if value is None:
                raise RunError(f"round {len(self.values) + 1} gives no {steady.metric}")
            self.values.append(value)
            window = steady_window(self.values)
        record = outcome_of(steady, len(self.values), window)
        text = json.dumps(record, indent=1) + "\n"
        (self.folder / OUTCOME).write_text(text, encoding="utf-8")
        if steady.required and not record["attained"]:
            raise RunError(f"{warning(record)}; the sweep asked for it (steady_state.required)")
        return record


def outcome_of(steady: Steady, rounds: int, window: SteadyWindow | None) -> dict[str, Any]:
    """The record of the rounds' end."""
    return {
        "metric": steady.metric,
        "round_s": steady.round_s,
        "rounds": rounds,
        "attained": bool(window and window.attained),
        "window_first": window and window.first,
        "window_last": window and window.last,
        "mean": window and window.mean,
        "range_ratio": window and window.range_ratio,
        "slope_ratio": window and window.slope_ratio,
        "pts": False,
        "why_not_pts": NOT_PTS,
    }


def warning(record: dict[str, Any]) -> str | None:
    """What the sweep's points must say, None where the storage was steady."""
    if record["attained"]:
        return None
    return (
        f"steady state was not attained in {record['rounds']} rounds: in the last five "
        f"{record['metric']} moved by {record['range_ratio']:.0%} of its mean, its best-fit line "
        f"by {record['slope_ratio']:.0%}"
    )
