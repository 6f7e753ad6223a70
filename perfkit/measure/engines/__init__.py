"""The load generators: how each is started, what its jobs say and what it writes."""

from __future__ import annotations

from typing import Literal

EngineName = Literal["fio", "elbencho"]
"""The load generators, by name: the module of this name declares each as ``ENGINE``."""
