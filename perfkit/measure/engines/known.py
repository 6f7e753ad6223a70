"""The engines by name."""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING

from perfkit.measure.engines.elbencho import ELBENCHO
from perfkit.measure.engines.fio import FIO

if TYPE_CHECKING:
    from collections.abc import Mapping

    from perfkit.measure.engines.engine import Engine

ENGINES: Mapping[str, Engine] = MappingProxyType(
    {engine.name: engine for engine in (FIO, ELBENCHO)}
)
