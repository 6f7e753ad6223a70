"""Exploring a comparison in JupyterLab: selectors that redraw what a report would show.

``session`` tells whether a user is at the notebook, ``asked`` what is asked of the load
points, ``curves`` which of them are taken, ``offers`` what can be chosen, ``answer`` what is shown,
``panel`` the selectors themselves.
"""

from perfkit.exploring.curves import asked_curves, select_curves
from perfkit.exploring.panel import Panel, explore
from perfkit.exploring.parameters import Asked, comparison_asked

__all__ = ["Asked", "Panel", "asked_curves", "comparison_asked", "explore", "select_curves"]
