"""An extension of IPython that imports perfkit as a whole before a report's first cell runs.

The kernel starts while the process that makes the report imports papermill; this fills the wait. It
costs 0.7 s of processor time, of which a notebook would need 0.6 s anyway. No name is added to the
notebook's; what cannot be imported is told by the cell that asks for it.
"""

from __future__ import annotations

import contextlib

import perfkit


def load_ipython_extension(_shell: object) -> None:
    """Import what is behind every public name."""
    from perfkit.study import labelled  # noqa: F401 - behind methods of a study

    for space in (perfkit, perfkit.awr, perfkit.genio, perfkit.ontap, perfkit.sas):
        for name in space.__all__:
            with contextlib.suppress(Exception):
                getattr(space, name)
