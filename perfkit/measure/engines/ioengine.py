"""Whether this host lets fio use a way of submitting I/O: some kernels forbid io_uring."""

from __future__ import annotations

import subprocess
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from perfkit.measure.engines.engine import find_tool
from perfkit.measure.engines.known import ENGINES

if TYPE_CHECKING:
    from perfkit.measure.spec import SweepSpec

DEADLINE_S = 20
_PROBE = ("--name=probe", "--rw=read", "--bs=4k", "--size=4k", "--filename=/dev/zero",
          "--readonly", "--thread", "--output-format=json")  # fmt: skip


def not_permitted(spec: SweepSpec, program: str | None = None) -> str | None:
    """Why fio cannot use the sweep's ioengine here, in its own words; None where it can.

    fio reads one block of ``/dev/zero`` through it; nothing is written. Other engines than fio and
    load generators on other hosts are not asked: their sweep tells.

    Raises MissingPartError where fio itself is not there.
    """
    if spec.engine != "fio" or spec.hosts:
        return None
    tool = find_tool(ENGINES["fio"], program)
    with tempfile.TemporaryDirectory(prefix="perfkit-probe-") as folder:
        command = [tool.path, *_PROBE, f"--ioengine={spec.ioengine}",
                   f"--output={Path(folder) / 'probe.json'}"]  # fmt: skip
        try:
            done = subprocess.run(
                command, cwd=folder, capture_output=True, text=True, timeout=DEADLINE_S,
                check=False, errors="replace",
            )  # fmt: skip
        except (OSError, subprocess.TimeoutExpired) as problem:
            return str(problem)
        if done.returncode == 0:
            return None
        written = Path(folder) / "probe.json"
        # with an output file fio writes its errors there, before the JSON
        text = done.stderr + (written.read_text(errors="replace") if written.is_file() else "")
    said = [line.strip() for line in text.splitlines() if line.startswith("fio:")]
    words = next((line for line in said if "error=" in line or "err=" in line), None)
    return words or (said[0] if said else f"fio ends with exit code {done.returncode}")
