"""Whether a user is at the notebook, who could set a selector."""

from __future__ import annotations

import sys


def live(interactive: bool | None = None) -> bool:
    """Whether selectors are wanted: as told, or, where nothing is told, whether there is a user.

    A notebook is executed by a kernel in either case. A front end with a person before it
    (JupyterLab, Notebook, VS Code) says in each request that a cell may ask its user something,
    ``allow_stdin`` of Jupyter's message protocol; papermill, nbconvert, schedulers and ``perfkit
    report`` say that it may not, because nobody would answer. Outside a kernel there is nobody.
    """
    if interactive is not None:
        return interactive
    # nothing is imported to find out: without IPython there is no kernel
    shell = getattr(sys.modules.get("IPython"), "get_ipython", lambda: None)()
    kernel = getattr(shell, "kernel", None)
    if kernel is None:
        return False
    request = kernel.get_parent() or {}
    return bool(request.get("content", {}).get("allow_stdin", False))
