"""Commands and job files of sweeps, for the appendix of a report."""

from __future__ import annotations

from typing import TYPE_CHECKING

from perfkit.analysis.commands import sweep_commands
from perfkit.core.lineage import Measured, step
from perfkit.core.listing import Listing
from perfkit.core.values import check_id

if TYPE_CHECKING:
    from perfkit.core.lineage import Reading

_WHAT = {"command.json": ("Command, as for a shell,", "bash")}
_JOB = ("Job file", None)


def list_commands(reading: Reading, *, value_id: str = "command") -> list[Listing]:
    """One command and one job file of each sweep, as the tool was given them.

    They stand in an appendix of the report, whole; below each is said which settings differ at the
    other load points.

    Args:
        reading: Runs of perfkit's; of other evidence, and of runs that kept no command, the list is
            empty.
        value_id: What the ids begin with.
    """
    commands = reading.get("commands")
    if not commands:
        return []
    found = sweep_commands(commands)
    return [_listing(found, row=row, value_id=f"{value_id}-{row + 1}") for row in range(len(found))]


@step(version=1, name="listing.command")
def _listing(found: Measured, *, row: int, value_id: str) -> Listing:
    told = found.frame.row(row, named=True)
    what, language = _WHAT.get(told["file"], _JOB)
    sweep = f"{told['source']}/" if told["source"] else ""
    return Listing(
        check_id(value_id), f"{what} of {told['workload']}",
        f"{sweep}points/{told['point']}/{told['file']}", told["text"],
        note=_of_others(told["others"], told["differing"]), language=language,
    )  # fmt: skip


def _of_others(others: int, differing: str | None) -> str | None:
    """What is said of the same file of the other points; None where there is none."""
    if not others:
        return None
    points = "The other point has" if others == 1 else f"The {others} other points have"
    if differing is None:
        return f"{points} the same."
    return f"{points} the same but for {differing}."
