"""Where perfkit's own folders lie: beside the package in a checkout, else in ``share/perfkit``."""

from __future__ import annotations

import sys
from pathlib import Path

from perfkit.errors import MissingPartError


def find(name: str) -> Path:
    """A top-level folder of perfkit ("templates", "notebooks").

    The checkout comes first: an editable install leaves a copy that goes stale.

    Raises MissingPartError when neither place has it.
    """
    checkout = Path(__file__).resolve().parents[1]
    places = (checkout / name, Path(sys.prefix) / "share" / "perfkit" / name)
    for place in places:
        if place.is_dir() and (place != places[0] or (checkout / "pyproject.toml").is_file()):
            return place
    raise MissingPartError(f"perfkit's own folder {name!r} is missing; install perfkit again")
