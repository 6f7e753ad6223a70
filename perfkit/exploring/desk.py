"""What the panel does in the browser: brushing in charts, copying, and selectors that stay in view.

An anywidget (https://anywidget.dev): its script stands in ``desk.js``, its style in ``desk.css``.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import anywidget
import traitlets

HERE = Path(__file__).parent


class Desk(anywidget.AnyWidget):
    """A widget without a face of its own; ``brushed`` is what was brushed last, as it came."""

    _esm = HERE / "desk.js"
    _css = HERE / "desk.css"
    brushed: Any = traitlets.Dict().tag(sync=True)
