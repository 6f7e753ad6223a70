"""Exploring a comparison in JupyterLab: selectors that redraw what a report would show.

``parameters`` is what is asked of the load points, and whether a user is at the notebook;
``choices`` what can be chosen of them, ``answer`` what is shown, ``panel`` the selectors
themselves, ``take_along`` what becomes of a choice.
"""

from perfkit.exploring.choices import asked_curves
from perfkit.exploring.panel import Panel, explore
from perfkit.exploring.parameters import Asked, comparison_asked

__all__ = ["Asked", "Panel", "asked_curves", "comparison_asked", "explore"]
