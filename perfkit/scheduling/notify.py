"""Calls the user's on-result command; the outcome is passed in its environment."""

from __future__ import annotations

import os
import subprocess
from typing import TYPE_CHECKING

from perfkit.core.errors import RunError
from perfkit.scheduling import folders
from perfkit.scheduling.making import LOG

if TYPE_CHECKING:
    from perfkit.scheduling.schedule_file import Scheduled
    from perfkit.scheduling.state import Run

LIMIT_S = 300.0


def tell(scheduled: Scheduled, run: Run) -> None:
    """Call the command, if there is one. RunError when it fails or takes too long."""
    command = scheduled.entry.on_result
    if command is None:
        return
    try:
        # the command is a line of the user's own for their shell; what happened reaches it as
        # variables only, never as text of the line
        done = subprocess.run(
            ["/bin/sh", "-c", command],
            env={**os.environ, **facts(scheduled, run)},
            cwd=scheduled.file.parent,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            errors="replace",
            timeout=LIMIT_S,
            check=False,
        )
    except subprocess.TimeoutExpired as problem:
        raise RunError(f"not done within {LIMIT_S:g} s") from problem
    if done.returncode:
        said = (done.stderr or done.stdout).strip().splitlines()
        raise RunError(f"exit code {done.returncode}{': ' + said[-1] if said else ''}")


def facts(scheduled: Scheduled, run: Run) -> dict[str, str]:
    """The variables of the command; empty where there is nothing to say."""
    folder = scheduled.reports / run.folder if run.folder else None
    item = folders.Kept(folder, run, scheduled.name) if folder and folder.is_dir() else None

    def path(ending: str) -> str:
        return str(item.file(ending) or "") if item else ""

    return {
        "PERFKIT_NAME": scheduled.name,
        "PERFKIT_STUDY": str(scheduled.study),
        "PERFKIT_TITLE": run.title or "",
        "PERFKIT_SLOT": run.moment.isoformat(),
        "PERFKIT_OUTCOME": run.outcome,
        "PERFKIT_EXIT_CODE": str(run.exit_code),
        "PERFKIT_REASON": run.reason or "",
        "PERFKIT_DURATION_S": "" if run.duration_s is None else f"{run.duration_s:g}",
        "PERFKIT_FOLDER": str(folder or ""),
        "PERFKIT_NOTEBOOK": path(".ipynb"),
        "PERFKIT_PDF": path(".pdf"),
        "PERFKIT_HTML": path(".html"),
        "PERFKIT_LOG": str(item.path / LOG) if item else "",
        "PERFKIT_INDEX": str(scheduled.root / "index.html"),
    }
